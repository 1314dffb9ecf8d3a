#include <immintrin.h>

#include "arch/cipher_core.h"

/// AES-XTS, four blocks a register. A round of a register takes four cycles on Zen 5 and two can start in each: eight
/// registers, half a kilobyte, keep the units busy. Tweaks follow by multiplications that do not wait for each other.

namespace {

using Vector = __m512i;

/// Registers of a whole pass, and blocks of a register.
enum { kRegisters = 8, kBlocks = 4 };

/// `carry` is what a multiplication has moved out of each tweak, in its low half (its high half is zero, or what has to
/// be added to the high half of the product): adds it to `shifted` modulo x^128 + x^7 + x^2 + x + 1, of which the terms
/// but the first are 0x87.
inline Vector reduce(Vector shifted, Vector carry) {
    const auto times_x = [carry](int power) {  // of the low halves; counts of 64 leave zero
        return _mm512_sllv_epi64(carry, _mm512_set4_epi64(64, power, 64, power));
    };
    const Vector sum = _mm512_ternarylogic_epi64(shifted, carry, times_x(1), 0x96);
    return _mm512_ternarylogic_epi64(sum, times_x(2), times_x(7), 0x96);
}

/// The tweaks of blocks `first` to `first` + 3 of a sector.
inline Vector first_tweaks(const uint8_t* tweak, int first) {
    const Vector t = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(tweak)));
    const Vector places =
        _mm512_setr_epi64(first, first, first + 1, first + 1, first + 2, first + 2, first + 3, first + 3);
    const Vector carry = _mm512_srlv_epi64(t, _mm512_sub_epi64(_mm512_set1_epi64(64), places));
    return reduce(_mm512_sllv_epi64(t, places), _mm512_shuffle_epi32(carry, _MM_PERM_BADC));
}

/// Tweaks 8 * kBytes blocks further on, for up to 7 bytes.
template <int kBytes>
inline Vector later_tweaks(Vector t) {
    return reduce(_mm512_bslli_epi128(t, kBytes), _mm512_bsrli_epi128(t, 16 - kBytes));
}

struct Encrypt {
    static Vector round(Vector block, Vector key) { return _mm512_aesenc_epi128(block, key); }
    static Vector last(Vector block, Vector key) { return _mm512_aesenclast_epi128(block, key); }
};

struct Decrypt {
    static Vector round(Vector block, Vector key) { return _mm512_aesdec_epi128(block, key); }
    static Vector last(Vector block, Vector key) { return _mm512_aesdeclast_epi128(block, key); }
};

inline Vector round_key(const uint8_t (*keys)[16], size_t i) {
    return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(keys[i])));
}

template <class Direction, int kCount>
[[gnu::always_inline]] inline void crypt(const uint8_t (*keys)[16], size_t rounds, Vector (&blocks)[kCount]) {
    const Vector whitening = round_key(keys, 0);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; i++) blocks[i] = _mm512_xor_si512(blocks[i], whitening);
#pragma GCC unroll 1
    for (size_t round = 1; round < rounds; round++) {
        const Vector key = round_key(keys, round);
#pragma GCC unroll 8
        for (int i = 0; i < kCount; i++) blocks[i] = Direction::round(blocks[i], key);
    }
    const Vector key = round_key(keys, rounds);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; i++) blocks[i] = Direction::last(blocks[i], key);
}

template <class Direction>
void crypt_sectors(const uint8_t (*keys)[16], size_t rounds, uint8_t* out, const uint8_t* in, const uint8_t* tweaks,
                   size_t sector_blocks, size_t sectors) {
    for (; sectors > 0; sectors--, tweaks += 16) {
        Vector t[kRegisters];
        t[0] = first_tweaks(tweaks, 0);
        t[1] = first_tweaks(tweaks, 4);
        size_t left = sector_blocks;
        if (left >= kRegisters * kBlocks) {
            t[2] = later_tweaks<1>(t[0]);
            t[3] = later_tweaks<1>(t[1]);
            t[4] = later_tweaks<2>(t[0]);
            t[5] = later_tweaks<2>(t[1]);
            t[6] = later_tweaks<3>(t[0]);
            t[7] = later_tweaks<3>(t[1]);
        }
        for (; left >= kRegisters * kBlocks; left -= kRegisters * kBlocks) {
            Vector blocks[kRegisters];
#pragma GCC unroll 8
            for (int i = 0; i < kRegisters; i++) blocks[i] = _mm512_xor_si512(_mm512_loadu_si512(in + 64 * i), t[i]);
            crypt<Direction>(keys, rounds, blocks);
#pragma GCC unroll 8
            for (int i = 0; i < kRegisters; i++) {
                _mm512_storeu_si512(out + 64 * i, _mm512_xor_si512(blocks[i], t[i]));
                t[i] = later_tweaks<4>(t[i]);
            }
            in += 64 * kRegisters;
            out += 64 * kRegisters;
        }
        while (left > 0) {
            const size_t taken = left < kBlocks ? left : size_t{kBlocks};
            const auto mask = static_cast<__mmask8>((1u << 2 * taken) - 1);
            Vector blocks[1] = {_mm512_xor_si512(_mm512_maskz_loadu_epi64(mask, in), t[0])};
            crypt<Direction>(keys, rounds, blocks);
            _mm512_mask_storeu_epi64(out, mask, _mm512_xor_si512(blocks[0], t[0]));
            const Vector next = t[1];
            t[1] = later_tweaks<1>(t[0]);
            t[0] = next;
            left -= taken;
            in += 16 * taken;
            out += 16 * taken;
        }
    }
}

}  // namespace

extern "C" void aesxts_vaes_avx512(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                                   const uint8_t* tweaks, size_t sector_blocks, size_t sectors) {
    if (decrypt)
        crypt_sectors<Decrypt>(key->decrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
    else
        crypt_sectors<Encrypt>(key->encrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
}
