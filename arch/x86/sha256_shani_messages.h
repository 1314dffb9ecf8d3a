#ifndef VERITYTOOL_ARCH_X86_SHA256_SHANI_MESSAGES_H
#define VERITYTOOL_ARCH_X86_SHA256_SHANI_MESSAGES_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/sha256_constants.h"

/// SHA-256 with the SHA extensions, on several messages side by side. sha256rnds2 gives its result after four cycles
/// but starts every second one, so that one message leaves half of the unit idle. Zen 5, cycles per byte of 1, 2, 3 and
/// 4 messages: 2.05, 1.40, 1.17, 1.16; bound by the unit, which the message schedule uses too.

namespace arch {
namespace {

#define SHA256_K4(a, b, c, d) a, b, c, d,
alignas(16) constexpr uint32_t kSha256RoundConstants[64] = {SHA256_ROUND_CONSTANTS(SHA256_K4)};
#undef SHA256_K4

/// The HashCompress of kMessages messages.
template <size_t kMessages>
[[gnu::always_inline]] static inline void sha256_shani_compress(void* state, const uint8_t* const* messages,
                                                                size_t blocks) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    uint32_t* const chain = static_cast<uint32_t*>(state);

    // The order of words that sha256rnds2 takes, highest first.
    __m128i abef[kMessages];
    __m128i cdgh[kMessages];
    const auto word = [=](size_t w, size_t m) { return static_cast<int>(chain[w * kMessages + m]); };
#pragma GCC unroll 4
    for (size_t m = 0; m < kMessages; m++) {
        abef[m] = _mm_set_epi32(word(0, m), word(1, m), word(4, m), word(5, m));
        cdgh[m] = _mm_set_epi32(word(2, m), word(3, m), word(6, m), word(7, m));
    }

    for (size_t offset = 0; blocks > 0; blocks--, offset += 64) {
        __m128i words[kMessages][4];
        __m128i abef_before[kMessages];
        __m128i cdgh_before[kMessages];
#pragma GCC unroll 4
        for (size_t m = 0; m < kMessages; m++) {
            abef_before[m] = abef[m];
            cdgh_before[m] = cdgh[m];
#pragma GCC unroll 4
            for (size_t i = 0; i < 4; i++) {
                const uint8_t* const from = messages[m] + offset + 16 * i;
                words[m][i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), big_endian);
            }
        }
#pragma GCC unroll 16
        for (size_t four = 0; four < 16; four++) {
            const __m128i constants =
                _mm_load_si128(reinterpret_cast<const __m128i*>(&kSha256RoundConstants[4 * four]));
#pragma GCC unroll 4
            for (size_t m = 0; m < kMessages; m++) {
                __m128i& now = words[m][four % 4];
                const __m128i sum = _mm_add_epi32(now, constants);
                cdgh[m] = _mm_sha256rnds2_epu32(cdgh[m], abef[m], sum);
                abef[m] = _mm_sha256rnds2_epu32(abef[m], cdgh[m], _mm_shuffle_epi32(sum, 0x0e));
                if (four < 12) {
                    const __m128i w1 = words[m][(four + 1) % 4];
                    const __m128i w2 = words[m][(four + 2) % 4];
                    const __m128i w3 = words[m][(four + 3) % 4];
                    const __m128i sum7 = _mm_add_epi32(_mm_sha256msg1_epu32(now, w1), _mm_alignr_epi8(w3, w2, 4));
                    now = _mm_sha256msg2_epu32(sum7, w3);
                }
            }
        }
#pragma GCC unroll 4
        for (size_t m = 0; m < kMessages; m++) {
            abef[m] = _mm_add_epi32(abef[m], abef_before[m]);
            cdgh[m] = _mm_add_epi32(cdgh[m], cdgh_before[m]);
        }
    }

#pragma GCC unroll 4
    for (size_t m = 0; m < kMessages; m++) {
        const auto store = [=](size_t w, int value) { chain[w * kMessages + m] = static_cast<uint32_t>(value); };
        store(0, _mm_extract_epi32(abef[m], 3));
        store(1, _mm_extract_epi32(abef[m], 2));
        store(4, _mm_extract_epi32(abef[m], 1));
        store(5, _mm_extract_epi32(abef[m], 0));
        store(2, _mm_extract_epi32(cdgh[m], 3));
        store(3, _mm_extract_epi32(cdgh[m], 2));
        store(6, _mm_extract_epi32(cdgh[m], 1));
        store(7, _mm_extract_epi32(cdgh[m], 0));
    }
}

}  // namespace
}  // namespace arch

#endif
