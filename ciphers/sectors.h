#ifndef VERITYTOOL_CIPHERS_SECTORS_H
#define VERITYTOOL_CIPHERS_SECTORS_H

#include <cstddef>
#include <cstdint>

/// The sectors of an encrypted disk, numbered as dm-crypt's plain64 does (Linux drivers/md/dm-crypt.c).

namespace ciphers {

/// A run of sectors of one size, one after the other.
struct SectorRun {
    std::size_t size;           ///< bytes of a sector
    std::uint64_t first_iv;     ///< the initialisation vector of the first sector
    std::uint64_t iv_step = 1;  ///< what each further one adds to it, modulo 2^64
};

}  // namespace ciphers

#endif
