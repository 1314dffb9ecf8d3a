#ifndef VERITYTOOL_ARCH_X86_SHA2_LANES_H
#define VERITYTOOL_ARCH_X86_SHA2_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/sha256_constants.h"
#include "arch/sha512_constants.h"
#include "arch/x86/message_blocks.h"

/// SHA-256 and SHA-512 (FIPS 180-4) over the lanes of vector registers: every lane hashes a message of its own.
///
/// `Lanes` (lanes_avx512.h, lanes_avx2.h) is the register: 32-bit words make it SHA-256, 64-bit words SHA-512. kSets
/// registers' worth of messages are hashed together.

namespace arch {
namespace {

/// FIPS 180-4, sections 4.1 and 4.2: what distinguishes the two. The sums are exclusive-ors of three rotations, those
/// of the message schedule of two rotations and a shift.
template <class Word>
struct Sha2Parameters;

template <>
struct Sha2Parameters<uint32_t> {
    static constexpr size_t kRounds = 64;
    static constexpr int kSum0[3] = {2, 13, 22};
    static constexpr int kSum1[3] = {6, 11, 25};
    static constexpr int kScheduleSum0[3] = {7, 18, 3};
    static constexpr int kScheduleSum1[3] = {17, 19, 10};
#define VERITYTOOL_LISTED(a, b, c, d) a, b, c, d,
    static constexpr uint32_t kConstants[kRounds] = {SHA256_ROUND_CONSTANTS(VERITYTOOL_LISTED)};
#undef VERITYTOOL_LISTED
};

template <>
struct Sha2Parameters<uint64_t> {
    static constexpr size_t kRounds = 80;
    static constexpr int kSum0[3] = {28, 34, 39};
    static constexpr int kSum1[3] = {14, 18, 41};
    static constexpr int kScheduleSum0[3] = {1, 8, 7};
    static constexpr int kScheduleSum1[3] = {19, 61, 6};
#define VERITYTOOL_LISTED(a, b) a, b,
    static constexpr uint64_t kConstants[kRounds] = {SHA512_ROUND_CONSTANTS(VERITYTOOL_LISTED)};
#undef VERITYTOOL_LISTED
};

template <class Lanes, const int (&kBits)[3]>
[[gnu::always_inline]] static inline typename Lanes::Vector sha2_sum(typename Lanes::Vector a) {
    return Lanes::exclusive_or(Lanes::template rotate_right<kBits[0]>(a), Lanes::template rotate_right<kBits[1]>(a),
                               Lanes::template rotate_right<kBits[2]>(a));
}

template <class Lanes, const int (&kBits)[3]>
[[gnu::always_inline]] static inline typename Lanes::Vector sha2_schedule_sum(typename Lanes::Vector a) {
    return Lanes::exclusive_or(Lanes::template rotate_right<kBits[0]>(a), Lanes::template rotate_right<kBits[1]>(a),
                               Lanes::template shift_right<kBits[2]>(a));
}

/// One round. The textbook's order (T1, then d + T1 and T1 + T2) makes e wait for five operations in a row and a for
/// six, of two cycles each on Zen 5. Here all but the sum of e is added to d beforehand, and a is had from the new e:
/// three each, for one operation more (AVX-512, one set: 0.60 cycles/byte instead of 0.86).
template <class Lanes>
[[gnu::always_inline]] static inline void sha2_round(typename Lanes::Vector a, typename Lanes::Vector b,
                                                     typename Lanes::Vector c, typename Lanes::Vector& d,
                                                     typename Lanes::Vector e, typename Lanes::Vector f,
                                                     typename Lanes::Vector g, typename Lanes::Vector& h,
                                                     typename Lanes::Vector word_and_constant) {
    using Vector = typename Lanes::Vector;
    using Parameters = Sha2Parameters<typename Lanes::Word>;
    Vector new_e = Lanes::add(d, Lanes::add(h, word_and_constant));
    Lanes::keep_order(new_e);
    new_e = Lanes::add(new_e, Lanes::choose(e, f, g));
    Lanes::keep_order(new_e);
    new_e = Lanes::add(new_e, sha2_sum<Lanes, Parameters::kSum1>(e));
    Lanes::keep_order(new_e);
    Vector new_a = Lanes::subtract(Lanes::majority(a, b, c), d);
    Lanes::keep_order(new_a);
    new_a = Lanes::add(new_a, new_e);
    Lanes::keep_order(new_a);
    new_a = Lanes::add(new_a, sha2_sum<Lanes, Parameters::kSum0>(a));
    Lanes::keep_order(new_a);
    d = new_e;
    h = new_a;
}

/// Eight rounds, after which every variable is back in its register. `words` points to the first round's word of the
/// first set, sets alternating; with kExpand, also makes the words of sixteen rounds later.
template <class Lanes, size_t kSets, bool kExpand>
[[gnu::always_inline]] static inline void sha2_eight_rounds(typename Lanes::Vector (&state)[kSets][8],
                                                            typename Lanes::Vector* words,
                                                            const typename Lanes::Word* constants) {
    using Vector = typename Lanes::Vector;
    using Parameters = Sha2Parameters<typename Lanes::Word>;
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) {
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
            Vector(&s)[8] = state[set];
            const auto word = [=](size_t ahead) -> Vector& { return words[kSets * (i + ahead) + set]; };
            sha2_round<Lanes>(s[(8 - i) % 8], s[(9 - i) % 8], s[(10 - i) % 8], s[(11 - i) % 8], s[(12 - i) % 8],
                              s[(13 - i) % 8], s[(14 - i) % 8], s[(15 - i) % 8],
                              Lanes::add(word(0), Lanes::broadcast(constants[i])));
            if constexpr (kExpand) {
                word(16) =
                    Lanes::add(Lanes::add(word(0), sha2_schedule_sum<Lanes, Parameters::kScheduleSum0>(word(1))),
                               Lanes::add(word(9), sha2_schedule_sum<Lanes, Parameters::kScheduleSum1>(word(14))));
            }
        }
    }
}

