#include "arch/hash_core.h"
#include "arch/x86/lanes_avx2.h"
#include "arch/x86/sha1_lanes.h"

extern "C" void sha1_avx2_x16(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha1_compress<arch::U32x8, 2>(state, messages, blocks);
}
