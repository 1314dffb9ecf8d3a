#include "arch/cipher_core.h"
#include "arch/x86/chacha_lanes.h"
#include "arch/x86/chacha_lanes_avx2.h"

extern "C" void hchacha_avx2(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces,
                             size_t count) {
    arch::hchacha<arch::Blocks8>(key, rounds, subkeys, nonces, count);
}
