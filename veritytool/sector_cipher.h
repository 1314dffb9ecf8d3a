#ifndef VERITYTOOL_VERITYTOOL_SECTOR_CIPHER_H
#define VERITYTOOL_VERITYTOOL_SECTOR_CIPHER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "ciphers/adiantum.h"
#include "ciphers/aes_xts.h"
#include "veritytool/error.h"
#include "veritytool/locked_memory.h"

/// What dm-crypt does to a sector: the ciphers under its names, and how it numbers sectors.
/// Source: Linux drivers/md/dm-crypt.c (crypt_ctr_optional, crypt_iv_plain64_gen).

namespace verity {

/// What dm-crypt and cryptsetup count sectors, offsets and sizes in, whatever the sector size: bytes.
inline constexpr std::uint64_t kCryptUnit = 512;

inline constexpr std::uint32_t kMinSectorSize = 512;
inline constexpr std::uint32_t kMaxSectorSize = 4096;

/// A cipher and its mode under the name that dm-crypt has for them.
struct SectorAlgorithm {
    std::string_view name;
    std::array<std::size_t, 2> key_sizes;  ///< bytes, the usual one first; 0: there is no second
    std::size_t chacha_rounds;             ///< of Adiantum's XChaCha; 0: XTS-AES

    bool takes(std::size_t key_size) const {
        return key_size != 0 && (key_size == key_sizes[0] || key_size == key_sizes[1]);
    }
};

/// All of them, the default first.
std::span<const SectorAlgorithm> sector_algorithms();

/// The one of this name; null if there is none.
const SectorAlgorithm* find_sector_algorithm(std::string_view name);

/// Everything but the key that says how an image is encrypted.
struct SectorParameters {
    const SectorAlgorithm* algorithm = &sector_algorithms().front();
    std::uint32_t sector_size = kMaxSectorSize;  ///< bytes; a power of two, kMinSectorSize to kMaxSectorSize
    std::uint64_t iv_offset = 0;    ///< what is added to a sector's number, in units of 512 bytes; whole sectors
    bool iv_large_sectors = false;  ///< initialisation vectors count sectors of sector_size, else units of 512 bytes
};

/// Errors (usage): a sector size that dm-crypt does not take, an IV offset that is not whole sectors.
Result<void> check_parameters(const SectorParameters& parameters);

/// The numbering of sectors from the one of index `first` on (in sectors of sector_size).
ciphers::SectorRun sector_run(const SectorParameters& parameters, std::uint64_t first);

/// A cipher under one key, in locked memory. Immutable: one object serves any number of threads.
class SectorCipher {
  public:
    /// `key` has a size that `algorithm` takes.
    SectorCipher(const SectorAlgorithm& algorithm, std::span<const std::uint8_t> key);

    /// Encrypts or decrypts a whole number of sectors where they stand.
    void crypt(ciphers::Direction direction, std::span<std::uint8_t> sectors, const ciphers::SectorRun& run) const;

  private:
    using Mode = std::variant<ciphers::Adiantum, ciphers::AesXts>;

    LockedMemory memory_;
    std::unique_ptr<Mode, void (*)(Mode*)> mode_;  // lives in memory_
};

}  // namespace verity

#endif
