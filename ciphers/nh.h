#ifndef VERITYTOOL_CIPHERS_NH_H
#define VERITYTOOL_CIPHERS_NH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphers/registry.h"

/// NH as Adiantum has it: almost universal, four passes, words of 32 bits, chunks of up to 1024 bytes
/// (P. Crowley, E. Biggers, "Adiantum", section 5.2).

namespace ciphers {

/// NH under one key. Immutable; wiped when it goes.
class Nh {
  public:
    static constexpr std::size_t kKeySize = std::size_t{4} * arch::kNhKeyWords;
    static constexpr std::size_t kChunk = arch::kNhChunk;
    static constexpr std::size_t kDigestSize = arch::kNhDigest;

    explicit Nh(std::span<const std::uint8_t, kKeySize> key, const Cores& cores = {});
    Nh(const Nh&) = default;
    Nh& operator=(const Nh&) = default;
    ~Nh();

    /// The digests of the chunks of a message of 16 bytes or more, a multiple of 16: 32 bytes for each 1024, the last
    /// chunk perhaps shorter.
    void digests(std::span<std::uint8_t> digests, std::span<const std::uint8_t> message) const;

    /// The same of a message that is 1 to 15 bytes longer than `whole`, padded with zeros: `rest` are the bytes behind
    /// `whole`, which may be empty.
    void digests(std::span<std::uint8_t> digests, std::span<const std::uint8_t> whole,
                 std::span<const std::uint8_t> rest) const;

    /// The key as cores take it.
    const std::uint32_t* words() const { return key_.data(); }

  private:
    static constexpr std::size_t kReadable = 16;  ///< words that a core may read behind the key

    alignas(64) std::array<std::uint32_t, arch::kNhKeyWords + kReadable> key_{};
    Cores cores_;
};

}  // namespace ciphers

#endif
