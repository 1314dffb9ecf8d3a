#include "arch/hash_core.h"
#include "arch/x86/lanes_avx512.h"
#include "arch/x86/sha1_lanes.h"

extern "C" void sha1_avx512_x32(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha1_compress<arch::U32x16, 2>(state, messages, blocks);
}
