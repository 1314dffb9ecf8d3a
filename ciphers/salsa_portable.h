#ifndef VERITYTOOL_CIPHERS_SALSA_PORTABLE_H
#define VERITYTOOL_CIPHERS_SALSA_PORTABLE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Salsa20's rounds (D. J. Bernstein, "Salsa20 specification", sections 3 to 6), in any even number.

namespace ciphers {

using SalsaWords = std::array<std::uint32_t, 16>;

inline void salsa_quarter_round(SalsaWords& y, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    y[b] ^= std::rotl(y[a] + y[d], 7);
    y[c] ^= std::rotl(y[b] + y[a], 9);
    y[d] ^= std::rotl(y[c] + y[b], 13);
    y[a] ^= std::rotl(y[d] + y[c], 18);
}

inline void salsa_permute(SalsaWords& y, std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; i += 2) {
        salsa_quarter_round(y, 0, 4, 8, 12);
        salsa_quarter_round(y, 5, 9, 13, 1);
        salsa_quarter_round(y, 10, 14, 2, 6);
        salsa_quarter_round(y, 15, 3, 7, 11);
        salsa_quarter_round(y, 0, 1, 2, 3);
        salsa_quarter_round(y, 5, 6, 7, 4);
        salsa_quarter_round(y, 10, 11, 8, 9);
        salsa_quarter_round(y, 15, 12, 13, 14);
    }
}

}  // namespace ciphers

#endif