/// The HashCompress of kSets * Lanes::kLanes messages.
///
/// The whole message schedule is kept in memory, which lets the loops be of eight rounds: code that streaming data does
/// not push out of the cache (see blake2_lanes.h), and registers enough for two sets.
template <class Lanes, size_t kSets>
[[gnu::always_inline]] static inline void sha2_compress(void* state, const uint8_t* const* messages, size_t blocks) {
    using Word = typename Lanes::Word;
    using Vector = typename Lanes::Vector;
    using Parameters = Sha2Parameters<Word>;
    constexpr size_t kPieceWords = 16 / sizeof(Word);
    constexpr size_t kLanes = Lanes::kLanes;
    constexpr size_t kRounds = Parameters::kRounds;

    Word* const chain = static_cast<Word*>(state);
    Vector s[kSets][8];
#pragma GCC unroll 2
    for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++) s[set][i] = Lanes::load(chain + (kSets * i + set) * kLanes);
    }
    for (MessageBlocks<Lanes, kSets * kLanes> source(messages, blocks); blocks > 0; blocks--, source.advance()) {
        Vector words[kSets * kRounds];
#pragma GCC unroll 1
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 8
            for (size_t first = 0; first < 16; first += kPieceWords) {
                Vector piece[kPieceWords];
                Lanes::load_piece(piece, source.messages() + kLanes * set, source.offset() + first * sizeof(Word));
#pragma GCC unroll 4
                for (size_t i = 0; i < kPieceWords; i++) words[kSets * (first + i) + set] = Lanes::byte_swap(piece[i]);
            }
        }
#pragma GCC unroll 1
        for (size_t round = 0; round < kRounds - 16; round += 8) {
            sha2_eight_rounds<Lanes, kSets, true>(s, words + kSets * round, Parameters::kConstants + round);
        }
#pragma GCC unroll 1
        for (size_t round = kRounds - 16; round < kRounds; round += 8) {
            sha2_eight_rounds<Lanes, kSets, false>(s, words + kSets * round, Parameters::kConstants + round);
        }
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 8
            for (size_t i = 0; i < 8; i++) {
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
