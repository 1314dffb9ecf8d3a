#ifndef VERITYTOOL_CIPHERS_POLY1305_H
#define VERITYTOOL_CIPHERS_POLY1305_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/registry.h"
#include "ciphers/words.h"

/// Poly1305, RFC 8439 section 2.5, and its polynomial by itself.

namespace ciphers {

/// The secret r at which Poly1305 evaluates, prepared. Immutable; wiped when it goes.
class Poly1305Multiplier {
  public:
    /// Takes the bits of r that RFC 8439 keeps ("clamp").
    explicit Poly1305Multiplier(std::span<const std::uint8_t, 16> r);
    Poly1305Multiplier(const Poly1305Multiplier&) = default;
    Poly1305Multiplier& operator=(const Poly1305Multiplier&) = default;
    ~Poly1305Multiplier();

    /// As cores take it.
    const arch::Poly1305Key& key() const { return key_; }

  private:
    arch::Poly1305Key key_{};
};

/// The number that `sum` stands for, reduced modulo 2^130 - 5 and then modulo 2^128.
Uint128 reduce(const arch::Poly1305Sum& sum);

/// Poly1305 of one message that arrives in pieces. Wiped when it goes.
class Poly1305 {
  public:
    /// `multiplier` must outlive the object.
    explicit Poly1305(const Poly1305Multiplier& multiplier, const Cores& cores = {});
    Poly1305(const Poly1305&) = default;
    Poly1305& operator=(const Poly1305&) = default;
    ~Poly1305();

    /// Appends `data` to the message.
    void update(std::span<const std::uint8_t> data);

    /// The polynomial of the message, without the final addition: an almost universal hash. The object then serves only
    /// to be assigned to.
    Uint128 finish();

    /// Writes the authenticator to `tag`: the polynomial plus `s`, the second half of RFC 8439's one-time key. The
    /// object then serves only to be assigned to.
    void finish(std::span<std::uint8_t, 16> tag, std::span<const std::uint8_t, 16> s);

  private:
    void absorb(const std::uint8_t* data, std::size_t blocks, std::size_t top_bit);

    const Poly1305Multiplier* multiplier_;
    Poly1305Many* core_;
    arch::Poly1305Sum sum_{};
    std::array<std::uint8_t, 16> buffer_;
    std::size_t buffered_ = 0;
};

}  // namespace ciphers

#endif
