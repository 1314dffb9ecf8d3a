#ifndef VERITYTOOL_CIPHERS_STREAM_PORTABLE_H
#define VERITYTOOL_CIPHERS_STREAM_PORTABLE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "arch/load_store.h"

/// What ChaCha and Salsa20 have in common: the keystream is, block after block, the state plus its permutation.

namespace ciphers {

/// StreamXor with a permutation of 16 words whose block counter starts at word `counter`.
template <void (*permute)(std::array<std::uint32_t, 16>&, std::size_t), std::size_t counter>
void stream_xor_portable(const std::uint32_t* state, std::size_t rounds, std::uint8_t* out, const std::uint8_t* in,
                         std::size_t length) {
    std::array<std::uint32_t, 16> initial;
    std::copy_n(state, 16, initial.begin());
    for (std::size_t done = 0; done < length; done += 64) {
        std::array<std::uint32_t, 16> words = initial;
        permute(words, rounds);
        std::array<std::uint8_t, 64> keystream;
        for (std::size_t w = 0; w < 16; w++) arch::store_le32(&keystream[4 * w], words[w] + initial[w]);
        const std::size_t taken = std::min<std::size_t>(length - done, 64);
        for (std::size_t i = 0; i < taken; i++) out[done + i] = in[done + i] ^ keystream[i];
        if (++initial[counter] == 0) initial[counter + 1]++;
    }
}

}  // namespace ciphers

#endif
