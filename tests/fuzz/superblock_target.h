#ifndef VERITYTOOL_TESTS_FUZZ_SUPERBLOCK_TARGET_H
#define VERITYTOOL_TESTS_FUZZ_SUPERBLOCK_TARGET_H

#include <cstdint>
#include <cstdlib>
#include <span>

#include "veritytool/superblock.h"

namespace verity {

/// What must hold of any 512 bytes: they are refused with a message, or are exactly what encoding the decoded fields
/// gives, and those fields can be laid out. Aborts where it does not. Other lengths are passed over.
inline void check_superblock(std::span<const std::uint8_t> bytes) {
    if (bytes.size() != kSuperblockSize) return;
    const auto decoded = decode(bytes.first<kSuperblockSize>(), "fuzz");
    if (!decoded) {
        if (decoded.error().kind != ErrorKind::superblock || decoded.error().message.empty()) std::abort();
        return;
    }
    const auto encoded = encode(*decoded);
    if (!std::equal(encoded.begin(), encoded.end(), bytes.begin())) std::abort();
    if (!lay_out(decoded->parameters, 0, true)) std::abort();
}

}  // namespace verity

#endif
