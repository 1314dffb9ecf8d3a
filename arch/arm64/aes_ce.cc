#include "arch/arm64/aes_ce.h"

/// AES by the ARMv8 instructions: AES-256 of many blocks at 76 cycles a block on llvm-mca's Cortex-A55; of which all
/// but 31 are waits within pairs (see aes_ce.h).

template <typename Keys>
static void crypt(const arch::AesKey* key, uint8_t* out, const uint8_t* in, size_t blocks) {
    const Keys keys = aes_round_keys<Keys>(key);
    const uint8x16_t last = keys.key[Keys::rounds];
    for (; blocks >= kAesAtOnce; blocks -= kAesAtOnce, in += kAesAtOnce * kAesBlock, out += kAesAtOnce * kAesBlock) {
        uint8x16_t b0 = vld1q_u8(in), b1 = vld1q_u8(in + kAesBlock);
        uint8x16_t b2 = vld1q_u8(in + 2 * kAesBlock), b3 = vld1q_u8(in + 3 * kAesBlock);
        aes_four_blocks(keys, b0, b1, b2, b3);
        vst1q_u8(out, veorq_u8(b0, last));
        vst1q_u8(out + kAesBlock, veorq_u8(b1, last));
        vst1q_u8(out + 2 * kAesBlock, veorq_u8(b2, last));
        vst1q_u8(out + 3 * kAesBlock, veorq_u8(b3, last));
    }
    for (; blocks > 0; blocks--, in += kAesBlock, out += kAesBlock)
        vst1q_u8(out, veorq_u8(aes_one_block(keys, vld1q_u8(in)), last));
}

extern "C" void aes_ce(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks) {
    if (key->rounds == 14)
        decrypt != 0 ? crypt<AesRoundKeys<true, 14>>(key, out, in, blocks)
                     : crypt<AesRoundKeys<false, 14>>(key, out, in, blocks);
    else
        decrypt != 0 ? crypt<AesRoundKeys<true, 10>>(key, out, in, blocks)
                     : crypt<AesRoundKeys<false, 10>>(key, out, in, blocks);
}
