#ifndef VERITYTOOL_ARCH_X86_NH_LANES_AVX2_H
#define VERITYTOOL_ARCH_X86_NH_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

namespace arch {
namespace {

/// NH, two units of 16 bytes at a time. A register of key words starts one unit further for each pass, and has what two
/// units need in their order.
struct NhAvx2 {
    using Vector = __m256i;

    /// Adds the products of two passes to their sums: `a` and `b` have the sums of message and key words. The words to
    /// multiply, 0 with 2 and 1 with 3, come to stand in the same places of two registers for both passes at once. A
    /// sum keeps pass `a` in even places and `b` in odd ones.
    static Vector add_products(Vector sum, Vector a, Vector b) {
        const Vector words01 = _mm256_unpacklo_epi64(a, b);
        const Vector words23 = _mm256_unpackhi_epi64(a, b);
        const Vector of_even = _mm256_mul_epu32(words01, words23);
        const Vector of_odd = _mm256_mul_epu32(_mm256_srli_epi64(words01, 32), _mm256_srli_epi64(words23, 32));
        return _mm256_add_epi64(sum, _mm256_add_epi64(of_even, of_odd));
    }

    static Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const Vector*>(from)); }

    /// The digest of `length` bytes of up to a chunk, a multiple of 16.
    static void digest_chunk(const uint32_t* key, uint8_t* digest, const uint8_t* chunk, size_t length) {
        Vector sums01 = _mm256_setzero_si256(), sums23 = _mm256_setzero_si256();
        for (; length >= 32; length -= 32, chunk += 32, key += 8) {
            const Vector words = load(chunk);
            const auto with_key = [=](int pass) { return _mm256_add_epi32(words, load(key + 4 * pass)); };
            sums01 = add_products(sums01, with_key(0), with_key(1));
            sums23 = add_products(sums23, with_key(2), with_key(3));
        }
        if (length != 0) {
            const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(chunk));
            const auto with_key = [=](int pass) {
                const __m128i* const from = reinterpret_cast<const __m128i*>(key + 4 * pass);
                return _mm256_zextsi128_si256(_mm_add_epi32(words, _mm_load_si128(from)));
            };
            sums01 = add_products(sums01, with_key(0), with_key(1));
            sums23 = add_products(sums23, with_key(2), with_key(3));
        }
        _mm256_storeu_si256(reinterpret_cast<Vector*>(digest),
                            _mm256_add_epi64(_mm256_permute2x128_si256(sums01, sums23, 0x20),
                                             _mm256_permute2x128_si256(sums01, sums23, 0x31)));
    }
};

}  // namespace
}  // namespace arch

#endif
