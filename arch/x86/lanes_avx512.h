#ifndef VERITYTOOL_ARCH_X86_LANES_AVX512_H
#define VERITYTOOL_ARCH_X86_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// One word of each of several messages in an AVX-512 register, for the cores that hash messages side by side.
/// The unnamed namespace keeps every name local to the core that includes this: see hash_core.h's rule on weak symbols.

namespace arch {
namespace {

/// Eight messages, 64-bit words.
struct U64x8 {
    using Word = uint64_t;
    using Vector = __m512i;
    static constexpr size_t kLanes = 8;

    static Vector load(const Word* from) { return _mm512_load_si512(from); }
    static void store(Word* to, Vector a) { _mm512_store_si512(to, a); }
    static Vector broadcast(Word word) { return _mm512_set1_epi64(static_cast<long long>(word)); }

    static Vector add(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
    static Vector exclusive_or(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        return _mm512_ror_epi64(a, kBits);
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm512_srli_epi64(a, kBits);
    }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
    /// Per bit, b where a is set, else c.
    static Vector choose(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xca); }
    static Vector majority(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }
    static Vector byte_swap(Vector a) { return _mm512_shuffle_epi8(a, _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607)); }

    static constexpr int kBlake2Columns = 4;
    static void keep_order(Vector (&a)[4]) { asm volatile("" : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3])); }

    /// words[w], lane m = word w of the 128-byte block at messages[m] + offset. The 16-byte pieces go to their quarter
    /// of the register in the load, which leaves one shuffle a word (a transposition of whole rows: three).
    static void load_block(Vector* words, const uint8_t* const* messages, size_t offset) {
#pragma GCC unroll 8
        for (size_t pair = 0; pair < 8; pair++) {
            const size_t at = offset + 16 * pair;
            const Vector even = gather_quarters(messages, at);
            const Vector odd = gather_quarters(messages + 1, at);
            words[2 * pair] = _mm512_unpacklo_epi64(even, odd);
            words[2 * pair + 1] = _mm512_unpackhi_epi64(even, odd);
        }
    }

  private:
    static __m128i load_quarter(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

    static Vector gather_quarters(const uint8_t* const* messages, size_t at) {
        Vector rows = _mm512_castsi128_si512(load_quarter(messages[0] + at));
        rows = _mm512_inserti32x4(rows, load_quarter(messages[2] + at), 1);
        rows = _mm512_inserti32x4(rows, load_quarter(messages[4] + at), 2);
        return _mm512_inserti32x4(rows, load_quarter(messages[6] + at), 3);
    }
};

/// Sixteen messages, 32-bit words.
struct U32x16 {
    using Word = uint32_t;
    using Vector = __m512i;
    static constexpr size_t kLanes = 16;

    static Vector load(const Word* from) { return _mm512_load_si512(from); }
    static void store(Word* to, Vector a) { _mm512_store_si512(to, a); }
    static Vector broadcast(Word word) { return _mm512_set1_epi32(static_cast<int>(word)); }

    static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static Vector exclusive_or(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
    static Vector exclusive_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi32(a, b, c, 0x96); }
    template <int kBits>
    static Vector rotate_right(Vector a) {
        return _mm512_ror_epi32(a, kBits);
    }
    template <int kBits>
    static Vector shift_right(Vector a) {
        return _mm512_srli_epi32(a, kBits);
    }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
    /// Per bit, b where a is set, else c.
    static Vector choose(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi32(a, b, c, 0xca); }
    static Vector majority(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi32(a, b, c, 0xe8); }
    static Vector byte_swap(Vector a) { return _mm512_shuffle_epi8(a, _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203)); }

    static constexpr int kBlake2Columns = 4;
    static void keep_order(Vector (&a)[4]) { asm volatile("" : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3])); }

    /// words[w], lane m = word w of the 64-byte block at messages[m] + offset.
    static void load_block(Vector* words, const uint8_t* const* messages, size_t offset) {
#pragma GCC unroll 4
        for (size_t four = 0; four < 4; four++) {
            const size_t at = offset + 16 * four;
            const Vector row0 = gather_quarters(messages, at);
            const Vector row1 = gather_quarters(messages + 1, at);
            const Vector row2 = gather_quarters(messages + 2, at);
            const Vector row3 = gather_quarters(messages + 3, at);
            const Vector low01 = _mm512_unpacklo_epi32(row0, row1);
            const Vector high01 = _mm512_unpackhi_epi32(row0, row1);
            const Vector low23 = _mm512_unpacklo_epi32(row2, row3);
            const Vector high23 = _mm512_unpackhi_epi32(row2, row3);
            words[4 * four] = _mm512_unpacklo_epi64(low01, low23);
            words[4 * four + 1] = _mm512_unpackhi_epi64(low01, low23);
            words[4 * four + 2] = _mm512_unpacklo_epi64(high01, high23);
            words[4 * four + 3] = _mm512_unpackhi_epi64(high01, high23);
        }
    }

  private:
    static __m128i load_quarter(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

    static Vector gather_quarters(const uint8_t* const* messages, size_t at) {
        Vector rows = _mm512_castsi128_si512(load_quarter(messages[0] + at));
        rows = _mm512_inserti32x4(rows, load_quarter(messages[4] + at), 1);
        rows = _mm512_inserti32x4(rows, load_quarter(messages[8] + at), 2);
        return _mm512_inserti32x4(rows, load_quarter(messages[12] + at), 3);
    }
};

}  // namespace
}  // namespace arch

#endif
