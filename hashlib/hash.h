#ifndef VERITYTOOL_HASHLIB_HASH_H
#define VERITYTOOL_HASHLIB_HASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hashlib/registry.h"

/// The hash functions of dm-verity trees: one message as it comes, or many equal blocks with one salt.
///
/// This library validates nothing that its callers can know beforehand: preconditions are stated and asserted.

namespace hashlib {

/// The largest digest, in bytes.
inline constexpr std::size_t kMaxDigestSize = 64;

/// The longest salt that BlockHasher takes, in bytes: what a verity superblock can hold.
inline constexpr std::size_t kMaxSaltSize = 256;

/// One hash function, in the terms of its specification.
struct HashAlgorithm {
    std::string_view name;                 ///< as veritysetup spells it: "blake2b-256"
    HashFamily family;                     ///< the compression function
    std::size_t digest_size;               ///< bytes
    std::array<std::uint64_t, 8> initial;  ///< the chaining value before the first block; unused words are zero
};

/// All hash functions, in the order in which they are listed to users.
std::span<const HashAlgorithm> hash_algorithms();

/// The hash function called `name` in any mix of upper and lower case; null if there is none.
const HashAlgorithm* find_hash(std::string_view name);

/// Hashes one message that arrives in pieces. A value: copying it forks the message.
class Hasher {
  public:
    /// Uses the fastest core for one message, or `core`, which must be usable and of the algorithm's family.
    explicit Hasher(const HashAlgorithm& algorithm, const HashCore* core = nullptr);

    /// Appends `data` to the message. Messages of up to 2^61 - 1 bytes are supported.
    void update(std::span<const std::uint8_t> data);

    /// Writes the digest of the message to `digest`, of exactly digest_size bytes. The object then serves only to be
    /// assigned to.
    void finish(std::span<std::uint8_t> digest);

  private:
    const HashAlgorithm* algorithm_;
    const HashCore* core_;
    std::array<std::uint64_t, 8> state_;
    std::uint64_t length_ = 0;  ///< bytes hashed, with those in buffer_
    std::size_t buffered_ = 0;
    std::array<std::uint8_t, 128> buffer_;
};

/// Where the salt stands in the hashed message: dm-verity's format 1 has it before the block, format 0 after.
enum class SaltPosition : std::uint8_t { before, after };

/// Hashes many blocks of one length with one salt, several at a time where a core has lanes for it. The part of the
/// message that is the same for all blocks (whole blocks of salt, padding) is prepared once. Immutable: one object
/// serves any number of threads.
class BlockHasher {
  public:
    /// `salt` holds 0 to kMaxSaltSize bytes; block_size is 1 byte or more. Uses the fastest core for each number of
    /// blocks, or always `core`, which must be usable and of the algorithm's family.
    BlockHasher(const HashAlgorithm& algorithm, std::span<const std::uint8_t> salt, SaltPosition position,
                std::size_t block_size, const HashCore* core = nullptr);

    /// Hashes the blocks.size() / block_size() blocks that stand in `blocks` one after the other (a whole number of
    /// them). The digest of block i goes to digests[i * stride], digest_size bytes; bytes between digests are left as
    /// they are. `digests` reaches at least to the end of the last digest.
    void hash(std::span<std::uint8_t> digests, std::size_t stride, std::span<const std::uint8_t> blocks) const;

    const HashAlgorithm& algorithm() const { return *algorithm_; }
    std::size_t block_size() const { return block_size_; }

  private:
    template <class Word>
    struct Scratch;
    template <class Word>
    void hash_words(std::uint8_t* digests, std::size_t stride, const std::uint8_t* blocks, std::size_t count) const;
    template <class Word>
    void hash_side_by_side(const HashCore& core, Scratch<Word>& scratch, std::uint8_t* digests, std::size_t stride,
                           const std::uint8_t* blocks, std::size_t count) const;

    // The message of one block is cut in three: `head`, one compression block in which the end of the salt meets the
    // beginning of the data (absent where the salt ends on a boundary); `body`, whole compression blocks of data,
    // hashed where they lie; `tail`, the rest of the data, the salt if it stands after, and the padding.
    static constexpr std::size_t kMaxCompressionBlock = 128;
    static constexpr std::size_t kMaxTail = 512;  // 128 of data, 256 of salt, 17 of padding, in whole blocks

    const HashAlgorithm* algorithm_;
    const HashCore* core_;
    std::size_t block_size_;
    std::array<std::uint64_t, 8> salted_state_;  // after all whole compression blocks of salt
    std::uint64_t salted_length_ = 0;            // bytes in them
    std::size_t head_salt_ = 0;                  // salt bytes at the beginning of the head, or of the tail if headless
    std::size_t head_data_ = 0;                  // data bytes in the head; 0: no head
    std::size_t body_blocks_ = 0;
    std::size_t tail_data_ = 0;     // data bytes in the tail
    std::size_t tail_data_at_ = 0;  // where in the tail they begin
    std::size_t tail_size_ = 0;     // a multiple of the compression block
    std::uint64_t message_length_ = 0;
    std::array<std::uint8_t, kMaxCompressionBlock> head_{};  // the constant part of the head
    std::array<std::uint8_t, kMaxTail> tail_{};              // the constant part of the tail
};

}  // namespace hashlib

#endif
