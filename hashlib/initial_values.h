#ifndef VERITYTOOL_HASHLIB_INITIAL_VALUES_H
#define VERITYTOOL_HASHLIB_INITIAL_VALUES_H

#include <array>
#include <cstdint>

/// The initial hash values of FIPS 180-4, section 5.3. BLAKE2b's IV is SHA-512's and BLAKE2s's is SHA-256's
/// (RFC 7693, section 2.6).

namespace hashlib {

inline constexpr std::array<std::uint32_t, 5> kSha1Initial = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                                              0xc3d2e1f0};

inline constexpr std::array<std::uint32_t, 8> kSha256Initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

inline constexpr std::array<std::uint64_t, 8> kSha512Initial = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

}  // namespace hashlib

#endif
