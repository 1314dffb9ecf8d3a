#ifndef VERITYTOOL_CIPHERS_AES_XTS_H
#define VERITYTOOL_CIPHERS_AES_XTS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/aes.h"
#include "ciphers/sectors.h"

/// XTS-AES, IEEE Std 1619, on whole blocks (there is no ciphertext stealing).

namespace ciphers {

/// XTS-AES-128 or XTS-AES-256 under one pair of keys. Immutable; wiped when it goes.
class AesXts {
  public:
    static constexpr std::size_t kTweakSize = 16;

    /// `key` is the data key followed by the tweak key: 32 or 64 bytes.
    explicit AesXts(std::span<const std::uint8_t> key, const Cores& cores = {});

    /// Encrypts or decrypts one data unit of whole 16-byte blocks from `in` to `out`, which has the same size and is
    /// the same or does not overlap.
    void crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t, kTweakSize> tweak,
               std::span<const std::uint8_t> in) const;

    /// Encrypts or decrypts a whole number of sectors, each a data unit whose tweak is its initialisation vector as a
    /// little-endian number: dm-crypt's aes-xts-plain64. `sectors.size` is a multiple of 16.
    void crypt_sectors(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in,
                       const SectorRun& sectors) const;

  private:
    Aes data_;
    Aes tweak_;
    Cores cores_;
};

}  // namespace ciphers

#endif
