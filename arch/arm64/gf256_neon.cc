#include <arm_neon.h>

#include "arch/gf256_tables.h"
#include "arch/gf256_tiles.h"

/// Products by two table lookups, one for each nibble (TBL).

namespace {

struct NeonUnit {
    using Vector = uint8x16_t;
    struct Source {
        Vector low, high;  ///< nibbles
    };
    struct Factor {
        Vector low, high;  ///< products with either nibble
    };
    static constexpr size_t kRows = 4, kVectors = 4, kOneSourceVectors = 2;

    static Vector load(const uint8_t* from) { return vld1q_u8(from); }
    static void store(uint8_t* to, Vector v) { vst1q_u8(to, v); }

    static Source prepare(Vector v) { return {vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)}; }

    static Factor factor(uint8_t f) {
        const arch::Gf256Nibbles& products = arch::kGf256Nibbles[f];
        return {vld1q_u8(products.low), vld1q_u8(products.high)};
    }

    static Vector multiply_add(Vector sum, const Factor& f, const Source& s) {
        return veorq_u8(veorq_u8(sum, vqtbl1q_u8(f.low, s.low)), vqtbl1q_u8(f.high, s.high));
    }
};

}  // namespace

extern "C" Gf256MulAdd gf256_neon;

extern "C" void gf256_neon(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                           size_t sources, size_t size, const uint8_t* factors) {
    arch::Gf256Tiles<NeonUnit>::mul_add(sums, sums_stride, rows, in, in_stride, sources, size, factors);
}
