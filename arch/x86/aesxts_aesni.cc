#include "arch/cipher_core.h"
#include "arch/x86/aes_aesni.h"

namespace {

/// Twice `tweak` modulo x^128 + x^7 + x^2 + x + 1: each half doubled, and what it loses added to the other.
inline __m128i twice(__m128i tweak) {
    const __m128i lost = _mm_srai_epi32(_mm_shuffle_epi32(tweak, 0x13), 31);
    return _mm_xor_si128(_mm_add_epi64(tweak, tweak), _mm_and_si128(lost, _mm_setr_epi32(0x87, 0, 1, 0)));
}

template <class Direction>
void crypt_sectors(const uint8_t (*keys)[16], size_t rounds, uint8_t* out, const uint8_t* in, const uint8_t* tweaks,
                   size_t sector_blocks, size_t sectors) {
    using arch::kAesniBlocks;
    for (; sectors > 0; sectors--, tweaks += 16) {
        __m128i tweak = arch::aesni_load(tweaks);
        size_t left = sector_blocks;
        for (; left >= kAesniBlocks; left -= kAesniBlocks) {
            __m128i blocks[kAesniBlocks], of_block[kAesniBlocks];
#pragma GCC unroll 8
            for (size_t i = 0; i < kAesniBlocks; i++) {
                of_block[i] = tweak;
                blocks[i] = _mm_xor_si128(arch::aesni_load(in + 16 * i), tweak);
                tweak = twice(tweak);
            }
            arch::aesni_crypt<Direction>(keys, rounds, blocks);
#pragma GCC unroll 8
            for (size_t i = 0; i < kAesniBlocks; i++)
                arch::aesni_store(out + 16 * i, _mm_xor_si128(blocks[i], of_block[i]));
            in += 16 * kAesniBlocks;
            out += 16 * kAesniBlocks;
        }
        for (; left > 0; left--, in += 16, out += 16, tweak = twice(tweak)) {
            __m128i block[1] = {_mm_xor_si128(arch::aesni_load(in), tweak)};
            arch::aesni_crypt<Direction>(keys, rounds, block);
            arch::aesni_store(out, _mm_xor_si128(block[0], tweak));
        }
    }
}

}  // namespace

extern "C" void aesxts_aesni(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                             const uint8_t* tweaks, size_t sector_blocks, size_t sectors) {
    if (decrypt)
        crypt_sectors<arch::AesniDecrypt>(key->decrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
    else
        crypt_sectors<arch::AesniEncrypt>(key->encrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
}
