#ifndef VERITYTOOL_ARCH_ARM64_AES_CE_H
#define VERITYTOOL_ARCH_ARM64_AES_CE_H

#include <arm_neon.h>

#include "arch/cipher_core.h"

/// AES (FIPS 197) by the ARMv8 instructions, for the cores of AES and of XTS.
///
/// aese and aesmc, aesd and aesimc stand in adjacent pairs, which many processors execute as one: compilers keep them
/// so for Cortex-A53, Cortex-A57 and later ones. llvm-mca knows nothing of that and has them wait within each pair.

namespace {

enum { kAesBlock = 16, kAesAtOnce = 4 };

/// The round keys of one direction, for registers.
template <bool is_decrypt, size_t number_of_rounds>
struct AesRoundKeys {
    enum : bool { decrypt = is_decrypt };
    enum : size_t { rounds = number_of_rounds };
    uint8x16_t key[rounds + 1];
};

}  // namespace

template <typename Keys>
static inline Keys aes_round_keys(const arch::AesKey* key) {
    Keys keys;
#pragma GCC unroll 15
    for (size_t i = 0; i <= Keys::rounds; i++)
        keys.key[i] = vld1q_u8(Keys::decrypt ? key->decrypt[i] : key->encrypt[i]);
    return keys;
}

/// Round `i` (from 0), from AddRoundKey on; MixColumns is not in the last one.
template <typename Keys>
static inline uint8x16_t aes_round(const Keys& keys, size_t i, uint8x16_t block) {
    block = Keys::decrypt ? vaesdq_u8(block, keys.key[i]) : vaeseq_u8(block, keys.key[i]);
    if (i == Keys::rounds - 1) return block;
    return Keys::decrypt ? vaesimcq_u8(block) : vaesmcq_u8(block);
}

/// All but the last AddRoundKey.
template <typename Keys>
static inline void aes_four_blocks(const Keys& keys, uint8x16_t& b0, uint8x16_t& b1, uint8x16_t& b2, uint8x16_t& b3) {
#pragma GCC unroll 14
    for (size_t i = 0; i < Keys::rounds; i++) {
        b0 = aes_round(keys, i, b0);
        b1 = aes_round(keys, i, b1);
        b2 = aes_round(keys, i, b2);
        b3 = aes_round(keys, i, b3);
    }
}

/// All but the last AddRoundKey.
template <typename Keys>
static inline uint8x16_t aes_one_block(const Keys& keys, uint8x16_t block) {
#pragma GCC unroll 14
    for (size_t i = 0; i < Keys::rounds; i++) block = aes_round(keys, i, block);
    return block;
}

#endif
