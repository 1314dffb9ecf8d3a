#include "arch/x86/adiantum_lanes.h"
#include "arch/x86/chacha_lanes_avx512.h"
#include "arch/x86/nh_lanes_avx512.h"

extern "C" void adiantum_avx512(const uint32_t* nh_key, const uint32_t* subkeys, size_t rounds, uint8_t* digests,
                                uint8_t* out, const uint8_t* in, size_t length, size_t count) {
    arch::adiantum<arch::Blocks16, arch::NhAvx512>(nh_key, subkeys, rounds, digests, out, in, length, count);
}
