#include "veritytool/tree_verifier.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "veritytool/buffer.h"
#include "veritytool/parallel.h"
#include "veritytool/pieces.h"

namespace verity {
namespace {

Error input(std::string message) {
    return {ErrorKind::input, std::move(message)};
}

/// Blocks of one level, or of the data: ranges in rising order that do not touch.
class BlockSet {
  public:
    void append(BlockRange range) {
        if (!ranges_.empty() && ranges_.back().end() == range.first)
            ranges_.back().count += range.count;
        else
            ranges_.push_back(range);
    }

    bool contains(std::uint64_t block) const { return covers({block, 1}); }

    bool covers(BlockRange range) const {
        const auto next = after(range.first);
        return next != ranges_.begin() && std::prev(next)->end() >= range.end();
    }

    bool touches(BlockRange range) const {
        const auto next = after(range.first);
        return (next != ranges_.begin() && std::prev(next)->end() > range.first) ||
               (next != ranges_.end() && next->first < range.end());
    }

  private:
    /// The first range that begins behind `block`.
    std::vector<BlockRange>::const_iterator after(std::uint64_t block) const {
        return std::ranges::upper_bound(ranges_, block, {}, &BlockRange::first);
    }

    std::vector<BlockRange> ranges_;
};

/// A row of blocks to be checked against the digests in the level above it.
struct Row {
    int level;
    const File& file;
    std::uint64_t offset;  // bytes from the start of the file
    std::uint64_t blocks;
    const hashlib::BlockHasher& hasher;
    std::uint64_t below;  // blocks whose digests stand in this row; 0 for data
    std::uint64_t above;  // where the level above begins, in bytes of the hash file
};

bool continues(const Finding& earlier, const Finding& later) {
    return earlier.fault == later.fault && earlier.first + earlier.count == later.first;
}

/// Makes one finding of adjacent ones.
void append(std::vector<Finding>& findings, Finding next) {
    if (!findings.empty() && continues(findings.back(), next)) {
        findings.back().count += next.count;
        findings.back().size += next.size;
    } else {
        findings.push_back(std::move(next));
    }
}

class TreeVerifier {
  public:
    TreeVerifier(const File& data, const File& hash, const VerifyRequest& request, const Control& control,
                 const std::function<void(const Finding&)>& found)
        : data_(data),
          hash_(hash),
          request_(request),
          parameters_(request.parameters),
          control_(control),
          found_(found),
          data_hasher_(data_hasher(request.parameters)),
          tree_hasher_(tree_hasher(request.parameters)) {}

    Result<VerifyReport> verify();

  private:
    /// A piece of a row in memory.
    struct Piece {
        BlockRange range;
        Buffer blocks;
        std::vector<std::uint8_t> expected, actual;  // slots of digests
        std::vector<Finding> findings;
        std::optional<Error> error;
    };

    using Observer = std::function<void(const Finding&)>;

    Result<void> check_sizes() const;
    Result<void> verify_single_block();
    Result<void> verify_top_block();
    Result<void> verify_row(const Row& row, const BlockSet& untrusted, const Observer& observer);
    Result<void> check_piece(const Row& row, const BlockSet& untrusted, Piece& piece) const;
    Finding finding(const Row& row, Finding::Fault fault, BlockRange range) const;
    std::optional<Finding> check_block(const Row& row, const BlockSet& untrusted, const Piece& piece,
                                       std::size_t index) const;
    std::optional<std::size_t> padding_fault(std::span<const std::uint8_t> block, std::uint64_t digests) const;
    void count(const Finding& finding);

    Row data_row() const { return {Finding::kData, data_, 0, parameters_.data_blocks, data_hasher_, 0, above(0)}; }
    Row tree_row(std::size_t level) const {
        return {static_cast<int>(level),
                hash_,
                layout_.levels[level].offset,
                layout_.levels[level].blocks,
                tree_hasher_,
                below(level),
                above(level + 1)};
    }
    std::uint64_t below(std::size_t level) const {
        return level == 0 ? parameters_.data_blocks : layout_.levels[level - 1].blocks;
    }
    std::uint64_t above(std::size_t level) const {
        return level < layout_.levels.size() ? layout_.levels[level].offset : 0;
    }

