#include "veritytool/tree_builder.h"

#include <algorithm>
#include <utility>

#include "veritytool/buffer.h"
#include "veritytool/fec_encoder.h"
#include "veritytool/fec_header.h"
#include "veritytool/parallel.h"
#include "veritytool/pieces.h"
#include "veritytool/text.h"

namespace verity {
namespace {

Error input(std::string message) {
    return {ErrorKind::input, std::move(message)};
}

Error not_whole_blocks(const std::string& name, std::uint64_t size, std::uint32_t block_size) {
    return input(name + ": " + counted(size, "byte") + " is not a multiple of the " + std::to_string(block_size) +
                 "-byte block (" + std::to_string(size % block_size) + " left over)");
}

Error too_few_blocks(const std::string& name, std::uint64_t size, const TreeParameters& p) {
    return input(name + ": " + std::to_string(p.data_blocks) + " data blocks of " + std::to_string(p.data_block_size) +
                 " bytes were asked for, but " + counted(size, "byte") + " hold only " +
                 std::to_string(size / p.data_block_size));
}

/// Whether `size` bytes of data can be used at all.
Result<void> check_data_size(const std::string& name, std::uint64_t size, const TreeParameters& p) {
    if (size == 0) return input(name + ": is empty");
    if (size < p.data_block_size)
        return input(name + ": " + counted(size, "byte") + " is less than one block of " +
                     std::to_string(p.data_block_size) + " bytes");
    if (p.data_blocks == 0 && size % p.data_block_size != 0) return not_whole_blocks(name, size, p.data_block_size);
    if (p.data_blocks > size / p.data_block_size) return too_few_blocks(name, size, p);
    return {};
}

}  // namespace

Result<std::uint64_t> count_data_blocks(const File& data, const TreeParameters& p) {
    if (auto ok = check_data_size(data.path(), data.size(), p); !ok) return ok.error();
    return p.data_blocks != 0 ? p.data_blocks : data.size() / p.data_block_size;
}

Result<void> check_room(const File& data, const File& hash, const TreeLayout& layout, std::uint64_t hash_offset) {
    if (hash.same_as(data) && data.kind() == File::Kind::stream)
        return input(hash.path() + ": is what " + data.path() + " is read from");
    if (hash.same_as(data) && hash_offset < layout.data_size)
        return input(hash.path() + ": the hash area at byte " + std::to_string(hash_offset) +
                     " overlaps the data, which ends at byte " + std::to_string(layout.data_size));
    if (hash.kind() == File::Kind::block_device && layout.end > hash.size())
        return input(hash.path() + ": the device of " + counted(hash.size(), "byte") +
                     " is too small for a hash area up to byte " + std::to_string(layout.end));
    return {};
}

Result<HashOutput> HashOutput::open(const std::string& path) {
    auto file = File::open_for_writing(path);
    if (!file) return file.error();
    return HashOutput(*std::move(file));
}

HashOutput::~HashOutput() {
    if (!armed_) return;
    if (file_.created()) {
        file_.unlink();
        return;
    }
    if (!touched_) return;
    // The failure that led here is what gets reported; if undoing fails too there is nothing better left to do.
    if (superblock_) (void)file_.write_at(std::array<std::uint8_t, kSuperblockSize>{}, *superblock_);
    if (file_.kind() == File::Kind::regular) (void)file_.resize(file_.size());
}

Result<void> HashOutput::keep() {
    auto synced = file_.sync();
    if (synced) armed_ = false;
    return synced;
}

/// One build, from the data up.
class TreeBuilder {
  public:
    TreeBuilder(const File& data, HashOutput& output, const BuildRequest& request, const Control& control,
                FecOutput* parity)
        : data_(data),
          output_(output),
          request_(request),
          control_(control),
          parity_(parity),
          parameters_(request.parameters) {}

    Result<BuiltTree> build();

  private:
    /// A piece of a level in memory.
    struct Piece {
        BlockRange range;
        Buffer blocks;
        std::vector<std::uint8_t> slots;
        std::optional<Error> error;
    };

