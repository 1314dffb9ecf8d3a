#ifndef VERITYTOOL_ARCH_CIPHER_CORE_H
#define VERITYTOOL_ARCH_CIPHER_CORE_H

#include <stddef.h>
#include <stdint.h>

/// The interfaces of cipher cores: what each family of them computes, in words and bytes.
///
/// A core knows nothing of nonces, tweaks, sector numbers or padding; ciphers/ does that once for all of them. This
/// header is plain C in substance, so that core files need no C++ library header.
///
/// What holds for all families:
/// - Every argument is one machine word: a pointer, or a size_t also where the number is small.
/// - The order is context, outputs, inputs.
/// - Numbers of blocks, messages or sectors are at least 1 and need not fill the core's lanes; the core itself takes
///   care of what is left over.
/// - Message and ciphertext bytes (`in`, `out`, `message`) have any alignment, and nothing outside of them is read or
///   written. `out` is `in` exactly or does not overlap it; nothing else overlaps.
/// - The other operands are aligned as said here and hold words in the processor's byte order.
/// - No branch and no address depends on keys, messages or what is computed from them; lengths, counts, rounds and the
///   direction are public.
/// - Registers and stack need not be cleared.

namespace arch {

/// The algorithms that cores exist for. A core's `lanes` and `pass_cost` (see arch/*/ciphers.def) count in the unit of
/// its family: what one pass takes side by side. The cost is that of 12 rounds, of one block of each Poly1305 message
/// and of 4080 bytes of each Adiantum sector.
///
///   family    function       unit              source
///   chacha    StreamXor      64-byte block     D. J. Bernstein, "ChaCha, a variant of Salsa20"; RFC 8439, section 2.3
///   salsa     StreamXor      64-byte block     D. J. Bernstein, "The Salsa20 family of stream ciphers"
///   hchacha   HChaChaMany    nonce             draft-irtf-cfrg-xchacha-03, section 2.2
///   nh        NhMany         1024-byte chunk   P. Crowley, E. Biggers, "Adiantum", section 5.2
///   poly1305  Poly1305Many   message           RFC 8439, section 2.5
///   aes       AesBlocks      16-byte block     FIPS 197
///   aesxts    AesXtsSectors  16-byte block     IEEE 1619
///   adiantum  AdiantumPass   sector            the second half of Adiantum for many sectors, in one pass over memory
///
/// A family's name begins the names of its cores: hchacha_neon, poly1305_avx2_x4. The adiantum family has no portable
/// core: where a processor has none, chacha and nh cores are called one after the other.
enum class CipherFamily : uint8_t { chacha, salsa, hchacha, nh, poly1305, aes, aesxts, adiantum };

/// Bytes of a message that one NH digest stands for, of a digest, and of the unit that NH works in.
enum { kNhChunk = 1024, kNhDigest = 32, kNhUnit = 16 };

/// Words of a whole NH key: a chunk's 256, and 12 more for the last pass.
enum { kNhKeyWords = kNhChunk / 4 + 12 };

/// How many powers of r a Poly1305Key holds: as many as there are lanes in the widest vectors.
enum { kPoly1305Powers = 8 };

/// The multiplier of Poly1305 (RFC 8439's clamped r) and its powers modulo 2^130 - 5, as numbers in radix 2^26:
/// r^(i + 1) is the sum of power[i][k] << 26 k for k = 0..4, reduced, each of these words below 2^26; words 5..7 are
/// zero.
struct alignas(64) Poly1305Key {
    uint32_t power[kPoly1305Powers][8];
};

/// A sum of Poly1305 on the way, modulo 2^130 - 5 and not reduced: the sum of limb[k] << 26 k for k = 0..4. Each of
/// these words is below 2^27, before and after a call. Cores may write anything to words 5..7, and expect nothing
/// there.
struct alignas(32) Poly1305Sum {
    uint32_t limb[8];
};

/// Round keys of AES-256 and AES-128 in the forms that cores like best.
enum { kAesMaxRoundKeys = 15 };
struct alignas(64) AesKey {
    /// The key schedule as FIPS 197, section 5.2 has it: round key i, byte by byte.
    uint8_t encrypt[kAesMaxRoundKeys][16];
    /// The same for the equivalent inverse cipher (section 5.3.5), in the order of use: decrypt[0] is the last of
    /// `encrypt`, decrypt[rounds] its first, and those between have been through InvMixColumns.
    uint8_t decrypt[kAesMaxRoundKeys][16];
    /// `encrypt` as bit planes for bit-sliced code that keeps one bit of eight blocks in each byte: sliced[i][b][j] is
    /// 0xff where bit b (b = 0 the least significant) of byte j of round key i is set, else 0. The constant 0x63 of the
    /// S-box is in it: all bytes of round keys 1..rounds are exclusive-ored with it. MixColumns and its inverse leave
    /// four equal bytes as they are, so it serves SubBytes without its constant (before round key i is added), and also
    /// InvSubBytes without it (after round key i has been added).
    uint8_t sliced[kAesMaxRoundKeys][8][16];
    /// 14 for AES-256, 10 for AES-128; round keys 0..rounds are used.
    uint32_t rounds;
    /// `encrypt` for the portable code: bit 16 n + j of planes[i][b] is bit b of byte j of round key i, for n = 0..3.
    uint64_t planes[kAesMaxRoundKeys][8];
};
static_assert(offsetof(AesKey, decrypt) == 240 && offsetof(AesKey, sliced) == 480 && offsetof(AesKey, rounds) == 2400,
              "the layout that assembly knows");

}  // namespace arch

