#include "hashlib/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/hash_cores.h"

/// The table of hash cores and the choice of one.

namespace {

using hashlib::HashCore;
using hashlib::HashFamily;

std::vector<HashFamily> families() {
    std::vector<HashFamily> all;
    for (std::size_t i = 0; i < hashlib::kHashFamilies; i++) all.push_back(static_cast<HashFamily>(i));
    return all;
}

std::vector<const HashCore*> usable_cores(HashFamily family) {
    std::vector<const HashCore*> found;
    for (const HashCore& core : hashlib::hash_cores())
        if (core.family == family && hashlib::usable(core)) found.push_back(&core);
    return found;
}

TEST(Registry, NamesAreUniqueAndSayTheFamily) {
    std::set<std::string_view> names;
    for (const HashCore& core : hashlib::hash_cores()) {
        EXPECT_TRUE(names.insert(core.name).second) << core.name << " twice";
        EXPECT_TRUE(core.name.starts_with(std::string(hashlib::traits(core.family).name) + "_")) << core.name;
        EXPECT_EQ(hashlib::find_core(core.name), &core);
        EXPECT_EQ(hashlib::find_core(core.name.substr(1)), nullptr);
    }
    EXPECT_EQ(hashlib::find_core(""), nullptr);
    EXPECT_EQ(hashlib::find_core("md5_portable"), nullptr);
}

TEST(Registry, CoresAreWithinTheirLimits) {
    for (const HashCore& core : hashlib::hash_cores()) {
        EXPECT_GE(core.lanes, 1u) << core.name;
        EXPECT_LE(core.lanes, hashlib::kMaxLanes) << core.name;
        EXPECT_GT(pass_cost(core), 0u) << core.name;
        EXPECT_NE(core.compress, nullptr) << core.name;
    }
}

TEST(Registry, EveryFamilyEndsWithAPortableCore) {
    for (const HashFamily family : families()) {
        const HashCore& portable = test::portable_core(family);
        EXPECT_EQ(portable.family, family);
        EXPECT_EQ(portable.needs, 0u) << portable.name;
        EXPECT_EQ(portable.lanes, 1u) << portable.name;
        EXPECT_TRUE(hashlib::usable(portable)) << portable.name;
        EXPECT_EQ(usable_cores(family).back(), &portable) << "the architecture's own cores come first";
    }
}

TEST(Registry, UsableMeansThatTheProcessorHasAllThatIsNeeded) {
    for (const HashCore& core : hashlib::hash_cores())
        EXPECT_EQ(hashlib::usable(core), (core.needs & ~arch::cpu_features()) == 0) << core.name;
}

TEST(Registry, TheBestCoreIsUsableAndOfTheFamily) {
    for (const HashFamily family : families())
        for (std::size_t n = 1; n <= 3 * hashlib::kMaxLanes; n++) {
            const HashCore& best = hashlib::best_core(family, n);
            EXPECT_EQ(best.family, family) << best.name << " for " << n;
            EXPECT_TRUE(hashlib::usable(best)) << best.name << " for " << n;
            EXPECT_EQ(&best, &hashlib::best_core(family, n)) << "the choice does not change";
        }
}

/// The cost of hashing n messages as BlockHasher does: the best core takes its lanes, then the choice is made anew.
std::size_t cost_of_best(HashFamily family, std::size_t messages) {
    std::size_t cost = 0;
    while (messages > 0) {
        const HashCore& core = hashlib::best_core(family, messages);
        cost += pass_cost(core);
        messages -= std::min<std::size_t>(core.lanes, messages);
    }
    return cost;
}

TEST(Registry, NoSingleCoreBeatsTheChoice) {
    for (const HashFamily family : families())
        for (std::size_t n = 1; n <= 200; n++)
            for (const HashCore* core : usable_cores(family))
                EXPECT_LE(cost_of_best(family, n), pass_cost(*core) * ((n + core->lanes - 1) / core->lanes))
                    << n << " messages begin with " << hashlib::best_core(family, n).name << ", " << core->name
                    << " is faster";
}

}  // namespace
