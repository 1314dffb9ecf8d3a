#ifndef VERITYTOOL_CIPHERS_STREAM_CIPHER_H
#define VERITYTOOL_CIPHERS_STREAM_CIPHER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/registry.h"

/// ChaCha, Salsa20 and their forms with a long nonce, with 8, 12 or 20 rounds.
///
/// This library validates nothing that its callers can know beforehand: preconditions are stated and asserted. Output
/// may be the input exactly, else they do not overlap.

namespace ciphers {

/// A keystream and a place in it. Encryption and decryption are the same. A value: copying it forks the stream. Wiped
/// when it goes.
class StreamCipher {
  public:
    /// ChaCha<rounds> as D. J. Bernstein has it: the nonce is 8 bytes, the block counter 64 bits.
    static StreamCipher chacha(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                               std::span<const std::uint8_t, 8> nonce, const Cores& cores = {});

    /// ChaCha<rounds> as RFC 8439, section 2.4 has it: the nonce is 12 bytes and there are only 2^32 blocks, beyond
    /// which no caller may go.
    static StreamCipher chacha_ietf(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                    std::span<const std::uint8_t, 12> nonce, const Cores& cores = {});

    /// XChaCha<rounds> (draft-irtf-cfrg-xchacha-03), but with a block counter of 64 bits: ChaCha under the key that
    /// HChaCha makes of the nonce's first 16 bytes, the other 8 as the nonce.
    static StreamCipher xchacha(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                std::span<const std::uint8_t, 24> nonce, const Cores& cores = {});

    /// Salsa20/<rounds> (D. J. Bernstein, "Salsa20 specification") with a key of 16 or 32 bytes.
    static StreamCipher salsa(std::size_t rounds, std::span<const std::uint8_t> key,
                              std::span<const std::uint8_t, 8> nonce, const Cores& cores = {});

    /// XSalsa20 (D. J. Bernstein, "Extending the Salsa20 nonce") with any of the numbers of rounds.
    static StreamCipher xsalsa(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                               std::span<const std::uint8_t, 24> nonce, const Cores& cores = {});

    StreamCipher(const StreamCipher&) = default;
    StreamCipher& operator=(const StreamCipher&) = default;
    ~StreamCipher();

    /// Goes to byte `byte` (0..63) of the 64-byte block `block` of the keystream. A new object stands at the beginning.
    void seek(std::uint64_t block, std::size_t byte = 0);

    /// Writes `in`, exclusive-ored with the keystream from the present place on, to `out` of the same size, and moves
    /// on by that. The last block of 2^64 is followed by the first.
    void apply(std::span<std::uint8_t> out, std::span<const std::uint8_t> in);

  private:
    StreamCipher(CipherFamily family, std::size_t rounds, const Cores& cores);
    void xor_keystream(std::uint8_t* out, const std::uint8_t* in, std::size_t length) const;
    std::uint64_t counter() const;
    void set_counter(std::uint64_t counter);

    alignas(64) std::array<std::uint32_t, 16> state_{};  ///< of the block where the present place is
    CipherFamily family_;
    std::size_t rounds_;
    std::size_t byte_ = 0;             ///< of that block
    std::uint64_t first_counter_ = 0;  ///< that of the first block
    Cores cores_;
};

/// HChaCha<rounds>, section 2.2 of draft-irtf-cfrg-xchacha-03.
void hchacha(std::size_t rounds, std::span<std::uint8_t, 32> subkey, std::span<const std::uint8_t, 32> key,
             std::span<const std::uint8_t, 16> nonce, const Cores& cores = {});

/// HSalsa20, section 2 of "Extending the Salsa20 nonce", with any of the numbers of rounds.
void hsalsa(std::size_t rounds, std::span<std::uint8_t, 32> subkey, std::span<const std::uint8_t, 32> key,
            std::span<const std::uint8_t, 16> nonce);

}  // namespace ciphers

#endif
