#ifndef VERITYTOOL_ARCH_X86_CHACHA_LANES_AVX2_H
#define VERITYTOOL_ARCH_X86_CHACHA_LANES_AVX2_H

#include "arch/x86/chacha_rounds_avx2.h"
#include "arch/x86/lanes_avx2.h"
#include "arch/x86/salsa_rounds_avx2.h"

namespace arch {
namespace {

/// One word of each of eight blocks.
struct Blocks8 : U32x8 {
    static Vector load_bytes(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }
    static void store_bytes(uint8_t* to, Vector a) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), a); }

    /// The low and high words of counter, counter + 1, ...
    static void count(Vector* words, uint64_t counter) {
        const Vector low = broadcast(static_cast<uint32_t>(counter));
        words[0] = add(low, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        // There is no comparison of unsigned numbers, but a minimum.
        const Vector same = _mm256_cmpeq_epi32(_mm256_min_epu32(words[0], low), low);
        words[1] = add(broadcast(static_cast<uint32_t>(counter >> 32) + 1), same);
    }

    /// The same word of a key for all blocks, and counters from one number on: there is one group of eight.
    static Vector broadcast_to_groups(const uint32_t* const (&keys)[1], size_t word) {
        return broadcast(keys[0][word]);
    }
    static void count_in_groups(Vector* words, const uint64_t (&first)[1]) { count(words, first[0]); }

    static void chacha_rounds(Vector (&x)[16], const Vector (&initial)[16], size_t rounds) {
        chacha_rounds_avx2(x, initial, rounds);
    }
    static void salsa_rounds(Vector (&x)[16], const Vector (&initial)[16], size_t rounds) {
        salsa_rounds_avx2(x, initial, rounds);
    }

    /// Halves of blocks, words 0 to 7 and 8 to 15.
    static constexpr size_t kParts = 2;

    /// From word w of a half of all blocks in x[w] to this half of block b in x[b].
    static void transpose(Vector* x) {
        // The words of each quarter of a block in place: rows[q][j] has words 4q to 4q + 3 of blocks j and j + 4.
        Vector rows[2][4];
#pragma GCC unroll 2
        for (int q = 0; q < 2; q++) {
            const Vector low01 = _mm256_unpacklo_epi32(x[4 * q], x[4 * q + 1]);
            const Vector high01 = _mm256_unpackhi_epi32(x[4 * q], x[4 * q + 1]);
            const Vector low23 = _mm256_unpacklo_epi32(x[4 * q + 2], x[4 * q + 3]);
            const Vector high23 = _mm256_unpackhi_epi32(x[4 * q + 2], x[4 * q + 3]);
            rows[q][0] = _mm256_unpacklo_epi64(low01, low23);
            rows[q][1] = _mm256_unpackhi_epi64(low01, low23);
            rows[q][2] = _mm256_unpacklo_epi64(high01, high23);
            rows[q][3] = _mm256_unpackhi_epi64(high01, high23);
        }
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            x[j] = _mm256_permute2x128_si256(rows[0][j], rows[1][j], 0x20);
            x[j + 4] = _mm256_permute2x128_si256(rows[0][j], rows[1][j], 0x31);
        }
    }

    static void xor_bytes(uint8_t* out, const uint8_t* in, const uint8_t* keystream, size_t length) {
        for (; length >= 32; length -= 32, out += 32, in += 32, keystream += 32)
            store_bytes(out, exclusive_or(load_bytes(in), load_bytes(keystream)));
        if (length >= 16) {
            const __m128i bytes = _mm_xor_si128(load_half(in), load_half(keystream));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
            length -= 16, out += 16, in += 16, keystream += 16;
        }
        for (size_t i = 0; i < length; i++) out[i] = static_cast<uint8_t>(in[i] ^ keystream[i]);
    }

    /// Words 0 to 7 of a block.
    static void store_half_block(uint32_t* to, Vector half) {
        store(to, half);
    }

  private:
    static __m128i load_half(const uint8_t* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    }
};

}  // namespace
}  // namespace arch

#endif
