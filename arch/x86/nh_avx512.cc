#include "arch/cipher_core.h"
#include "arch/x86/nh_lanes_avx512.h"

extern "C" void nh_avx512(const uint32_t* key, uint8_t* digests, const uint8_t* message, size_t stride, size_t length,
                          size_t count) {
    for (size_t n = 0; n < count; n++, message += stride) {
        for (size_t at = 0; at < length; at += arch::kNhChunk, digests += arch::kNhDigest) {
            const size_t rest = length - at;
            arch::NhAvx512::digest_chunk(key, digests, message + at,
                                         rest < arch::kNhChunk ? rest : size_t{arch::kNhChunk});
        }
    }
}
