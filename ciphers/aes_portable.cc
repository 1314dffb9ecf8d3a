#include "ciphers/aes_portable.h"

#include <algorithm>

extern "C" void aes_portable(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks) {
    for (size_t n = 0; n < blocks; n += ciphers::kAesPlaneBlocks)
        ciphers::aes_few_blocks(*key, decrypt != 0, out + 16 * n, in + 16 * n,
                                std::min(blocks - n, ciphers::kAesPlaneBlocks));
}
