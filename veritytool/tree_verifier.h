#ifndef VERITYTOOL_VERITYTOOL_TREE_VERIFIER_H
#define VERITYTOOL_VERITYTOOL_TREE_VERIFIER_H

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "veritytool/control.h"
#include "veritytool/file.h"
#include "veritytool/layout.h"

/// Checking data against a hash tree and its root: top-down, all of it, reporting every bad block.

namespace verity {

/// Consecutive blocks with the same fault.
struct Finding {
    enum class Fault {
        digest,        ///< the block does not have the digest that the block above it says
        padding,       ///< a hash block has the right digest, but bytes between or behind its digests are not zero
        unverifiable,  ///< a hash block above is bad, so nothing can be said of these
    };
    static constexpr int kData = -1;

    Fault fault;
    int level;            ///< of the tree, 0 the lowest; kData: data blocks
    std::uint64_t first;  ///< index of the first block in its level, or in the data
    std::uint64_t count;
    std::uint64_t offset;                        ///< of the first block, in bytes from the start of its file
    std::uint64_t size;                          ///< bytes of all of them
    std::vector<std::uint8_t> expected, actual;  ///< digests of the first block; empty for other faults than digest
    std::uint64_t padding_offset;                ///< padding: where in the hash file the first non-zero byte stands
};

struct VerifyRequest {
    TreeParameters parameters;      ///< data_blocks is not 0
    bool superblock = true;         ///< whether the tree stands behind one
    std::uint64_t hash_offset = 0;  ///< bytes from the start of the hash file
    std::vector<std::uint8_t> root;
};

/// What is known of the root hash.
enum class RootState {
    matches,
    wrong,             ///< the top hash block is consistent with all below it, but not with the root
    top_block_is_bad,  ///< neither with all below it nor with the root
    either,            ///< there is a single data block and no tree: the block or the root is wrong
};

struct VerifyReport {
    RootState root = RootState::matches;
    std::vector<std::uint8_t> actual_root;  ///< the digest of the top hash block, or of the only data block
    std::uint64_t bad_data_blocks = 0, bad_hash_blocks = 0;
    std::uint64_t unverifiable_data_blocks = 0, unverifiable_hash_blocks = 0;

    bool good() const {
        return root == RootState::matches && bad_data_blocks == 0 && bad_hash_blocks == 0 &&
               unverifiable_data_blocks == 0 && unverifiable_hash_blocks == 0;
    }
};

/// Verifies all of `data` and of the tree in `hash` (which may be the same file). Findings go to `found` as they are
/// made: level by level from the top, in the order of the blocks, from one thread at a time. With a wrong root the tree
/// below the top block is taken at its word and checked all the same. A corrupt block is no error. Errors: (usage)
/// those of lay_out, a root of the wrong length; (input) data or hash file too short for the parameters; (io);
/// (interrupted).
Result<VerifyReport> verify_tree(const File& data, const File& hash, const VerifyRequest& request,
                                 const Control& control, const std::function<void(const Finding&)>& found);

}  // namespace verity

#endif
