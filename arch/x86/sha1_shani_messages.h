#ifndef VERITYTOOL_ARCH_X86_SHA1_SHANI_MESSAGES_H
#define VERITYTOOL_ARCH_X86_SHA1_SHANI_MESSAGES_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// SHA-1 with the SHA extensions, on several messages side by side. sha1rnds4 gives its result after six cycles but
/// starts every second one, so that one message leaves two thirds of the unit idle. Zen 5, cycles per byte of 1, 2, 3
/// and 4 messages: 2.00, 1.09, 0.86, 0.76.

namespace arch {
namespace {

/// What a message has in registers.
struct Sha1ShaniMessage {
    __m128i abcd;
    __m128i abcd_before_last;  ///< `abcd` four rounds ago: e comes from its a
    __m128i words[4];          ///< the schedule's 16 words from the current four rounds on, in turns
};

/// Rounds 20 * kFunction to 20 * kFunction + 19 of one block.
template <size_t kMessages, int kFunction>
[[gnu::always_inline]] static inline void sha1_shani_twenty_rounds(Sha1ShaniMessage (&messages)[kMessages]) {
#pragma GCC unroll 5
    for (int four = 5 * kFunction; four < 5 * kFunction + 5; four++) {
#pragma GCC unroll 4
        for (size_t m = 0; m < kMessages; m++) {
            Sha1ShaniMessage& message = messages[m];
            __m128i& now = message.words[four % 4];
            const __m128i e_plus_words = four == 0 ? _mm_add_epi32(message.abcd_before_last, now)
                                                   : _mm_sha1nexte_epu32(message.abcd_before_last, now);
            message.abcd_before_last = message.abcd;
            message.abcd = _mm_sha1rnds4_epu32(message.abcd, e_plus_words, kFunction);
            if (four < 16) {
                const __m128i w1 = message.words[(four + 1) % 4];
                const __m128i w2 = message.words[(four + 2) % 4];
                const __m128i w3 = message.words[(four + 3) % 4];
                now = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(now, w1), w2), w3);
            }
        }
    }
}

/// The HashCompress of kMessages messages.
template <size_t kMessages>
[[gnu::always_inline]] static inline void sha1_shani_compress(void* state, const uint8_t* const* data, size_t blocks) {
    const __m128i reversed = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    uint32_t* const chain = static_cast<uint32_t*>(state);
    const auto word = [=](size_t w, size_t m) { return static_cast<int>(chain[w * kMessages + m]); };

    Sha1ShaniMessage messages[kMessages];
    __m128i abcd[kMessages];
    __m128i e[kMessages];
#pragma GCC unroll 4
    for (size_t m = 0; m < kMessages; m++) {
        abcd[m] = _mm_set_epi32(word(0, m), word(1, m), word(2, m), word(3, m));
        e[m] = _mm_set_epi32(word(4, m), 0, 0, 0);
    }
    for (size_t offset = 0; blocks > 0; blocks--, offset += 64) {
#pragma GCC unroll 4
        for (size_t m = 0; m < kMessages; m++) {
            messages[m].abcd = abcd[m];
            messages[m].abcd_before_last = e[m];
#pragma GCC unroll 4
            for (size_t i = 0; i < 4; i++) {
                const uint8_t* const from = data[m] + offset + 16 * i;
                messages[m].words[i] =
                    _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), reversed);
            }
        }
        sha1_shani_twenty_rounds<kMessages, 0>(messages);
        sha1_shani_twenty_rounds<kMessages, 1>(messages);
        sha1_shani_twenty_rounds<kMessages, 2>(messages);
        sha1_shani_twenty_rounds<kMessages, 3>(messages);
#pragma GCC unroll 4
        for (size_t m = 0; m < kMessages; m++) {
            abcd[m] = _mm_add_epi32(abcd[m], messages[m].abcd);
            e[m] = _mm_sha1nexte_epu32(messages[m].abcd_before_last, e[m]);
        }
    }
#pragma GCC unroll 4
    for (size_t m = 0; m < kMessages; m++) {
        const auto store = [=](size_t w, int value) { chain[w * kMessages + m] = static_cast<uint32_t>(value); };
        store(0, _mm_extract_epi32(abcd[m], 3));
        store(1, _mm_extract_epi32(abcd[m], 2));
        store(2, _mm_extract_epi32(abcd[m], 1));
        store(3, _mm_extract_epi32(abcd[m], 0));
        store(4, _mm_extract_epi32(e[m], 3));
    }
}

}  // namespace
}  // namespace arch

#endif
