#ifndef VERITYTOOL_ARCH_X86_LANES_AVX2_H
#define VERITYTOOL_ARCH_X86_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// One word of each of several messages in an AVX2 register; otherwise as lanes_avx512.h.

namespace arch {
namespace {

/// Four messages, 64-bit words.
struct U64x4 {
    using Word = uint64_t;
    using Vector = __m256i;
    static constexpr size_t kLanes = 4;

    static Vector load(const Word* from) { return _mm256_load_si256(reinterpret_cast<const Vector*>(from)); }
    static void store(Word* to, Vector a) { _mm256_store_si256(reinterpret_cast<Vector*>(to), a); }
    static Vector broadcast(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }

    static Vector add(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
    static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return exclusive_or(exclusive_or(a, b), c); }

    /// By whole bytes and by 63 one or two operations fewer than with shifts.
    template <int kBits>
    static Vector rotate_right(Vector a) {
        if constexpr (kBits == 32) {
            return _mm256_shuffle_epi32(a, 0xb1);
        } else if constexpr (kBits % 8 == 0) {
            constexpr int kBytes = kBits / 8;
            return _mm256_shuffle_epi8(a, byte_rotation<kBytes>());
        } else if constexpr (kBits == 63) {
            return _mm256_or_si256(_mm256_srli_epi64(a, 63), _mm256_add_epi64(a, a));
        } else {
            return _mm256_or_si256(_mm256_srli_epi64(a, kBits), _mm256_slli_epi64(a, 64 - kBits));
        }
    }

    static constexpr int kBlake2Columns = 2;
    static void keep_order(Vector (&a)[2]) { asm volatile("" : "+x"(a[0]), "+x"(a[1])); }

    /// words[w], lane m = word w of the 128-byte block at messages[m] + offset.
    static void load_block(Vector* words, const uint8_t* const* messages, size_t offset) {
#pragma GCC unroll 8
        for (size_t pair = 0; pair < 8; pair++) {
            const size_t at = offset + 16 * pair;
            const Vector even = gather_halves(messages, at);
            const Vector odd = gather_halves(messages + 1, at);
            words[2 * pair] = _mm256_unpacklo_epi64(even, odd);
            words[2 * pair + 1] = _mm256_unpackhi_epi64(even, odd);
        }
    }

  private:
    template <int kBytes>
    static Vector byte_rotation() {
        constexpr long long kLow = rotation_indices(kBytes, 0);
        constexpr long long kHigh = rotation_indices(kBytes, 8);
        return _mm256_setr_epi64x(kLow, kHigh, kLow, kHigh);
    }

    static constexpr long long rotation_indices(int bytes, int base) {
        long long indices = 0;
        for (int i = 7; i >= 0; i--) indices = indices << 8 | (base + (i + bytes) % 8);
        return indices;
    }

    static __m128i load_half(const uint8_t* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    }

    static Vector gather_halves(const uint8_t* const* messages, size_t at) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(messages[0] + at)), load_half(messages[2] + at),
                                       1);
    }
};

/// Eight messages, 32-bit words.
struct U32x8 {
    using Word = uint32_t;
    using Vector = __m256i;
    static constexpr size_t kLanes = 8;

    static Vector load(const Word* from) { return _mm256_load_si256(reinterpret_cast<const Vector*>(from)); }
    static void store(Word* to, Vector a) { _mm256_store_si256(reinterpret_cast<Vector*>(to), a); }
    static Vector broadcast(Word word) { return _mm256_set1_epi32(static_cast<int>(word)); }

    static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return exclusive_or(exclusive_or(a, b), c); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        if constexpr (kBits == 16) {
            return _mm256_shuffle_epi8(a, _mm256_setr_epi64x(0x0504070601000302, 0x0d0c0f0e09080b0a, 0x0504070601000302, 0x0d0c0f0e09080b0a));
        } else if constexpr (kBits == 8) {
            return _mm256_shuffle_epi8(a, _mm256_setr_epi64x(0x0407060500030201, 0x0c0f0e0d080b0a09, 0x0407060500030201, 0x0c0f0e0d080b0a09));
        } else {
            return _mm256_or_si256(_mm256_srli_epi32(a, kBits), _mm256_slli_epi32(a, 32 - kBits));
        }
    }

    static constexpr int kBlake2Columns = 2;
    static void keep_order(Vector (&a)[2]) { asm volatile("" : "+x"(a[0]), "+x"(a[1])); }

    /// words[w], lane m = word w of the 64-byte block at messages[m] + offset.
    static void load_block(Vector* words, const uint8_t* const* messages, size_t offset) {
#pragma GCC unroll 4
        for (size_t four = 0; four < 4; four++) {
            const size_t at = offset + 16 * four;
            const Vector row0 = gather_halves(messages, at);
            const Vector row1 = gather_halves(messages + 1, at);
            const Vector row2 = gather_halves(messages + 2, at);
            const Vector row3 = gather_halves(messages + 3, at);
            const Vector low01 = _mm256_unpacklo_epi32(row0, row1);
            const Vector high01 = _mm256_unpackhi_epi32(row0, row1);
            const Vector low23 = _mm256_unpacklo_epi32(row2, row3);
            const Vector high23 = _mm256_unpackhi_epi32(row2, row3);
            words[4 * four] = _mm256_unpacklo_epi64(low01, low23);
            words[4 * four + 1] = _mm256_unpackhi_epi64(low01, low23);
            words[4 * four + 2] = _mm256_unpacklo_epi64(high01, high23);
            words[4 * four + 3] = _mm256_unpackhi_epi64(high01, high23);
        }
    }

  private:
    static __m128i load_half(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

    static Vector gather_halves(const uint8_t* const* messages, size_t at) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(messages[0] + at)), load_half(messages[4] + at),
                                       1);
    }
};

}  // namespace
}  // namespace arch

#endif
