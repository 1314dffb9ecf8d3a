#include "veritytool/gf256.h"

#include <algorithm>

extern "C" {
#define CORE(name, needs) Gf256MulAdd name;
#include "arch/gf256.def"
CORE(gf256_portable, 0)
#undef CORE
}

namespace verity {
namespace {

using namespace arch;  // the feature names in gf256.def

#define CORE(name, needs) {#name, needs, name},
constexpr Gf256Core kCores[] = {
#include "arch/gf256.def"
    CORE(gf256_portable, 0)};
#undef CORE

}  // namespace

std::span<const Gf256Core> gf256_cores() {
    return kCores;
}

bool usable(const Gf256Core& core) {
    return (cpu_features() & core.needs) == core.needs;
}

const Gf256Core* find_gf256_core(std::string_view name) {
    const auto found = std::ranges::find(kCores, name, &Gf256Core::name);
    return found != std::end(kCores) ? found : nullptr;
}

const Gf256Core& best_gf256_core() {
    static const Gf256Core& best = *std::ranges::find_if(kCores, usable);
    return best;
}

}  // namespace verity
