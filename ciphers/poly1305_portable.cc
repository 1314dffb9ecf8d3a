#include "arch/cipher_core.h"
#include "arch/load_store.h"

/// Poly1305 as RFC 8439, section 2.5 reads, in numbers of five limbs of 26 bits: products of limbs and their sums then
/// fit 64 bits.

namespace {

constexpr uint32_t kLimb = 0x3ffffff;

/// sum = (sum + block + top_bit * 2^128) * r
void absorb(arch::Poly1305Sum& sum, const uint32_t* r, const uint8_t* block, uint32_t top_bit) {
    const uint32_t w0 = arch::load_le32(block), w1 = arch::load_le32(block + 4);
    const uint32_t w2 = arch::load_le32(block + 8), w3 = arch::load_le32(block + 12);
    const uint64_t h0 = sum.limb[0] + (w0 & kLimb);
    const uint64_t h1 = sum.limb[1] + ((w0 >> 26 | w1 << 6) & kLimb);
    const uint64_t h2 = sum.limb[2] + ((w1 >> 20 | w2 << 12) & kLimb);
    const uint64_t h3 = sum.limb[3] + ((w2 >> 14 | w3 << 18) & kLimb);
    const uint64_t h4 = sum.limb[4] + (w3 >> 8 | top_bit << 24);

    // 2^130 is 5: what the product has above comes back multiplied by that.
    const uint64_t r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4];
    const uint64_t s1 = 5 * r1, s2 = 5 * r2, s3 = 5 * r3, s4 = 5 * r4;
    uint64_t d0 = h0 * r0 + h1 * s4 + h2 * s3 + h3 * s2 + h4 * s1;
    uint64_t d1 = h0 * r1 + h1 * r0 + h2 * s4 + h3 * s3 + h4 * s2;
    uint64_t d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s4 + h4 * s3;
    uint64_t d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s4;
    uint64_t d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0;

    d1 += d0 >> 26;
    d2 += d1 >> 26;
    d3 += d2 >> 26;
    d4 += d3 >> 26;
    d0 = (d0 & kLimb) + 5 * (d4 >> 26);
    sum.limb[0] = static_cast<uint32_t>(d0 & kLimb);
    sum.limb[1] = static_cast<uint32_t>((d1 & kLimb) + (d0 >> 26));
    sum.limb[2] = static_cast<uint32_t>(d2 & kLimb);
    sum.limb[3] = static_cast<uint32_t>(d3 & kLimb);
    sum.limb[4] = static_cast<uint32_t>(d4 & kLimb);
}

}  // namespace

extern "C" void poly1305_portable(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message,
                                  size_t stride, size_t blocks, size_t count, size_t top_bit) {
    for (size_t n = 0; n < count; n++, message += stride)
        for (size_t b = 0; b < blocks; b++)
            absorb(sums[n], key->power[0], message + 16 * b, static_cast<uint32_t>(top_bit));
}
