#ifndef VERITYTOOL_ARCH_X86_SHA1_LANES_H
#define VERITYTOOL_ARCH_X86_SHA1_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/message_blocks.h"

/// SHA-1 (FIPS 180-4) over the lanes of vector registers: every lane hashes a message of its own.
///
/// `Lanes` is U32x16 (lanes_avx512.h) or U32x8 (lanes_avx2.h); kSets registers' worth of messages are hashed together.

namespace arch {
namespace {

/// FIPS 180-4, section 4.2.1.
constexpr uint32_t kSha1Constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

/// FIPS 180-4, section 4.1.1: the function of rounds 20 * kPhase to 20 * kPhase + 19.
template <class Lanes, int kPhase>
[[gnu::always_inline]] static inline typename Lanes::Vector sha1_function(typename Lanes::Vector b,
                                                                          typename Lanes::Vector c,
                                                                          typename Lanes::Vector d) {
    if constexpr (kPhase == 0) {
        return Lanes::choose(b, c, d);
    } else if constexpr (kPhase == 2) {
        return Lanes::majority(b, c, d);
    } else {
        return Lanes::exclusive_or(b, c, d);
    }
}

/// Five rounds, after which every variable is back in its register. `words` points to the first round's word of the
/// first set, sets alternating; with kExpand, also makes the words of sixteen rounds later.
///
/// The rotation of a comes last into the sum, so that a round waits for two operations.
template <class Lanes, size_t kSets, int kPhase, bool kExpand>
[[gnu::always_inline]] static inline void sha1_five_rounds(typename Lanes::Vector (&state)[kSets][5],
                                                           typename Lanes::Vector* words) {
    using Vector = typename Lanes::Vector;
    const Vector constant = Lanes::broadcast(kSha1Constants[kPhase]);
#pragma GCC unroll 5
    for (size_t i = 0; i < 5; i++) {
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
            Vector(&s)[5] = state[set];
            Vector& a = s[(5 - i) % 5];
            Vector& b = s[(6 - i) % 5];
            Vector& c = s[(7 - i) % 5];
            Vector& d = s[(8 - i) % 5];
            Vector& e = s[(9 - i) % 5];
            const auto word = [=](size_t ahead) -> Vector& { return words[kSets * (i + ahead) + set]; };
            e = Lanes::add(e, Lanes::add(word(0), constant));
            Lanes::keep_order(e);
            e = Lanes::add(e, sha1_function<Lanes, kPhase>(b, c, d));
            Lanes::keep_order(e);
            e = Lanes::add(e, Lanes::template rotate_right<32 - 5>(a));
            Lanes::keep_order(e);
            b = Lanes::template rotate_right<32 - 30>(b);
            if constexpr (kExpand) {
                word(16) = Lanes::template rotate_right<32 - 1>(
                    Lanes::exclusive_or(Lanes::exclusive_or(word(0), word(2), word(8)), word(13)));
            }
        }
    }
}

/// Rounds 20 * kPhase to 20 * kPhase + 19, of which the first kExpanding make words.
template <class Lanes, size_t kSets, int kPhase, size_t kExpanding>
[[gnu::always_inline]] static inline void sha1_phase(typename Lanes::Vector (&state)[kSets][5],
                                                     typename Lanes::Vector* words) {
    typename Lanes::Vector* const first = words + kSets * 20 * kPhase;
#pragma GCC unroll 1
    for (size_t i = 0; i < kExpanding; i += 5) sha1_five_rounds<Lanes, kSets, kPhase, true>(state, first + kSets * i);
#pragma GCC unroll 1
    for (size_t i = kExpanding; i < 20; i += 5) sha1_five_rounds<Lanes, kSets, kPhase, false>(state, first + kSets * i);
}

/// The HashCompress of kSets * Lanes::kLanes messages. The whole message schedule is kept in memory, as in
/// sha2_lanes.h.
template <class Lanes, size_t kSets>
[[gnu::always_inline]] static inline void sha1_compress(void* state, const uint8_t* const* messages, size_t blocks) {
    using Word = typename Lanes::Word;
    using Vector = typename Lanes::Vector;
    constexpr size_t kLanes = Lanes::kLanes;
    constexpr size_t kWords = 81;  // rounds 60 to 64 make five words together, of which the last is not used

    Word* const chain = static_cast<Word*>(state);
    Vector s[kSets][5];
#pragma GCC unroll 2
    for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 5
        for (size_t i = 0; i < 5; i++) s[set][i] = Lanes::load(chain + (kSets * i + set) * kLanes);
    }
    for (MessageBlocks<Lanes, kSets * kLanes> source(messages, blocks); blocks > 0; blocks--, source.advance()) {
        Vector words[kSets * kWords];
#pragma GCC unroll 1
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 4
            for (size_t first = 0; first < 16; first += 4) {
                Vector piece[4];
                Lanes::load_piece(piece, source.messages() + kLanes * set, source.offset() + 4 * first);
#pragma GCC unroll 4
                for (size_t i = 0; i < 4; i++) words[kSets * (first + i) + set] = Lanes::byte_swap(piece[i]);
            }
        }
        sha1_phase<Lanes, kSets, 0, 20>(s, words);
        sha1_phase<Lanes, kSets, 1, 20>(s, words);
        sha1_phase<Lanes, kSets, 2, 20>(s, words);
        sha1_phase<Lanes, kSets, 3, 5>(s, words);
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 5
            for (size_t i = 0; i < 5; i++) {
                Word* const word = chain + (kSets * i + set) * kLanes;
                s[set][i] = Lanes::add(s[set][i], Lanes::load(word));
                Lanes::store(word, s[set][i]);
            }
        }
    }
}

}  // namespace
}  // namespace arch

#endif
