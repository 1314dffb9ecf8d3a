#include "veritytool/fec_layout.h"

#include <limits>
#include <string>

namespace verity {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int64_t>::max();

Error usage(std::string message) {
    return {ErrorKind::usage, std::move(message)};
}

Result<void> check(const TreeParameters& p, unsigned roots) {
    if (roots < kMinFecRoots || roots > kMaxFecRoots)
        return usage(std::to_string(roots) + " roots of error correction are not from " + std::to_string(kMinFecRoots) +
                     " to " + std::to_string(kMaxFecRoots));
    if (p.data_block_size != p.hash_block_size)
        return usage("error correction needs data and hash blocks of the same size, not " +
                     std::to_string(p.data_block_size) + " and " + std::to_string(p.hash_block_size) + " bytes");
    return {};
}

}  // namespace

Result<FecLayout> lay_out_fec(const TreeParameters& p, const TreeLayout& tree, unsigned roots,
                              std::uint64_t protected_end) {
    if (auto ok = check(p, roots); !ok) return ok.error();
    const std::uint64_t tree_end = tree.tree_offset + tree.tree_size;
    // One data block has no tree, and its hash file may be empty.
    if (tree.tree_size != 0 && protected_end < tree_end)
        return usage("the area that error correction protects ends at byte " + std::to_string(protected_end) +
                     " of the hash file, before the tree does at byte " + std::to_string(tree_end));
    // Blocks are counted from the start of the file, whether or not its end is one of a block.
    const std::uint64_t first = tree.tree_offset / p.hash_block_size, end = protected_end / p.hash_block_size;
    return lay_out_fec_blocks(p, tree, roots, p.data_blocks + (end > first ? end - first : 0));
}

Result<FecLayout> lay_out_fec_blocks(const TreeParameters& p, const TreeLayout& tree, unsigned roots,
                                     std::uint64_t message_blocks) {
    if (auto ok = check(p, roots); !ok) return ok.error();
    const std::uint64_t least = p.data_blocks + tree.tree_size / p.hash_block_size;
    if (message_blocks < least)
        return usage("error correction for " + std::to_string(message_blocks) + " blocks does not cover the " +
                     std::to_string(least) + " of data and tree");
    FecLayout layout{};
    layout.roots = roots;
    layout.block_size = p.data_block_size;
    layout.data_blocks = p.data_blocks;
    layout.hash_offset = tree.tree_offset;
    layout.hash_blocks = message_blocks - p.data_blocks;
    layout.rounds = fec_rounds(message_blocks, roots);
    // The padded message is the largest of all sizes here, since there are at least as many sources as roots.
    std::uint64_t columns, padded;
    if (__builtin_mul_overflow(layout.rounds, std::uint64_t{layout.block_size}, &columns) ||
        __builtin_mul_overflow(columns, std::uint64_t{layout.sources()}, &padded) || padded > kMaxOffset)
        return usage("error correction for " + std::to_string(message_blocks) + " blocks of " +
                     std::to_string(p.data_block_size) + " bytes is past the largest file size");
    layout.columns = columns;
    layout.parity_size = columns * roots;
    return layout;
}

}  // namespace verity
