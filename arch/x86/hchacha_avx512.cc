#include "arch/cipher_core.h"
#include "arch/x86/chacha_lanes.h"
#include "arch/x86/chacha_lanes_avx512.h"

extern "C" void hchacha_avx512(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces,
                               size_t count) {
    arch::hchacha<arch::Blocks16>(key, rounds, subkeys, nonces, count);
}
