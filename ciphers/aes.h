#ifndef VERITYTOOL_CIPHERS_AES_H
#define VERITYTOOL_CIPHERS_AES_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/registry.h"

/// AES with keys of 16 and 32 bytes, FIPS 197. In constant time with every core.

namespace ciphers {

/// The direction of a block cipher or of a mode built on one.
enum class Direction : std::uint8_t { encrypt, decrypt };

/// AES under one key. Immutable; wiped when it goes.
class Aes {
  public:
    static constexpr std::size_t kBlock = 16;

    /// `key` is 16 or 32 bytes.
    explicit Aes(std::span<const std::uint8_t> key, const Cores& cores = {});
    Aes(const Aes&) = default;
    Aes& operator=(const Aes&) = default;
    ~Aes();

    /// Encrypts or decrypts a whole number of blocks, each by itself, from `in` to `out`, which has the same size and
    /// is the same or does not overlap.
    void crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in) const;

    /// As cores take it.
    const arch::AesKey& key() const { return key_; }

  private:
    arch::AesKey key_{};
    Cores cores_;
};

}  // namespace ciphers

#endif
