#ifndef VERITYTOOL_VERITYTOOL_FEC_ENCODER_H
#define VERITYTOOL_VERITYTOOL_FEC_ENCODER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "veritytool/control.h"
#include "veritytool/fec_strip.h"
#include "veritytool/pieces.h"

/// Making parity, and checking it.

namespace verity {

/// Where parity lies.
struct FecPlace {
    const File& file;
    std::uint64_t offset;  ///< bytes
};

/// Makes the parity of data and tree while the tree is built. The data's share comes first, in the pass that hashes it;
/// it is kept in memory as far as there is room, or else in the parity's own place, until the tree's share is added.
class FecEncoder {
  public:
    FecEncoder(const FecLayout& layout, FecPlace place, unsigned threads);

    /// Whether pass_over_data() can give whole blocks.
    bool has_whole_blocks() const { return cut_.width % layout_.block_size == 0; }

    unsigned slots() const { return cut_.threads; }

    /// Sees data blocks: `blocks` holds those of `ranges`, one range after the other. Several calls at a time, with
    /// different `slot` below slots().
    using Observer = std::function<Result<void>(std::size_t slot, std::span<const BlockRange> ranges,
                                                std::span<const std::uint8_t> blocks)>;

    /// Takes all data from a file, in strips; every data block passes `observer` once if there is one (then
    /// has_whole_blocks()). `progress`, in order, tells bytes read. Errors (io), (interrupted).
    Result<void> pass_over_data(const File& data, const Control& control, const Observer& observer,
                                const std::function<void(std::uint64_t bytes)>& progress);

    /// Takes the next data blocks of a stream, from this byte of the message on. Error (io).
    Result<void> add_data(std::uint64_t offset, std::span<const std::uint8_t> bytes);

    /// Once all data is in and the tree is in its place in `hash`: adds its share and writes the parity. Errors (io),
    /// (interrupted).
    Result<void> finish(const File& hash, const Control& control);

  private:
    Result<void> keep(StripSums& sums);
    Result<void> fetch(StripSums& sums);
    bool in_memory() const { return !kept_.empty() || layout_.parity_size == 0; }

    const FecLayout layout_;
    const FecPlace place_;
    const ReedSolomon code_;
    const StripCut cut_;
    std::vector<StripSums> sums_;     // one a slot
    std::vector<std::uint8_t> kept_;  // the data's share, strip after strip, or empty: it is in the parity's place
    bool begun_ = false;              // add_data() has set what is kept to zero
};

/// What checking found.
struct FecCheck {
    std::uint64_t bad_bytes = 0;  ///< of the parity, that are not what data and tree ask for
    std::uint64_t first = 0;      ///< where the first of them stands, from the parity's start
    std::uint64_t missing = 0;    ///< bytes by which the parity ends too early
    bool good() const { return bad_bytes == 0 && missing == 0; }
};

/// Compares the parity with what data and tree should have, reading all of them. Errors (io), (interrupted).
Result<FecCheck> check_parity(const FecMessage& message, FecPlace place, const Control& control);

}  // namespace verity

#endif
