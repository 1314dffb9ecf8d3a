#ifndef VERITYTOOL_ARCH_X86_LANES_AVX512_H
#define VERITYTOOL_ARCH_X86_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/keep_order.h"

/// One word of each of several messages in an AVX-512 register, for the cores that hash messages side by side.
/// The unnamed namespace keeps every name local to the core that includes this, compiled for its own instruction set.

namespace arch {
namespace {

/// What does not depend on the size of a word, but for load() and store().
template <class WordType>
struct Avx512Register {
    using Word = WordType;
    using Vector = __m512i;
    static constexpr size_t kBytes = 64;
    static constexpr size_t kLanes = kBytes / sizeof(Word);

    static Vector load(const Word* from) { return _mm512_load_si512(from); }
    static void store(Word* to, Vector a) { _mm512_store_si512(to, a); }
    static void copy(uint8_t* to, const uint8_t* from) { _mm512_store_si512(to, _mm512_loadu_si512(from)); }

    static Vector exclusive_or(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    /// Per bit, b where a is set, else c.
    static Vector choose(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xca); }
    static Vector majority(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }

    /// Makes the compiler have these values here, whatever it would gain by computing them later or otherwise.
    static void keep_order(Vector (&a)[4]) {
        if constexpr (kKeepsOrder) asm volatile("" : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3]));
    }
    static void keep_order(Vector& a) {
        if constexpr (kKeepsOrder) asm volatile("" : "+v"(a));
    }

    /// The columns of BLAKE2 to work on in one go: all, since the 16 registers of the state leave as many.
    static constexpr int kBlake2Columns = 4;

  protected:
    /// 16 bytes each of messages 0, kStep, 2 * kStep and 3 * kStep. Going to their quarter of the register in the load,
    /// they leave one shuffle a 64-bit word and two a 32-bit word to do, where a transposition of whole registers has
    /// three and four.
    template <size_t kStep>
    static Vector gather(const uint8_t* const* messages, size_t offset) {
        Vector rows = _mm512_castsi128_si512(load_quarter(messages[0] + offset));
        rows = _mm512_inserti32x4(rows, load_quarter(messages[kStep] + offset), 1);
        rows = _mm512_inserti32x4(rows, load_quarter(messages[2 * kStep] + offset), 2);
        return _mm512_inserti32x4(rows, load_quarter(messages[3 * kStep] + offset), 3);
    }

  private:
    static __m128i load_quarter(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
};

/// Eight messages, 64-bit words.
struct U64x8 : Avx512Register<uint64_t> {
    static Vector broadcast(Word word) { return _mm512_set1_epi64(static_cast<long long>(word)); }
    static Vector add(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        return _mm512_ror_epi64(a, kBits);
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm512_srli_epi64(a, kBits);
    }
    static Vector byte_swap(Vector a) {
        return _mm512_shuffle_epi8(a, _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607));
    }

    /// words[w], lane m = word w of the 16 bytes at messages[m] + offset.
    static void load_piece(Vector* words, const uint8_t* const* messages, size_t offset) {
        const Vector even = gather<2>(messages, offset);
        const Vector odd = gather<2>(messages + 1, offset);
        words[0] = _mm512_unpacklo_epi64(even, odd);
        words[1] = _mm512_unpackhi_epi64(even, odd);
    }
};

/// Sixteen messages, 32-bit words.
struct U32x16 : Avx512Register<uint32_t> {
    static Vector broadcast(Word word) { return _mm512_set1_epi32(static_cast<int>(word)); }
    static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        return _mm512_ror_epi32(a, kBits);
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm512_srli_epi32(a, kBits);
    }
    static Vector byte_swap(Vector a) {
        return _mm512_shuffle_epi8(a, _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203));
    }

    /// words[w], lane m = word w of the 16 bytes at messages[m] + offset.
    static void load_piece(Vector* words, const uint8_t* const* messages, size_t offset) {
        const Vector row0 = gather<4>(messages, offset);
        const Vector row1 = gather<4>(messages + 1, offset);
        const Vector row2 = gather<4>(messages + 2, offset);
        const Vector row3 = gather<4>(messages + 3, offset);
        const Vector low01 = _mm512_unpacklo_epi32(row0, row1);
        const Vector high01 = _mm512_unpackhi_epi32(row0, row1);
        const Vector low23 = _mm512_unpacklo_epi32(row2, row3);
        const Vector high23 = _mm512_unpackhi_epi32(row2, row3);
        words[0] = _mm512_unpacklo_epi64(low01, low23);
        words[1] = _mm512_unpackhi_epi64(low01, low23);
        words[2] = _mm512_unpacklo_epi64(high01, high23);
        words[3] = _mm512_unpackhi_epi64(high01, high23);
    }
};

}  // namespace
}  // namespace arch

#endif
