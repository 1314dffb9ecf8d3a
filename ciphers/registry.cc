#include "ciphers/registry.h"

#include <algorithm>
#include <cassert>

#define CORE(name, family, needs, lanes, pass_cost) ciphers::CoreFunction<ciphers::CipherFamily::family> name;
extern "C" {
#include "arch/ciphers.def"
#include "ciphers/cores.def"
}
#undef CORE

namespace ciphers {
namespace {

using namespace arch;  // the feature names in ciphers.def

#define CORE(name, family, needs, lanes, pass_cost) {#name, CipherFamily::family, needs, lanes, pass_cost, name},
constexpr CipherCore kCores[] = {
#include "arch/ciphers.def"
#include "ciphers/cores.def"
};
#undef CORE

constexpr std::array<std::string_view, kCipherFamilies> kNames = {"chacha",   "salsa", "hchacha", "nh",
                                                                  "poly1305", "aes",   "aesxts",  "adiantum"};

std::size_t index(CipherFamily family) {
    return static_cast<std::size_t>(family);
}

/// More units than this are taken for very many.
constexpr std::size_t kFewUnits = 64;

/// The fastest usable cores of one family: [n] for n units, [kFewUnits + 1] for more.
using Choice = std::array<const CipherCore*, kFewUnits + 2>;

Choice choose(CipherFamily family) {
    Choice choice{};
    for (std::size_t n = 1; n < choice.size(); n++) {
        // Each core's time, in units of 1 / (lanes of both) where partly filled passes no longer matter.
        const auto sooner = [n](const CipherCore& a, const CipherCore& b) {
            if (n > kFewUnits) return std::uint64_t{a.pass_cost} * b.lanes < std::uint64_t{b.pass_cost} * a.lanes;
            const auto time = [n](const CipherCore& core) {
                return (n + core.lanes - 1) / core.lanes * core.pass_cost;
            };
            return time(a) < time(b);
        };
        for (const CipherCore& core : kCores) {
            if (core.family != family || !usable(core)) continue;
            if (choice[n] == nullptr || sooner(core, *choice[n])) choice[n] = &core;
        }
    }
    return choice;
}

std::array<Choice, kCipherFamilies> choose_all() {
    std::array<Choice, kCipherFamilies> all;
    for (std::size_t family = 0; family < kCipherFamilies; family++)
        all[family] = choose(static_cast<CipherFamily>(family));
    return all;
}

}  // namespace

std::string_view name(CipherFamily family) {
    return kNames[index(family)];
}

std::span<const CipherCore> cipher_cores() {
    return kCores;
}

bool usable(const CipherCore& core) {
    return (cpu_features() & core.needs) == core.needs;
}

const CipherCore* find_core(std::string_view name) {
    for (const CipherCore& core : kCores)
        if (core.name == name) return &core;
    return nullptr;
}

const CipherCore* best_core(CipherFamily family, std::size_t units) {
    static const std::array<Choice, kCipherFamilies> choices = choose_all();
    return choices[index(family)][std::min(units, kFewUnits + 1)];
}

Cores& Cores::use(const CipherCore& core) {
    assert(usable(core));
    asked_for_[index(core.family)] = &core;
    return *this;
}

Cores& Cores::use_separate_passes() {
    separate_passes_ = true;
    return *this;
}

const CipherCore* Cores::core(CipherFamily family, std::size_t units) const {
    if (family == CipherFamily::adiantum && separate_passes_) return nullptr;
    const CipherCore* asked_for = asked_for_[index(family)];
    return asked_for != nullptr ? asked_for : best_core(family, units);
}

}  // namespace ciphers
