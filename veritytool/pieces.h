#ifndef VERITYTOOL_VERITYTOOL_PIECES_H
#define VERITYTOOL_VERITYTOOL_PIECES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "hashlib/hash.h"
#include "veritytool/layout.h"

/// How a long row of blocks is cut for the threads, and where its digests go: what building and verifying share.

namespace verity {

/// The cut of a row of blocks.
struct Cut {
    unsigned threads;
    std::size_t slots;         ///< pieces in memory at a time
    std::size_t piece_blocks;  ///< a power of two, so that a piece fills whole hash blocks or lies within one
};

/// `threads` as in Control.
Cut cut(std::uint32_t block_size, unsigned threads);

/// Consecutive blocks of one level (or of the data), by index.
struct BlockRange {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t end() const { return first + count; }
};

/// The hash function for the blocks of the data, or of the tree's levels.
hashlib::BlockHasher data_hasher(const TreeParameters& parameters);
hashlib::BlockHasher tree_hasher(const TreeParameters& parameters);

/// The bytes of the level above in which the digests of `range`, part of a row of `total` blocks, stand: from the first
/// digest's slot to the next digest's, or to the end of its hash block if the range is the last to have digests in it.
struct ByteRange {
    std::uint64_t offset;
    std::size_t size;
};
ByteRange digest_bytes(const TreeLayout& layout, BlockRange range, std::uint64_t total);

/// Hashes `blocks`, which begin with the block of index `first`, into `slots`, which begins with that block's slot.
void hash_into_slots(const hashlib::BlockHasher& hasher, const TreeLayout& layout, std::uint64_t first,
                     std::span<const std::uint8_t> blocks, std::span<std::uint8_t> slots);

/// The first error of a pipeline. `consume` sets it and `produce`, on another thread, looks whether to go on.
class FirstError {
  public:
    void set(Error error) {
        if (failed_) return;
        error_ = std::move(error);
        failed_ = true;
    }
    explicit operator bool() const { return failed_; }
    Result<void> result() const { return error_ ? Result<void>(*error_) : Result<void>(); }

  private:
    std::atomic<bool> failed_ = false;
    std::optional<Error> error_;
};

}  // namespace verity

#endif
