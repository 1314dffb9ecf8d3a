#include "veritytool/fec_header.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "arch/load_store.h"
#include "hashlib/hash.h"
#include "veritytool/fec_layout.h"

namespace verity {
namespace {

using arch::load_le32, arch::load_le64;
using arch::store_le32, arch::store_le64;

constexpr std::uint32_t kMagic = 0xFECFECFE;
constexpr std::uint32_t kVersion = 0;

/// Byte offsets of the fields, which are packed.
enum Field : std::size_t {
    kAtMagic = 0,
    kAtVersion = 4,
    kAtSize = 8,
    kAtRoots = 12,
    kAtParitySize = 16,
    kAtMessageSize = 20,
    kAtDigest = 28,
};

using Bytes = std::array<std::uint8_t, kAospHeaderSize>;

/// The header in these bytes if it makes sense behind so much parity.
std::optional<AospFecHeader> decode(const Bytes& bytes, std::uint64_t parity_size) {
    AospFecHeader header;
    header.roots = load_le32(&bytes[kAtRoots]);
    header.parity_size = load_le32(&bytes[kAtParitySize]);
    header.message_size = load_le64(&bytes[kAtMessageSize]);
    std::copy_n(&bytes[kAtDigest], header.digest.size(), header.digest.begin());
    const bool good =
        load_le32(&bytes[kAtMagic]) == kMagic && load_le32(&bytes[kAtVersion]) == kVersion &&
        load_le32(&bytes[kAtSize]) == kAospHeaderSize && header.roots >= kMinFecRoots && header.roots <= kMaxFecRoots &&
        header.parity_size == parity_size && header.message_size % kAospBlockSize == 0 &&
        fec_rounds(header.message_size / kAospBlockSize, header.roots) * kAospBlockSize * header.roots == parity_size;
    return good ? std::optional(header) : std::nullopt;
}

}  // namespace

std::array<std::uint8_t, kAospBlockSize> encode(const AospFecHeader& header) {
    Bytes bytes{};
    store_le32(&bytes[kAtMagic], kMagic);
    store_le32(&bytes[kAtVersion], kVersion);
    store_le32(&bytes[kAtSize], kAospHeaderSize);
    store_le32(&bytes[kAtRoots], header.roots);
    store_le32(&bytes[kAtParitySize], header.parity_size);
    store_le64(&bytes[kAtMessageSize], header.message_size);
    std::ranges::copy(header.digest, &bytes[kAtDigest]);
    std::array<std::uint8_t, kAospBlockSize> block{};
    std::ranges::copy(bytes, block.begin());
    std::ranges::copy(bytes, block.end() - kAospHeaderSize);
    return block;
}

Result<AospFecHeader> read_aosp_header(const File& file) {
    const Error none{ErrorKind::superblock, file.path() + ": no header of Android's error correction at its end"};
    if (file.size() < kAospBlockSize) return none;
    const std::uint64_t parity_size = file.size() - kAospBlockSize;
    for (const std::uint64_t at : {file.size() - kAospHeaderSize, parity_size}) {
        Bytes bytes;
        if (auto ok = file.read_at(bytes, at); !ok) return ok.error();
        if (const auto header = decode(bytes, parity_size)) return *header;
    }
    return none;
}

Result<std::array<std::uint8_t, 32>> parity_digest(const File& file, std::uint64_t size,
                                                   const std::atomic<bool>* stop) {
    constexpr std::size_t kPieceSize = 512 * 1024;
    hashlib::Hasher hasher(*hashlib::find_hash("sha256"));
    std::vector<std::uint8_t> piece(kPieceSize);
    for (std::uint64_t offset = 0; offset < size;) {
        const auto part =
            std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceSize, size - offset)));
        if (auto ok = file.read_at(part, offset); !ok) return ok.error();
        if (stop != nullptr && *stop) return Error{ErrorKind::interrupted, file.path() + ": interrupted"};
        hasher.update(part);
        offset += part.size();
    }
    std::array<std::uint8_t, 32> digest;
    hasher.finish(digest);
    return digest;
}

}  // namespace verity
