#ifndef VERITYTOOL_VERITYTOOL_LAYOUT_H
#define VERITYTOOL_VERITYTOOL_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashlib/hash.h"
#include "veritytool/error.h"

/// Where everything in a dm-verity hash tree lies: arithmetic alone, no files.
/// Source: Linux drivers/md/dm-verity-target.c (verity_hash_at_level, verity_ctr).

namespace verity {

inline constexpr std::uint32_t kMinBlockSize = 512;
inline constexpr std::uint32_t kMaxBlockSize = 512 * 1024;
inline constexpr std::uint64_t kSectorSize = 512;
inline constexpr std::size_t kSuperblockSize = 512;

/// What defines a tree, apart from the data.
struct TreeParameters {
    const hashlib::HashAlgorithm* hash = nullptr;
    unsigned format = 1;                   ///< 1: digest = H(salt || block), 0 (Chrome OS): H(block || salt)
    std::uint32_t data_block_size = 4096;  ///< bytes; a power of two, kMinBlockSize to kMaxBlockSize
    std::uint32_t hash_block_size = 4096;  ///< likewise; at least two digests
    std::uint64_t data_blocks = 0;         ///< at least 1
    std::vector<std::uint8_t> salt;        ///< 0 to hashlib::kMaxSaltSize bytes
};

/// One level: its blocks stand one after the other. Level 0 holds the digests of the data.
struct TreeLevel {
    std::uint64_t offset;  ///< bytes from the start of the hash file
    std::uint64_t blocks;
};

struct TreeLayout {
    std::size_t digests_per_block;  ///< a power of two
    std::size_t slot_size;          ///< bytes from one digest in a hash block to the next
    std::uint32_t hash_block_size;  ///< bytes
    std::uint64_t data_size;        ///< bytes
    std::uint64_t tree_offset;      ///< bytes from the start of the hash file; a multiple of hash_block_size
    std::uint64_t tree_size;        ///< bytes, of all levels; 0 for a single data block, whose digest is the root
    std::uint64_t end;              ///< bytes: the least size of the hash file
    std::vector<TreeLevel> levels;  ///< levels[0] is the lowest, the last has one block; empty for one data block

    /// Where in a level, in bytes from its start, the digest of the i-th block of the level below stands.
    std::uint64_t slot_offset(std::uint64_t i) const {
        return i / digests_per_block * hash_block_size + i % digests_per_block * slot_size;
    }
};

/// Checks the parameters alone: sizes in range and powers of two, salt length, hash block of two digests or more.
/// data_blocks may still be 0.
Result<void> check_parameters(const TreeParameters& parameters);

/// Lays out the tree in a hash file whose hash area begins `hash_offset` bytes from its start, with or without
/// a superblock there. Errors (usage): those of check_parameters; no data blocks; an offset that is not a multiple of
/// 512, or without a superblock of the hash block size; sizes past 2^63 - 1 bytes.
Result<TreeLayout> lay_out(const TreeParameters& parameters, std::uint64_t hash_offset, bool superblock);

}  // namespace verity

#endif
