#include "arch/cipher_core.h"
#include "arch/x86/chacha_lanes.h"
#include "arch/x86/chacha_lanes_avx2.h"

extern "C" void chacha_avx2(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length) {
    arch::stream_xor<arch::ChaCha, arch::Blocks8>(state, rounds, out, in, length);
}
