#include "hashlib/registry.h"

#include <algorithm>
#include <array>

#define CORE(name, family, needs, lanes, pass_cost) HashCompress name;
extern "C" {
#include "arch/cores.def"
#include "hashlib/cores.def"
}
#undef CORE

namespace hashlib {
namespace {

using namespace arch;  // the feature names in cores.def

#define CORE(name, family, needs, lanes, pass_cost) {#name, HashFamily::family, needs, lanes, pass_cost, name},
constexpr HashCore kCores[] = {
#include "arch/cores.def"
#include "hashlib/cores.def"
};
#undef CORE

/// What a core costs on one model of processor, in place of HashCore::pass_cost.
struct ModelCost {
    CpuModel model;
    std::string_view core;
    unsigned pass_cost;
};

#define COST(model, core, pass_cost) {CpuModel::model, #core, pass_cost},
constexpr ModelCost kModelCosts[] = {
#include "arch/costs.def"
    {CpuModel::other, "", 0}};
#undef COST

constexpr std::array<HashFamilyTraits, kHashFamilies> kTraits = {{{"blake2b", 8, 8, 128, 0, false},
                                                                  {"blake2s", 4, 8, 64, 0, false},
                                                                  {"sha1", 4, 5, 64, 8, true},
                                                                  {"sha256", 4, 8, 64, 8, true},
                                                                  {"sha512", 8, 8, 128, 16, true}}};

std::size_t index(HashFamily family) {
    return static_cast<std::size_t>(family);
}

/// The fastest usable cores of one family.
struct Choice {
    std::array<const HashCore*, kMaxLanes + 1> first;  ///< [n]: the core to begin with when n messages are left
    const HashCore* many;                              ///< for more messages than that
};

Choice choose(HashFamily family) {
    Choice choice{};
    // cost[n]: of n messages, each pass by the best core for what is left.
    std::array<std::size_t, kMaxLanes + 1> cost{};
    for (std::size_t n = 1; n <= kMaxLanes; n++) {
        for (const HashCore& core : kCores) {
            if (core.family != family || !usable(core)) continue;
            const std::size_t total = pass_cost(core) + cost[n - std::min<std::size_t>(n, core.lanes)];
            if (choice.first[n] != nullptr && total >= cost[n]) continue;
            choice.first[n] = &core;
            cost[n] = total;
        }
    }
    for (const HashCore& core : kCores) {
        if (core.family != family || !usable(core)) continue;
        if (choice.many == nullptr || pass_cost(core) * choice.many->lanes < pass_cost(*choice.many) * core.lanes)
            choice.many = &core;
    }
    return choice;  // complete: the portable core is always usable
}

std::array<Choice, kHashFamilies> choose_all() {
    std::array<Choice, kHashFamilies> all;
    for (std::size_t family = 0; family < kHashFamilies; family++)
        all[family] = choose(static_cast<HashFamily>(family));
    return all;
}

}  // namespace

const HashFamilyTraits& traits(HashFamily family) {
    return kTraits[index(family)];
}

std::span<const HashCore> hash_cores() {
    return kCores;
}

bool usable(const HashCore& core) {
    return (cpu_features() & core.needs) == core.needs;
}

unsigned pass_cost(const HashCore& core) {
    for (const ModelCost& cost : kModelCosts)
        if (cost.model == cpu_model() && cost.core == core.name) return cost.pass_cost;
    return core.pass_cost;
}

const HashCore* find_core(std::string_view name) {
    for (const HashCore& core : kCores)
        if (core.name == name) return &core;
    return nullptr;
}

const HashCore& best_core(HashFamily family, std::size_t messages) {
    static const std::array<Choice, kHashFamilies> choices = choose_all();
    const Choice& choice = choices[index(family)];
    return messages <= kMaxLanes ? *choice.first[messages] : *choice.many;
}

}  // namespace hashlib
