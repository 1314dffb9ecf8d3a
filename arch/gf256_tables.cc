#include "arch/gf256_tables.h"

#include <stddef.h>

#include "arch/gf256_core.h"

namespace arch {
namespace {

/// a times the polynomial x.
constexpr uint8_t times_x(uint8_t a) {
    return static_cast<uint8_t>(a << 1 ^ (a >> 7) * kGf256Polynomial);
}

constexpr uint8_t multiply(uint8_t a, uint8_t b) {
    unsigned product = 0;
    for (; b != 0; b = static_cast<uint8_t>(b >> 1), a = times_x(a))
        if (b & 1) product ^= a;
    return static_cast<uint8_t>(product);
}

constexpr Gf256Nibbles nibbles(uint8_t factor) {
    Gf256Nibbles products{};
    for (unsigned i = 0; i < 16; i++) {
        products.low[i] = multiply(factor, static_cast<uint8_t>(i));
        products.high[i] = multiply(factor, static_cast<uint8_t>(i << 4));
    }
    return products;
}

constexpr uint64_t matrix(uint8_t factor) {
    uint64_t rows = 0;
    uint8_t column = factor;  // factor * x^j: where bit j of b goes
    for (unsigned j = 0; j < 8; j++, column = times_x(column))
        for (unsigned i = 0; i < 8; i++) rows |= uint64_t{column >> i & 1u} << (8 * (7 - i) + j);
    return rows;
}

#define EACH4(make, f) make(f), make((f) + 1), make((f) + 2), make((f) + 3)
#define EACH16(make, f) EACH4(make, f), EACH4(make, (f) + 4), EACH4(make, (f) + 8), EACH4(make, (f) + 12)
#define EACH64(make, f) EACH16(make, f), EACH16(make, (f) + 16), EACH16(make, (f) + 32), EACH16(make, (f) + 48)
#define EACH256(make) EACH64(make, 0), EACH64(make, 64), EACH64(make, 128), EACH64(make, 192)

}  // namespace

alignas(64) constinit const Gf256Nibbles kGf256Nibbles[256] = {EACH256(nibbles)};
alignas(64) constinit const uint64_t kGf256Matrices[256] = {EACH256(matrix)};

}  // namespace arch
