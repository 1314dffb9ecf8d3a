#ifndef VERITYTOOL_VERITYTOOL_GF256_H
#define VERITYTOOL_VERITYTOOL_GF256_H

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/cpu.h"
#include "arch/gf256_core.h"

/// GF(2^8) with the polynomial of dm-verity's error correction (arch/gf256_core.h): arithmetic on single elements, and
/// the table of cores for many.

namespace verity {

/// Sums and differences are exclusive ors.
constexpr std::uint8_t gf256_multiply(std::uint8_t a, std::uint8_t b) {
    unsigned product = 0, shifted = a;
    for (unsigned bit = 0; bit < 8; bit++) {
        if ((b >> bit & 1) != 0) product ^= shifted;
        shifted = shifted << 1 ^ (shifted >> 7) * kGf256Polynomial;
    }
    return static_cast<std::uint8_t>(product);
}

/// `base` to the power of `exponent`; 1 for exponent 0.
constexpr std::uint8_t gf256_power(std::uint8_t base, std::uint64_t exponent) {
    std::uint8_t power = 1;
    for (; exponent != 0; exponent >>= 1, base = gf256_multiply(base, base))
        if ((exponent & 1) != 0) power = gf256_multiply(power, base);
    return power;
}

/// The generator x, alpha in texts on Reed-Solomon codes, to the power of `exponent`. Its order is 255.
constexpr std::uint8_t gf256_alpha(std::uint64_t exponent) {
    return gf256_power(2, exponent);
}

/// 1 / a; a is not 0.
constexpr std::uint8_t gf256_inverse(std::uint8_t a) {
    assert(a != 0);
    return gf256_power(a, 254);  // the multiplicative group has 255 elements
}

/// a / b; b is not 0.
constexpr std::uint8_t gf256_divide(std::uint8_t a, std::uint8_t b) {
    return gf256_multiply(a, gf256_inverse(b));
}

/// One implementation of Gf256MulAdd.
struct Gf256Core {
    std::string_view name;    ///< "gf256_neon"; also its file and symbol
    arch::CpuFeatures needs;  ///< what the processor must have
    Gf256MulAdd* function;
};

/// All cores in this build, best first, the portable one last.
std::span<const Gf256Core> gf256_cores();

/// Whether this processor, less what VERITYTOOL_CPU takes away, can run `core`.
bool usable(const Gf256Core& core);

/// The core called `name`; null if this build has none.
const Gf256Core* find_gf256_core(std::string_view name);

/// The first usable core. Does not change.
const Gf256Core& best_gf256_core();

}  // namespace verity

#endif
