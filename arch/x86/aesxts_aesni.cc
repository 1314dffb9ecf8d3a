#include "arch/cipher_core.h"
#include "arch/x86/aes_aesni.h"
#include "arch/x86/aesxts_lanes.h"

namespace {

/// One block. Each tweak is twice the one before.
struct Lanes {
    using Vector = __m128i;
    static constexpr size_t kBlocks = 1;
    using Encrypt = arch::AesniEncrypt;
    using Decrypt = arch::AesniDecrypt;

    static Vector exclusive_or(Vector a, Vector b) { return _mm_xor_si128(a, b); }
    static Vector load(const uint8_t* from) { return arch::aesni_load(from); }
    static void store(uint8_t* to, Vector a) { arch::aesni_store(to, a); }
    static Vector load_some(const uint8_t* from, size_t) { return load(from); }
    static void store_some(uint8_t* to, Vector a, size_t) { store(to, a); }
    static Vector round_key(const uint8_t* key) { return _mm_load_si128(reinterpret_cast<const Vector*>(key)); }

    static void first_tweaks(Vector (&t)[arch::kXtsRegisters], Vector tweak) {
        t[0] = tweak;
#pragma GCC unroll 8
        for (int i = 1; i < arch::kXtsRegisters; i++) t[i] = twice(t[i - 1]);
    }
    static Vector next_tweak(Vector, Vector before) {
        return twice(before);
    }

  private:
    /// Modulo x^128 + x^7 + x^2 + x + 1: each half doubled, and what it loses added to the other.
    static Vector twice(Vector tweak) {
        const Vector lost = _mm_srai_epi32(_mm_shuffle_epi32(tweak, 0x13), 31);
        return _mm_xor_si128(_mm_add_epi64(tweak, tweak), _mm_and_si128(lost, _mm_setr_epi32(0x87, 0, 1, 0)));
    }
};

}  // namespace

extern "C" void aesxts_aesni(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                             const uint8_t* tweaks, size_t sector_blocks, size_t sectors) {
    using Encrypt = arch::AesXtsSectorsOf<Lanes, Lanes::Encrypt>;
    using Decrypt = arch::AesXtsSectorsOf<Lanes, Lanes::Decrypt>;
    if (decrypt)
        Decrypt::crypt(key->decrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
    else
        Encrypt::crypt(key->encrypt, key->rounds, out, in, tweaks, sector_blocks, sectors);
}
