#include "ciphers/nh.h"

#include <algorithm>
#include <cassert>

#include "ciphers/wipe.h"
#include "ciphers/words.h"

namespace ciphers {
namespace {

constexpr std::size_t kUnit = arch::kNhUnit;

/// Digests that cores write before they are copied to where the caller wants them, which may have any alignment.
constexpr std::size_t kChunksAtOnce = 16;
struct AlignedDigests {
    alignas(32) std::array<std::uint8_t, kChunksAtOnce * Nh::kDigestSize> bytes;
};

constexpr std::size_t chunks(std::size_t length) {
    return (length + Nh::kChunk - 1) / Nh::kChunk;
}

}  // namespace

Nh::Nh(std::span<const std::uint8_t, kKeySize> key, const Cores& cores) : cores_(cores) {
    load_words(std::span(key_).first<arch::kNhKeyWords>(), key);
}

Nh::~Nh() {
    wipe(key_.data(), sizeof key_);
}

void Nh::digests(std::span<std::uint8_t> digests, std::span<const std::uint8_t> message) const {
    assert(!message.empty() && message.size() % kUnit == 0);
    assert(digests.size() == kDigestSize * chunks(message.size()));
    Wiped<AlignedDigests> aligned;
    while (!message.empty()) {
        const std::span now = message.first(std::min(message.size(), kChunksAtOnce * kChunk));
        const std::size_t size = kDigestSize * chunks(now.size());
        cores_.function<CipherFamily::nh>(chunks(now.size()))(key_.data(), aligned.bytes.data(), now.data(), now.size(),
                                                              now.size(), 1);
        std::copy_n(aligned.bytes.begin(), size, digests.begin());
        digests = digests.subspan(size);
        message = message.subspan(now.size());
    }
}

void Nh::digests(std::span<std::uint8_t> digests, std::span<const std::uint8_t> whole,
                 std::span<const std::uint8_t> rest) const {
    assert(!rest.empty() && rest.size() < kUnit && whole.size() % kUnit == 0);
    assert(digests.size() == kDigestSize * chunks(whole.size() + 1));
    std::ranges::fill(digests.last<kDigestSize>(), std::uint8_t{0});
    if (!whole.empty()) this->digests(digests.first(kDigestSize * chunks(whole.size())), whole);

    // A digest is a sum over units: the last one, under the key that belongs to its place, is added.
    struct Operands {
        alignas(32) std::array<std::uint8_t, kDigestSize> digest;
        std::array<std::uint8_t, kUnit> unit;
    };
    Wiped<Operands> last;
    last.unit = {};
    std::ranges::copy(rest, last.unit.begin());
    cores_.function<CipherFamily::nh>(1)(&key_[whole.size() % kChunk / 4], last.digest.data(), last.unit.data(), kUnit,
                                         kUnit, 1);
    for (std::size_t i = 0; i < kDigestSize; i += 8) {
        std::uint8_t* const sum = &digests[digests.size() - kDigestSize + i];
        arch::store_le64(sum, arch::load_le64(sum) + arch::load_le64(&last.digest[i]));
    }
}

}  // namespace ciphers
