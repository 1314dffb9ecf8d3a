#include "veritytool/sector_image.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "veritytool/buffer.h"
#include "veritytool/parallel.h"
#include "veritytool/pieces.h"
#include "veritytool/text.h"

namespace verity {
namespace {

// A piece is read, crypted in place and written by one thread: a core's second-level cache holds it. It is also whole
// sectors, and the first one shows what the image holds.
constexpr std::size_t kPieceSize = 256 * 1024;
static_assert(kPieceSize % kMaxSectorSize == 0 && kPieceSize >= kContentHead);
constexpr std::size_t kSlotsPerThread = 2;
constexpr std::size_t kWindowSize = 64 * 1024 * 1024;  // of all pieces in memory together

Error input(std::string message) {
    return {ErrorKind::input, std::move(message)};
}

/// "a.img: 5000 bytes", or "a.img: 5000 bytes from byte 512 on".
std::string part_text(const File& in, const CryptRequest& request, std::uint64_t size) {
    return in.path() + ": " + counted(size, "byte") +
           (request.offset != 0 ? " from byte " + std::to_string(request.offset) + " on" : "");
}

/// Whether `size` bytes of input can be used at all.
Result<void> check_size(const File& in, const CryptRequest& request, std::uint64_t size) {
    const std::uint32_t sector_size = request.parameters.sector_size;
    if (size == 0)
        return input(in.path() + (request.offset == 0
                                      ? ": is empty"
                                      : ": holds nothing from byte " + std::to_string(request.offset) + " on"));
    if (size % sector_size != 0 && !request.pad_zero)
        return input(part_text(in, request, size) + " is not a multiple of the " + std::to_string(sector_size) +
                     "-byte sector (" + std::to_string(size % sector_size) + " left over)");
    return {};
}

Error too_short(const File& in, const CryptRequest& request, std::uint64_t size) {
    return input(part_text(in, request, *request.size) + " were asked for, but there are only " + std::to_string(size));
}

Error ends_before_part(const File& in, const CryptRequest& request, std::uint64_t size) {
    return input(in.path() + ": has " + counted(size, "byte") + ", but the part asked for begins at byte " +
                 std::to_string(request.offset));
}

/// Says what the image holds instead, where its magic number is long enough not to be there by chance.
Error not_expected(const File& in, const ContentType& expected, std::span<const std::uint8_t> head) {
    constexpr std::size_t kTelling = 4;
    std::string message = in.path() + ": does not decrypt to " + std::string(expected.name) + ": ";
    for (const ContentType& type : content_types())
        if (type.magic.size() >= kTelling && is_content(type, head))
            return {ErrorKind::content, message + "it holds " + std::string(type.name)};
    return {ErrorKind::content,
            message + "a wrong key, or wrong parameters (cipher, sector size, IV offset), or something else encrypted"};
}

}  // namespace

Result<std::optional<std::uint64_t>> size_to_crypt(const File& in, const CryptRequest& request) {
    std::optional<std::uint64_t> size = request.size;
    if (in.kind() != File::Kind::stream) {
        // A file is empty rather than too short for a part of it.
        if (in.size() == 0) return input(in.path() + ": is empty");
        if (request.offset > in.size()) return ends_before_part(in, request, in.size());
        const std::uint64_t there = in.size() - request.offset;
        if (request.size && *request.size > there) return too_short(in, request, there);
        if (!size) size = there;
    }
    if (size)
        if (auto ok = check_size(in, request, *size); !ok) return ok.error();
    return size;
}

namespace {

/// One run over an image.
class ImageCrypter {
  public:
    ImageCrypter(const File& in, const ImageOutput& out, const SectorCipher& cipher, const CryptRequest& request,
                 const Control& control)
        : in_(in),
          out_(out.file()),
          cipher_(cipher),
          request_(request),
          control_(control),
          sector_size_(request.parameters.sector_size) {}

    Result<CryptedImage> run();

  private:
    /// Consecutive sectors in memory.
    struct Piece {
        std::uint64_t first;  // byte of the part
        std::size_t size;     // bytes that were read, or are to be
        Buffer bytes;
        std::optional<Error> error;

        std::uint64_t end() const { return first + size; }
    };

    bool stream_in() const { return in_.kind() == File::Kind::stream; }
    bool stream_out() const { return out_.kind() == File::Kind::stream; }
    std::uint64_t padded(std::uint64_t size) const { return (size + sector_size_ - 1) / sector_size_ * sector_size_; }

    Result<void> check_room() const;
    Result<void> pass_over_offset();
    bool produce(Piece& piece);
    Result<void> work(Piece& piece) const;
    void consume(const Piece& piece);

