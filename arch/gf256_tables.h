#ifndef VERITYTOOL_ARCH_GF256_TABLES_H
#define VERITYTOOL_ARCH_GF256_TABLES_H

#include <stdint.h>

/// What multiplies by a factor in GF(2^8), for each of the 256 factors: constant tables made by the compiler. A core's
/// time goes by how far they stay in the first-level cache, so there is one of each in a program.

namespace arch {

/// The products of one factor f with the 16 values of either nibble: f * b = low[b & 15] ^ high[b >> 4].
struct Gf256Nibbles {
    uint8_t low[16];
    uint8_t high[16];
};

/// By factor; 8 KiB.
extern const Gf256Nibbles kGf256Nibbles[256];

/// By factor f the 8 by 8 bit matrix with which GF2P8AFFINEQB (Intel SDM volume 2A) multiplies by f: byte 7 - i of it
/// selects the bits of b whose sum is bit i of f * b. 2 KiB.
extern const uint64_t kGf256Matrices[256];

}  // namespace arch

#endif
