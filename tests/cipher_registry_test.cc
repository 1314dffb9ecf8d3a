#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "ciphers/registry.h"

/// The table of cipher cores and what is chosen from it.

namespace {

using ciphers::CipherCore;
using ciphers::CipherFamily;
using ciphers::Cores;

std::vector<CipherFamily> families() {
    std::vector<CipherFamily> all;
    for (std::size_t i = 0; i < ciphers::kCipherFamilies; i++) all.push_back(static_cast<CipherFamily>(i));
    return all;
}

TEST(CipherRegistry, NamesAreTheirFamilysAndDiffer) {
    std::set<std::string_view> names;
    for (const CipherCore& core : ciphers::cipher_cores()) {
        EXPECT_TRUE(names.insert(core.name).second) << core.name;
        EXPECT_TRUE(core.name.starts_with(std::string(ciphers::name(core.family)) + "_")) << core.name;
        EXPECT_EQ(ciphers::find_core(core.name), &core);
        EXPECT_GE(core.lanes, 1u) << core.name;
        EXPECT_GE(core.pass_cost, 1u) << core.name;
    }
    EXPECT_EQ(ciphers::find_core("chacha"), nullptr);
    EXPECT_EQ(ciphers::find_core(""), nullptr);
}

TEST(CipherRegistry, EveryFamilyHasAPortableCoreButTheFusedOne) {
    for (const CipherFamily family : families()) {
        const CipherCore* core = ciphers::find_core(std::string(ciphers::name(family)) + "_portable");
        ASSERT_EQ(core == nullptr, family == CipherFamily::adiantum) << ciphers::name(family);
        if (core == nullptr) continue;
        EXPECT_EQ(core->family, family);
        EXPECT_EQ(core->needs, 0u);
    }
}

/// The time that a core says it takes.
std::size_t time_of(const CipherCore& core, std::size_t units) {
    return (units + core.lanes - 1) / core.lanes * core.pass_cost;
}

TEST(CipherRegistry, TheBestCoreIsUsableAndNoneIsBetter) {
    for (const CipherFamily family : families())
        for (const std::size_t units : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 63u, 64u}) {
            const CipherCore* best = ciphers::best_core(family, units);
            if (best == nullptr) {
                EXPECT_EQ(family, CipherFamily::adiantum);
                continue;
            }
            EXPECT_EQ(best->family, family);
            EXPECT_TRUE(ciphers::usable(*best));
            for (const CipherCore& core : ciphers::cipher_cores())
                if (core.family == family && ciphers::usable(core)) {
                    EXPECT_LE(time_of(*best, units), time_of(core, units)) << core.name << " for " << units;
                }
        }
}

TEST(CipherRegistry, OfVeryManyUnitsEachCostsLeast) {
    for (const CipherFamily family : families()) {
        const CipherCore* best = ciphers::best_core(family, 1000000);
        for (const CipherCore& core : ciphers::cipher_cores())
            if (core.family == family && ciphers::usable(core)) {
                ASSERT_NE(best, nullptr);
                EXPECT_LE(std::size_t{best->pass_cost} * core.lanes, std::size_t{core.pass_cost} * best->lanes)
                    << core.name;
            }
    }
}

TEST(CipherRegistry, ACoreThatWasAskedForIsTaken) {
    for (const CipherCore& core : ciphers::cipher_cores()) {
        if (!ciphers::usable(core) || core.family != CipherFamily::poly1305) continue;
        EXPECT_EQ(Cores(core).function<CipherFamily::poly1305>(1), std::get<Poly1305Many*>(core.function));
        EXPECT_EQ(Cores(core).function<CipherFamily::poly1305>(1000), std::get<Poly1305Many*>(core.function));
    }
    EXPECT_EQ(Cores().use_separate_passes().function<CipherFamily::adiantum>(1), nullptr);
}

/// A core file that no line lists would be built and never used.
TEST(CipherRegistry, EveryCoreFileOfThisArchitectureIsListed) {
#if defined(__x86_64__)
    const std::string folder = "x86";
#elif defined(__aarch64__)
    const std::string folder = "arm64";
#elif defined(__arm__)
    const std::string folder = "arm";
#else
    GTEST_SKIP() << "no cores for this architecture";
    const std::string folder;
#endif
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(VERITYTOOL_SOURCE_DIR "/arch/" + folder)) {
        const std::string name = entry.path().stem();
        const bool is_source = entry.path().extension() == ".S" || entry.path().extension() == ".cc";
        const bool is_cipher = std::ranges::any_of(families(), [&](CipherFamily family) {
            return name.starts_with(std::string(ciphers::name(family)) + "_");
        });
        if (!is_source || !is_cipher) continue;
        found++;
        EXPECT_NE(ciphers::find_core(name), nullptr) << entry.path();
    }
    const auto own = std::ranges::count_if(ciphers::cipher_cores(),
                                           [](const CipherCore& core) { return !core.name.ends_with("_portable"); });
    EXPECT_EQ(found, static_cast<std::size_t>(own));
}

}  // namespace
