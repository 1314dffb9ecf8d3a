#include "arch/hash_core.h"
#include "arch/x86/lanes_avx2.h"
#include "arch/x86/sha2_lanes.h"

extern "C" void sha512_avx2(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha2_compress<arch::U64x4, 1>(state, messages, blocks);
}
