#ifndef VERITYTOOL_ARCH_X86_CHACHA_LANES_AVX512_H
#define VERITYTOOL_ARCH_X86_CHACHA_LANES_AVX512_H

#include "arch/x86/lanes_avx512.h"

namespace arch {
namespace {

/// One word of each of sixteen blocks.
struct Blocks16 : U32x16 {
    static Vector load_bytes(const uint8_t* from) { return _mm512_loadu_si512(from); }
    static void store_bytes(uint8_t* to, Vector a) { _mm512_storeu_si512(to, a); }

    /// The low and high words of counter, counter + 1, ...
    static void count(Vector* words, uint64_t counter) {
        const Vector low = broadcast(static_cast<uint32_t>(counter));
        const Vector high = broadcast(static_cast<uint32_t>(counter >> 32));
        words[0] = add(low, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        words[1] = _mm512_mask_add_epi32(high, _mm512_cmplt_epu32_mask(words[0], low), high, broadcast(1));
    }

    /// A word of a key for each eight blocks, and counters from a number on for each.
    static Vector broadcast_to_groups(const uint32_t* const (&keys)[2], size_t word) {
        return _mm512_mask_set1_epi32(broadcast(keys[0][word]), 0xff00, static_cast<int>(keys[1][word]));
    }
    static void count_in_groups(Vector* words, const uint64_t (&first)[2]) {
        Vector second[2];
        count(words, first[0]);
        count(second, first[1] - 8);
        for (int i = 0; i < 2; i++) words[i] = _mm512_mask_mov_epi32(words[i], 0xff00, second[i]);
    }

    static constexpr size_t kParts = 1;

    /// From word w of all blocks in x[w] to block b in x[b].
    static void transpose(Vector* x) {
        // The words of each quarter of a block in place: rows[q][j] has words 4q to 4q + 3 of blocks j, j + 4, ...
        Vector rows[4][4];
#pragma GCC unroll 4
        for (int q = 0; q < 4; q++) {
            const Vector low01 = _mm512_unpacklo_epi32(x[4 * q], x[4 * q + 1]);
            const Vector high01 = _mm512_unpackhi_epi32(x[4 * q], x[4 * q + 1]);
            const Vector low23 = _mm512_unpacklo_epi32(x[4 * q + 2], x[4 * q + 3]);
            const Vector high23 = _mm512_unpackhi_epi32(x[4 * q + 2], x[4 * q + 3]);
            rows[q][0] = _mm512_unpacklo_epi64(low01, low23);
            rows[q][1] = _mm512_unpackhi_epi64(low01, low23);
            rows[q][2] = _mm512_unpacklo_epi64(high01, high23);
            rows[q][3] = _mm512_unpackhi_epi64(high01, high23);
        }
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            const Vector low01 = _mm512_shuffle_i32x4(rows[0][j], rows[1][j], 0x44);
            const Vector high01 = _mm512_shuffle_i32x4(rows[0][j], rows[1][j], 0xee);
            const Vector low23 = _mm512_shuffle_i32x4(rows[2][j], rows[3][j], 0x44);
            const Vector high23 = _mm512_shuffle_i32x4(rows[2][j], rows[3][j], 0xee);
            x[j] = _mm512_shuffle_i32x4(low01, low23, 0x88);
            x[4 + j] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
            x[8 + j] = _mm512_shuffle_i32x4(high01, high23, 0x88);
            x[12 + j] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
        }
    }

    static void xor_bytes(uint8_t* out, const uint8_t* in, const uint8_t* keystream, size_t length) {
        for (; length >= 64; length -= 64, out += 64, in += 64, keystream += 64)
            store_bytes(out, exclusive_or(load_bytes(in), load_bytes(keystream)));
        if (length == 0) return;
        const __mmask64 rest = ~uint64_t{0} >> (64 - length);
        _mm512_mask_storeu_epi8(out, rest, exclusive_or(_mm512_maskz_loadu_epi8(rest, in), load_bytes(keystream)));
    }

    /// Words 0 to 7 of a block.
    static void store_half_block(uint32_t* to, Vector block) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(block));
    }
};

}  // namespace
}  // namespace arch

#endif
