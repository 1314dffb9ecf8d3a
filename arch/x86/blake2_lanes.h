#ifndef VERITYTOOL_ARCH_X86_BLAKE2_LANES_H
#define VERITYTOOL_ARCH_X86_BLAKE2_LANES_H

#include <stddef.h>
#include <stdint.h>

/// BLAKE2b and BLAKE2s (RFC 7693) over the lanes of vector registers: every lane hashes a message of its own, so that
/// the algorithm runs as written, without the shuffles that one message in vector registers needs.
///
/// `Lanes` (lanes_avx512.h, lanes_avx2.h) is the register: 64-bit words make it BLAKE2b, 32-bit words BLAKE2s.
/// kSets registers' worth of messages are hashed together. With one, Zen 5 waits for results most of the time: every
/// operation takes two cycles, and only four columns can go on at once. A second set fills the gaps (BLAKE2b with AVX2:
/// 1.06 cycles/byte instead of 1.49). Two sets of AVX-512 are in assembly: blake2_avx512_pair.h says why.

namespace arch {
namespace {

/// RFC 7693, section 2: what distinguishes the two.
template <class Word>
struct Blake2Parameters;

template <>
struct Blake2Parameters<uint64_t> {
    static constexpr int kRounds = 12;
    static constexpr int kRotations[4] = {32, 24, 16, 63};
    static constexpr uint64_t kIv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
};

template <>
struct Blake2Parameters<uint32_t> {
    static constexpr int kRounds = 10;
    static constexpr int kRotations[4] = {16, 12, 8, 7};
    static constexpr uint32_t kIv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

/// RFC 7693, section 2.7: which message words a round uses, in order. BLAKE2b's rounds 10 and 11 repeat the first two.
constexpr uint8_t kBlake2Schedule[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

/// The same as byte offsets into an array of one register a word.
template <size_t kVectorBytes>
struct Blake2Offsets {
    constexpr Blake2Offsets() : of_round() {
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 16; i++) {
                of_round[round][i] = static_cast<uint16_t>(kBlake2Schedule[round][i] * kVectorBytes);
            }
        }
    }
    uint16_t of_round[12][16];
};

/// The mixing function G on kColumns columns (kDiagonal = 0) or diagonals (1), from column kFirst on. `offsets` points
/// to the eight entries for the four columns.
///
/// Left to itself the compiler adds the message word to the wrong operand, which makes the chain of dependent
/// operations longer, and mixes the columns so that more values are live than there are registers; keep_order() holds
/// it to this order.
template <class Lanes, int kDiagonal, int kFirst>
[[gnu::always_inline]] static inline void blake2_mix(typename Lanes::Vector (&v)[4][4],
                                                     const typename Lanes::Vector* words, const uint16_t* offsets) {
    using Vector = typename Lanes::Vector;
    using Parameters = Blake2Parameters<typename Lanes::Word>;
    constexpr int kColumns = Lanes::kBlake2Columns;
    Vector a[kColumns];
    Vector b[kColumns];
    Vector c[kColumns];
    Vector d[kColumns];
#pragma GCC unroll 4
    for (int i = 0; i < kColumns; i++) {
        a[i] = v[0][kFirst + i];
        b[i] = v[1][(kFirst + i + kDiagonal) % 4];
        c[i] = v[2][(kFirst + i + 2 * kDiagonal) % 4];
        d[i] = v[3][(kFirst + i + 3 * kDiagonal) % 4];
    }
#define VERITYTOOL_COLUMNS(result, value)                                         \
    _Pragma("GCC unroll 4") for (int i = 0; i < kColumns; i++) result[i] = value; \
    Lanes::keep_order(result)
#define VERITYTOOL_WORD(which) \
    *reinterpret_cast<const Vector*>(reinterpret_cast<const uint8_t*>(words) + offsets[2 * (kFirst + i) + which])
    VERITYTOOL_COLUMNS(a, Lanes::add(a[i], VERITYTOOL_WORD(0)));
    VERITYTOOL_COLUMNS(a, Lanes::add(a[i], b[i]));
    VERITYTOOL_COLUMNS(d, Lanes::exclusive_or(d[i], a[i]));
    VERITYTOOL_COLUMNS(d, Lanes::template rotate_right<Parameters::kRotations[0]>(d[i]));
    VERITYTOOL_COLUMNS(c, Lanes::add(c[i], d[i]));
    VERITYTOOL_COLUMNS(b, Lanes::exclusive_or(b[i], c[i]));
    VERITYTOOL_COLUMNS(b, Lanes::template rotate_right<Parameters::kRotations[1]>(b[i]));
    VERITYTOOL_COLUMNS(a, Lanes::add(a[i], VERITYTOOL_WORD(1)));
    VERITYTOOL_COLUMNS(a, Lanes::add(a[i], b[i]));
    VERITYTOOL_COLUMNS(d, Lanes::exclusive_or(d[i], a[i]));
    VERITYTOOL_COLUMNS(d, Lanes::template rotate_right<Parameters::kRotations[2]>(d[i]));
    VERITYTOOL_COLUMNS(c, Lanes::add(c[i], d[i]));
    VERITYTOOL_COLUMNS(b, Lanes::exclusive_or(b[i], c[i]));
    VERITYTOOL_COLUMNS(b, Lanes::template rotate_right<Parameters::kRotations[3]>(b[i]));
#undef VERITYTOOL_WORD
#undef VERITYTOOL_COLUMNS
#pragma GCC unroll 4
    for (int i = 0; i < kColumns; i++) {
        v[0][kFirst + i] = a[i];
        v[1][(kFirst + i + kDiagonal) % 4] = b[i];
        v[2][(kFirst + i + 2 * kDiagonal) % 4] = c[i];
        v[3][(kFirst + i + 3 * kDiagonal) % 4] = d[i];
    }
}

/// The HashCompress of kSets * Lanes::kLanes messages.
///
/// The rounds are a loop on purpose: unrolled, they are up to 20 KB of code, which data streaming through the
/// second-level cache pushes out of it and, as Zen's second level includes the first, out of that too (two sets of
/// AVX-512 on data in the third-level cache: 6.7 GB/s unrolled, 9.0 as a loop).
template <class Lanes, size_t kSets>
[[gnu::always_inline]] static inline void blake2_compress(void* state, const uint8_t* const* messages, size_t blocks,
                                                          uint64_t counter, uint64_t final_mask) {
    using Word = typename Lanes::Word;
    using Vector = typename Lanes::Vector;
    using Parameters = Blake2Parameters<Word>;
    constexpr size_t kBlockBytes = 16 * sizeof(Word);
    constexpr size_t kPieceWords = 16 / sizeof(Word);
    constexpr size_t kLanes = Lanes::kLanes;
    static constexpr Blake2Offsets<sizeof(Vector)> kOffsets;

    Word* const chain = static_cast<Word*>(state);
    for (size_t offset = 0; blocks > 0; blocks--, offset += kBlockBytes, counter += kBlockBytes) {
        Vector words[kSets][16];
        Vector v[kSets][4][4];
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 8
            for (size_t piece = 0; piece < 16; piece += kPieceWords) {
                Lanes::load_piece(&words[set][piece], messages + kLanes * set, offset + piece * sizeof(Word));
            }
#pragma GCC unroll 8
            for (size_t i = 0; i < 8; i++) {
                v[set][i / 4][i % 4] = Lanes::load(chain + (kSets * i + set) * kLanes);
                v[set][2 + i / 4][i % 4] = Lanes::broadcast(Parameters::kIv[i]);
            }
            v[set][3][0] = Lanes::broadcast(Parameters::kIv[4] ^ static_cast<Word>(counter));
            if constexpr (sizeof(Word) == 4) {
                v[set][3][1] = Lanes::broadcast(Parameters::kIv[5] ^ static_cast<Word>(counter >> 32));
            }
            v[set][3][2] = Lanes::broadcast(Parameters::kIv[6] ^ static_cast<Word>(final_mask));
        }
        // The chaining value stays in memory: the rounds need the registers.
        asm volatile("" : : : "memory");
#pragma GCC unroll 1
        for (int round = 0; round < Parameters::kRounds; round++) {
            const uint16_t* const offsets = kOffsets.of_round[round];
#pragma GCC unroll 2
            for (size_t set = 0; set < kSets; set++) {
                blake2_mix<Lanes, 0, 0>(v[set], words[set], offsets);
                if constexpr (Lanes::kBlake2Columns == 2) blake2_mix<Lanes, 0, 2>(v[set], words[set], offsets);
            }
#pragma GCC unroll 2
            for (size_t set = 0; set < kSets; set++) {
                blake2_mix<Lanes, 1, 0>(v[set], words[set], offsets + 8);
                if constexpr (Lanes::kBlake2Columns == 2) blake2_mix<Lanes, 1, 2>(v[set], words[set], offsets + 8);
            }
        }
        asm volatile("" : : : "memory");
#pragma GCC unroll 2
        for (size_t set = 0; set < kSets; set++) {
#pragma GCC unroll 8
            for (size_t i = 0; i < 8; i++) {
                Word* const word = chain + (kSets * i + set) * kLanes;
                Lanes::store(word,
                             Lanes::exclusive_or(Lanes::load(word), v[set][i / 4][i % 4], v[set][2 + i / 4][i % 4]));
            }
        }
    }
}

}  // namespace
}  // namespace arch

#endif