    const File& data_;
    const File& hash_;
    const VerifyRequest& request_;
    const TreeParameters& parameters_;
    const Control& control_;
    const Observer& found_;
    const hashlib::BlockHasher data_hasher_, tree_hasher_;
    TreeLayout layout_{};
    VerifyReport report_;
    BlockSet untrusted_;      // in the level that was verified last
    std::uint64_t done_ = 0;  // bytes read
};

Result<VerifyReport> TreeVerifier::verify() {
    auto layout = lay_out(parameters_, request_.hash_offset, request_.superblock);
    if (!layout) return layout.error();
    layout_ = *std::move(layout);
    if (auto ok = check_sizes(); !ok) return ok.error();

    if (layout_.levels.empty()) {
        if (auto ok = verify_single_block(); !ok) return ok.error();
        return std::move(report_);
    }
    if (auto ok = verify_top_block(); !ok) return ok.error();
    for (std::size_t i = layout_.levels.size(); i-- > 0;) {
        const BlockSet above = std::exchange(untrusted_, {});
        const Observer observer = [&](const Finding& f) {
            count(f);
            if (f.level != Finding::kData && f.fault != Finding::Fault::padding) untrusted_.append({f.first, f.count});
            found_(f);
        };
        if (auto ok = verify_row(i == 0 ? data_row() : tree_row(i - 1), above, observer); !ok) return ok.error();
    }
    return std::move(report_);
}

Result<void> TreeVerifier::check_sizes() const {
    const std::size_t digest_size = parameters_.hash->digest_size;
    if (request_.root.size() != digest_size)
        return Error{ErrorKind::usage, "root hash of " + std::to_string(request_.root.size()) + " bytes, but " +
                                           std::string(parameters_.hash->name) + " has " + std::to_string(digest_size)};
    for (const File* file : {&data_, &hash_})
        if (file->kind() == File::Kind::stream)
            return input(file->path() + ": cannot be read at any place, as verification needs");
    if (data_.size() < layout_.data_size)
        return input(data_.path() + ": " + std::to_string(data_.size()) + " bytes are less than the " +
                     std::to_string(parameters_.data_blocks) + " data blocks of " +
                     std::to_string(parameters_.data_block_size) + " bytes that the tree is for");
    if (layout_.tree_size != 0 && hash_.size() < layout_.end)
        return input(hash_.path() + ": " + std::to_string(hash_.size()) + " bytes end before the tree does, at byte " +
                     std::to_string(layout_.end));
    return {};
}

/// One data block has no tree: its digest is the root.
Result<void> TreeVerifier::verify_single_block() {
    std::vector<std::uint8_t> block(parameters_.data_block_size);
    if (auto ok = data_.read_at(block, 0); !ok) return ok;
    report_.actual_root.resize(parameters_.hash->digest_size);
    data_hasher_.hash(report_.actual_root, report_.actual_root.size(), block);
    if (report_.actual_root != request_.root) report_.root = RootState::either;
    return {};
}

/// Holds the top block against the root. Where they differ, what lies right below tells which of them is at fault.
Result<void> TreeVerifier::verify_top_block() {
    const std::size_t top = layout_.levels.size() - 1;
    const Row row = tree_row(top);
    std::vector<std::uint8_t> block(layout_.hash_block_size);
    if (auto ok = hash_.read_at(block, row.offset); !ok) return ok;
    report_.actual_root.resize(parameters_.hash->digest_size);
    tree_hasher_.hash(report_.actual_root, report_.actual_root.size(), block);

    const auto padding = padding_fault(block, below(top));
    bool consistent = !padding;
    if (report_.actual_root != request_.root) {
        if (consistent) {
            const Observer observer = [&](const Finding&) { consistent = false; };
            if (auto ok = verify_row(top == 0 ? data_row() : tree_row(top - 1), {}, observer); !ok) return ok;
        }
        report_.root = consistent ? RootState::wrong : RootState::top_block_is_bad;
        if (consistent) return {};
        untrusted_.append({0, 1});
        Finding bad = finding(row, Finding::Fault::digest, {0, 1});
        bad.expected = request_.root;
        bad.actual = report_.actual_root;
        count(bad);
        found_(bad);
    } else if (padding) {
        Finding bad = finding(row, Finding::Fault::padding, {0, 1});
        bad.padding_offset = row.offset + *padding;
        count(bad);
        found_(bad);
    }
    return {};
}

/// Checks all blocks of `row`, except those under blocks of the level above that are in `untrusted`.
Result<void> TreeVerifier::verify_row(const Row& row, const BlockSet& untrusted, const Observer& observer) {
    const auto block_size = static_cast<std::uint32_t>(row.hasher.block_size());
    const Cut cuts = cut(block_size, control_.threads);
    std::vector<Piece> pieces(cuts.slots);
    for (Piece& piece : pieces) piece.blocks.resize(cuts.piece_blocks * block_size);
    std::uint64_t next = 0;
    std::vector<Finding> open;  // at most one, which the next piece may continue
    FirstError failure;

    const auto produce = [&](std::size_t slot) {
        if (next == row.blocks || failure) return false;
        pieces[slot].range = {next, std::min<std::uint64_t>(cuts.piece_blocks, row.blocks - next)};
        next += pieces[slot].range.count;
        return true;
    };
    const auto work = [&](std::size_t slot) {
        Piece& piece = pieces[slot];
        piece.findings.clear();
        if (auto ok = check_piece(row, untrusted, piece); !ok) piece.error = ok.error();
    };
    const auto consume = [&](std::size_t slot) {
        Piece& piece = pieces[slot];
        if (piece.error) failure.set(*piece.error);
        if (control_.stopped()) failure.set({ErrorKind::interrupted, row.file.path() + ": interrupted"});
        if (failure) return;
        for (Finding& found : piece.findings) {
            append(open, std::move(found));
            if (open.size() == 1) continue;
            observer(open.front());
            open.erase(open.begin());
        }
        done_ += piece.range.count * block_size;
        if (control_.progress) control_.progress(done_);
    };
    run({cuts.threads, cuts.slots, produce, work, consume});
    if (!failure && !open.empty()) observer(open.front());
    return failure.result();
}

Result<void> TreeVerifier::check_piece(const Row& row, const BlockSet& untrusted, Piece& piece) const {
    const BlockRange range = piece.range;
    const std::uint64_t first_parent = range.first / layout_.digests_per_block;
    const BlockRange parents = {first_parent, (range.end() - 1) / layout_.digests_per_block - first_parent + 1};
    if (untrusted.covers(parents)) {
        append(piece.findings, finding(row, Finding::Fault::unverifiable, range));
        return {};
    }
    const std::size_t block_size = row.hasher.block_size();
    const auto blocks = std::span(piece.blocks).first(static_cast<std::size_t>(range.count) * block_size);
    if (auto ok = row.file.read_at(blocks, row.offset + range.first * block_size); !ok) return ok;

    const ByteRange place = digest_bytes(layout_, range, row.blocks);
    piece.expected.resize(place.size);
    if (auto ok = hash_.read_at(piece.expected, row.above + place.offset); !ok) return ok;
    piece.actual.assign(place.size, 0);
    hash_into_slots(row.hasher, layout_, range.first, blocks, piece.actual);

    const bool plain = row.level == Finding::kData && !untrusted.touches(parents);
    if (plain && piece.actual == piece.expected) return {};
    for (std::size_t i = 0; i < range.count; i++)
        if (auto found = check_block(row, untrusted, piece, i)) append(piece.findings, *std::move(found));
    return {};
}

/// What is wrong with the block of this index in the piece.
std::optional<Finding> TreeVerifier::check_block(const Row& row, const BlockSet& untrusted, const Piece& piece,
                                                 std::size_t index) const {
    const std::uint64_t block = piece.range.first + index;
    if (untrusted.contains(block / layout_.digests_per_block))
        return finding(row, Finding::Fault::unverifiable, {block, 1});

    const auto slot = static_cast<std::size_t>(layout_.slot_offset(block) - layout_.slot_offset(piece.range.first));
    const std::size_t digest_size = parameters_.hash->digest_size;
    const auto expected = std::span(piece.expected).subspan(slot, digest_size);
    const auto actual = std::span(piece.actual).subspan(slot, digest_size);
    if (!std::ranges::equal(expected, actual)) {
        Finding bad = finding(row, Finding::Fault::digest, {block, 1});
        bad.expected.assign(expected.begin(), expected.end());
        bad.actual.assign(actual.begin(), actual.end());
        return bad;
    }
    if (row.level == Finding::kData) return std::nullopt;
    const std::size_t block_size = row.hasher.block_size();
    const std::uint64_t digests =
        std::min<std::uint64_t>(layout_.digests_per_block, row.below - block * layout_.digests_per_block);
    const auto padding = padding_fault(std::span(piece.blocks).subspan(index * block_size, block_size), digests);
    if (!padding) return std::nullopt;
    Finding bad = finding(row, Finding::Fault::padding, {block, 1});
    bad.padding_offset = bad.offset + *padding;
    return bad;
}

Finding TreeVerifier::finding(const Row& row, Finding::Fault fault, BlockRange range) const {
    const std::uint64_t block_size = row.hasher.block_size();
    return {
        fault, row.level, range.first, range.count, row.offset + range.first * block_size, range.count * block_size, {},
        {},    0};
}

/// Where in a hash block with so many digests the first byte is that should be zero and is not.
std::optional<std::size_t> TreeVerifier::padding_fault(std::span<const std::uint8_t> block,
                                                       std::uint64_t digests) const {
    const auto first_set = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
        for (std::size_t i = begin; i < end; i++)
            if (block[i] != 0) return i;
        return std::nullopt;
    };
    const std::size_t used = static_cast<std::size_t>(digests) * layout_.slot_size;
    if (layout_.slot_size > parameters_.hash->digest_size)
        for (std::size_t slot = 0; slot < used; slot += layout_.slot_size)
            if (auto at = first_set(slot + parameters_.hash->digest_size, slot + layout_.slot_size)) return at;
    return first_set(used, block.size());
}

void TreeVerifier::count(const Finding& f) {
    const bool data = f.level == Finding::kData;
    if (f.fault == Finding::Fault::unverifiable)
        (data ? report_.unverifiable_data_blocks : report_.unverifiable_hash_blocks) += f.count;
    else
        (data ? report_.bad_data_blocks : report_.bad_hash_blocks) += f.count;
}

}  // namespace

Result<VerifyReport> verify_tree(const File& data, const File& hash, const VerifyRequest& request,
                                 const Control& control, const std::function<void(const Finding&)>& found) {
    return TreeVerifier(data, hash, request, control, found).verify();
}

}  // namespace verity
