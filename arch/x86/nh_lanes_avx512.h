#ifndef VERITYTOOL_ARCH_X86_NH_LANES_AVX512_H
#define VERITYTOOL_ARCH_X86_NH_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

namespace arch {
namespace {

/// NH, four units of 16 bytes at a time. A register of key words starts one unit further for each pass, and has what
/// four units need in their order.
struct NhAvx512 {
    using Vector = __m512i;

    /// Adds the products of two passes to their sums: `a` and `b` have the sums of message and key words. The words to
    /// multiply, 0 with 2 and 1 with 3, come to stand in the same places of two registers for both passes at once. A
    /// sum keeps pass `a` in even places and `b` in odd ones.
    static Vector add_products(Vector sum, Vector a, Vector b) {
        const Vector words01 = _mm512_unpacklo_epi64(a, b);
        const Vector words23 = _mm512_unpackhi_epi64(a, b);
        const Vector of_even = _mm512_mul_epu32(words01, words23);
        const Vector of_odd = _mm512_mul_epu32(_mm512_srli_epi64(words01, 32), _mm512_srli_epi64(words23, 32));
        return _mm512_add_epi64(sum, _mm512_add_epi64(of_even, of_odd));
    }

    /// The digest of `length` bytes of up to a chunk, a multiple of 16.
    static void digest_chunk(const uint32_t* key, uint8_t* digest, const uint8_t* chunk, size_t length) {
        Vector sums01 = _mm512_setzero_si512(), sums23 = _mm512_setzero_si512();
        for (; length >= 64; length -= 64, chunk += 64, key += 16) {
            const Vector words = _mm512_loadu_si512(chunk);
            const auto with_key = [=](int pass) { return _mm512_add_epi32(words, _mm512_loadu_si512(key + 4 * pass)); };
            sums01 = add_products(sums01, with_key(0), with_key(1));
            sums23 = add_products(sums23, with_key(2), with_key(3));
        }
        if (length != 0) {
            const auto rest = static_cast<__mmask16>((1u << length / 4) - 1);
            const Vector words = _mm512_maskz_loadu_epi32(rest, chunk);
            const auto with_key = [=](int pass) {
                return _mm512_maskz_add_epi32(rest, words, _mm512_loadu_si512(key + 4 * pass));
            };
            sums01 = add_products(sums01, with_key(0), with_key(1));
            sums23 = add_products(sums23, with_key(2), with_key(3));
        }
        const auto halves = [](Vector sums) {
            return _mm256_add_epi64(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
        };
        const __m256i half01 = halves(sums01), half23 = halves(sums23);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(digest),
                            _mm256_add_epi64(_mm256_permute2x128_si256(half01, half23, 0x20),
                                             _mm256_permute2x128_si256(half01, half23, 0x31)));
    }
};

}  // namespace
}  // namespace arch

#endif
