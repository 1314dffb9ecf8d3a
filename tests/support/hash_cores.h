#ifndef VERITYTOOL_TESTS_SUPPORT_HASH_CORES_H
#define VERITYTOOL_TESTS_SUPPORT_HASH_CORES_H

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hashlib/hash.h"
#include "hashlib/registry.h"
#include "tests/support/random.h"

/// Tests of every hash core in this build, walked from the registry's table.

namespace hashlib {

inline void PrintTo(const HashCore& core, std::ostream* out) {
    *out << core.name;
}

inline void PrintTo(const HashAlgorithm& algorithm, std::ostream* out) {
    *out << algorithm.name;
}

}  // namespace hashlib

namespace test {

inline std::string core_name(const testing::TestParamInfo<hashlib::HashCore>& info) {
    return std::string(info.param.name);
}

inline std::string algorithm_name(const testing::TestParamInfo<hashlib::HashAlgorithm>& info) {
    std::string name(info.param.name);
    std::erase(name, '-');
    return name;
}

/// Defines the tests of a fixture derived from EachHashCore for every core.
#define TEST_EACH_HASH_CORE(fixture) \
    INSTANTIATE_TEST_SUITE_P(Cores, fixture, testing::ValuesIn(hashlib::hash_cores()), test::core_name)

/// A test of one core; skipped where the processor cannot run it.
class EachHashCore : public testing::TestWithParam<hashlib::HashCore> {
  protected:
    void SetUp() override {
        if (!hashlib::usable(core)) GTEST_SKIP() << "this processor cannot run " << core.name;
    }

    /// The hash functions that the core serves.
    std::vector<const hashlib::HashAlgorithm*> algorithms() const {
        std::vector<const hashlib::HashAlgorithm*> found;
        for (const hashlib::HashAlgorithm& algorithm : hashlib::hash_algorithms())
            if (algorithm.family == core.family) found.push_back(&algorithm);
        return found;
    }

    const hashlib::HashCore& core = GetParam();
    const hashlib::HashFamilyTraits& family = hashlib::traits(core.family);
    Random random;
};

/// The core that all others of the family are compared with.
inline const hashlib::HashCore& portable_core(hashlib::HashFamily family) {
    const hashlib::HashCore* core = hashlib::find_core(std::string(hashlib::traits(family).name) + "_portable");
    if (core == nullptr) throw std::logic_error("a family without a portable core");
    return *core;
}

inline Bytes hash(const hashlib::HashAlgorithm& algorithm, std::span<const std::uint8_t> message,
                  const hashlib::HashCore* core = nullptr) {
    hashlib::Hasher hasher(algorithm, core);
    hasher.update(message);
    Bytes digest(algorithm.digest_size);
    hasher.finish(digest);
    return digest;
}

}  // namespace test

#endif
