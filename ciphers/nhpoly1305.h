#ifndef VERITYTOOL_CIPHERS_NHPOLY1305_H
#define VERITYTOOL_CIPHERS_NHPOLY1305_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/nh.h"
#include "ciphers/poly1305.h"

/// NHPoly1305, Adiantum's hash of the message (P. Crowley, E. Biggers, "Adiantum", section 5): Poly1305, without the
/// final addition, of the message's NH digests.

namespace ciphers {

/// NHPoly1305 under one key. Immutable; wiped when it goes.
class NhPoly1305 {
  public:
    NhPoly1305(std::span<const std::uint8_t, 16> r, std::span<const std::uint8_t, Nh::kKeySize> nh_key,
               const Cores& cores = {});

    /// The hash of a message of any length, which counts as padded with zeros to a multiple of 16 bytes.
    Uint128 hash(std::span<const std::uint8_t> message) const;

    /// Continues `sum`, which is all zeros before the first piece, with the next piece of a message. All pieces but the
    /// last are whole chunks of 1024 bytes. reduce(sum) is the hash of what there was so far.
    void absorb(arch::Poly1305Sum& sum, std::span<const std::uint8_t> piece) const;

    const Nh& nh() const { return nh_; }
    const Poly1305Multiplier& multiplier() const { return multiplier_; }

  private:
    Poly1305Multiplier multiplier_;
    Nh nh_;
    Cores cores_;
};

}  // namespace ciphers

#endif
