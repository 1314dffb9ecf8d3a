#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "tests/support/hash_cores.h"
#include "tests/support/vectors.h"

/// Published vectors, with every core.

namespace {

using hashlib::HashAlgorithm;
using hashlib::HashFamily;
using test::Bytes;
using test::to_hex;

class HashVectors : public test::EachHashCore {
  protected:
    /// The algorithm of a vector line that is for this core, else null.
    const HashAlgorithm* algorithm_of(const test::VectorLine& line) const {
        const HashAlgorithm* algorithm = hashlib::find_hash(line.fields.at(0));
        if (algorithm == nullptr) throw std::invalid_argument(line.where + ": no such algorithm");
        return algorithm->family == core.family ? algorithm : nullptr;
    }

    void check_file(const std::string& name) {
        for (const test::VectorLine& line : test::read_vectors(name)) {
            const HashAlgorithm* algorithm = algorithm_of(line);
            if (algorithm == nullptr) continue;
            checked_++;
            const Bytes message = test::vector_bytes(line.fields.at(1));
            const std::string& digest = line.fields.at(2);
            EXPECT_EQ(to_hex(test::hash(*algorithm, message, &core)), digest) << line.where << ", Hasher";
            if (message.empty()) continue;
            Bytes one(algorithm->digest_size);
            hashlib::BlockHasher(*algorithm, {}, hashlib::SaltPosition::before, message.size(), &core)
                .hash(one, one.size(), message);
            EXPECT_EQ(to_hex(one), digest) << line.where << ", BlockHasher";
        }
    }

    int checked_ = 0;
};

TEST_P(HashVectors, Messages) {
    check_file("hash_blake2.txt");
    check_file("hash_sha.txt");
    EXPECT_GE(checked_, 20);
}

class ShaVectors : public HashVectors {};

TEST_P(ShaVectors, MonteCarlo) {
    for (const test::VectorLine& line : test::read_vectors("hash_sha_monte.txt")) {
        const HashAlgorithm* algorithm = algorithm_of(line);
        if (algorithm == nullptr) continue;
        checked_++;
        Bytes seed = test::vector_bytes(line.fields.at(1));
        for (std::size_t count = 2; count < line.fields.size(); count++) {
            Bytes last_three;
            for (int i = 0; i < 3; i++) last_three.insert(last_three.end(), seed.begin(), seed.end());
            for (int i = 0; i < 1000; i++) {
                seed = test::hash(*algorithm, last_three, &core);
                last_three.erase(last_three.begin(), last_three.begin() + static_cast<std::ptrdiff_t>(seed.size()));
                last_three.insert(last_three.end(), seed.begin(), seed.end());
            }
            ASSERT_EQ(to_hex(seed), line.fields[count]) << line.where << ", COUNT = " << count - 2;
        }
    }
    EXPECT_EQ(checked_, 1);
}

/// The self-test of RFC 7693, appendix E: a hash of hashes of several lengths, half of them keyed.
struct Rfc7693 {
    std::array<std::size_t, 4> digest_sizes;
    std::array<std::size_t, 6> message_sizes;
    const char* result;
};

constexpr Rfc7693 kBlake2b{
    {20, 32, 48, 64}, {0, 3, 128, 129, 255, 1024}, "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"};
constexpr Rfc7693 kBlake2s{
    {16, 20, 28, 32}, {0, 3, 64, 65, 255, 1024}, "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe"};

/// The RFC's generator: the upper bytes of a Fibonacci sequence.
Bytes fibonacci_bytes(std::size_t size) {
    std::uint32_t a = 0xdead4bad * static_cast<std::uint32_t>(size), b = 1;
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) {
        const std::uint32_t next = a + b;
        a = b;
        b = next;
        byte = static_cast<std::uint8_t>(next >> 24);
    }
    return bytes;
}

/// BLAKE2 of any digest and key size, of which hashlib offers some digest sizes and no keys: with the parameter block
/// of section 2.5, and the key, padded, as the first block (section 2.9).
Bytes blake2(const HashAlgorithm& longest, std::size_t digest_size, const Bytes& key, const Bytes& message,
             const hashlib::HashCore& core) {
    HashAlgorithm algorithm = longest;
    algorithm.initial[0] ^= longest.digest_size ^ digest_size ^ (key.size() << 8);
    Bytes keyed;
    if (!key.empty()) {
        keyed = key;
        keyed.resize(hashlib::traits(longest.family).block_size);
    }
    keyed.insert(keyed.end(), message.begin(), message.end());
    Bytes digest = test::hash(algorithm, keyed, &core);
    digest.resize(digest_size);
    return digest;
}

class Blake2Vectors : public HashVectors {};

TEST_P(Blake2Vectors, Rfc7693SelfTest) {
    const bool is_blake2b = core.family == HashFamily::blake2b;
    const HashAlgorithm& longest = *hashlib::find_hash(is_blake2b ? "blake2b-512" : "blake2s-256");
    const Rfc7693& expected = is_blake2b ? kBlake2b : kBlake2s;
    Bytes digests;
    for (const std::size_t digest_size : expected.digest_sizes)
        for (const std::size_t message_size : expected.message_sizes)
            for (const std::size_t key_size : {std::size_t{0}, digest_size}) {
                const Bytes digest =
                    blake2(longest, digest_size, fibonacci_bytes(key_size), fibonacci_bytes(message_size), core);
                digests.insert(digests.end(), digest.begin(), digest.end());
            }
    EXPECT_EQ(to_hex(blake2(longest, 32, {}, digests, core)), expected.result);
}

bool is_blake2(const hashlib::HashCore& core) {
    return core.family == HashFamily::blake2b || core.family == HashFamily::blake2s;
}

std::vector<hashlib::HashCore> cores_that(bool (*condition)(const hashlib::HashCore&)) {
    std::vector<hashlib::HashCore> cores;
    std::ranges::copy_if(hashlib::hash_cores(), std::back_inserter(cores), condition);
    return cores;
}

INSTANTIATE_TEST_SUITE_P(Cores, HashVectors, testing::ValuesIn(hashlib::hash_cores()), test::core_name);
INSTANTIATE_TEST_SUITE_P(Cores, Blake2Vectors, testing::ValuesIn(cores_that(is_blake2)), test::core_name);
INSTANTIATE_TEST_SUITE_P(Cores, ShaVectors,
                         testing::ValuesIn(cores_that([](const hashlib::HashCore& c) { return !is_blake2(c); })),
                         test::core_name);

}  // namespace
