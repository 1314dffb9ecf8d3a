#ifndef VERITYTOOL_ARCH_X86_AES_AESNI_H
#define VERITYTOOL_ARCH_X86_AES_AESNI_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// AES of several blocks side by side with AES-NI.

namespace arch {
namespace {

/// Rounds of as many blocks can be on their way at once on Zen 5 (4 cycles each, two starting in every cycle); it
/// leaves half of the registers for what is added to them.
constexpr size_t kAesniBlocks = 8;

struct AesniEncrypt {
    static __m128i round(__m128i block, __m128i key) { return _mm_aesenc_si128(block, key); }
    static __m128i last(__m128i block, __m128i key) { return _mm_aesenclast_si128(block, key); }
};

struct AesniDecrypt {
    static __m128i round(__m128i block, __m128i key) { return _mm_aesdec_si128(block, key); }
    static __m128i last(__m128i block, __m128i key) { return _mm_aesdeclast_si128(block, key); }
};

inline __m128i aesni_load(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

inline void aesni_store(uint8_t* to, __m128i block) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
}

/// `keys` are those of the direction, in the order of use.
template <class Direction, size_t kCount>
[[gnu::always_inline]] inline void aesni_crypt(const uint8_t (*keys)[16], size_t rounds, __m128i (&blocks)[kCount]) {
    const auto round_key = [keys](size_t i) { return _mm_load_si128(reinterpret_cast<const __m128i*>(keys[i])); };
    const __m128i first = round_key(0);
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; i++) blocks[i] = _mm_xor_si128(blocks[i], first);
#pragma GCC unroll 1
    for (size_t round = 1; round < rounds; round++) {
        const __m128i key = round_key(round);
#pragma GCC unroll 8
        for (size_t i = 0; i < kCount; i++) blocks[i] = Direction::round(blocks[i], key);
    }
    const __m128i last = round_key(rounds);
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; i++) blocks[i] = Direction::last(blocks[i], last);
}

}  // namespace
}  // namespace arch

#endif
