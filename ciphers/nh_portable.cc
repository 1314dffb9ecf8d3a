#include <algorithm>

#include "arch/cipher_core.h"
#include "arch/load_store.h"

/// NH as section 5.2 of the Adiantum paper reads.

namespace {

void digest_chunk(const uint32_t* key, uint8_t* digest, const uint8_t* chunk, size_t length) {
    uint64_t sums[4] = {};
    for (size_t at = 0; at < length; at += arch::kNhUnit, key += 4) {
        uint32_t m[4];
        for (size_t w = 0; w < 4; w++) m[w] = arch::load_le32(chunk + at + 4 * w);
        for (size_t pass = 0; pass < 4; pass++) {
            const uint32_t* k = key + 4 * pass;
            sums[pass] += uint64_t{m[0] + k[0]} * (m[2] + k[2]) + uint64_t{m[1] + k[1]} * (m[3] + k[3]);
        }
    }
    for (size_t pass = 0; pass < 4; pass++) arch::store_le64(digest + 8 * pass, sums[pass]);
}

}  // namespace

extern "C" void nh_portable(const uint32_t* key, uint8_t* digests, const uint8_t* message, size_t stride, size_t length,
                            size_t count) {
    for (size_t n = 0; n < count; n++, message += stride)
        for (size_t at = 0; at < length; at += arch::kNhChunk, digests += arch::kNhDigest)
            digest_chunk(key, digests, message + at, std::min<size_t>(length - at, arch::kNhChunk));
}
