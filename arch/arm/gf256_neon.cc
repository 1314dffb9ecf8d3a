#include <arm_neon.h>

#include "arch/gf256_tables.h"
#include "arch/gf256_tiles.h"

/// Products by two table lookups, one for each nibble (VTBL). By armcost's Cortex-A7 model it costs 2.3
/// cycles per byte of input for 2 rows and 24 for 24, with one source or with 16. Polynomial products (VMULL.P8),
/// summed up in 16 bits and reduced once, cost 7.8 and 84 with one source, 2.1 and 24 with 16, 1.7 and 20 with 253.

namespace {

struct NeonUnit {
    using Vector = uint8x16_t;
    struct Source {
        Vector low, high;  ///< nibbles
    };
    struct Factor {
        Vector low, high;  ///< products with either nibble
    };
    static constexpr size_t kRows = 4, kVectors = 2, kOneSourceVectors = 2;

    static Vector load(const uint8_t* from) { return vld1q_u8(from); }
    static void store(uint8_t* to, Vector v) { vst1q_u8(to, v); }

    static Source prepare(Vector v) { return {vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)}; }

    static Factor factor(uint8_t f) {
        const arch::Gf256Nibbles& products = arch::kGf256Nibbles[f];
        return {vld1q_u8(products.low), vld1q_u8(products.high)};
    }

    static Vector multiply_add(Vector sum, const Factor& f, const Source& s) {
        return veorq_u8(veorq_u8(sum, look_up(f.low, s.low)), look_up(f.high, s.high));
    }

    /// Adds the products of a tile's row. All in one statement, since g++ 12 would rather have more factors in
    /// registers and the sums on the stack; the table of a factor needs four registers in sequence.
    static void multiply_add_row(Vector (&sum)[kVectors], uint8_t f, const Source (&s)[kVectors]) {
        Vector a, b;
        asm("vld1.8 {d28-d31}, [%[table]]\n\t"
            "vtbl.8 %e[a], {d28, d29}, %e[low0]\n\t"
            "vtbl.8 %f[a], {d28, d29}, %f[low0]\n\t"
            "vtbl.8 %e[b], {d28, d29}, %e[low1]\n\t"
            "vtbl.8 %f[b], {d28, d29}, %f[low1]\n\t"
            "veor %q[sum0], %q[sum0], %q[a]\n\t"
            "vtbl.8 %e[a], {d30, d31}, %e[high0]\n\t"
            "vtbl.8 %f[a], {d30, d31}, %f[high0]\n\t"
            "veor %q[sum1], %q[sum1], %q[b]\n\t"
            "vtbl.8 %e[b], {d30, d31}, %e[high1]\n\t"
            "vtbl.8 %f[b], {d30, d31}, %f[high1]\n\t"
            "veor %q[sum0], %q[sum0], %q[a]\n\t"
            "veor %q[sum1], %q[sum1], %q[b]"
            : [sum0] "+w"(sum[0]), [sum1] "+w"(sum[1]), [a] "=&w"(a), [b] "=&w"(b)
            : [table] "r"(&arch::kGf256Nibbles[f]), "m"(arch::kGf256Nibbles[f]), [low0] "w"(s[0].low),
              [high0] "w"(s[0].high), [low1] "w"(s[1].low), [high1] "w"(s[1].high)
            : "q14", "q15");
    }

  private:
    /// vtbl2_u8 would have the same instructions, but g++ 12 spends as many again on moving its pairs of registers.
    static Vector look_up(Vector table, Vector index) {
        Vector found;
        asm("vtbl.8 %e0, {%e1, %f1}, %e2\n\tvtbl.8 %f0, {%e1, %f1}, %f2" : "=&w"(found) : "w"(table), "w"(index));
        return found;
    }
};

}  // namespace

extern "C" Gf256MulAdd gf256_neon;

extern "C" void gf256_neon(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                           size_t sources, size_t size, const uint8_t* factors) {
    arch::Gf256Tiles<NeonUnit>::mul_add(sums, sums_stride, rows, in, in_stride, sources, size, factors);
}
