#include <immintrin.h>

#include "arch/gf256_tables.h"
#include "arch/gf256_tiles.h"

/// Products by two table lookups, one for each nibble (VPSHUFB).

namespace {

struct Avx2Unit {
    using Vector = __m256i;
    struct Source {
        Vector low, high;  ///< nibbles
    };
    struct Factor {
        Vector low, high;  ///< products with either nibble, in both halves
    };
    static constexpr size_t kRows = 4, kVectors = 2, kOneSourceVectors = 2;

    static Vector load(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }
    static void store(uint8_t* to, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), v); }

    static Source prepare(Vector v) {
        const Vector mask = _mm256_set1_epi8(15);
        return {_mm256_and_si256(v, mask), _mm256_and_si256(_mm256_srli_epi64(v, 4), mask)};
    }

    static Factor factor(uint8_t f) {
        const arch::Gf256Nibbles& products = arch::kGf256Nibbles[f];
        return {twice(products.low), twice(products.high)};
    }

    static Vector multiply_add(Vector sum, const Factor& f, const Source& s) {
        return _mm256_xor_si256(_mm256_xor_si256(sum, _mm256_shuffle_epi8(f.low, s.low)),
                                _mm256_shuffle_epi8(f.high, s.high));
    }

  private:
    static Vector twice(const uint8_t* products) {
        return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(products)));
    }
};

}  // namespace

extern "C" Gf256MulAdd gf256_avx2;

extern "C" void gf256_avx2(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                           size_t sources, size_t size, const uint8_t* factors) {
    arch::Gf256Tiles<Avx2Unit>::mul_add(sums, sums_stride, rows, in, in_stride, sources, size, factors);
}
