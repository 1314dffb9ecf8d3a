#include "veritytool/superblock.h"

#include <algorithm>
#include <cstring>

#include "arch/load_store.h"
#include "veritytool/hex.h"
#include "veritytool/random.h"

namespace verity {
namespace {

using arch::load_le16, arch::load_le32, arch::load_le64;
using arch::store_le16, arch::store_le32, arch::store_le64;

constexpr std::array<std::uint8_t, 8> kSignature = {'v', 'e', 'r', 'i', 't', 'y', 0, 0};
constexpr std::uint32_t kVersion = 1;

/// Byte offsets of the fields.
enum Field : std::size_t {
    kAtSignature = 0,
    kAtVersion = 8,
    kAtHashType = 12,
    kAtUuid = 16,
    kAtAlgorithm = 32,
    kAtDataBlockSize = 64,
    kAtHashBlockSize = 68,
    kAtDataBlocks = 72,
    kAtSaltSize = 80,
    kAtPadding = 82,
    kAtSalt = 88,
    kAtReserved = 344,
};

constexpr std::size_t kAlgorithmSize = kAtDataBlockSize - kAtAlgorithm;

bool all_zero(std::span<const std::uint8_t> bytes) {
    return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

/// The text of a NUL-padded field, with what cannot be printed shown as '?'.
std::string printable(std::span<const std::uint8_t> field) {
    std::string text;
    for (std::uint8_t byte : field) {
        if (byte == 0) break;
        text += byte > 0x20 && byte < 0x7f ? static_cast<char>(byte) : '?';
    }
    return text;
}

}  // namespace

std::array<std::uint8_t, kSuperblockSize> encode(const Superblock& s) {
    std::array<std::uint8_t, kSuperblockSize> out{};
    const TreeParameters& p = s.parameters;
    std::ranges::copy(kSignature, &out[kAtSignature]);
    store_le32(&out[kAtVersion], kVersion);
    store_le32(&out[kAtHashType], p.format);
    std::ranges::copy(s.uuid, &out[kAtUuid]);
    std::ranges::copy(p.hash->name, &out[kAtAlgorithm]);
    store_le32(&out[kAtDataBlockSize], p.data_block_size);
    store_le32(&out[kAtHashBlockSize], p.hash_block_size);
    store_le64(&out[kAtDataBlocks], p.data_blocks);
    store_le16(&out[kAtSaltSize], static_cast<std::uint16_t>(p.salt.size()));
    std::ranges::copy(p.salt, &out[kAtSalt]);
    return out;
}

Result<Superblock> decode(std::span<const std::uint8_t, kSuperblockSize> bytes, std::string_view name) {
    const auto invalid = [&](const std::string& what) {
        return Error{ErrorKind::superblock, std::string(name) + ": verity superblock: " + what};
    };
    if (!std::ranges::equal(bytes.first<8>(), kSignature))
        return Error{ErrorKind::superblock, std::string(name) + ": no verity superblock there"};

    const std::uint32_t version = load_le32(&bytes[kAtVersion]);
    if (version != kVersion) return invalid("version " + std::to_string(version) + " is not 1");

    Superblock s;
    TreeParameters& p = s.parameters;
    std::ranges::copy(bytes.subspan<kAtUuid, 16>(), s.uuid.begin());
    p.format = load_le32(&bytes[kAtHashType]);
    if (p.format > 1) return invalid("hash type " + std::to_string(p.format) + " is not 0 or 1");

    const auto field = bytes.subspan<kAtAlgorithm, kAlgorithmSize>();
    const auto name_end = std::ranges::find(field, std::uint8_t{0});
    const std::string algorithm = printable(field);
    p.hash = hashlib::find_hash(algorithm);
    if (p.hash == nullptr) return invalid("hash algorithm '" + algorithm + "' is not supported");
    if (!std::ranges::equal(std::span(field.begin(), name_end), p.hash->name) ||
        !all_zero(std::span(name_end, field.end())))
        return invalid("hash algorithm '" + algorithm + "' is not in lower case with zeros behind it");

    p.data_block_size = load_le32(&bytes[kAtDataBlockSize]);
    p.hash_block_size = load_le32(&bytes[kAtHashBlockSize]);
    p.data_blocks = load_le64(&bytes[kAtDataBlocks]);
    const std::size_t salt_size = load_le16(&bytes[kAtSaltSize]);
    if (salt_size > hashlib::kMaxSaltSize)
        return invalid("salt size " + std::to_string(salt_size) + " is over 256 bytes");
    const auto salt = bytes.subspan<kAtSalt, hashlib::kMaxSaltSize>();
    p.salt.assign(salt.begin(), salt.begin() + static_cast<std::ptrdiff_t>(salt_size));
    if (!all_zero(salt.subspan(salt_size)))
        return invalid("the salt has bytes that are not zero behind its " + std::to_string(salt_size) + " bytes");
    if (!all_zero(bytes.subspan<kAtPadding, kAtSalt - kAtPadding>()) || !all_zero(bytes.subspan<kAtReserved>()))
        return invalid("reserved bytes are not zero");

    if (auto layout = lay_out(p, 0, true); !layout) return invalid(layout.error().message);
    return s;
}

std::string to_text(const Uuid& uuid) {
    std::string text = to_hex(uuid);
    for (std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
    return text;
}

Result<Uuid> parse_uuid(std::string_view text) {
    std::string digits(text);
    bool well_formed = digits.size() == 36;
    for (std::size_t at : {23, 18, 13, 8}) {
        well_formed = well_formed && digits[at] == '-';
        if (well_formed) digits.erase(at, 1);
    }
    const auto bytes = parse_hex(digits);
    if (!well_formed || !bytes || bytes->size() != 16)
        return Error{ErrorKind::usage,
                     "UUID '" + std::string(text) + "' is not of the form 8-4-4-4-12 hexadecimal digits"};
    Uuid uuid;
    std::ranges::copy(*bytes, uuid.begin());
    return uuid;
}

Result<Uuid> random_uuid() {
    Uuid uuid;
    if (auto ok = fill_random(uuid); !ok) return ok.error();
    uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x40);  // version 4, RFC 4122 section 4.4
    uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);
    return uuid;
}

}  // namespace verity
