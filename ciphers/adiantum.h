#ifndef VERITYTOOL_CIPHERS_ADIANTUM_H
#define VERITYTOOL_CIPHERS_ADIANTUM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/aes.h"
#include "ciphers/nhpoly1305.h"
#include "ciphers/sectors.h"
#include "ciphers/wipe.h"

/// Adiantum (P. Crowley, E. Biggers, "Adiantum: length-preserving encryption for entry-level processors"): a tweakable
/// cipher whose block is the whole message.

namespace ciphers {

/// Adiantum with XChaCha<rounds> and AES-256 under one key. Immutable: one object serves any number of threads. Wiped
/// when it goes.
class Adiantum {
  public:
    static constexpr std::size_t kKeySize = 32;

    /// `rounds` are those of XChaCha: 12 or 20 (or 8).
    Adiantum(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores = {});

    /// Encrypts or decrypts a message of 16 bytes or more under a tweak of any length, from `in` to `out`, which has
    /// the same size and is the same or does not overlap.
    void crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> tweak,
               std::span<const std::uint8_t> in) const;

    /// Encrypts or decrypts a whole number of sectors, each a message whose tweak is its initialisation vector as a
    /// little-endian number of 32 bytes: dm-crypt's xchacha12,aes-adiantum-plain64. Several at a time, which is faster
    /// than one by one. `sectors.size` is 16 or more.
    void crypt_sectors(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in,
                       const SectorRun& sectors) const;

  private:
    struct StreamKey {
        alignas(64) std::array<std::uint32_t, kKeySize / 4> words;  ///< as cores take it
        std::array<std::uint8_t, kKeySize> bytes;
    };
    struct Subkeys;
    struct Batch;

    Adiantum(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Subkeys& subkeys,
             const Cores& cores);

    void crypt_any(Direction direction, std::span<std::uint8_t> out, Uint128 tweak_hash,
                   std::span<const std::uint8_t> in) const;
    void crypt_batch(Direction direction, const Batch& batch, std::uint8_t* out, const std::uint8_t* in) const;
    void hash_tweaks(const Batch& batch, const arch::Poly1305Sum& start, std::uint64_t first_iv,
                     std::uint64_t iv_step) const;
    void hash_messages(const Batch& batch) const;
    void stream_and_digest(const Batch& batch, const std::uint8_t* nonces, std::uint8_t* out,
                           const std::uint8_t* in) const;

    std::size_t rounds_;
    Wiped<StreamKey> stream_key_;
    Aes block_;
    Poly1305Multiplier tweak_multiplier_;
    NhPoly1305 hash_;
    Cores cores_;
};

}  // namespace ciphers

#endif
