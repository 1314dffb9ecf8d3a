#include "ciphers/nhpoly1305.h"

#include <algorithm>
#include <array>

#include "ciphers/wipe.h"

namespace ciphers {
namespace {

/// Chunks whose digests are computed before they are absorbed: more of them do not make it faster.
constexpr std::size_t kChunksAtOnce = 16;

}  // namespace

NhPoly1305::NhPoly1305(std::span<const std::uint8_t, 16> r, std::span<const std::uint8_t, Nh::kKeySize> nh_key,
                       const Cores& cores)
    : multiplier_(r), nh_(nh_key, cores), cores_(cores) {}

Uint128 NhPoly1305::hash(std::span<const std::uint8_t> message) const {
    Wiped<arch::Poly1305Sum> sum{};
    absorb(sum, message);
    return reduce(sum);
}

void NhPoly1305::absorb(arch::Poly1305Sum& sum, std::span<const std::uint8_t> piece) const {
    Wiped<std::array<std::uint8_t, kChunksAtOnce * Nh::kDigestSize>> digests;
    while (!piece.empty()) {
        const std::span<const std::uint8_t> now = piece.first(std::min(piece.size(), kChunksAtOnce * Nh::kChunk));
        const std::size_t ragged = now.size() % arch::kNhUnit;
        const std::size_t size = (now.size() + Nh::kChunk - 1) / Nh::kChunk * Nh::kDigestSize;
        const std::span<std::uint8_t> out = std::span(digests).first(size);
        if (ragged == 0)
            nh_.digests(out, now);
        else
            nh_.digests(out, now.first(now.size() - ragged), now.last(ragged));
        cores_.function<CipherFamily::poly1305>(1)(&multiplier_.key(), &sum, out.data(), size, size / 16, 1, 1);
        piece = piece.subspan(now.size());
    }
}

}  // namespace ciphers
