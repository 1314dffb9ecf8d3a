#include "arch/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/random.h"

/// CPU features, and how VERITYTOOL_CPU takes them away.

namespace {

using arch::CpuFeatureName;
using arch::CpuFeatures;

std::vector<CpuFeatureName> all_features() {
    std::vector<CpuFeatureName> all;
    for (const CpuFeatureName* f = arch::kCpuFeatureNames; f->name != nullptr; f++) all.push_back(*f);
    return all;
}

CpuFeatures everything() {
    CpuFeatures all = 0;
    for (const CpuFeatureName& f : all_features()) all |= f.feature;
    return all;
}

/// Whether every feature comes with those that it requires.
bool is_closed(CpuFeatures features) {
    return std::ranges::all_of(all_features(), [features](const CpuFeatureName& f) {
        return (features & f.feature) == 0 || (features & f.requires_) == f.requires_;
    });
}

/// The features that remain of `features`, and the first bad item, or "" if there is none.
struct Masked {
    CpuFeatures features;
    std::string bad_item;
};

Masked take_away(CpuFeatures features, const std::string& mask) {
    const char* bad = "unset";
    unsigned length = 0;
    const CpuFeatures left = arch::apply_cpu_mask(features, mask.c_str(), &bad, &length);
    return {left, bad == nullptr ? "" : std::string(bad, length)};
}

TEST(CpuFeatureNames, AreUniqueAndInTheOrderOfTheirBits) {
    std::set<std::string> names;
    CpuFeatures seen = 0;
    for (const CpuFeatureName& f : all_features()) {
        EXPECT_TRUE(names.insert(f.name).second) << f.name << " twice";
        EXPECT_EQ(std::string(f.name).find_first_of("-, "), std::string::npos) << f.name;
        EXPECT_EQ(f.feature & (f.feature - 1), 0u) << f.name << " is not one bit";
        EXPECT_GT(f.feature, seen) << f.name;
        EXPECT_EQ(f.requires_ & ~seen, 0u) << f.name << " stands before what it requires";
        seen |= f.feature;
    }
    EXPECT_FALSE(names.empty());
}

TEST(CpuMask, NothingTakesNothingAway) {
    EXPECT_EQ(take_away(everything(), "").features, everything());
    EXPECT_EQ(take_away(everything(), "").bad_item, "");
    EXPECT_EQ(take_away(0, "").features, 0u);
}

TEST(CpuMask, EachFeatureGoesWithAllThatRequireIt) {
    for (const CpuFeatureName& gone : all_features()) {
        const Masked left = take_away(everything(), std::string("-") + gone.name);
        EXPECT_EQ(left.bad_item, "") << gone.name;
        EXPECT_EQ(left.features & gone.feature, 0u) << gone.name;
        EXPECT_TRUE(is_closed(left.features)) << gone.name;
        for (const CpuFeatureName& other : all_features()) {
            if ((left.features & other.feature) != 0 || other.feature == gone.feature) continue;
            EXPECT_NE(other.requires_ & ~left.features, 0u)
                << other.name << " went with " << gone.name << " for nothing";
        }
    }
}

TEST(CpuMask, Avx2TakesAvx512AndVaesAlong) {
    EXPECT_EQ(take_away(arch::kSsse3 | arch::kSse41 | arch::kAvx2 | arch::kAvx512 | arch::kVaes | arch::kShaNi, "-avx2")
                  .features,
              CpuFeatures{arch::kSsse3 | arch::kSse41 | arch::kShaNi});
    EXPECT_EQ(take_away(everything(), "-ssse3").features & (arch::kShaNi | arch::kAvx512 | arch::kVaes | arch::kAesNi),
              0u);
    EXPECT_EQ(take_away(everything(), "-neon").features & ~(arch::kNeon - 1), 0u) << "all of ARM's require NEON";
}

TEST(CpuMask, SeveralInAnyOrder) {
    test::Random random;
    for (int i = 0; i < 500; i++) {
        const auto features = static_cast<CpuFeatures>(random.word()) & everything();
        const CpuFeatures closed = take_away(features, "").features;
        ASSERT_TRUE(is_closed(closed));
        std::vector<std::string> items;
        CpuFeatures asked = 0;
        for (const CpuFeatureName& f : all_features())
            if (random.below(4) == 0) {
                items.push_back(std::string("-") + f.name);
                asked |= f.feature;
            }
        const auto joined = [&] {
            std::string mask;
            for (const std::string& item : items) mask += (mask.empty() ? "" : ",") + item;
            return mask;
        };
        const std::string mask = joined();
        const Masked left = take_away(features, mask);
        ASSERT_EQ(left.bad_item, "") << mask;
        ASSERT_EQ(left.features & (asked | ~closed), 0u) << mask << " of " << features;
        ASSERT_TRUE(is_closed(left.features)) << mask << " of " << features;
        std::ranges::reverse(items);
        ASSERT_EQ(take_away(features, joined()).features, left.features) << mask << " of " << features;
        ASSERT_EQ(take_away(left.features, mask).features, left.features) << mask << " of " << features;
    }
}

TEST(CpuMask, NamesTheFirstItemThatItDoesNotKnow) {
    const CpuFeatures without_avx2 = take_away(everything(), "-avx2").features;
    for (const auto& [mask, bad] : std::vector<std::pair<std::string, std::string>>{{"-mmx", "-mmx"},
                                                                                    {"avx2", "avx2"},
                                                                                    {"+avx2", "+avx2"},
                                                                                    {"-", "-"},
                                                                                    {"--avx2", "--avx2"},
                                                                                    {"-avx", "-avx"},
                                                                                    {"-avx22", "-avx22"},
                                                                                    {"-AVX2", "-AVX2"},
                                                                                    {" -avx2", " -avx2"},
                                                                                    {"-avx2 ", "-avx2 "},
                                                                                    {"none,-mmx", "none"},
                                                                                    {"-mmx,none,", "-mmx"}}) {
        EXPECT_EQ(take_away(everything(), mask).bad_item, bad) << mask;
        EXPECT_EQ(take_away(everything(), mask).features, everything()) << mask;
        EXPECT_EQ(take_away(everything(), mask + ",-avx2").features, without_avx2) << "the items behind it count";
        EXPECT_EQ(take_away(everything(), "-avx2," + mask).features, without_avx2) << "the items before it count";
        EXPECT_EQ(take_away(everything(), "-avx2," + mask).bad_item, bad) << mask;
    }
}

TEST(CpuMask, AnEmptyItemIsBadExceptAtTheEnd) {
    EXPECT_EQ(take_away(everything(), ",").bad_item, ",");
    EXPECT_EQ(take_away(everything(), ",-avx2").bad_item, ",");
    EXPECT_EQ(take_away(everything(), "-avx2,,-sha").bad_item, ",");
    EXPECT_EQ(take_away(everything(), "-avx2,,-sha").features, take_away(everything(), "-avx2,-sha").features);
    EXPECT_EQ(take_away(everything(), "-avx2,").bad_item, "");
    EXPECT_EQ(take_away(everything(), "-avx2,").features, take_away(everything(), "-avx2").features);
}

TEST(CpuFeatures, AreKnownAndClosed) {
    EXPECT_EQ(arch::cpu_features() & ~everything(), 0u);
    EXPECT_TRUE(is_closed(arch::cpu_features()));
    EXPECT_EQ(arch::cpu_features(), arch::cpu_features());
}

#if defined(__x86_64__) && defined(__linux__)

/// What the kernel found says the same, in its own words.
TEST(CpuFeatures, AreThoseOfTheKernel) {
    if (getenv("VERITYTOOL_CPU") != nullptr) GTEST_SKIP() << "VERITYTOOL_CPU is set";
    std::ifstream file("/proc/cpuinfo");
    std::set<std::string> flags;
    for (std::string line; flags.empty() && std::getline(file, line);) {
        if (!line.starts_with("flags")) continue;
        std::istringstream words(line);
        for (std::string word; words >> word;) flags.insert(word);
    }
    if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo has no flags";
    const std::vector<std::pair<CpuFeatures, std::vector<std::string>>> kernel_names = {
        {arch::kSsse3, {"ssse3"}}, {arch::kSse41, {"sse4_1"}}, {arch::kAvx2, {"avx2"}},
        {arch::kBmi2, {"bmi2"}},   {arch::kShaNi, {"sha_ni"}}, {arch::kAvx512, {"avx512f", "avx512bw", "avx512vl"}},
        {arch::kGfni, {"gfni"}},   {arch::kVaes, {"vaes"}},    {arch::kAesNi, {"aes"}}};
    for (const auto& [feature, names] : kernel_names)
        EXPECT_EQ((arch::cpu_features() & feature) != 0,
                  std::ranges::all_of(names, [&](const std::string& name) { return flags.contains(name); }))
            << names.front();
}

#endif

}  // namespace
