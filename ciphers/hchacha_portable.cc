#include <algorithm>

#include "arch/cipher_core.h"
#include "arch/load_store.h"
#include "ciphers/chacha_portable.h"

/// HChaCha as draft-irtf-cfrg-xchacha-03, section 2.2 reads, with any number of rounds.

extern "C" void hchacha_portable(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces,
                                 size_t count) {
    for (size_t n = 0; n < count; n++) {
        ciphers::ChaChaWords words;
        std::copy_n(ciphers::kChaChaConstants.begin(), 4, words.begin());
        std::copy_n(key, 8, words.begin() + 4);
        for (size_t w = 0; w < 4; w++) words[12 + w] = arch::load_le32(nonces + 16 * n + 4 * w);
        ciphers::chacha_permute(words, rounds);
        std::copy_n(words.begin(), 4, subkeys + 8 * n);
        std::copy_n(words.begin() + 12, 4, subkeys + 8 * n + 4);
    }
}
