#include "ciphers/aes_xts.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "ciphers/wipe.h"
#include "ciphers/words.h"

namespace ciphers {
namespace {

/// Sectors whose tweaks are encrypted together: enough to fill the lanes of any core.
constexpr std::size_t kSectorsAtOnce = 32;

struct Tweaks {
    alignas(16) std::array<std::uint8_t, kSectorsAtOnce * AesXts::kTweakSize> bytes;
};

}  // namespace

AesXts::AesXts(std::span<const std::uint8_t> key, const Cores& cores)
    : data_(key.first(key.size() / 2), cores), tweak_(key.last(key.size() / 2), cores), cores_(cores) {}

void AesXts::crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t, kTweakSize> tweak,
                   std::span<const std::uint8_t> in) const {
    assert(out.size() == in.size() && in.size() % Aes::kBlock == 0);
    const std::size_t blocks = in.size() / Aes::kBlock;
    if (blocks == 0) return;
    Wiped<Tweaks> tweaks;
    const auto encrypted = std::span(tweaks.bytes).first<kTweakSize>();
    tweak_.crypt(Direction::encrypt, encrypted, tweak);
    cores_.function<CipherFamily::aesxts>(blocks)(&data_.key(), direction == Direction::decrypt, out.data(), in.data(),
                                                  encrypted.data(), blocks, 1);
}

void AesXts::crypt_sectors(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in,
                           const SectorRun& sectors) const {
    assert(sectors.size > 0 && sectors.size % Aes::kBlock == 0);
    assert(out.size() == in.size() && in.size() % sectors.size == 0);
    const std::size_t blocks = sectors.size / Aes::kBlock;
    Wiped<Tweaks> tweaks;
    std::uint64_t iv = sectors.first_iv;
    for (std::size_t done = 0; done < in.size();) {
        const std::size_t count = std::min((in.size() - done) / sectors.size, kSectorsAtOnce);
        const auto encrypted = std::span(tweaks.bytes).first(count * kTweakSize);
        for (std::size_t i = 0; i < count; i++, iv += sectors.iv_step) Uint128{iv, 0}.store(&encrypted[i * kTweakSize]);
        tweak_.crypt(Direction::encrypt, encrypted, encrypted);
        cores_.function<CipherFamily::aesxts>(blocks * count)(&data_.key(), direction == Direction::decrypt, &out[done],
                                                              &in[done], encrypted.data(), blocks, count);
        done += count * sectors.size;
    }
}

}  // namespace ciphers
