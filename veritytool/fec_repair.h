#ifndef VERITYTOOL_VERITYTOOL_FEC_REPAIR_H
#define VERITYTOOL_VERITYTOOL_FEC_REPAIR_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "veritytool/fec_encoder.h"
#include "veritytool/tree_verifier.h"

/// Repairing data and tree by their parity.
///
/// The tree tells which blocks are bad, so that these are erasures: as many as there are roots can be repaired in each
/// group of blocks that share codewords. What stands under a bad hash block is not known to be good or bad; it is then
/// judged by what fits what: a hash block that most blocks below fit is hardly bad, nor are those. What fits nothing is
/// taken as erased if that is not too much, or else errors are looked for codeword by codeword (half as many as there
/// are roots). The parity itself is under no tree: errors in it are
/// looked for the same way where the erasures alone do not come out right. Whatever comes out is good only if it has
/// the digest that a good block above says.

namespace verity {

/// What became of consecutive blocks that were not good.
struct RepairOutcome {
    enum class State {
        repaired,      ///< the right content is known
        lost,          ///< bad, and not to be repaired
        unverifiable,  ///< a hash block above is lost
    };
    State state;
    int level;  ///< as in Finding
    std::uint64_t first, count;
    std::uint64_t offset, size;  ///< bytes, in the file of the level
    unsigned bad_in_group;       ///< lost: how many bad blocks there are in the first one's group
    bool parity_missing;         ///< lost: the parity ends before that of this group
};

struct RepairCounts {
    std::uint64_t repaired_data = 0, repaired_hash = 0;
    std::uint64_t lost_data = 0, lost_hash = 0;
    std::uint64_t unverifiable_data = 0, unverifiable_hash = 0;
    std::uint64_t padding_faults = 0;  ///< hash blocks that were made so: no parity helps
    bool complete() const {
        return lost_data + lost_hash + unverifiable_data + unverifiable_hash + padding_faults == 0;
    }
};

/// One repair: first note() all that verify_tree() has found and reported, then repair_tree(), then repair_data().
class FecRepair {
  public:
    /// Everything must outlive this. `request` as for verify_tree(), which has succeeded with it.
    FecRepair(const File& data, const File& hash, const VerifyRequest& request, const FecLayout& layout,
              FecPlace parity, const Control& control);

    void note(const Finding& finding);
    void note(const VerifyReport& report);

    /// Finds the content of bad hash blocks, top-down, and then which blocks below are bad. Nothing is written. Errors
    /// (io), (interrupted).
    Result<void> repair_tree();

    /// Finds the content of bad data blocks, and gives it to `sink` (which may be null), from one thread at a time. May
    /// be called again, for another sink. Errors (io), (interrupted), those of the sink.
    using Sink = std::function<Result<void>(std::uint64_t block, std::span<const std::uint8_t> content)>;
    Result<void> repair_data(const Sink& sink);

    /// Writes the hash blocks that were found to a copy of the hash file, or to itself. Error (io).
    Result<void> write_hash_blocks(const File& to) const;

    std::uint64_t bad_data_blocks() const;  ///< known, once repair_tree() is done
    bool hash_blocks_repaired() const { return !repaired_hash_.empty(); }

    /// What became of all blocks that were not good: level by level from the top, then data.
    void for_each_outcome(const std::function<void(const RepairOutcome&)>& tell) const;
    RepairCounts counts() const;

  private:
    enum class State : std::uint8_t {
        good,
        bad,
        unknown,    // a hash block above is bad: nothing can be said
        plausible,  // the same, but it fits so well with others that it must be good
        suspect,    // the same, but it fits nothing that it should
        doubtful,   // the same, but not all fits it that should
    };

    /// The states of all blocks of the message, half a byte each.
    class States {
      public:
        explicit States(std::uint64_t blocks) : packed_(static_cast<std::size_t>(blocks / 2 + 1)) {}
        State get(std::uint64_t block) const {
            return static_cast<State>(packed_[static_cast<std::size_t>(block / 2)] >> (block % 2 * 4) & 15);
        }
        void set(std::uint64_t block, State state) {
            std::uint8_t& byte = packed_[static_cast<std::size_t>(block / 2)];
            const auto shift = static_cast<unsigned>(block % 2 * 4);
            byte = static_cast<std::uint8_t>((byte & ~(15u << shift)) | static_cast<unsigned>(state) << shift);
        }

      private:
        std::vector<std::uint8_t> packed_;
    };

    /// A block by its level and its index there.
    struct Block {
        int level;
        std::uint64_t index;
    };
    struct Solved {
        std::uint64_t index;
        std::vector<std::uint8_t> content;
    };
    /// Which blocks of a group are taken as erased.
    enum class Erased { bad, suspect_too, doubtful_too, unknown_too };
    class Scratch;

    std::uint64_t blocks_in(int level) const;
    std::uint64_t message_block(Block block) const;
    std::uint64_t parity_size() const;
    bool parity_missing(std::uint64_t round) const;
    static bool is_erased(State state, Erased erased);
    std::vector<unsigned> erased_in(std::uint64_t round, Erased erased) const;
    Result<bool> matches(Block block, std::span<const std::uint8_t> content) const;

    Result<void> load(Scratch& scratch, Columns columns, unsigned rows, Erased erased) const;
    Result<void> solve_erasures(Scratch& scratch, std::uint64_t round, std::span<const unsigned> erased) const;
    bool solve_blindly(Scratch& scratch, std::span<const unsigned> erased) const;
    Result<bool> take_matching(Scratch& scratch, std::span<const unsigned> erased, std::uint64_t round, int level,
                               std::vector<Solved>& solved) const;
    Result<void> solve_group(Scratch& scratch, std::uint64_t round, int level, bool erasures_tried,
                             std::vector<Solved>& solved) const;

    Result<bool> repair_level(int level, std::vector<std::uint64_t>& trusted);
    Result<void> examine(int level, const std::vector<std::uint64_t>& parents, bool trusted,
                         std::vector<std::uint64_t>& good_children);
    void judge(int level, std::uint64_t parent, std::uint64_t first_child, const std::vector<bool>& fits);
    Result<void> judge_unknown();

    const File& data_;
    const File& hash_;
    const VerifyRequest& request_;
    const TreeLayout tree_;
    const FecLayout layout_;
    const FecPlace parity_;
    const Control& control_;
    const FecMessage message_;
    const ReedSolomon code_;
    const hashlib::BlockHasher data_hasher_, tree_hasher_;
    const int top_;  // level of the block whose digest is the root
    States states_;
    std::map<std::uint64_t, std::vector<std::uint8_t>> repaired_hash_;  // by block of the message
    std::vector<std::uint64_t> repaired_data_;                          // in rising order
    std::uint64_t padding_faults_ = 0;
};

}  // namespace verity

#endif
