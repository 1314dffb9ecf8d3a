#ifndef VERITYTOOL_HASHLIB_SHA2_PORTABLE_H
#define VERITYTOOL_HASHLIB_SHA2_PORTABLE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// The SHA-2 hash computation of FIPS 180-4, sections 6.2.2 and 6.4.2, for either word size.

namespace hashlib {

/// What SHA-256 and SHA-512 differ in: Word, kRounds, the rotations of the four sigma functions (section 4.1), the
/// round constants and the loader.
template <class Variant>
struct Sha2Portable {
    using Word = typename Variant::Word;

    static Word upper_sigma(Word x, const std::array<int, 3>& r) {
        return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ std::rotr(x, r[2]);
    }
    static Word lower_sigma(Word x, const std::array<int, 3>& r) {
        return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ (x >> r[2]);
    }
    static Word choose(Word x, Word y, Word z) { return z ^ (x & (y ^ z)); }
    static Word majority(Word x, Word y, Word z) { return (x & y) | (z & (x | y)); }

    static void compress(Word* state, const std::uint8_t* block) {
        std::array<Word, Variant::kRounds> w;
        for (std::size_t t = 0; t < 16; t++) w[t] = Variant::load(block + t * sizeof(Word));
        for (std::size_t t = 16; t < Variant::kRounds; t++)
            w[t] = lower_sigma(w[t - 2], Variant::kLower1) + w[t - 7] + lower_sigma(w[t - 15], Variant::kLower0) +
                   w[t - 16];
        Word a = state[0], b = state[1], c = state[2], d = state[3];
        Word e = state[4], f = state[5], g = state[6], h = state[7];
        for (std::size_t t = 0; t < Variant::kRounds; t++) {
            const Word t1 = h + upper_sigma(e, Variant::kUpper1) + choose(e, f, g) + Variant::kConstants[t] + w[t];
            const Word t2 = upper_sigma(a, Variant::kUpper0) + majority(a, b, c);
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
};

}  // namespace hashlib

#endif
