#include "veritytool/layout.h"

#include <bit>
#include <limits>
#include <string>

namespace verity {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int64_t>::max();

Error usage(std::string message) {
    return {ErrorKind::usage, std::move(message)};
}

Result<void> check_block_size(const char* what, std::uint32_t size) {
    if (std::has_single_bit(size) && size >= kMinBlockSize && size <= kMaxBlockSize) return {};
    return usage(std::string(what) + " block size " + std::to_string(size) +
                 " is not a power of two from 512 to 524288");
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
    return a / b + (a % b != 0);
}

/// The sum, or false where it does not fit an offset in a file.
bool add(std::uint64_t a, std::uint64_t b, std::uint64_t* sum) {
    return !__builtin_add_overflow(a, b, sum) && *sum <= kMaxOffset;
}

bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t* product) {
    return !__builtin_mul_overflow(a, b, product) && *product <= kMaxOffset;
}

}  // namespace

Result<void> check_parameters(const TreeParameters& p) {
    if (p.format > 1) return usage("hash type " + std::to_string(p.format) + " is not 0 or 1");
    if (auto ok = check_block_size("data", p.data_block_size); !ok) return ok;
    if (auto ok = check_block_size("hash", p.hash_block_size); !ok) return ok;
    if (p.hash_block_size < 2 * p.hash->digest_size)  // cannot happen while 512 bytes hold eight of the largest digest
        return usage("hash block size " + std::to_string(p.hash_block_size) + " has no room for two digests of " +
                     std::to_string(p.hash->digest_size) + " bytes");
    if (p.salt.size() > hashlib::kMaxSaltSize)
        return usage("salt of " + std::to_string(p.salt.size()) + " bytes is longer than 256");
    return {};
}

Result<TreeLayout> lay_out(const TreeParameters& p, std::uint64_t hash_offset, bool superblock) {
    if (auto ok = check_parameters(p); !ok) return ok.error();
    if (p.data_blocks == 0) return usage("no data blocks");
    if (hash_offset % kSectorSize != 0)
        return usage("hash offset " + std::to_string(hash_offset) + " is not a multiple of 512 (" +
                     std::to_string(hash_offset % kSectorSize) + " left over)");
    if (!superblock && hash_offset % p.hash_block_size != 0)
        return usage("hash offset " + std::to_string(hash_offset) + " is not a multiple of the " +
                     std::to_string(p.hash_block_size) + "-byte hash block (" +
                     std::to_string(hash_offset % p.hash_block_size) + " left over)");
    const Error too_large =
        usage(std::to_string(p.data_blocks) + " data blocks of " + std::to_string(p.data_block_size) +
              " bytes with a hash offset of " + std::to_string(hash_offset) + " are past the largest file size");

    TreeLayout layout{};
    layout.hash_block_size = p.hash_block_size;
    layout.digests_per_block = std::bit_floor(p.hash_block_size / p.hash->digest_size);
    layout.slot_size = p.format == 1 ? p.hash_block_size / layout.digests_per_block : p.hash->digest_size;
    if (!multiply(p.data_blocks, p.data_block_size, &layout.data_size)) return too_large;

    std::uint64_t header_end;
    if (!add(hash_offset, superblock ? kSuperblockSize : 0, &header_end)) return too_large;
    if (!multiply(divide_up(header_end, p.hash_block_size), p.hash_block_size, &layout.tree_offset)) return too_large;

    std::uint64_t tree_blocks = 0;
    for (std::uint64_t below = p.data_blocks; below > 1;) {
        below = divide_up(below, layout.digests_per_block);
        layout.levels.push_back({0, below});
        tree_blocks += below;
    }
    if (!multiply(tree_blocks, p.hash_block_size, &layout.tree_size)) return too_large;
    if (!add(layout.tree_offset, layout.tree_size, &layout.end)) return too_large;

    std::uint64_t offset = layout.tree_offset;
    for (std::size_t i = layout.levels.size(); i-- > 0;) {  // the top level comes first
        layout.levels[i].offset = offset;
        offset += layout.levels[i].blocks * p.hash_block_size;
    }
    if (layout.levels.empty() && !superblock) layout.end = hash_offset;
    return layout;
}

}  // namespace verity
