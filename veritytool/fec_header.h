#ifndef VERITYTOOL_VERITYTOOL_FEC_HEADER_H
#define VERITYTOOL_VERITYTOOL_FEC_HEADER_H

#include <array>
#include <cstdint>

#include "veritytool/file.h"

/// Android's form of a parity file: the parity, then a block of 4096 bytes with a header at its start and again at its
/// end. Source: AOSP system/extras libfec/include/fec/io.h (struct fec_header).

namespace verity {

inline constexpr std::uint32_t kAospBlockSize = 4096;  ///< of data, tree and header
inline constexpr std::size_t kAospHeaderSize = 60;

struct AospFecHeader {
    std::uint32_t roots;
    std::uint32_t parity_size;            ///< bytes; a multiple of kAospBlockSize
    std::uint64_t message_size;           ///< bytes that are protected
    std::array<std::uint8_t, 32> digest;  ///< SHA-256 of the parity
};

/// The block behind the parity.
std::array<std::uint8_t, kAospBlockSize> encode(const AospFecHeader& header);

/// Reads the header of a whole parity file, from either of its places. Errors (superblock): in neither is a header of
/// version 0 whose sizes fit one another and the file's; (io).
Result<AospFecHeader> read_aosp_header(const File& file);

/// The SHA-256 of the first `size` bytes of the file. Errors (io), (interrupted) once *stop is true.
Result<std::array<std::uint8_t, 32>> parity_digest(const File& file, std::uint64_t size, const std::atomic<bool>* stop);

}  // namespace verity

#endif