    Result<void> lay_out_tree();
    Result<void> prepare_output();
    Result<void> prepare_parity();
    Result<void> hash_data();
    Result<void> hash_data_in_strips();
    Result<void> hash_stream();
    Result<void> write_stream_digests();
    Result<void> write_digests(BlockRange range, std::span<const std::uint8_t> digests,
                               std::vector<std::uint8_t>& slots) const;
    Result<void> hash_level(const File& from, std::uint64_t offset, std::uint64_t blocks,
                            const hashlib::BlockHasher& hasher, std::uint64_t to);
    Result<std::vector<std::uint8_t>> hash_root();
    Result<void> check_data_unchanged();
    Result<void> set_length();
    Result<void> finish_parity();
    Result<void> finish_output();

    std::vector<Piece> make_pieces(const Cut& cut, std::uint32_t block_size) const;
    void advance(std::uint64_t bytes) {
        done_ += bytes;
        if (control_.progress) control_.progress(done_);
    }

    const File& data_;
    HashOutput& output_;
    const BuildRequest& request_;
    const Control& control_;
    FecOutput* const parity_;  // null: no parity is wanted
    TreeParameters parameters_;
    TreeLayout layout_{};
    std::optional<FecLayout> fec_;
    std::optional<FecEncoder> encoder_;
    std::uint64_t done_ = 0;                    // bytes read
    std::vector<std::uint8_t> stream_digests_;  // one after the other, for a stream of unknown length
};

Result<BuiltTree> TreeBuilder::build() {
    if (auto ok = check_parameters(parameters_); !ok) return ok.error();
    const bool stream = data_.kind() == File::Kind::stream;
    if (!stream) {
        auto blocks = count_data_blocks(data_, parameters_);
        if (!blocks) return blocks.error();
        parameters_.data_blocks = *blocks;
    } else if (parity_ == nullptr) {
        if (auto ok = hash_stream(); !ok) return ok.error();
    } else if (parameters_.data_blocks == 0) {
        return Error{ErrorKind::usage,
                     data_.path() +
                         ": with error correction the number of data blocks has to be known beforehand "
                         "(--data-blocks)"};
    }
    if (auto ok = lay_out_tree(); !ok) return ok.error();
    if (parity_ != nullptr) {
        if (auto ok = prepare_parity(); !ok) return ok.error();
        if (stream)
            if (auto ok = hash_stream(); !ok) return ok.error();
    }
    if (auto ok = prepare_output(); !ok) return ok.error();

    const auto& levels = layout_.levels;
    if (auto ok = stream ? write_stream_digests() : hash_data(); !ok) return ok.error();
    for (std::size_t i = 1; i < levels.size(); i++) {
        const TreeLevel& below = levels[i - 1];
        if (auto ok =
                hash_level(output_.file(), below.offset, below.blocks, tree_hasher(parameters_), levels[i].offset);
            !ok)
            return ok.error();
    }
    auto root = hash_root();
    if (!root) return root.error();
    if (auto ok = check_data_unchanged(); !ok) return ok.error();
    if (auto ok = set_length(); !ok) return ok.error();
    if (auto ok = finish_parity(); !ok) return ok.error();
    if (auto ok = finish_output(); !ok) return ok.error();
    return BuiltTree{std::move(parameters_), std::move(layout_), *std::move(root), fec_};
}

/// With the number of data blocks known: the layout, and that it has room.
Result<void> TreeBuilder::lay_out_tree() {
    auto layout = lay_out(parameters_, request_.hash_offset, request_.uuid.has_value());
    if (!layout) return layout.error();
    layout_ = *std::move(layout);
    return check_room(data_, output_.file(), layout_, request_.hash_offset);
}

/// From here on an old superblock is gone, and failure undoes what is written.
Result<void> TreeBuilder::prepare_output() {
    output_.touched_ = true;
    if (!request_.uuid) return {};
    output_.superblock_ = request_.hash_offset;
    // The whole of the header's hash blocks, so that the file does not depend on what was there before.
    return output_.file().write_at(
        std::vector<std::uint8_t>(static_cast<std::size_t>(layout_.tree_offset - request_.hash_offset)),
        request_.hash_offset);
}

/// With the tree laid out: the parity's layout, that it has room, and its encoder.
Result<void> TreeBuilder::prepare_parity() {
    const File& hash = output_.file();
    const std::uint64_t hash_size = hash_size_to_be(data_, hash, layout_);
    const std::uint64_t end = protected_end(hash, hash_size, parity_->file(), request_.fec.offset);
    // What overlaps is told in those terms by check_parity_room.
    auto fec = lay_out_fec(parameters_, layout_, request_.fec.roots, std::max(end, layout_.end));
    if (!fec) return fec.error();
    if (auto ok = check_parity_room(data_, hash, parity_->file(), layout_, *fec, request_.fec); !ok) return ok;
    fec_ = *fec;
    parity_->touch(request_.fec.offset, !parity_->file().same_as(hash) && !parity_->file().same_as(data_));
    encoder_.emplace(*fec_, FecPlace{parity_->file(), request_.fec.offset}, control_.threads);
    return {};
}

/// Writes the lowest level, and takes the data's share of the parity, if there is any.
Result<void> TreeBuilder::hash_data() {
    if (encoder_) return hash_data_in_strips();
    if (layout_.levels.empty()) return {};
    return hash_level(data_, 0, parameters_.data_blocks, data_hasher(parameters_), layout_.levels[0].offset);
}

/// The same in the order in which parity needs the data.
Result<void> TreeBuilder::hash_data_in_strips() {
    const auto progress = [&](std::uint64_t bytes) { advance(bytes); };
    if (layout_.levels.empty()) return encoder_->pass_over_data(data_, control_, {}, [](std::uint64_t) {});
    const hashlib::BlockHasher hasher = data_hasher(parameters_);
    if (!encoder_->has_whole_blocks()) {
        // Such large blocks are read twice.
        const std::uint64_t to = layout_.levels[0].offset;
        if (auto ok = hash_level(data_, 0, parameters_.data_blocks, hasher, to); !ok) return ok;
        return encoder_->pass_over_data(data_, control_, {}, [](std::uint64_t) {});
    }

    struct Digests {
        std::vector<std::uint8_t> digests, slots;
    };
    std::vector<Digests> buffers(encoder_->slots());
    const std::size_t digest_size = parameters_.hash->digest_size;
    const auto observer = [&](std::size_t slot, std::span<const BlockRange> ranges,
                              std::span<const std::uint8_t> blocks) -> Result<void> {
        // All in one call, since one range alone may not fill the lanes of a core.
        auto& [digests, slots] = buffers[slot];
        digests.resize(blocks.size() / hasher.block_size() * digest_size);
        hasher.hash(digests, digest_size, blocks);
        std::span<const std::uint8_t> left = digests;
        for (const BlockRange& range : ranges) {
            if (auto ok = write_digests(range, left, slots); !ok) return ok;
            left = left.subspan(static_cast<std::size_t>(range.count) * digest_size);
        }
        return {};
    };
    return encoder_->pass_over_data(data_, control_, observer, progress);
}

std::vector<TreeBuilder::Piece> TreeBuilder::make_pieces(const Cut& cut, std::uint32_t block_size) const {
    std::vector<Piece> pieces(cut.slots);
    for (Piece& piece : pieces) piece.blocks.resize(cut.piece_blocks * block_size);
    return pieces;
}

/// Hashes `blocks` blocks that stand in `from` at `offset`, and writes the level of their digests to `to`.
Result<void> TreeBuilder::hash_level(const File& from, std::uint64_t offset, std::uint64_t blocks,
                                     const hashlib::BlockHasher& hasher, std::uint64_t to) {
    const auto block_size = static_cast<std::uint32_t>(hasher.block_size());
    const Cut cuts = cut(block_size, control_.threads);
    std::vector<Piece> pieces = make_pieces(cuts, block_size);
    std::uint64_t next = 0;
    FirstError failure;

    const auto produce = [&](std::size_t slot) {
        if (next == blocks || failure) return false;
        pieces[slot].range = {next, std::min<std::uint64_t>(cuts.piece_blocks, blocks - next)};
        next += pieces[slot].range.count;
        return true;
    };
    const auto hash = [&](Piece& piece) -> Result<void> {
        const auto data = std::span(piece.blocks).first(static_cast<std::size_t>(piece.range.count * block_size));
        if (auto ok = from.read_at(data, offset + piece.range.first * block_size); !ok) return ok;
        const ByteRange place = digest_bytes(layout_, piece.range, blocks);
        piece.slots.assign(place.size, 0);
        hash_into_slots(hasher, layout_, piece.range.first, data, piece.slots);
        return output_.file().write_at(piece.slots, to + place.offset);
    };
    const auto work = [&](std::size_t slot) {
        if (auto ok = hash(pieces[slot]); !ok) pieces[slot].error = ok.error();
    };
    const auto consume = [&](std::size_t slot) {
        if (pieces[slot].error) failure.set(*pieces[slot].error);
        if (control_.stopped()) failure.set({ErrorKind::interrupted, from.path() + ": interrupted"});
        if (!failure) advance(pieces[slot].range.count * block_size);
    };
    run({cuts.threads, cuts.slots, produce, work, consume});
    return failure.result();
}

/// Hashes all blocks of a stream into stream_digests_ and counts them.
Result<void> TreeBuilder::hash_stream() {
    const std::uint32_t block_size = parameters_.data_block_size;
    const std::size_t digest_size = parameters_.hash->digest_size;
    const hashlib::BlockHasher hasher = data_hasher(parameters_);
    const Cut cuts = cut(block_size, control_.threads);
    std::vector<Piece> pieces = make_pieces(cuts, block_size);
    const std::uint64_t wanted = parameters_.data_blocks;  // 0: all there are
    std::uint64_t size = 0;
    bool ended = false;
    FirstError failure;

    const auto produce = [&](std::size_t slot) {
        const std::uint64_t blocks = size / block_size;
        if (ended || failure || (wanted != 0 && blocks == wanted)) return false;
        Piece& piece = pieces[slot];
        const std::uint64_t most = wanted != 0 ? wanted - blocks : cuts.piece_blocks;
        const auto room =
            std::span(piece.blocks)
                .first(static_cast<std::size_t>(std::min<std::uint64_t>(most, cuts.piece_blocks)) * block_size);
        const auto got = data_.read_next(room, control_.stop);
        piece.error = got ? std::optional<Error>() : got.error();
        const std::size_t bytes = got ? *got : 0;
        ended = bytes < room.size();
        size += bytes;
        piece.range = {blocks, bytes / block_size};
        return true;
    };
    const auto work = [&](std::size_t slot) {
        Piece& piece = pieces[slot];
        const auto count = static_cast<std::size_t>(piece.range.count);
        piece.slots.resize(count * digest_size);
        hasher.hash(piece.slots, digest_size, std::span(piece.blocks).first(count * block_size));
    };
    const auto consume = [&](std::size_t slot) {
        const Piece& piece = pieces[slot];
        stream_digests_.insert(stream_digests_.end(), piece.slots.begin(), piece.slots.end());
        if (piece.error) failure.set(*piece.error);
        if (encoder_ && !failure && piece.range.count != 0) {
            const auto blocks = std::span(piece.blocks).first(static_cast<std::size_t>(piece.range.count) * block_size);
            if (auto ok = encoder_->add_data(piece.range.first * block_size, blocks); !ok) failure.set(ok.error());
        }
        if (!failure) advance(piece.range.count * block_size);
    };
    run({cuts.threads, cuts.slots, produce, work, consume});
    if (failure) return failure.result();
    if (auto ok = check_data_size(data_.path(), size, parameters_); !ok) return ok;
    parameters_.data_blocks = size / block_size;
    return {};
}

/// Writes level 0 from stream_digests_.
Result<void> TreeBuilder::write_stream_digests() {
    if (layout_.levels.empty()) return {};
    std::span<const std::uint8_t> digests = stream_digests_;
    std::vector<std::uint8_t> block;
    BlockRange range{};
    for (; range.first < parameters_.data_blocks; range.first += range.count) {
        range.count = std::min<std::uint64_t>(layout_.digests_per_block, parameters_.data_blocks - range.first);
        if (auto ok = write_digests(range, digests, block); !ok) return ok;
        digests = digests.subspan(static_cast<std::size_t>(range.count) * parameters_.hash->digest_size);
    }
    return {};
}

/// Writes to level 0 the digests of these data blocks, with which `digests` begins, by way of `slots`.
Result<void> TreeBuilder::write_digests(BlockRange range, std::span<const std::uint8_t> digests,
                                        std::vector<std::uint8_t>& slots) const {
    const std::size_t digest_size = parameters_.hash->digest_size;
    const ByteRange place = digest_bytes(layout_, range, parameters_.data_blocks);
    slots.assign(place.size, 0);
    for (std::uint64_t block = range.first; block < range.end(); block++) {
        const auto at = static_cast<std::size_t>(layout_.slot_offset(block) - place.offset);
        std::ranges::copy(digests.first(digest_size), &slots[at]);
        digests = digests.subspan(digest_size);
    }
    return output_.file().write_at(slots, layout_.levels[0].offset + place.offset);
}

/// The digest of the top block, or of the only data block.
Result<std::vector<std::uint8_t>> TreeBuilder::hash_root() {
    std::vector<std::uint8_t> root(parameters_.hash->digest_size);
    if (layout_.levels.empty() && data_.kind() == File::Kind::stream) return stream_digests_;
    const bool tree = !layout_.levels.empty();
    const File& file = tree ? output_.file() : data_;
    std::vector<std::uint8_t> block(tree ? parameters_.hash_block_size : parameters_.data_block_size);
    if (auto ok = file.read_at(block, tree ? layout_.levels.back().offset : 0); !ok) return ok.error();
    (tree ? tree_hasher(parameters_) : data_hasher(parameters_)).hash(root, root.size(), block);
    return root;
}

/// A regular file that is all data must not have changed its length while it was read.
Result<void> TreeBuilder::check_data_unchanged() {
    if (output_.file().same_as(data_) || (parity_ != nullptr && parity_->file().same_as(data_))) return {};
    return data_.check_size_unchanged();
}

/// Gives the hash file its length: where the tree ends, or the parity behind it.
Result<void> TreeBuilder::set_length() {
    const File& file = output_.file();
    if (file.kind() != File::Kind::regular) return {};
    const bool parity_behind = fec_ && parity_->file().same_as(file);
    const std::uint64_t end = parity_behind ? request_.fec.offset + fec_->parity_size : layout_.end;
    auto now = file.current_size();
    if (!now) return now.error();
    // What lies behind is an older tree's, unless the file holds the data too.
    const bool cut_tail = *now > end && !file.same_as(data_);
    if (*now < end || cut_tail) return file.resize(end);
    return {};
}

/// Adds the tree's share to the parity and writes it.
Result<void> TreeBuilder::finish_parity() {
    if (!encoder_) return {};
    if (auto ok = encoder_->finish(output_.file(), control_); !ok) return ok;
    const File& file = parity_->file();
    std::uint64_t end = request_.fec.offset + fec_->parity_size;
    if (request_.fec.format == FecFormat::aosp) {
        auto digest = parity_digest(file, fec_->parity_size, control_.stop);
        if (!digest) return digest.error();
        const AospFecHeader header{fec_->roots, static_cast<std::uint32_t>(fec_->parity_size), fec_->message_size(),
                                   *digest};
        if (auto ok = file.write_at(encode(header), end); !ok) return ok;
        end += kAospBlockSize;
    }
    // As behind the tree.
    const bool own = !file.same_as(output_.file()) && !file.same_as(data_);
    if (own && file.kind() == File::Kind::regular && file.size() > end)
        if (auto ok = file.resize(end); !ok) return ok;
    return file.sync();  // before anything is reported as done
}

/// Writes the superblock, which makes it all valid.
Result<void> TreeBuilder::finish_output() {
    const File& file = output_.file();
    if (!request_.uuid) return {};
    if (auto ok = file.sync(); !ok) return ok;  // the superblock must not reach the disk before what it vouches for
    return file.write_at(encode({*request_.uuid, parameters_}), request_.hash_offset);
}

Result<BuiltTree> build_tree(const File& data, HashOutput& output, const BuildRequest& request, const Control& control,
                             FecOutput* parity) {
    return TreeBuilder(data, output, request, control, parity).build();
}

}  // namespace verity
