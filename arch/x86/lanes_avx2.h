#ifndef VERITYTOOL_ARCH_X86_LANES_AVX2_H
#define VERITYTOOL_ARCH_X86_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/keep_order.h"

/// One word of each of several messages in an AVX2 register; otherwise as lanes_avx512.h.

namespace arch {
namespace {

template <class WordType>
struct Avx2Register {
    using Word = WordType;
    using Vector = __m256i;
    static constexpr size_t kBytes = 32;
    static constexpr size_t kLanes = kBytes / sizeof(Word);

    static Vector load(const Word* from) { return _mm256_load_si256(reinterpret_cast<const Vector*>(from)); }
    static void store(Word* to, Vector a) { _mm256_store_si256(reinterpret_cast<Vector*>(to), a); }

    static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return exclusive_or(exclusive_or(a, b), c); }
    static Vector choose(Vector a, Vector b, Vector c) {
        return exclusive_or(c, _mm256_and_si256(a, exclusive_or(b, c)));
    }
    /// In SHA-2, b ^ c here is the a ^ b of the round before, which the compiler sees: three operations.
    static Vector majority(Vector a, Vector b, Vector c) {
        return exclusive_or(b, _mm256_and_si256(exclusive_or(a, b), exclusive_or(b, c)));
    }

    static void keep_order(Vector (&a)[2]) {
        if constexpr (kKeepsOrder) asm volatile("" : "+x"(a[0]), "+x"(a[1]));
    }
    static void keep_order(Vector& a) {
        if constexpr (kKeepsOrder) asm volatile("" : "+x"(a));
    }

    /// Half of them: a state takes all 16 registers, so that more in one go costs more spills.
    static constexpr int kBlake2Columns = 2;

  protected:
    /// Rotates every word right by kRotation bytes: one operation, where shifts take three.
    template <int kRotation>
    static Vector rotate_bytes(Vector a) {
        constexpr long long kLow = rotation_indices(kRotation, 0);
        constexpr long long kHigh = rotation_indices(kRotation, 8);
        return _mm256_shuffle_epi8(a, _mm256_setr_epi64x(kLow, kHigh, kLow, kHigh));
    }

    template <size_t kStep>
    static Vector gather(const uint8_t* const* messages, size_t offset) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(messages[0] + offset)),
                                       load_half(messages[kStep] + offset), 1);
    }

  private:
    /// Where bytes `first` to `first` + 7 of the result come from, as _mm256_shuffle_epi8 takes it.
    static constexpr long long rotation_indices(int rotation, int first) {
        constexpr int kWordBytes = sizeof(Word);
        long long indices = 0;
        for (int i = first + 7; i >= first; i--) {
            indices = indices << 8 | (i / kWordBytes * kWordBytes + (i + rotation) % kWordBytes);
        }
        return indices;
    }

    static __m128i load_half(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
};

/// Four messages, 64-bit words.
struct U64x4 : Avx2Register<uint64_t> {
    static Vector broadcast(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }
    static Vector add(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi64(a, b); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        if constexpr (kBits == 32) {
            return _mm256_shuffle_epi32(a, 0xb1);  // needs no table
        } else if constexpr (kBits % 8 == 0) {
            return rotate_bytes<kBits / 8>(a);
        } else if constexpr (kBits == 63) {
            return _mm256_or_si256(_mm256_srli_epi64(a, 63), add(a, a));  // twice as many units add as shift
        } else {
            return _mm256_or_si256(_mm256_srli_epi64(a, kBits), _mm256_slli_epi64(a, 64 - kBits));
        }
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm256_srli_epi64(a, kBits);
    }
    static Vector byte_swap(Vector a) {
        const __m128i reversed = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
        return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(reversed));
    }

    /// words[w], lane m = word w of the 16 bytes at messages[m] + offset.
    static void load_piece(Vector* words, const uint8_t* const* messages, size_t offset) {
        const Vector even = gather<2>(messages, offset);
        const Vector odd = gather<2>(messages + 1, offset);
        words[0] = _mm256_unpacklo_epi64(even, odd);
        words[1] = _mm256_unpackhi_epi64(even, odd);
    }
};

/// Eight messages, 32-bit words.
struct U32x8 : Avx2Register<uint32_t> {
    static Vector broadcast(Word word) { return _mm256_set1_epi32(static_cast<int>(word)); }
    static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        if constexpr (kBits % 8 == 0) {
            return rotate_bytes<kBits / 8>(a);
        } else {
            return _mm256_or_si256(_mm256_srli_epi32(a, kBits), _mm256_slli_epi32(a, 32 - kBits));
        }
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm256_srli_epi32(a, kBits);
    }
    static Vector byte_swap(Vector a) {
        const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
        return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(reversed));
    }

    /// words[w], lane m = word w of the 16 bytes at messages[m] + offset.
    static void load_piece(Vector* words, const uint8_t* const* messages, size_t offset) {
        const Vector row0 = gather<4>(messages, offset);
        const Vector row1 = gather<4>(messages + 1, offset);
        const Vector row2 = gather<4>(messages + 2, offset);
        const Vector row3 = gather<4>(messages + 3, offset);
        const Vector low01 = _mm256_unpacklo_epi32(row0, row1);
        const Vector high01 = _mm256_unpackhi_epi32(row0, row1);
        const Vector low23 = _mm256_unpacklo_epi32(row2, row3);
        const Vector high23 = _mm256_unpackhi_epi32(row2, row3);
        words[0] = _mm256_unpacklo_epi64(low01, low23);
        words[1] = _mm256_unpackhi_epi64(low01, low23);
        words[2] = _mm256_unpacklo_epi64(high01, high23);
        words[3] = _mm256_unpackhi_epi64(high01, high23);
    }
};

}  // namespace
}  // namespace arch

#endif
