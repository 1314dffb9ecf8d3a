#include "hashlib/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// The cost of hashing so many messages as BlockHasher does: after each pass it chooses anew.
std::size_t cost_of_best(HashFamily family, std::size_t messages) {
    std::size_t cost = 0;
    while (messages > 0) {
        const HashCore& core = hashlib::best_core(family, messages);
        cost += hashlib::pass_cost(core);
        messages -= std::min<std::size_t>(core.lanes, messages);
    }
    return cost;
}

TEST(Registry, NothingIsFasterForFewMessages) {
    for (const HashFamily family : families())
        for (std::size_t n = 1; n <= hashlib::kMaxLanes; n++)
            for (const HashCore* core : usable_cores(family)) {
                const std::size_t left = n - std::min<std::size_t>(core->lanes, n);
                EXPECT_LE(cost_of_best(family, n), hashlib::pass_cost(*core) + cost_of_best(family, left))
                    << n << " messages are done sooner when " << core->name << " begins than "
                    << hashlib::best_core(family, n).name;
            }
}

TEST(Registry, NothingIsFasterPerMessageForMany) {
    for (const HashFamily family : families()) {
        const HashCore& best = hashlib::best_core(family, 1000000);
        for (const HashCore* core : usable_cores(family))
            EXPECT_LE(std::size_t{hashlib::pass_cost(best)} * core->lanes,
                      std::size_t{hashlib::pass_cost(*core)} * best.lanes)
                << core->name << " against " << best.name;
    }
}

/// A row of arch/costs.def.
struct CostRow {
    arch::CpuModel model;
    std::string_view core;
    unsigned pass_cost;
};

#define COST(model, core, pass_cost) {arch::CpuModel::model, #core, pass_cost},
const std::vector<CostRow> kCostRows = {
#include "arch/costs.def"
};
#undef COST

/// Costs of one model's measurements and of another's do not compare, so a family's cores have a row each or none.
TEST(Registry, CostsOfAModelAreOfWholeFamilies) {
    std::map<std::pair<arch::CpuModel, HashFamily>, std::set<std::string_view>> listed;
    for (const CostRow& row : kCostRows) {
        const HashCore* core = hashlib::find_core(row.core);
        ASSERT_NE(core, nullptr) << row.core;
        EXPECT_GT(row.pass_cost, 0u) << row.core;
        EXPECT_TRUE(listed[std::pair(row.model, core->family)].insert(row.core).second) << row.core << " twice";
    }
    for (const auto& [group, names] : listed)
        for (const HashCore& core : hashlib::hash_cores())
            if (core.family == group.second) {
                EXPECT_TRUE(names.contains(core.name)) << core.name << " has no row where others of its family do";
            }
}

TEST(Registry, CostsAreThoseOfTheProcessor) {
    for (const HashCore& core : hashlib::hash_cores()) {
        unsigned expected = core.pass_cost;
        for (const CostRow& row : kCostRows)
            if (row.model == arch::cpu_model() && row.core == core.name) expected = row.pass_cost;
        EXPECT_EQ(hashlib::pass_cost(core), expected) << core.name;
    }
}

}  // namespace