    const File& in_;
    const File& out_;
    const SectorCipher& cipher_;
    const CryptRequest& request_;
    const Control& control_;
    const std::size_t sector_size_;
    std::optional<std::uint64_t> size_;  // of the part, where it is known beforehand
    std::uint64_t next_ = 0;             // byte of the part that the next piece begins with
    bool ended_ = false;                 // the stream is
    FirstError failure_;
};

Result<CryptedImage> ImageCrypter::run() {
    if (auto ok = check_parameters(request_.parameters); !ok) return ok.error();
    auto size = size_to_crypt(in_, request_);
    if (!size) return size.error();
    size_ = *size;
    if (auto ok = check_room(); !ok) return ok.error();
    if (auto ok = pass_over_offset(); !ok) return ok.error();

    const unsigned threads =
        std::min<unsigned>(usable_threads(control_.threads), kWindowSize / kPieceSize / kSlotsPerThread);
    std::vector<Piece> pieces(kSlotsPerThread * threads);
    for (Piece& piece : pieces) piece.bytes.resize(kPieceSize);

    const auto produce = [&](std::size_t slot) { return this->produce(pieces[slot]); };
    const auto work = [&](std::size_t slot) {
        if (pieces[slot].error) return;
        if (auto ok = this->work(pieces[slot]); !ok) pieces[slot].error = ok.error();
    };
    const auto consume = [&](std::size_t slot) { this->consume(pieces[slot]); };
    // The first piece alone: nothing is to be written if it is not what was expected.
    if (produce(0)) {
        work(0);
        consume(0);
    }
    verity::run({threads, pieces.size(), produce, work, consume});
    if (failure_) return failure_.result().error();

    if (request_.size && next_ != *request_.size) return too_short(in_, request_, next_);
    if (auto ok = check_size(in_, request_, next_); !ok) return ok.error();
    if (auto ok = in_.check_size_unchanged(); !ok) return ok.error();
    return CryptedImage{padded(next_), padded(next_) - next_};
}

Result<void> ImageCrypter::check_room() const {
    if (out_.kind() != File::Kind::block_device || !size_ || padded(*size_) <= out_.size()) return {};
    return input(out_.path() + ": the device of " + counted(out_.size(), "byte") + " is too small for " +
                 counted(padded(*size_), "byte"));
}

/// Reads what stands before the part in a stream.
Result<void> ImageCrypter::pass_over_offset() {
    if (!stream_in()) return {};
    std::vector<std::uint8_t> passed(kPieceSize);
    auto skipped = in_.skip_next(request_.offset, passed, control_.stop);
    if (!skipped) return skipped.error();
    if (*skipped < request_.offset) return ends_before_part(in_, request_, *skipped);
    return {};
}

bool ImageCrypter::produce(Piece& piece) {
    const std::uint64_t left = size_.value_or(std::numeric_limits<std::uint64_t>::max()) - next_;
    if (ended_ || failure_ || left == 0) return false;
    piece.first = next_;
    piece.size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPieceSize));
    if (stream_in()) {
        const auto got = in_.read_next(std::span(piece.bytes).first(piece.size), control_.stop);
        piece.error = got ? std::optional<Error>() : got.error();
        ended_ = !got || *got < piece.size;
        piece.size = got ? *got : 0;
    }
    next_ += piece.size;
    return true;
}

Result<void> ImageCrypter::work(Piece& piece) const {
    if (piece.size == 0) return {};  // a stream that ended between two pieces
    const auto read = std::span(piece.bytes).first(piece.size);
    if (!stream_in())
        if (auto ok = in_.read_at(read, request_.offset + piece.first); !ok) return ok;
    const auto sectors = std::span(piece.bytes).first(static_cast<std::size_t>(padded(piece.size)));
    if (sectors.size() != read.size()) {
        if (auto ok = check_size(in_, request_, piece.end()); !ok) return ok;
        std::ranges::fill(sectors.subspan(read.size()), std::uint8_t{0});
    }
    cipher_.crypt(request_.direction, sectors, sector_run(request_.parameters, piece.first / sector_size_));
    if (piece.first == 0 && request_.expected != nullptr && !is_content(*request_.expected, sectors))
        return not_expected(in_, *request_.expected, sectors);
    return stream_out() ? Result<void>() : out_.write_at(sectors, piece.first);
}

void ImageCrypter::consume(const Piece& piece) {
    if (piece.error) failure_.set(*piece.error);
    if (control_.stopped()) failure_.set({ErrorKind::interrupted, in_.path() + ": interrupted"});
    if (failure_) return;
    if (stream_out()) {
        const auto sectors = std::span(piece.bytes).first(static_cast<std::size_t>(padded(piece.size)));
        if (auto ok = out_.write_next(sectors, control_.stop); !ok) return failure_.set(ok.error());
    }
    if (control_.progress) control_.progress(piece.end());
}

}  // namespace

Result<CryptedImage> crypt_image(const File& in, const ImageOutput& out, const SectorCipher& cipher,
                                 const CryptRequest& request, const Control& control) {
    return ImageCrypter(in, out, cipher, request, control).run();
}

}  // namespace verity
