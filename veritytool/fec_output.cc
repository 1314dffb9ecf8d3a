#include "veritytool/fec_output.h"

#include <limits>

#include "veritytool/fec_header.h"

namespace verity {
namespace {

Error input(std::string message) {
    return {ErrorKind::input, std::move(message)};
}

std::string at_byte(std::uint64_t offset) {
    return "byte " + std::to_string(offset);
}

Result<void> check_aosp(const File& data, const File& hash, const File& parity, const FecLayout& layout,
                        const FecRequest& request) {
    const auto usage = [](std::string message) { return Error{ErrorKind::usage, std::move(message)}; };
    if (layout.block_size != kAospBlockSize)
        return usage("Android's error correction is for blocks of " + std::to_string(kAospBlockSize) +
                     " bytes only, not " + std::to_string(layout.block_size));
    if (request.offset != 0 || parity.same_as(data) || parity.same_as(hash) || parity.kind() != File::Kind::regular)
        return usage(parity.path() + ": Android's error correction has a file of its own, and begins it");
    if (layout.parity_size > std::numeric_limits<std::uint32_t>::max())
        return usage("parity of " + std::to_string(layout.parity_size) +
                     " bytes is too large for Android's error correction, which counts them with 32 bits");
    return {};
}

}  // namespace

Result<FecOutput> FecOutput::open(const std::string& path) {
    auto file = File::open_for_writing(path);
    if (!file) return file.error();
    return FecOutput(*std::move(file));
}

FecOutput::~FecOutput() {
    if (!armed_) return;
    if (file_.created()) {
        file_.unlink();
        return;
    }
    // The failure that led here is what gets reported; if undoing fails too there is nothing better left to do.
    if (touched_ && file_.kind() == File::Kind::regular) (void)file_.resize(rest_);
}

Result<void> FecOutput::keep() {
    auto synced = file_.sync();
    if (synced) armed_ = false;
    return synced;
}

Result<void> check_parity_room(const File& data, const File& hash, const File& parity, const TreeLayout& tree,
                               const FecLayout& layout, const FecRequest& request) {
    if (request.format == FecFormat::aosp)
        if (auto ok = check_aosp(data, hash, parity, layout, request); !ok) return ok;
    if (parity.same_as(data) && data.kind() == File::Kind::stream)
        return input(parity.path() + ": is what " + data.path() + " is read from");
    if (parity.same_as(data) && request.offset < tree.data_size)
        return input(parity.path() + ": the parity at " + at_byte(request.offset) +
                     " overlaps the data, which ends at " + at_byte(tree.data_size));
    if (parity.same_as(hash) && request.offset < tree.end)
        return input(parity.path() + ": the parity at " + at_byte(request.offset) +
                     " overlaps the hash area, which ends at " + at_byte(tree.end));
    std::uint64_t end;
    if (__builtin_add_overflow(request.offset, layout.parity_size, &end) ||
        end > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return Error{ErrorKind::usage, "parity at " + at_byte(request.offset) + " is past the largest file size"};
    if (parity.kind() == File::Kind::block_device && end > parity.size())
        return input(parity.path() + ": the device of " + std::to_string(parity.size()) +
                     " bytes is too small for parity up to " + at_byte(end));
    return {};
}

std::uint64_t hash_size_to_be(const File& data, const File& hash, const TreeLayout& tree) {
    const bool fixed = hash.kind() == File::Kind::block_device || hash.same_as(data);
    return fixed ? std::max(hash.size(), tree.end) : tree.end;
}

std::uint64_t protected_end(const File& hash, std::uint64_t hash_size, const File& parity,
                            std::uint64_t parity_offset) {
    return parity.same_as(hash) ? parity_offset : hash_size;
}

}  // namespace verity
