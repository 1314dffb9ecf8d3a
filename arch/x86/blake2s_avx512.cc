#include "arch/hash_core.h"
#include "arch/x86/blake2_lanes.h"
#include "arch/x86/lanes_avx512.h"

extern "C" void blake2s_avx512(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
                               uint64_t final_mask) {
    arch::blake2_compress<arch::U32x16, 1>(state, messages, blocks, counter, final_mask);
}
