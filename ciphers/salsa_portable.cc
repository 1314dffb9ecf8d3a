#include "ciphers/salsa_portable.h"

#include "arch/cipher_core.h"
#include "ciphers/stream_portable.h"

/// Salsa20 as Bernstein's "Salsa20 specification", section 10 reads.

extern "C" void salsa_portable(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length) {
    ciphers::stream_xor_portable<ciphers::salsa_permute, 8>(state, rounds, out, in, length);
}
