#ifndef VERITYTOOL_CIPHERS_AES_PORTABLE_H
#define VERITYTOOL_CIPHERS_AES_PORTABLE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "arch/cipher_core.h"
#include "arch/load_store.h"

/// AES, FIPS 197, on a few blocks at a time and in bit planes: the S-box is a circuit, so that no table is indexed by a
/// secret.

namespace ciphers {

/// As many blocks as half of a register's bytes. Bit 16 n + j of plane b is bit b (0 the least significant) of byte j
/// of block n; with FIPS 197's numbering of input bytes, byte j is row j % 4 of column j / 4.
using AesPlane = std::conditional_t<sizeof(void*) == 8, std::uint64_t, std::uint32_t>;
using AesPlanes = std::array<AesPlane, 8>;
inline constexpr std::size_t kAesPlaneBlocks = sizeof(AesPlane) / 2;

namespace aes_planes {

/// The value that has `lane` in each of its lanes of 16 bits.
constexpr AesPlane in_each_lane(std::uint64_t lane) {
    return static_cast<AesPlane>(lane * 0x0001000100010001);
}

/// Transposes an 8 x 8 matrix of bits: bit r of byte c becomes bit c of byte r. (H. S. Warren, "Hacker's Delight",
/// section 7-3)
inline std::uint64_t transpose(std::uint64_t x) {
    const auto swap = [&x](unsigned distance, std::uint64_t mask) {
        const std::uint64_t difference = (x ^ x >> distance) & mask;
        x ^= difference ^ difference << distance;
    };
    swap(7, 0x00aa00aa00aa00aa);
    swap(14, 0x0000cccc0000cccc);
    swap(28, 0x00000000f0f0f0f0);
    return x;
}

/// Writes one block into lane `lane`, which is zero in all planes.
inline void insert(AesPlanes& s, std::size_t lane, const std::uint8_t* block) {
    const std::uint64_t low = transpose(arch::load_le64(block)), high = transpose(arch::load_le64(block + 8));
    for (std::size_t b = 0; b < 8; b++)
        s[b] |= static_cast<AesPlane>((low >> 8 * b & 0xff) | (high >> 8 * b & 0xff) << 8) << 16 * lane;
}

inline void extract(std::uint8_t* block, const AesPlanes& s, std::size_t lane) {
    std::uint64_t low = 0, high = 0;
    for (std::size_t b = 0; b < 8; b++) {
        low |= std::uint64_t{s[b] >> 16 * lane & 0xff} << 8 * b;
        high |= std::uint64_t{s[b] >> (16 * lane + 8) & 0xff} << 8 * b;
    }
    arch::store_le64(block, transpose(low));
    arch::store_le64(block + 8, transpose(high));
}

/// SubBytes: the circuit of 115 gates of J. Boyar and R. Peralta, "A new combinational logic minimization technique
/// with applications to cryptology" (names as there; the paper's bit 0 is the most significant).
inline void sub_bytes(AesPlanes& s) {
    using Word = AesPlane;
    const Word x0 = s[7], x1 = s[6], x2 = s[5], x3 = s[4], x4 = s[3], x5 = s[2], x6 = s[1], x7 = s[0];

    const Word y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    const Word t0 = x1 ^ x2;
    const Word y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8;
    const Word t1 = x4 ^ y12;
    const Word y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11;
    const Word y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const Word t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7, t6 = t5 ^ t2;
    const Word t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7;
    const Word t12 = y9 & y11, t13 = y14 & y17, t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12;
    const Word t17 = t4 ^ t14, t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16;
    const Word t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;
    const Word t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
    const Word t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
    const Word t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38;
    const Word t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    const Word z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;
    const Word z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const Word z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    const Word t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12, t51 = z2 ^ z5;
    const Word t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
    const Word t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
    const Word t64 = z4 ^ t59, t65 = t61 ^ t62, t66 = z1 ^ t63, t67 = t64 ^ t65;
    s[7] = t59 ^ t63;
    s[4] = t53 ^ t66;
    s[3] = t51 ^ t66;
    s[2] = t47 ^ t65;
    s[1] = t56 ^ ~t62;
    s[0] = t48 ^ ~t60;
    s[6] = t64 ^ ~s[4];
    s[5] = t55 ^ ~t67;
}

/// The inverse of the affine map that FIPS 197, section 5.1.1 has behind the inversion in the field.
inline void inverse_affine(AesPlanes& s) {
    AesPlanes x = s;
    for (const std::size_t b : {0u, 1u, 5u, 6u}) x[b] = ~x[b];  // 0x63
    for (std::size_t b = 0; b < 8; b++) s[b] = x[(b + 2) % 8] ^ x[(b + 5) % 8] ^ x[(b + 7) % 8];
}

/// InvSubBytes. The inversion is its own inverse and the S-box has it, so: undo the affine map, go through the S-box,
/// undo the affine map that this has added.
inline void inv_sub_bytes(AesPlanes& s) {
    inverse_affine(s);
    sub_bytes(s);
    inverse_affine(s);
}

/// Each lane's bits rotated right: bit i + distance becomes bit i.
template <unsigned distance>
AesPlane rotate_lanes(AesPlane x) {
    constexpr AesPlane kLow = in_each_lane(0xffffu >> distance);
    return (x >> distance & kLow) | (x << (16 - distance) & ~kLow);
}

/// The rows moved `by` = 1 (ShiftRows) or 3 (its inverse) columns more each.
template <unsigned by>
void shift_rows(AesPlanes& s) {
    constexpr AesPlane kRow = in_each_lane(0x1111);
    for (AesPlane& x : s)
        x = (x & kRow) | rotate_lanes<4 * by>(x & kRow << 1) | rotate_lanes<8>(x & kRow << 2) |
            rotate_lanes<4 * (4 - by)>(x & kRow << 3);
}

/// Each column's bytes rotated: row i + rows becomes row i.
template <unsigned rows>
AesPlane rotate_columns(AesPlane x) {
    constexpr AesPlane kLow = in_each_lane(0x1111u * (0xfu >> rows));
    return (x >> rows & kLow) | (x << (4 - rows) & ~kLow);
}

/// Every byte times x in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1.
inline AesPlanes times_x(const AesPlanes& s) {
    return {s[7], s[0] ^ s[7], s[1], s[2] ^ s[7], s[3] ^ s[7], s[4], s[5], s[6]};
}

/// MixColumns: row i is 2 a + 3 b + c + d of rows i, i + 1, i + 2 and i + 3, or 2 (a + b) + b + (c + d).
inline void mix_columns(AesPlanes& s) {
    AesPlanes pairs, next;
    for (std::size_t b = 0; b < 8; b++) {
        next[b] = rotate_columns<1>(s[b]);
        pairs[b] = s[b] ^ next[b];
    }
    const AesPlanes doubled = times_x(pairs);
    for (std::size_t b = 0; b < 8; b++) s[b] = doubled[b] ^ next[b] ^ rotate_columns<2>(pairs[b]);
}

/// InvMixColumns: 14 a + 11 b + 13 c + 9 d is what MixColumns makes of a + 4 (a + c) and so on for each row.
inline void inv_mix_columns(AesPlanes& s) {
    AesPlanes opposite;
    for (std::size_t b = 0; b < 8; b++) opposite[b] = s[b] ^ rotate_columns<2>(s[b]);
    opposite = times_x(times_x(opposite));
    for (std::size_t b = 0; b < 8; b++) s[b] ^= opposite[b];
    mix_columns(s);
}

inline void add_round_key(AesPlanes& s, const arch::AesKey& key, std::size_t i) {
    for (std::size_t b = 0; b < 8; b++) s[b] ^= static_cast<AesPlane>(key.planes[i][b]);
}

}  // namespace aes_planes

/// Cipher, FIPS 197 section 5.1.
inline void aes_encrypt_planes(AesPlanes& s, const arch::AesKey& key) {
    using namespace aes_planes;
    add_round_key(s, key, 0);
    for (std::size_t i = 1; i < key.rounds; i++) {
        sub_bytes(s);
        shift_rows<1>(s);
        mix_columns(s);
        add_round_key(s, key, i);
    }
    sub_bytes(s);
    shift_rows<1>(s);
    add_round_key(s, key, key.rounds);
}

/// InvCipher, FIPS 197 section 5.3.
inline void aes_decrypt_planes(AesPlanes& s, const arch::AesKey& key) {
    using namespace aes_planes;
    add_round_key(s, key, key.rounds);
    for (std::size_t i = key.rounds - 1; i > 0; i--) {
        shift_rows<3>(s);
        inv_sub_bytes(s);
        add_round_key(s, key, i);
        inv_mix_columns(s);
    }
    shift_rows<3>(s);
    inv_sub_bytes(s);
    add_round_key(s, key, 0);
}

/// Encrypts or decrypts up to kAesPlaneBlocks blocks.
inline void aes_few_blocks(const arch::AesKey& key, bool decrypt, std::uint8_t* out, const std::uint8_t* in,
                           std::size_t blocks) {
    AesPlanes s{};
    for (std::size_t n = 0; n < blocks; n++) aes_planes::insert(s, n, in + 16 * n);
    decrypt ? aes_decrypt_planes(s, key) : aes_encrypt_planes(s, key);
    for (std::size_t n = 0; n < blocks; n++) aes_planes::extract(out + 16 * n, s, n);
}

}  // namespace ciphers

#endif
