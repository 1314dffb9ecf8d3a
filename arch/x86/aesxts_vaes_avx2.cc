#include "arch/cipher_core.h"
#include "arch/x86/aesxts_lanes.h"

namespace {

/// Two blocks. Tweaks follow by multiplications that do not wait for each other.
struct Lanes {
    using Vector = __m256i;
    static constexpr size_t kBlocks = 2;

    struct Encrypt {
        static Vector round(Vector block, Vector key) { return _mm256_aesenc_epi128(block, key); }
        static Vector last(Vector block, Vector key) { return _mm256_aesenclast_epi128(block, key); }
    };
    struct Decrypt {
        static Vector round(Vector block, Vector key) { return _mm256_aesdec_epi128(block, key); }
        static Vector last(Vector block, Vector key) { return _mm256_aesdeclast_epi128(block, key); }
    };

    static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    static Vector load(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }
    static void store(uint8_t* to, Vector a) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), a); }
    static Vector load_some(const uint8_t* from, size_t blocks) {
        return blocks == kBlocks ? load(from) : _mm256_zextsi128_si256(_mm_loadu_si128(half(from)));
    }
    static void store_some(uint8_t* to, Vector a, size_t blocks) {
        if (blocks == kBlocks) return store(to, a);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(a));
    }
    static Vector round_key(const uint8_t* key) { return _mm256_broadcastsi128_si256(_mm_load_si128(half(key))); }

    static void first_tweaks(Vector (&t)[arch::kXtsRegisters], __m128i tweak) {
        const Vector both = _mm256_broadcastsi128_si256(tweak);
        Vector places = _mm256_setr_epi64x(0, 0, 1, 1);
#pragma GCC unroll 8
        for (int i = 0; i < arch::kXtsRegisters; i++) {
            const Vector carry = _mm256_srlv_epi64(both, _mm256_sub_epi64(_mm256_set1_epi64x(64), places));
            const Vector swapped = _mm256_shuffle_epi32(carry, 0x4e);
            // What the low half has lost goes to the high half as it is: only the other is multiplied.
            const Vector from_high = _mm256_blend_epi32(swapped, _mm256_setzero_si256(), 0xcc);
            t[i] = exclusive_or(_mm256_sllv_epi64(both, places), exclusive_or(swapped, times_0x86(from_high)));
            places = _mm256_add_epi64(places, _mm256_set1_epi64x(kBlocks));
        }
    }

    /// The tweaks a pass, which is two bytes, behind `t`.
    static Vector next_tweak(Vector t, Vector) {
        static_assert(arch::kXtsRegisters * kBlocks == 16);
        const Vector carry = _mm256_bsrli_epi128(t, 14);
        return exclusive_or(exclusive_or(_mm256_bslli_epi128(t, 2), carry), times_0x86(carry));
    }

  private:
    static const __m128i* half(const uint8_t* from) {
        return reinterpret_cast<const __m128i*>(from);
    }

    /// The product of polynomials with x^7 + x^2 + x, for low halves of up to 16 bits beside high ones that are zero.
    /// x^128 is one more.
    static Vector times_0x86(Vector a) {
        return exclusive_or(_mm256_slli_epi64(a, 7), exclusive_or(_mm256_slli_epi64(a, 2), _mm256_slli_epi64(a, 1)));
    }
};

}  // namespace

extern "C" void aesxts_vaes_avx2(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                                 const uint8_t* tweaks, size_t sector_blocks, size_t sectors) {
    using Encrypt = arch::AesXtsSectorsOf<Lanes, Lanes::Encrypt>;
    using Decrypt = arch::AesXtsSectorsOf<Lanes, Lanes::Decrypt>;
    if (decrypt)
        Decrypt::crypt(key->decrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
    else
        Encrypt::crypt(key->encrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
}
