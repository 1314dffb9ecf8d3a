#include "veritytool/pieces.h"

#include <algorithm>
#include <bit>

#include "veritytool/parallel.h"

namespace verity {
namespace {

constexpr std::size_t kPieceSize = 512 * 1024;         // a core's second-level cache holds it
constexpr std::size_t kWindowSize = 64 * 1024 * 1024;  // of all pieces in memory together

}  // namespace

Cut cut(std::uint32_t block_size, unsigned threads) {
    constexpr std::size_t kSlotsPerThread = 2;
    Cut c;
    c.threads = usable_threads(threads);
    // Not more threads than have at least a block each in the window.
    c.threads = std::min(c.threads, static_cast<unsigned>(kWindowSize / kSlotsPerThread / block_size));
    c.slots = kSlotsPerThread * c.threads;
    // Large blocks still come in enough numbers to fill the lanes of a core, as long as memory allows.
    const std::size_t wanted = std::max<std::size_t>(kPieceSize / block_size, hashlib::kMaxLanes);
    c.piece_blocks = std::min(wanted, std::bit_floor(kWindowSize / c.slots / block_size));
    return c;
}

hashlib::BlockHasher data_hasher(const TreeParameters& p) {
    return {*p.hash, p.salt, p.format == 1 ? hashlib::SaltPosition::before : hashlib::SaltPosition::after,
            p.data_block_size};
}

hashlib::BlockHasher tree_hasher(const TreeParameters& p) {
    return {*p.hash, p.salt, p.format == 1 ? hashlib::SaltPosition::before : hashlib::SaltPosition::after,
            p.hash_block_size};
}

ByteRange digest_bytes(const TreeLayout& layout, BlockRange range, std::uint64_t total) {
    const std::uint64_t begin = layout.slot_offset(range.first);
    std::uint64_t end = layout.slot_offset(range.end());
    if (range.end() == total)
        end = (end + layout.hash_block_size - 1) / layout.hash_block_size * layout.hash_block_size;
    return {begin, static_cast<std::size_t>(end - begin)};
}

void hash_into_slots(const hashlib::BlockHasher& hasher, const TreeLayout& layout, std::uint64_t first,
                     std::span<const std::uint8_t> blocks, std::span<std::uint8_t> slots) {
    const std::size_t block_size = hasher.block_size();
    const std::uint64_t begin = layout.slot_offset(first);
    while (!blocks.empty()) {
        // Slots are evenly spaced only within a hash block.
        const std::uint64_t here = layout.digests_per_block - first % layout.digests_per_block;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(here, blocks.size() / block_size));
        hasher.hash(slots.subspan(static_cast<std::size_t>(layout.slot_offset(first) - begin)), layout.slot_size,
                    blocks.first(count * block_size));
        blocks = blocks.subspan(count * block_size);
        first += count;
    }
}

}  // namespace verity
