#include "arch/x86/aes_aesni.h"

#include "arch/cipher_core.h"

namespace {

template <class Direction>
void crypt_blocks(const uint8_t (*keys)[16], size_t rounds, uint8_t* out, const uint8_t* in, size_t blocks) {
    using arch::kAesniBlocks;
    for (; blocks >= kAesniBlocks; blocks -= kAesniBlocks) {
        __m128i several[kAesniBlocks];
#pragma GCC unroll 8
        for (size_t i = 0; i < kAesniBlocks; i++) several[i] = arch::aesni_load(in + 16 * i);
        arch::aesni_crypt<Direction>(keys, rounds, several);
#pragma GCC unroll 8
        for (size_t i = 0; i < kAesniBlocks; i++) arch::aesni_store(out + 16 * i, several[i]);
        in += 16 * kAesniBlocks;
        out += 16 * kAesniBlocks;
    }
    for (; blocks > 0; blocks--, in += 16, out += 16) {
        __m128i block[1] = {arch::aesni_load(in)};
        arch::aesni_crypt<Direction>(keys, rounds, block);
        arch::aesni_store(out, block[0]);
    }
}

}  // namespace

extern "C" void aes_aesni(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks) {
    if (decrypt)
        crypt_blocks<arch::AesniDecrypt>(key->decrypt, key->rounds, out, in, blocks);
    else
        crypt_blocks<arch::AesniEncrypt>(key->encrypt, key->rounds, out, in, blocks);
}
