#ifndef VERITYTOOL_VERITYTOOL_FEC_STRIP_H
#define VERITYTOOL_VERITYTOOL_FEC_STRIP_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "veritytool/buffer.h"
#include "veritytool/control.h"
#include "veritytool/fec_layout.h"
#include "veritytool/file.h"
#include "veritytool/reed_solomon.h"

/// Parity is computed in strips: neighbouring columns of the message's matrix (fec_layout.h), so many that their sums
/// stay in a core's second-level cache while the strip's piece of each row is read, a few at a time, and added. So
/// memory is bounded by the number of threads whatever the image's size, and every byte is read once.

namespace verity {

/// Where the message is read from.
class FecMessage {
  public:
    enum class Part { all, data, hash };

    FecMessage(const File& data, const File& hash, const FecLayout& layout)
        : data_(data), hash_(hash), layout_(layout) {}

    const FecLayout& layout() const { return layout_; }

    /// Fills `bytes` from this byte of the message on; what is not of `part`, or past the message's end, is zero.
    /// Error (io).
    Result<void> read(std::span<std::uint8_t> bytes, std::uint64_t offset, Part part) const;

    /// The rows of the message's matrix that have bytes of `part` in them: from `first` up to, not with, `end`.
    struct Sources {
        unsigned first, end;
    };
    Sources sources(Part part) const;

  private:
    const File& data_;
    const File& hash_;
    const FecLayout layout_;
};

/// Neighbouring codewords. `width` is a multiple of 64.
struct Columns {
    std::uint64_t first;
    std::size_t width;
};

/// How the columns are cut, and for how many threads there is memory. `threads` as in Control. Strips are whole blocks
/// wide, or an even part of one where blocks are large; with `whole_blocks` always the former.
struct StripCut {
    StripCut(const FecLayout& layout, unsigned threads, bool whole_blocks);

    unsigned threads;
    std::size_t width;    ///< bytes, of all strips but perhaps the last
    std::uint64_t count;  ///< strips
    std::uint64_t columns;

    Columns strip(std::uint64_t index) const;
};

/// Sums over one strip at a time, and the buffers for them.
class StripSums {
  public:
    /// For strips of up to `width` columns. `code` must outlive this.
    StripSums(const ReedSolomon& code, std::size_t width);

    /// Sees, and may change, pieces of neighbouring rows before they are added: row `first_source` + i of the strip
    /// stands at bytes [i * columns.width].
    using Hook = std::function<Result<void>(unsigned first_source, unsigned sources, std::span<std::uint8_t> bytes)>;

    /// Begins a strip with sums of zero, of the first `rows` parity symbols only if that is not 0.
    void begin(Columns columns, unsigned rows = 0);

    /// Adds the parity of all `part` of the message in these columns. `hook` may be null.
    Result<void> add(const FecMessage& message, FecMessage::Part part, const Hook& hook);

    /// Adds the parity of one source's symbols for the columns from `first` on, `bytes` of them (any number).
    void add_source(unsigned source, std::uint64_t first, std::span<const std::uint8_t> bytes);

    Columns columns() const { return columns_; }
    unsigned rows() const { return rows_; }
    std::span<std::uint8_t> row(unsigned t) { return std::span(sums_).subspan(t * stride_, columns_.width); }
    std::size_t stride() const { return stride_; }  ///< bytes from one row to the next

    /// The sums as parity is stored, codeword after codeword: rows * columns().width bytes, good until the next call.
    std::span<std::uint8_t> by_codewords();

    /// Adds symbols that are stored so to the sums.
    void add_codewords(std::span<const std::uint8_t> parity);

  private:
    const ReedSolomon& code_;
    unsigned rows_;
    std::size_t stride_;                              // of the sums
    unsigned batch_;                                  // sources read before they are added
    std::vector<std::vector<std::uint8_t>> factors_;  // by rows; made when they are first used
    Columns columns_{};
    Buffer sums_, sources_, codewords_;
};

/// Runs `work` on strips 0 to `count` - 1, in parallel, and `consume` in their order. Both get the index of a slot,
/// below `threads`, that no other strip has meanwhile. Stops at the first error; (interrupted), which `name` stands
/// for.
Result<void> for_each_strip(const Control& control, unsigned threads, std::uint64_t count, const std::string& name,
                            const std::function<Result<void>(std::size_t slot, std::uint64_t index)>& work,
                            const std::function<Result<void>(std::size_t slot, std::uint64_t index)>& consume);

}  // namespace verity

#endif
