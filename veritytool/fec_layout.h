#ifndef VERITYTOOL_VERITYTOOL_FEC_LAYOUT_H
#define VERITYTOOL_VERITYTOOL_FEC_LAYOUT_H

#include <cstdint>

#include "veritytool/layout.h"

/// Which bytes dm-verity's forward error correction protects, and where their parity lies: arithmetic alone, no files.
/// Source: Linux Documentation/admin-guide/device-mapper/verity.rst, drivers/md/dm-verity-fec.c; cryptsetup
/// lib/verity/verity_fec.c.

namespace verity {

/// The symbols of a codeword: Reed-Solomon over GF(2^8).
inline constexpr unsigned kFecCodeword = 255;

/// Of those, how many are parity. Source: Linux drivers/md/dm-verity-fec.h.
inline constexpr unsigned kMinFecRoots = 2, kMaxFecRoots = 24;

/// The groups of a message of so many blocks: those of which each has at most one for every data symbol of a codeword.
constexpr std::uint64_t fec_rounds(std::uint64_t message_blocks, unsigned roots) {
    const unsigned sources = kFecCodeword - roots;
    return message_blocks / sources + (message_blocks % sources != 0);
}

/// The message is the data blocks, then blocks of the hash file from the tree's first on. It is written row by row into
/// a matrix of `sources()` rows of `columns` bytes, filled up with zeros; each column is a codeword. So codeword i is
/// protected bytes i, i + columns, i + 2 * columns, ..., and blocks r, r + rounds, r + 2 * rounds, ... of the message,
/// a group, have their codewords in common. The parity of codeword i stands at i * roots in the parity.
struct FecLayout {
    unsigned roots;             ///< parity bytes of a codeword
    std::uint32_t block_size;   ///< bytes, of data and hash blocks alike
    std::uint64_t data_blocks;  ///< the message's blocks in the data file, from its start
    std::uint64_t hash_offset;  ///< where the message's blocks in the hash file begin, in bytes
    std::uint64_t hash_blocks;  ///< how many those are, the tree's and what follows it
    std::uint64_t rounds;       ///< groups of blocks
    std::uint64_t columns;      ///< codewords: rounds * block_size
    std::uint64_t parity_size;  ///< bytes: columns * roots

    unsigned sources() const { return kFecCodeword - roots; }
    std::uint64_t message_blocks() const { return data_blocks + hash_blocks; }
    std::uint64_t message_size() const { return message_blocks() * block_size; }
    std::uint64_t data_size() const { return data_blocks * block_size; }
};

/// Lays out the parity of the data and of a tree's area, which in the hash file ends at byte `protected_end`: where the
/// parity begins if it is in the same file, else at the end of the file. Errors (usage): roots out of range, block
/// sizes that differ, an area that ends before the tree does, sizes past 2^63 - 1 bytes.
Result<FecLayout> lay_out_fec(const TreeParameters& parameters, const TreeLayout& tree, unsigned roots,
                              std::uint64_t protected_end);

/// The same where the number of the message's blocks is known. Errors (usage): as above, and fewer blocks than there
/// are in data and tree.
Result<FecLayout> lay_out_fec_blocks(const TreeParameters& parameters, const TreeLayout& tree, unsigned roots,
                                     std::uint64_t message_blocks);

}  // namespace verity

#endif
