#include <algorithm>

#include "ciphers/aes_portable.h"

/// XTS as IEEE 1619, section 5 reads, from the encrypted tweak on.

namespace {

struct Tweak {
    uint64_t low, high;

    /// Times x in GF(2^128).
    void step() {
        const uint64_t carry = high >> 63;
        high = high << 1 | low >> 63;
        low = low << 1 ^ 0x87 * carry;
    }

    void add_to(uint8_t* block) const {
        arch::store_le64(block, arch::load_le64(block) ^ low);
        arch::store_le64(block + 8, arch::load_le64(block + 8) ^ high);
    }
};

}  // namespace

extern "C" void aesxts_portable(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                                const uint8_t* tweaks, size_t sector_blocks, size_t sectors) {
    using ciphers::kAesPlaneBlocks;
    for (size_t sector = 0; sector < sectors; sector++) {
        Tweak tweak{arch::load_le64(tweaks + 16 * sector), arch::load_le64(tweaks + 16 * sector + 8)};
        for (size_t n = 0; n < sector_blocks; n += kAesPlaneBlocks) {
            const size_t taken = std::min(sector_blocks - n, kAesPlaneBlocks);
            uint8_t blocks[16 * kAesPlaneBlocks];
            Tweak before = tweak;
            std::copy_n(in, 16 * taken, blocks);
            for (size_t i = 0; i < taken; i++, tweak.step()) tweak.add_to(blocks + 16 * i);
            ciphers::aes_few_blocks(*key, decrypt != 0, blocks, blocks, taken);
            for (size_t i = 0; i < taken; i++, before.step()) before.add_to(blocks + 16 * i);
            std::copy_n(blocks, 16 * taken, out);
            in += 16 * taken;
            out += 16 * taken;
        }
    }
}
