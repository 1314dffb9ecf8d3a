#include "ciphers/chacha_portable.h"

#include "arch/cipher_core.h"
#include "ciphers/stream_portable.h"

/// ChaCha as RFC 8439, section 2.4 reads, but with the 64-bit counter and 64-bit nonce of Bernstein's paper.

extern "C" void chacha_portable(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length) {
    ciphers::stream_xor_portable<ciphers::chacha_permute, 12>(state, rounds, out, in, length);
}
