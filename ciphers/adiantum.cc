#include "ciphers/adiantum.h"

#include <algorithm>
#include <cassert>

#include "ciphers/chacha_portable.h"
#include "ciphers/stream_cipher.h"

namespace ciphers {
namespace {

/// Bytes of the right-hand part of a message, which goes through the block cipher; the rest is the bulk.
constexpr std::size_t kRight = Aes::kBlock;

/// Sectors that go through each step together, so that the short steps (tweak, block cipher, HChaCha, Poly1305 of the
/// digests) fill the lanes of cores; and how many bytes they may have, so that the second pass over them finds them in
/// a near cache. 8 sectors of 4096 bytes fill the widest bit-sliced AES; 16 KiB and 64 KiB do not differ measurably on
/// Zen 4.
constexpr std::size_t kBatch = 16;
constexpr std::size_t kBatchBytes = 32768;

/// The largest bulk of a sector in a batch.
constexpr std::size_t kMaxBulk = 4096;
constexpr std::size_t kMaxChunks = kMaxBulk / Nh::kChunk;

/// Bytes of a longer message that are encrypted and then hashed before it goes on.
constexpr std::size_t kPiece = 8 * Nh::kChunk;

/// Bytes of dm-crypt's tweak.
constexpr std::size_t kSectorTweak = 32;

/// What stands behind the middle block in XChaCha's nonce; with nothing before it, it is the nonce of the subkeys.
constexpr std::uint8_t kNonceEnd[24] = {1};

bool fits_a_batch(std::size_t size) {
    return size > kRight && size - kRight <= kMaxBulk && size % arch::kNhUnit == 0;
}

/// The first block of the tweak's hash: the bulk's length in bits.
std::array<std::uint8_t, 16> header(std::size_t bulk) {
    std::array<std::uint8_t, 16> block;
    Uint128{std::uint64_t{bulk} << 3, std::uint64_t{bulk} >> 61}.store(block.data());
    return block;
}

/// What is computed for up to `sectors` sectors.
template <std::size_t sectors>
struct BatchMemory {
    alignas(64) std::array<std::uint32_t, 8 * sectors> subkeys;
    alignas(64) std::array<arch::Poly1305Sum, sectors> sums;
    alignas(32) std::array<std::uint8_t, sectors * kMaxChunks * Nh::kDigestSize> digests;
    alignas(16) std::array<std::uint8_t, sectors * kSectorTweak> tweaks;
    alignas(16) std::array<std::uint8_t, sectors * kRight> middles;
    alignas(16) std::array<std::uint8_t, sectors * kRight> rights;
    std::array<Uint128, sectors> tweak_hashes;
};

}  // namespace

/// The keystream that the keys of the parts are taken from, in this order.
struct Adiantum::Subkeys {
    explicit Subkeys(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores) {
        bytes = {};
        StreamCipher::xchacha(rounds, key, kNonceEnd, cores).apply(bytes, bytes);
    }

    auto block() const { return std::span(bytes).first<32>(); }
    auto tweak_r() const { return std::span(bytes).subspan<32, 16>(); }
    auto message_r() const { return std::span(bytes).subspan<48, 16>(); }
    auto nh() const { return std::span(bytes).last<Nh::kKeySize>(); }

    Wiped<std::array<std::uint8_t, 32 + 16 + 16 + Nh::kKeySize>> bytes;
};

/// Sectors that are one after the other, and BatchMemory for them.
struct Adiantum::Batch {
    template <std::size_t sectors>
    Batch(BatchMemory<sectors>& m, std::size_t sector_size, std::size_t number)
        : subkeys(m.subkeys.data()),
          sums(m.sums.data()),
          digests(m.digests.data()),
          tweaks(m.tweaks.data()),
          middles(m.middles.data()),
          rights(m.rights.data()),
          tweak_hashes(m.tweak_hashes.data()),
          size(sector_size),
          bulk(sector_size - kRight),
          digests_size((bulk + Nh::kChunk - 1) / Nh::kChunk * Nh::kDigestSize),
          count(number) {}

