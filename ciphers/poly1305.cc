#include "ciphers/poly1305.h"

#include <algorithm>
#include <cassert>

#include "ciphers/wipe.h"

extern "C" Poly1305Many poly1305_portable;

namespace ciphers {
namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kLimbs = 5;
constexpr unsigned kLimbBits = 26;
constexpr std::uint32_t kLimbMask = (std::uint32_t{1} << kLimbBits) - 1;

/// A number modulo 2^130 - 5: its bits from 128 on stand in `top`.
struct Residue {
    Uint128 low;
    std::uint64_t top;
};

/// `number` + `addend`, and what it carries beyond 2^128.
std::uint64_t add(Uint128& number, std::uint64_t addend) {
    number.low += addend;
    const std::uint64_t carry = number.low < addend;
    number.high += carry;
    return number.high < carry;
}

/// Reduces a sum, which has limbs of less than 2^27 and so is less than 2^132.
Residue residue(const arch::Poly1305Sum& sum) {
    // Three numbers that overlap, of which the first two are less than 2^54: their sum, the bits from 128 on apart.
    const std::uint64_t a = sum.limb[0] + (std::uint64_t{sum.limb[1]} << kLimbBits);
    const std::uint64_t b = sum.limb[2] + (std::uint64_t{sum.limb[3]} << kLimbBits);
    const std::uint64_t c = sum.limb[4];
    Uint128 low{a, 0};
    low = low + Uint128{b << 52, b >> 12};
    const std::uint64_t c_low = c << 40;
    low.high += c_low;
    std::uint64_t top = (c >> 24) + (low.high < c_low);

    // 2^130 is 5.
    top = (top & 3) + add(low, 5 * (top >> 2));
    // What is left is less than 2^130 + 35; where it is 2^130 - 5 or more, adding 5 carries into bit 130.
    Uint128 plus_5 = low;
    const std::uint64_t excess = (top + add(plus_5, 5)) >> 2;
    top += add(low, 5 * excess);
    return {low, top & 3};
}

/// The same, split into limbs.
void store_limbs(std::uint32_t* limbs, const Residue& number) {
    const auto& [low, high] = number.low;
    limbs[0] = static_cast<std::uint32_t>(low) & kLimbMask;
    limbs[1] = static_cast<std::uint32_t>(low >> 26) & kLimbMask;
    limbs[2] = static_cast<std::uint32_t>(low >> 52 | high << 12) & kLimbMask;
    limbs[3] = static_cast<std::uint32_t>(high >> 14) & kLimbMask;
    limbs[4] = static_cast<std::uint32_t>(high >> 40 | number.top << 24);
}

/// RFC 8439, section 2.5: the top four bits of words, and the lowest two of words but the first, are cleared.
constexpr std::uint64_t kClampLow = 0x0ffffffc0fffffff, kClampHigh = 0x0ffffffc0ffffffc;

}  // namespace

Poly1305Multiplier::Poly1305Multiplier(std::span<const std::uint8_t, 16> r) {
    store_limbs(key_.power[0], {{arch::load_le64(&r[0]) & kClampLow, arch::load_le64(&r[8]) & kClampHigh}, 0});
    Wiped<arch::Poly1305Sum> power{};
    std::copy_n(key_.power[0], kLimbs, power.limb);
    for (std::size_t i = 1; i < arch::kPoly1305Powers; i++) {
        constexpr std::uint8_t kNothing[kBlock] = {};
        poly1305_portable(&key_, &power, kNothing, kBlock, 1, 1, 0);
        store_limbs(key_.power[i], residue(power));
        std::copy_n(key_.power[i], kLimbs, power.limb);
    }
}

Poly1305Multiplier::~Poly1305Multiplier() {
    wipe(&key_, sizeof key_);
}

Uint128 reduce(const arch::Poly1305Sum& sum) {
    return residue(sum).low;
}

Poly1305::Poly1305(const Poly1305Multiplier& multiplier, const Cores& cores)
    : multiplier_(&multiplier), core_(cores.function<CipherFamily::poly1305>(1)) {}

Poly1305::~Poly1305() {
    wipe(&sum_, sizeof sum_);
    wipe(buffer_.data(), sizeof buffer_);
}

void Poly1305::absorb(const std::uint8_t* data, std::size_t blocks, std::size_t top_bit) {
    core_(&multiplier_->key(), &sum_, data, kBlock * blocks, blocks, 1, top_bit);
}

void Poly1305::update(std::span<const std::uint8_t> data) {
    if (buffered_ > 0) {
        const std::size_t taken = std::min(data.size(), kBlock - buffered_);
        std::copy_n(data.begin(), taken, buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
        data = data.subspan(taken);
        buffered_ += taken;
        if (buffered_ < kBlock) return;
        absorb(buffer_.data(), 1, 1);
        buffered_ = 0;
    }
    const std::size_t blocks = data.size() / kBlock;
    if (blocks > 0) absorb(data.data(), blocks, 1);
    data = data.subspan(blocks * kBlock);
    std::ranges::copy(data, buffer_.begin());
    buffered_ = data.size();
}

Uint128 Poly1305::finish() {
    if (buffered_ > 0) {
        buffer_[buffered_] = 1;
        std::fill(buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_) + 1, buffer_.end(), std::uint8_t{0});
        absorb(buffer_.data(), 1, 0);
        buffered_ = 0;
    }
    return reduce(sum_);
}

void Poly1305::finish(std::span<std::uint8_t, 16> tag, std::span<const std::uint8_t, 16> s) {
    (finish() + Uint128::load(s.data())).store(tag.data());
}

}  // namespace ciphers
