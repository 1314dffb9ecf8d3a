#ifndef VERITYTOOL_TESTS_SUPPORT_CIPHER_CORES_H
#define VERITYTOOL_TESTS_SUPPORT_CIPHER_CORES_H

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "ciphers/registry.h"
#include "tests/support/random.h"

/// Tests of every cipher core in this build, walked from the registry's table.

namespace ciphers {

inline void PrintTo(const CipherCore& core, std::ostream* out) {
    *out << core.name;
}

}  // namespace ciphers

namespace test {

inline std::string cipher_core_name(const testing::TestParamInfo<ciphers::CipherCore>& info) {
    return std::string(info.param.name);
}

/// The cores of some families.
inline std::vector<ciphers::CipherCore> cipher_cores_of(std::initializer_list<ciphers::CipherFamily> families) {
    std::vector<ciphers::CipherCore> cores;
    for (const ciphers::CipherCore& core : ciphers::cipher_cores())
        if (std::ranges::find(families, core.family) != families.end()) cores.push_back(core);
    return cores;
}

/// A test of one core; skipped where the processor cannot run it.
class EachCipherCore : public testing::TestWithParam<ciphers::CipherCore> {
  protected:
    void SetUp() override {
        if (!ciphers::usable(core)) GTEST_SKIP() << "this processor cannot run " << core.name;
        cores.use(core);
        // Adiantum would not use these where a core does their work in one pass.
        if (core.family == ciphers::CipherFamily::chacha || core.family == ciphers::CipherFamily::nh)
            cores.use_separate_passes();
    }

    const ciphers::CipherCore core = GetParam();
    ciphers::Cores cores;  ///< that core, and the fastest of other families
    Random random;
};

}  // namespace test

#endif
