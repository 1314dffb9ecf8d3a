#ifndef VERITYTOOL_ARCH_X86_ADIANTUM_LANES_H
#define VERITYTOOL_ARCH_X86_ADIANTUM_LANES_H

#include "arch/cipher_core.h"
#include "arch/x86/chacha_lanes.h"

/// The second half of Adiantum for many sectors: ChaCha and NH of what it writes, chunk by chunk.
///
/// The lanes of a pass are groups of eight blocks of one sector, 512 bytes, that need not be neighbours: so short
/// sectors, which have one group, fill registers of sixteen lanes two by two.

namespace arch {
namespace {

enum { kGroupBlocks = 8, kGroupBytes = 64 * kGroupBlocks, kChunkGroups = kNhChunk / kGroupBytes };

/// Groups of blocks, one after the other through all sectors.
class AdiantumGroups {
  public:
    AdiantumGroups(size_t length, size_t count)
        : length_(length), left_((length + kGroupBytes - 1) / kGroupBytes * count) {}

    struct Group {
        size_t sector, number;  ///< its number is that in its sector
        size_t offset, length;  ///< of its bytes, from the first sector on
        size_t chunk_length;    ///< of the NH chunk that ends with it, else 0
    };

    size_t left() const { return left_; }

    Group next() {
        const size_t at = number_ * kGroupBytes, rest = length_ - at;
        const bool last = rest <= kGroupBytes;
        Group group = {sector_, number_, sector_ * (length_ + 16) + at, last ? rest : size_t{kGroupBytes}, 0};
        if (last || number_ % kChunkGroups == kChunkGroups - 1)
            group.chunk_length = number_ % kChunkGroups * kGroupBytes + group.length;
        left_--;
        number_ = last ? 0 : number_ + 1;
        sector_ += last;
        return group;
    }

  private:
    size_t length_, left_, sector_ = 0, number_ = 0;
};

/// Whether groups are of one sector, and so one after the other in memory.
template <size_t kGroups>
[[maybe_unused]] static bool are_neighbours(const AdiantumGroups::Group (&group)[kGroups], size_t taken) {
    return group[taken - 1].sector == group[0].sector;
}

/// AdiantumPass, Lanes::kLanes blocks at a time.
template <class Lanes, class Nh>
[[gnu::always_inline]] static inline void adiantum(const uint32_t* nh_key, const uint32_t* subkeys, size_t rounds,
                                                   uint8_t* digests, uint8_t* out, const uint8_t* in, size_t length,
                                                   size_t count) {
    using Vector = typename Lanes::Vector;
    constexpr size_t kGroups = Lanes::kLanes / kGroupBlocks;
    AdiantumGroups groups(length, count);
    Vector initial[16];
#pragma GCC unroll 4
    for (size_t w = 0; w < 4; w++) initial[w] = Lanes::broadcast(kChaChaConstants[w]);
    initial[14] = Lanes::broadcast(1);
    initial[15] = Lanes::broadcast(0);
    while (groups.left() > 0) {
        const size_t taken = groups.left() < kGroups ? groups.left() : kGroups;
        AdiantumGroups::Group group[kGroups];
        for (size_t g = 0; g < kGroups; g++) group[g] = g < taken ? groups.next() : group[0];

        const uint32_t* keys[kGroups];
        uint64_t counters[kGroups];
        for (size_t g = 0; g < kGroups; g++) {
            keys[g] = subkeys + 8 * group[g].sector;
            counters[g] = uint64_t{group[g].number} * kGroupBlocks;
        }
#pragma GCC unroll 8
        for (size_t w = 0; w < 8; w++) initial[4 + w] = Lanes::broadcast_to_groups(keys, w);
        Lanes::count_in_groups(initial + ChaCha::kCounter, counters);

        Vector x[16];
        ChaCha::all_rounds<Lanes>(x, initial, rounds);
        if (are_neighbours(group, taken)) {
            const size_t bytes = group[taken - 1].offset + group[taken - 1].length - group[0].offset;
            finish_xor<Lanes>(x, initial, out + group[0].offset, in + group[0].offset, bytes);
        } else {
            alignas(Lanes::kBytes) uint8_t keystream[64 * Lanes::kLanes];
            finish_store<Lanes>(x, initial, keystream);
            for (size_t g = 0; g < taken; g++)
                Lanes::xor_bytes(out + group[g].offset, in + group[g].offset, keystream + kGroupBytes * g,
                                 group[g].length);
        }
        for (size_t g = 0; g < taken; g++) {
            if (group[g].chunk_length == 0) continue;
            const uint8_t* const end = out + group[g].offset + group[g].length;
            Nh::digest_chunk(nh_key, digests, end - group[g].chunk_length, group[g].chunk_length);
            digests += kNhDigest;
        }
    }
}

}  // namespace
}  // namespace arch

#endif
