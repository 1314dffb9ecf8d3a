#ifndef VERITYTOOL_ARCH_HASH_CORE_H
#define VERITYTOOL_ARCH_HASH_CORE_H

#include <stddef.h>
#include <stdint.h>

/// The interface of a hash core: one compression function for one instruction set.
///
/// A core knows nothing of padding, salts or digests; hashlib/ does that once for all of them.
/// This header is plain C in substance, so that core files need no C++ library header.

namespace arch {

/// The algorithms that cores exist for. A family fixes the words of the chaining value and the size of the
/// blocks that one compression takes:
///
///   family    chaining value   compression block   words are   source
///   blake2b   8 x uint64_t     128 bytes           LE          RFC 7693
///   blake2s   8 x uint32_t      64 bytes           LE          RFC 7693
///   sha1      5 x uint32_t      64 bytes           BE          FIPS 180-4
///   sha256    8 x uint32_t      64 bytes           BE          FIPS 180-4
///   sha512    8 x uint64_t     128 bytes           BE          FIPS 180-4
enum class HashFamily : uint8_t { blake2b, blake2s, sha1, sha256, sha512 };

}  // namespace arch

extern "C" {

/// What every hash core is: advances the chaining values of `lanes` independent messages by `blocks` compression
/// blocks each, side by side.
///
/// state       in and out: word w of message m stands at index w * lanes + m, in the processor's byte order, as
///             uint32_t or uint64_t by family; 64-byte aligned.
/// messages    `lanes` pointers, message m's next block at messages[m]; each is followed by blocks * block-size
///             readable bytes, of any alignment; two may be equal. The array itself is not written to.
/// blocks      at least 1.
/// counter     BLAKE2 only: the offset counter t (RFC 7693, section 3.2) of the first block, in bytes: all that was
///             hashed up to and with that block. Each further block adds the block size. SHA cores ignore it.
/// final_mask  BLAKE2 only: all ones when the block is the last of its message (blocks is then 1), else 0;
///             it is v[14]'s inversion. SHA cores ignore it.
typedef void HashCompress(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
                          uint64_t final_mask);

}  // extern "C"

#endif
