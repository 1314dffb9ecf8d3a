#ifndef VERITYTOOL_CIPHERS_CHACHA_PORTABLE_H
#define VERITYTOOL_CIPHERS_CHACHA_PORTABLE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// ChaCha's rounds, RFC 8439 section 2.3, in any even number.

namespace ciphers {

using ChaChaWords = std::array<std::uint32_t, 16>;

/// "expand 32-byte k", the first four words of the state of ChaCha with a 32-byte key.
inline constexpr std::array<std::uint32_t, 4> kChaChaConstants = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

inline void chacha_quarter_round(ChaChaWords& x, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
}

inline void chacha_permute(ChaChaWords& x, std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; i += 2) {
        chacha_quarter_round(x, 0, 4, 8, 12);
        chacha_quarter_round(x, 1, 5, 9, 13);
        chacha_quarter_round(x, 2, 6, 10, 14);
        chacha_quarter_round(x, 3, 7, 11, 15);
        chacha_quarter_round(x, 0, 5, 10, 15);
        chacha_quarter_round(x, 1, 6, 11, 12);
        chacha_quarter_round(x, 2, 7, 8, 13);
        chacha_quarter_round(x, 3, 4, 9, 14);
    }
}

}  // namespace ciphers

#endif
