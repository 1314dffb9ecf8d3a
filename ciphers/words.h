#ifndef VERITYTOOL_CIPHERS_WORDS_H
#define VERITYTOOL_CIPHERS_WORDS_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/load_store.h"

/// Little-endian numbers in byte strings.

namespace ciphers {

/// Reads words.size() 32-bit words.
inline void load_words(std::span<std::uint32_t> words, std::span<const std::uint8_t> bytes) {
    assert(bytes.size() == 4 * words.size());
    for (std::size_t w = 0; w < words.size(); w++) words[w] = arch::load_le32(&bytes[4 * w]);
}

inline void store_words(std::span<std::uint8_t> bytes, std::span<const std::uint32_t> words) {
    assert(bytes.size() == 4 * words.size());
    for (std::size_t w = 0; w < words.size(); w++) arch::store_le32(&bytes[4 * w], words[w]);
}

/// A number modulo 2^128.
struct Uint128 {
    std::uint64_t low = 0, high = 0;

    static Uint128 load(const std::uint8_t* from) { return {arch::load_le64(from), arch::load_le64(from + 8)}; }
    void store(std::uint8_t* to) const {
        arch::store_le64(to, low);
        arch::store_le64(to + 8, high);
    }

    friend Uint128 operator+(Uint128 a, Uint128 b) {
        const std::uint64_t low = a.low + b.low;
        return {low, a.high + b.high + (low < a.low)};
    }
    friend Uint128 operator-(Uint128 a, Uint128 b) { return {a.low - b.low, a.high - b.high - (a.low < b.low)}; }
};

}  // namespace ciphers

#endif