    std::uint32_t* subkeys;
    arch::Poly1305Sum* sums;
    std::uint8_t* digests;
    std::uint8_t* tweaks;
    std::uint8_t* middles;  ///< the right-hand parts plus the hashes of tweak and bulk
    std::uint8_t* rights;   ///< the same after the block cipher
    Uint128* tweak_hashes;
    std::size_t size;          ///< of a sector
    std::size_t bulk;          ///< of a sector
    std::size_t digests_size;  ///< bytes of a sector's NH digests
    std::size_t count;         ///< sectors
};

Adiantum::Adiantum(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores)
    : Adiantum(rounds, key, Subkeys(rounds, key, cores), cores) {}

Adiantum::Adiantum(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Subkeys& subkeys,
                   const Cores& cores)
    : rounds_(rounds),
      block_(subkeys.block(), cores),
      tweak_multiplier_(subkeys.tweak_r()),
      hash_(subkeys.message_r(), subkeys.nh(), cores),
      cores_(cores) {
    std::ranges::copy(key, stream_key_.bytes.begin());
    load_words(stream_key_.words, key);
}

void Adiantum::crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> tweak,
                     std::span<const std::uint8_t> in) const {
    assert(in.size() >= kRight && out.size() == in.size());
    Poly1305 tweak_hash(tweak_multiplier_, cores_);
    tweak_hash.update(header(in.size() - kRight));
    tweak_hash.update(tweak);
    if (!fits_a_batch(in.size())) return crypt_any(direction, out, tweak_hash.finish(), in);
    Wiped<BatchMemory<1>> memory;
    const Batch batch(memory, in.size(), 1);
    batch.tweak_hashes[0] = tweak_hash.finish();
    crypt_batch(direction, batch, out.data(), in.data());
}

void Adiantum::crypt_sectors(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in,
                             const SectorRun& sectors) const {
    assert(sectors.size >= kRight && out.size() == in.size() && in.size() % sectors.size == 0);
    std::uint64_t iv = sectors.first_iv;
    if (!fits_a_batch(sectors.size)) {
        for (std::size_t done = 0; done < in.size(); done += sectors.size, iv += sectors.iv_step) {
            std::array<std::uint8_t, kSectorTweak> tweak{};
            arch::store_le64(tweak.data(), iv);
            crypt(direction, out.subspan(done, sectors.size), tweak, in.subspan(done, sectors.size));
        }
        return;
    }

    Wiped<arch::Poly1305Sum> start{};
    cores_.function<CipherFamily::poly1305>(1)(&tweak_multiplier_.key(), &start, header(sectors.size - kRight).data(),
                                               16, 1, 1, 1);
    const auto in_batches_of = [&](std::size_t most, auto& memory) {
        for (std::size_t done = 0; done < in.size();) {
            const Batch batch(memory, sectors.size, std::min((in.size() - done) / sectors.size, most));
            hash_tweaks(batch, start, iv, sectors.iv_step);
            crypt_batch(direction, batch, &out[done], &in[done]);
            iv += batch.count * sectors.iv_step;
            done += batch.count * sectors.size;
        }
    };
    if (in.size() == sectors.size) {  // less to wipe
        Wiped<BatchMemory<1>> memory;
        in_batches_of(1, memory);
    } else {
        Wiped<BatchMemory<kBatch>> memory;
        in_batches_of(std::clamp<std::size_t>(kBatchBytes / sectors.size, 1, kBatch), memory);
    }
}

/// Hashes the tweaks of sectors; `start` is the sum behind the header.
void Adiantum::hash_tweaks(const Batch& batch, const arch::Poly1305Sum& start, std::uint64_t first_iv,
                           std::uint64_t iv_step) const {
    std::fill_n(batch.tweaks, batch.count * kSectorTweak, std::uint8_t{0});
    for (std::size_t i = 0; i < batch.count; i++)
        arch::store_le64(batch.tweaks + i * kSectorTweak, first_iv + i * iv_step);
    std::fill_n(batch.sums, batch.count, start);
    cores_.function<CipherFamily::poly1305>(batch.count)(&tweak_multiplier_.key(), batch.sums, batch.tweaks,
                                                         kSectorTweak, kSectorTweak / 16, batch.count, 1);
    for (std::size_t i = 0; i < batch.count; i++) batch.tweak_hashes[i] = reduce(batch.sums[i]);
}

