#include "arch/hash_core.h"
#include "arch/x86/sha256_shani_messages.h"

extern "C" void sha256_shani_x3(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    arch::sha256_shani_compress<3>(state, messages, blocks);
}
