#include "arch/hash_core.h"
#include "arch/x86/sha1_shani_messages.h"

extern "C" void sha1_shani_x4(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha1_shani_compress<4>(state, messages, blocks);
}
