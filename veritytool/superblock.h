#ifndef VERITYTOOL_VERITYTOOL_SUPERBLOCK_H
#define VERITYTOOL_VERITYTOOL_SUPERBLOCK_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "veritytool/error.h"
#include "veritytool/layout.h"

/// veritysetup's superblock: 512 little-endian bytes in front of the tree.
/// Source: cryptsetup lib/verity/verity.c (struct verity_sb).

namespace verity {

/// 16 bytes in the order in which their text has them.
using Uuid = std::array<std::uint8_t, 16>;

struct Superblock {
    Uuid uuid{};
    TreeParameters parameters;
};

std::array<std::uint8_t, kSuperblockSize> encode(const Superblock& superblock);

/// Reads and checks every field. `name` is the file's, for messages. Errors (superblock): no signature; a version, hash
/// type, algorithm, block size or salt size that is not supported; no data blocks, or too many to lay out; bytes that
/// must be zero and are not.
Result<Superblock> decode(std::span<const std::uint8_t, kSuperblockSize> bytes, std::string_view name);

/// "8-4-4-4-12" lowercase hexadecimal digits, and back (either case). Error (usage): any other form.
std::string to_text(const Uuid& uuid);
Result<Uuid> parse_uuid(std::string_view text);

/// A random (version 4) identifier. Error (io): no random numbers to be had.
Result<Uuid> random_uuid();

}  // namespace verity

#endif
