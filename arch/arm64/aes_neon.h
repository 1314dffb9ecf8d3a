#ifndef VERITYTOOL_ARCH_ARM64_AES_NEON_H
#define VERITYTOOL_ARCH_ARM64_AES_NEON_H

#include <arm_neon.h>

#include "arch/cipher_core.h"

/// AES (FIPS 197) of eight blocks in bit planes, for the cores of AES and of XTS: the S-box is a circuit, so that time
/// does not depend on secrets. A round is some 170 vector operations, two thirds of them the circuit.

// A round's intermediate values all but fit the 32 registers. They do where the rounds are a function by itself, and
// only there: aes_encrypt() inlined takes 10 % more cycles.
#define INLINE [[gnu::always_inline]] static inline

namespace {

enum { kAesBlock = 16, kAesAtOnce = 8 };

using Plane = uint8x16_t;

/// Eight blocks: as such, or as planes. Bit n of byte j of plane b is then bit b of byte j of block n, and byte j is
/// row j % 4 of column j / 4.
struct AesPlanes {
    Plane p[8];
};

}  // namespace

/// Swaps the bits of `a` that are 1 << distance times those in `mask` with those of `b` in `mask`.
template <int distance>
INLINE void swap_bits(Plane& a, Plane& b, Plane mask) {
    const Plane difference = (vshrq_n_u8(a, distance) ^ b) & mask;
    b ^= difference;
    a ^= vshlq_n_u8(difference, distance);
}

/// From blocks to planes, and back.
INLINE void exchange_blocks_and_planes(AesPlanes& s) {
    const Plane kOdd = vdupq_n_u8(0x55), kPairs = vdupq_n_u8(0x33), kHalf = vdupq_n_u8(0x0f);
    swap_bits<1>(s.p[0], s.p[1], kOdd);
    swap_bits<1>(s.p[2], s.p[3], kOdd);
    swap_bits<1>(s.p[4], s.p[5], kOdd);
    swap_bits<1>(s.p[6], s.p[7], kOdd);
    swap_bits<2>(s.p[0], s.p[2], kPairs);
    swap_bits<2>(s.p[1], s.p[3], kPairs);
    swap_bits<2>(s.p[4], s.p[6], kPairs);
    swap_bits<2>(s.p[5], s.p[7], kPairs);
    swap_bits<4>(s.p[0], s.p[4], kHalf);
    swap_bits<4>(s.p[1], s.p[5], kHalf);
    swap_bits<4>(s.p[2], s.p[6], kHalf);
    swap_bits<4>(s.p[3], s.p[7], kHalf);
}

/// SubBytes without the constant 0x63, which is in the keys: the circuit of 115 gates of J. Boyar and R. Peralta, "A
/// new combinational logic minimization technique with applications to cryptology" (names as there; the paper's bit 0
/// is the most significant).
INLINE void sub_bytes(AesPlanes& s) {
    const Plane x0 = s.p[7], x1 = s.p[6], x2 = s.p[5], x3 = s.p[4], x4 = s.p[3], x5 = s.p[2], x6 = s.p[1], x7 = s.p[0];

    const Plane y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    const Plane t0 = x1 ^ x2;
    const Plane y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8;
    const Plane t1 = x4 ^ y12;
    const Plane y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11;
    const Plane y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const Plane t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7, t6 = t5 ^ t2;
    const Plane t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7;
    const Plane t12 = y9 & y11, t13 = y14 & y17, t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12;
    const Plane t17 = t4 ^ t14, t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16;
    const Plane t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;
    const Plane t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
    const Plane t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
    const Plane t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38;
    const Plane t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    const Plane z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;
    const Plane z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const Plane z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    const Plane t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12, t51 = z2 ^ z5;
    const Plane t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
    const Plane t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
    const Plane t64 = z4 ^ t59, t65 = t61 ^ t62, t66 = z1 ^ t63, t67 = t64 ^ t65;
    const Plane s3 = t53 ^ t66;
    s = {{t48 ^ t60, t56 ^ t62, t47 ^ t65, t51 ^ t66, s3, t55 ^ t67, t64 ^ s3, t59 ^ t63}};
}

/// The inverse of the linear map that FIPS 197, section 5.1.1 has behind the inversion in the field.
INLINE void inverse_linear(AesPlanes& s) {
    const Plane* const x = s.p;
    const Plane x03 = x[0] ^ x[3], x25 = x[2] ^ x[5], x47 = x[4] ^ x[7], x61 = x[6] ^ x[1];
    s = {{x25 ^ x[7], x03 ^ x[6], x47 ^ x[1], x25 ^ x[0], x61 ^ x[3], x47 ^ x[2], x03 ^ x[5], x61 ^ x[4]}};
}

/// InvSubBytes without the constant. The inversion is its own inverse, and sub_bytes() has it.
INLINE void inv_sub_bytes(AesPlanes& s) {
    inverse_linear(s);
    sub_bytes(s);
    inverse_linear(s);
}