/// Encrypts or decrypts sectors whose tweaks have been hashed. Both directions hash the bulk, find the stream cipher's
/// nonce, apply it and hash the bulk again; they differ in which side of the block cipher the nonce is taken from.
void Adiantum::crypt_batch(Direction direction, const Batch& batch, std::uint8_t* out, const std::uint8_t* in) const {
    cores_.function<CipherFamily::nh>(batch.count * batch.digests_size / Nh::kDigestSize)(
        hash_.nh().words(), batch.digests, in, batch.size, batch.bulk, batch.count);
    hash_messages(batch);
    for (std::size_t i = 0; i < batch.count; i++) {
        const Uint128 right = Uint128::load(in + i * batch.size + batch.bulk);
        (right + batch.tweak_hashes[i] + reduce(batch.sums[i])).store(batch.middles + i * kRight);
    }

    block_.crypt(direction, {batch.rights, batch.count * kRight}, {batch.middles, batch.count * kRight});
    stream_and_digest(batch, direction == Direction::encrypt ? batch.rights : batch.middles, out, in);

    hash_messages(batch);
    for (std::size_t i = 0; i < batch.count; i++) {
        const Uint128 right = Uint128::load(batch.rights + i * kRight);
        (right - batch.tweak_hashes[i] - reduce(batch.sums[i])).store(out + i * batch.size + batch.bulk);
    }
}

/// From the NH digests of the bulks to their Poly1305 sums.
void Adiantum::hash_messages(const Batch& batch) const {
    std::fill_n(batch.sums, batch.count, arch::Poly1305Sum{});
    cores_.function<CipherFamily::poly1305>(batch.count)(&hash_.multiplier().key(), batch.sums, batch.digests,
                                                         batch.digests_size, batch.digests_size / 16, batch.count, 1);
}

/// Applies the stream cipher to the bulks and takes the NH digests of what comes out.
void Adiantum::stream_and_digest(const Batch& batch, const std::uint8_t* nonces, std::uint8_t* out,
                                 const std::uint8_t* in) const {
    cores_.function<CipherFamily::hchacha>(batch.count)(stream_key_.words.data(), rounds_, batch.subkeys, nonces,
                                                        batch.count);
    if (AdiantumPass* const pass = cores_.function<CipherFamily::adiantum>(batch.count)) {
        pass(hash_.nh().words(), batch.subkeys, rounds_, batch.digests, out, in, batch.bulk, batch.count);
        return;
    }
    StreamXor* const chacha = cores_.function<CipherFamily::chacha>((batch.bulk + 63) / 64);
    NhMany* const nh = cores_.function<CipherFamily::nh>(kMaxChunks);
    struct State {
        alignas(64) ChaChaWords words;
    };
    Wiped<State> state;
    std::ranges::copy(kChaChaConstants, state.words.begin());
    for (std::size_t w = 12; w < 16; w++) state.words[w] = w == 14;
    for (std::size_t i = 0; i < batch.count; i++) {
        std::copy_n(batch.subkeys + 8 * i, 8, state.words.begin() + 4);
        chacha(state.words.data(), rounds_, out + i * batch.size, in + i * batch.size, batch.bulk);
        nh(hash_.nh().words(), batch.digests + i * batch.digests_size, out + i * batch.size, batch.bulk, batch.bulk, 1);
    }
}

/// Encrypts or decrypts a message of any length from kRight on.
void Adiantum::crypt_any(Direction direction, std::span<std::uint8_t> out, Uint128 tweak_hash,
                         std::span<const std::uint8_t> in) const {
    const std::size_t bulk = in.size() - kRight;
    struct Blocks {
        std::array<std::uint8_t, kRight> middle, right;
        std::array<std::uint8_t, 24> nonce;
    };
    Wiped<Blocks> blocks;
    const Uint128 right = Uint128::load(in.last<kRight>().data());
    (right + tweak_hash + hash_.hash(in.first(bulk))).store(blocks.middle.data());
    block_.crypt(direction, blocks.right, blocks.middle);
    std::ranges::copy(direction == Direction::encrypt ? blocks.right : blocks.middle, blocks.nonce.begin());
    std::copy_n(kNonceEnd, 24 - kRight, blocks.nonce.begin() + kRight);

    StreamCipher stream = StreamCipher::xchacha(rounds_, stream_key_.bytes, blocks.nonce, cores_);
    Wiped<arch::Poly1305Sum> sum{};
    for (std::size_t done = 0; done < bulk; done += kPiece) {
        const std::size_t size = std::min(bulk - done, kPiece);
        stream.apply(out.subspan(done, size), in.subspan(done, size));
        hash_.absorb(sum, out.subspan(done, size));
    }
    (Uint128::load(blocks.right.data()) - tweak_hash - reduce(sum)).store(out.last<kRight>().data());
}

}  // namespace ciphers
