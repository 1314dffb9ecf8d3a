#ifndef VERITYTOOL_HASHLIB_BLAKE2_PORTABLE_H
#define VERITYTOOL_HASHLIB_BLAKE2_PORTABLE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

/// The compression function F of RFC 7693, section 3.2, for either word size.

namespace hashlib {

/// The message word permutations, RFC 7693 section 2.7. BLAKE2b's rounds 10 and 11 use rows 0 and 1 again.
inline constexpr std::uint8_t kBlake2Sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/// What BLAKE2b and BLAKE2s differ in: Word, kRounds, the rotations R1..R4, the initialisation vector and the loader.
template <class Variant>
struct Blake2Portable {
    using Word = typename Variant::Word;
    using Words = std::array<Word, 16>;

    [[gnu::always_inline]] static void mix(Words& v, std::size_t a, std::size_t b, std::size_t c, std::size_t d, Word x,
                                           Word y) {
        v[a] = v[a] + x + v[b];
        v[d] = std::rotr(v[d] ^ v[a], Variant::kR1);
        v[c] += v[d];
        v[b] = std::rotr(v[b] ^ v[c], Variant::kR2);
        v[a] = v[a] + y + v[b];
        v[d] = std::rotr(v[d] ^ v[a], Variant::kR3);
        v[c] += v[d];
        v[b] = std::rotr(v[b] ^ v[c], Variant::kR4);
    }

    [[gnu::always_inline]] static void round(Words& v, const Words& m, const std::uint8_t (&s)[16]) {
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }

    static void compress(Word* h, const std::uint8_t* block, std::uint64_t counter, Word final_mask) {
        Words v, m;
        for (std::size_t i = 0; i < 16; i++) m[i] = Variant::load(block + i * sizeof(Word));
        for (std::size_t i = 0; i < 8; i++) {
            v[i] = h[i];
            v[i + 8] = Variant::kIv[i];
        }
        v[12] ^= static_cast<Word>(counter);
        v[13] ^= Variant::high_counter(counter);
        v[14] ^= final_mask;
        // Unrolled, so that every index is a constant and v lives in registers where there are enough.
        [&]<std::size_t... R>(std::index_sequence<R...>) {
            (round(v, m, kBlake2Sigma[R % 10]), ...);
        }
        (std::make_index_sequence<Variant::kRounds>());
        for (std::size_t i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
    }
};

}  // namespace hashlib

#endif
