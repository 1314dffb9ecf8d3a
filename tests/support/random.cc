#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace test {
namespace {

std::uint64_t choose_seed() {
    if (const char* given = std::getenv("VERITYTOOL_TEST_SEED")) return std::strtoull(given, nullptr, 0);
    return std::random_device{}();
}

/// FNV-1a; std::hash differs between libraries, and so would the tests that a seed makes.
std::uint64_t hash_of(const char* text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (; *text != 0; text++) hash = (hash ^ static_cast<std::uint8_t>(*text)) * 0x100000001b3;
    return hash;
}

std::uint64_t test_seed() {
    std::uint64_t seed = run_seed();
    if (const testing::TestInfo* running = testing::UnitTest::GetInstance()->current_test_info())
        seed ^= hash_of(running->test_suite_name()) + 31 * hash_of(running->name());
    return seed;
}

}  // namespace

std::uint64_t run_seed() {
    static const std::uint64_t seed = choose_seed();
    return seed;
}

Random::Random() : engine_(test_seed()) {}

void Random::fill(std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::uint64_t random = engine_();
        const std::size_t taken = bytes.size() < sizeof random ? bytes.size() : sizeof random;
        std::memcpy(bytes.data(), &random, taken);
        bytes = bytes.subspan(taken);
    }
}

}  // namespace test