extern "C" {

/// chacha and salsa: exclusive-ors `length` bytes (1 or more) with the keystream.
///
/// state    the 16 words that the first block starts from, in the order of the cipher's specification, constants
///          included; 64-byte aligned. The block counter has 64 bits, its low half first: words 12 and 13 of ChaCha,
///          8 and 9 of Salsa20. It counts on, modulo 2^64, for each further block; the words themselves stay.
/// rounds   8, 12 or 20.
/// length   any: the last block's surplus keystream is dropped. Tails are worth care: a length that is no multiple of
///          what a pass takes is to go through the many-block code in one go (overlapping loads and stores, permutes,
///          masks), as 1420-byte packets and the 4080 and 496 bytes of an Adiantum sector all have one.
typedef void StreamXor(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length);

/// hchacha: the subkeys of XChaCha for `count` nonces under one key, side by side.
///
/// key      8 words, 64-byte aligned.
/// rounds   8, 12 or 20.
/// subkeys  8 words for each nonce, one after the other; 64-byte aligned.
/// nonces   16 bytes each, one after the other; 16-byte aligned.
typedef void HChaChaMany(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces, size_t count);

/// nh: the NH digests of `count` messages of one length under one key.
///
/// With m the little-endian words of a 16-byte unit and k the key from that unit on (4 words further for each unit of a
/// chunk), pass p = 0..3 sums, modulo 2^64 over all units of the chunk,
///     (m[0] + k[4p]) * (m[2] + k[4p + 2]) + (m[1] + k[4p + 1]) * (m[3] + k[4p + 3]),
/// the additions in parentheses modulo 2^32. A digest is the four sums as little-endian 64-bit numbers.
///
/// key      4 * units + 12 words, units being those of the longest chunk: min(length, 1024) / 16. 16-byte aligned;
///          another 64 bytes behind them may be read.
/// digests  32 bytes for each chunk of 1024 bytes, the last of a message perhaps shorter, message after message;
///          32-byte aligned.
/// message  message i is at message + i * stride.
/// length   bytes of each message; a multiple of 16, at least 16.
typedef void NhMany(const uint32_t* key, uint8_t* digests, const uint8_t* message, size_t stride, size_t length,
                    size_t count);

/// poly1305: absorbs `blocks` 16-byte blocks of each of `count` messages under one key, side by side:
/// sum = (sum + block + top_bit * 2^128) * r for one block after the other.
///
/// sums      one for each message.
/// message   message i is at message + i * stride.
/// blocks    at least 1. Adiantum has 2 to 8 blocks in each of many messages; HPolyC and Poly1305 by itself have one
///           long message, for which there are the powers of r.
/// top_bit   1 for whole blocks; 0 for a last one that has been padded with a one bit and zeros.
typedef void Poly1305Many(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message, size_t stride,
                          size_t blocks, size_t count, size_t top_bit);

/// aes: encrypts (decrypt = 0) or decrypts (1) `blocks` blocks, each by itself. Adiantum has one block a sector, so
/// that the blocks of some 8 or 16 sectors come together.
typedef void AesBlocks(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks);

/// aesxts: encrypts (decrypt = 0) or decrypts (1) `sectors` sectors that stand one after the other.
///
/// tweaks         for each sector 16 bytes, one after the other, already encrypted with the tweak key: what the first
///                block is exclusive-ored with. Each further block's is twice that of the one before, modulo
///                x^128 + x^7 + x^2 + x + 1, the least significant byte first. 16-byte aligned.
/// sector_blocks  16-byte blocks of each sector.
typedef void AesXtsSectors(const arch::AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in,
                           const uint8_t* tweaks, size_t sector_blocks, size_t sectors);

/// adiantum: what both directions of Adiantum do after the middle block is known: exclusive-ors the bulk of `count`
/// sectors with the keystream, and takes the NH digests of the result while it is in registers or in the nearest cache.
/// The same bytes and digests as StreamXor and NhMany give one after the other. Short sectors may share a pass.
///
/// nh_key   as for NhMany.
/// subkeys  8 words for each sector, one after the other: what HChaChaMany gave for it; 64-byte aligned. The ChaCha
///          state of sector i is the constants, subkey i, and the words 0, 0, 1, 0.
/// rounds   8, 12 or 20.
/// digests  as for NhMany, of the bytes that go to `out`.
/// out, in  sector i is at out + i * (length + 16), in + i * (length + 16): the bulk of a sector is followed by the
///          16 bytes of its right-hand block, which are neither read nor written.
/// length   bytes of the bulk; a multiple of 16, at least 16. 4080 and 496 are what matters.
typedef void AdiantumPass(const uint32_t* nh_key, const uint32_t* subkeys, size_t rounds, uint8_t* digests,
                          uint8_t* out, const uint8_t* in, size_t length, size_t count);

}  // extern "C"

#endif
