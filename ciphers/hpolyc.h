#ifndef VERITYTOOL_CIPHERS_HPOLYC_H
#define VERITYTOOL_CIPHERS_HPOLYC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/aes.h"
#include "ciphers/poly1305.h"
#include "ciphers/wipe.h"

/// HPolyC, Adiantum's predecessor, which hashes with Poly1305 alone (P. Crowley, E. Biggers, "Adiantum", in the paper's
/// first version of October 2018). The subkeys are in the order of the designers' last reference code.

namespace ciphers {

/// HPolyC with XChaCha<rounds> and AES-256 under one key. Immutable; wiped when it goes.
class HPolyC {
  public:
    static constexpr std::size_t kKeySize = 32;

    /// `rounds` are those of XChaCha: 8, 12 or 20.
    HPolyC(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores = {});

    /// Encrypts or decrypts a message of 16 bytes or more under a tweak of less than 2^29 bytes, from `in` to `out`,
    /// which has the same size and is the same or does not overlap.
    void crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> tweak,
               std::span<const std::uint8_t> in) const;

  private:
    struct Subkeys;
    HPolyC(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Subkeys& subkeys, const Cores& cores);

    std::size_t rounds_;
    Wiped<std::array<std::uint8_t, kKeySize>> stream_key_;
    Aes block_;
    Poly1305Multiplier multiplier_;
    Cores cores_;
};

}  // namespace ciphers

#endif
