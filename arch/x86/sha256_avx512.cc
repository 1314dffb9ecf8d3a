#include "arch/hash_core.h"
#include "arch/x86/lanes_avx512.h"
#include "arch/x86/sha2_lanes.h"

extern "C" void sha256_avx512(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha2_compress<arch::U32x16, 1>(state, messages, blocks);
}
