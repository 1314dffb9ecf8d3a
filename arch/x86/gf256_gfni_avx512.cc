#include <immintrin.h>

#include "arch/gf256_tables.h"
#include "arch/gf256_tiles.h"

/// Products by multiplication with a bit matrix (GF2P8AFFINEQB), 64 bytes at a time. GF2P8MULB is of no use: its
/// polynomial is 0x11b.

namespace {

struct GfniAvx512Unit {
    using Vector = __m512i;
    using Source = Vector;
    using Factor = Vector;
    static constexpr size_t kRows = 8, kVectors = 1, kOneSourceVectors = 1;

    static Vector load(const uint8_t* from) { return _mm512_loadu_si512(reinterpret_cast<const Vector*>(from)); }
    static void store(uint8_t* to, Vector v) { _mm512_storeu_si512(reinterpret_cast<Vector*>(to), v); }

    static Source prepare(Vector v) { return v; }

    static Factor factor(uint8_t f) { return _mm512_set1_epi64(static_cast<long long>(arch::kGf256Matrices[f])); }

    static Vector multiply_add(Vector sum, Factor f, Source s) {
        return _mm512_xor_si512(sum, _mm512_gf2p8affine_epi64_epi8(s, f, 0));
    }
};

}  // namespace

extern "C" Gf256MulAdd gf256_gfni_avx512;

extern "C" void gf256_gfni_avx512(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                                  size_t sources, size_t size, const uint8_t* factors) {
    arch::Gf256Tiles<GfniAvx512Unit>::mul_add(sums, sums_stride, rows, in, in_stride, sources, size, factors);
}
