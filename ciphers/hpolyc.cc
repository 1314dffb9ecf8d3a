#include "ciphers/hpolyc.h"

#include <algorithm>
#include <cassert>

#include "arch/load_store.h"
#include "ciphers/stream_cipher.h"

namespace ciphers {
namespace {

constexpr std::size_t kRight = Aes::kBlock;
constexpr std::size_t kHashBlock = 16;

/// What stands behind the middle block in XChaCha's nonce; with nothing before it, it is the nonce of the subkeys.
constexpr std::uint8_t kNonceEnd[24] = {1};

}  // namespace

/// The keystream that the keys of the parts are taken from, in this order.
struct HPolyC::Subkeys {
    Subkeys(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores) {
        bytes = {};
        StreamCipher::xchacha(rounds, key, kNonceEnd, cores).apply(bytes, bytes);
    }

    auto block() const { return std::span(bytes).first<32>(); }
    auto r() const { return std::span(bytes).last<16>(); }

    Wiped<std::array<std::uint8_t, 32 + 16>> bytes;
};

HPolyC::HPolyC(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Cores& cores)
    : HPolyC(rounds, key, Subkeys(rounds, key, cores), cores) {}

HPolyC::HPolyC(std::size_t rounds, std::span<const std::uint8_t, kKeySize> key, const Subkeys& subkeys,
               const Cores& cores)
    : rounds_(rounds), block_(subkeys.block(), cores), multiplier_(subkeys.r()), cores_(cores) {
    std::ranges::copy(key, stream_key_.begin());
}

void HPolyC::crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> tweak,
                   std::span<const std::uint8_t> in) const {
    assert(in.size() >= kRight && out.size() == in.size() && tweak.size() < std::size_t{1} << 29);
    const std::size_t bulk = in.size() - kRight;

    // The message's part of the hash continues the tweak's: its length in bits, itself, zeros to the end of the block.
    Poly1305 tweak_hash(multiplier_, cores_);
    std::array<std::uint8_t, 4> length;
    arch::store_le32(length.data(), static_cast<std::uint32_t>(8 * tweak.size()));
    tweak_hash.update(length);
    tweak_hash.update(tweak);
    constexpr std::array<std::uint8_t, kHashBlock> kZeros{};
    tweak_hash.update(std::span(kZeros).last((0 - length.size() - tweak.size()) % kHashBlock));
    const auto hash = [&](std::span<const std::uint8_t> message) {
        Poly1305 whole = tweak_hash;
        whole.update(message);
        return whole.finish();
    };

    struct Blocks {
        std::array<std::uint8_t, kRight> middle, right;
        std::array<std::uint8_t, 24> nonce;
    };
    Wiped<Blocks> blocks;
    (Uint128::load(in.last<kRight>().data()) + hash(in.first(bulk))).store(blocks.middle.data());
    block_.crypt(direction, blocks.right, blocks.middle);
    std::ranges::copy(direction == Direction::encrypt ? blocks.right : blocks.middle, blocks.nonce.begin());
    std::copy_n(kNonceEnd, 24 - kRight, blocks.nonce.begin() + kRight);
    StreamCipher::xchacha(rounds_, stream_key_, blocks.nonce, cores_).apply(out.first(bulk), in.first(bulk));
    (Uint128::load(blocks.right.data()) - hash(out.first(bulk))).store(out.last<kRight>().data());
}

}  // namespace ciphers