/// Applies a function of one plane to all.
template <typename Map>
INLINE AesPlanes each(const AesPlanes& s, const Map& map) {
    return {{map(s.p[0]), map(s.p[1]), map(s.p[2]), map(s.p[3]), map(s.p[4]), map(s.p[5]), map(s.p[6]), map(s.p[7])}};
}

INLINE AesPlanes operator^(const AesPlanes& a, const AesPlanes& b) {
    return {{a.p[0] ^ b.p[0], a.p[1] ^ b.p[1], a.p[2] ^ b.p[2], a.p[3] ^ b.p[3], a.p[4] ^ b.p[4], a.p[5] ^ b.p[5],
             a.p[6] ^ b.p[6], a.p[7] ^ b.p[7]}};
}

/// Moves bytes within each plane: byte j of the result is byte from[j].
INLINE AesPlanes moved(const AesPlanes& s, Plane from) {
    return each(s, [from](Plane plane) { return vqtbl1q_u8(plane, from); });
}

/// The columns' rows i + 2 become rows i.
INLINE AesPlanes two_rows_up(const AesPlanes& s) {
    return each(s, [](Plane plane) { return vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(plane))); });
}

/// Every byte times x in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1.
INLINE AesPlanes times_x(const AesPlanes& s) {
    return {{s.p[7], s.p[0] ^ s.p[7], s.p[1], s.p[2] ^ s.p[7], s.p[3] ^ s.p[7], s.p[4], s.p[5], s.p[6]}};
}

/// MixColumns of s, of which `next` has each column's row i + 1 in row i: 2 a + 3 b + c + d of rows i, i + 1, i + 2 and
/// i + 3 is 2 (a + b) + b + (c + d).
INLINE AesPlanes mix_columns(const AesPlanes& s, const AesPlanes& next) {
    const AesPlanes pairs = s ^ next;
    return times_x(pairs) ^ next ^ two_rows_up(pairs);
}

INLINE void add_key(AesPlanes& s, const arch::AesKey* key, size_t round) {
    const uint8_t(*const planes)[kAesBlock] = key->sliced[round];
    s = s ^ AesPlanes {
        {
            vld1q_u8(planes[0]), vld1q_u8(planes[1]), vld1q_u8(planes[2]), vld1q_u8(planes[3]), vld1q_u8(planes[4]),
                vld1q_u8(planes[5]), vld1q_u8(planes[6]), vld1q_u8(planes[7])
        }
    };
}

/// Moves of bytes, for moved().
alignas(kAesBlock) static const uint8_t kShiftRows[kAesBlock] = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};
alignas(kAesBlock) static const uint8_t kInvShiftRows[kAesBlock] = {0, 13, 10, 7,  4,  1, 14, 11,
                                                                    8, 5,  2,  15, 12, 9, 6,  3};
alignas(kAesBlock) static const uint8_t kRowUp[kAesBlock] = {1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12};
alignas(kAesBlock) static const uint8_t kShiftRowsAndRowUp[kAesBlock] = {5,  10, 15, 0, 9, 14, 3,  4,
                                                                         13, 2,  7,  8, 1, 6,  11, 12};

/// Cipher, FIPS 197 section 5.1, of eight blocks.
[[gnu::noinline]] static void aes_encrypt(const arch::AesKey* key, AesPlanes& blocks) {
    const Plane shift_rows = vld1q_u8(kShiftRows), shift_rows_and_row_up = vld1q_u8(kShiftRowsAndRowUp);
    AesPlanes s = blocks;
    exchange_blocks_and_planes(s);
    add_key(s, key, 0);
    for (size_t i = 1; i < key->rounds; i++) {
        sub_bytes(s);
        s = mix_columns(moved(s, shift_rows), moved(s, shift_rows_and_row_up));
        add_key(s, key, i);
    }
    sub_bytes(s);
    s = moved(s, shift_rows);
    add_key(s, key, key->rounds);
    exchange_blocks_and_planes(s);
    blocks = s;
}

/// InvCipher, FIPS 197 section 5.3, of eight blocks.
[[gnu::noinline]] static void aes_decrypt(const arch::AesKey* key, AesPlanes& blocks) {
    const Plane inv_shift_rows = vld1q_u8(kInvShiftRows), row_up = vld1q_u8(kRowUp);
    AesPlanes s = blocks;
    exchange_blocks_and_planes(s);
    add_key(s, key, key->rounds);
    for (size_t i = key->rounds - 1; i > 0; i--) {
        s = moved(s, inv_shift_rows);
        inv_sub_bytes(s);
        add_key(s, key, i);
        // 14 a + 11 b + 13 c + 9 d is what MixColumns makes of a + 4 (a + c) and so on for each row.
        s = s ^ times_x(times_x(s ^ two_rows_up(s)));
        s = mix_columns(s, moved(s, row_up));
    }
    s = moved(s, inv_shift_rows);
    inv_sub_bytes(s);
    add_key(s, key, 0);
    exchange_blocks_and_planes(s);
    blocks = s;
}

#endif
