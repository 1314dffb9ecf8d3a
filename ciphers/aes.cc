#include "ciphers/aes.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "ciphers/aes_portable.h"
#include "ciphers/wipe.h"

namespace ciphers {
namespace {

using Word = std::array<std::uint8_t, 4>;

/// SubWord, FIPS 197 section 5.2, by the bit-sliced S-box.
Word substituted(const Word& word) {
    std::array<std::uint8_t, 16> block{};
    std::ranges::copy(word, block.begin());
    AesPlanes planes{};
    aes_planes::insert(planes, 0, block.data());
    aes_planes::sub_bytes(planes);
    aes_planes::extract(block.data(), planes, 0);
    return {block[0], block[1], block[2], block[3]};
}

/// KeyExpansion, FIPS 197 section 5.2.
void expand(arch::AesKey& schedule, std::span<const std::uint8_t> key) {
    const std::size_t key_words = key.size() / 4, words = std::size_t{4} * (schedule.rounds + 1);
    std::uint8_t* const w = schedule.encrypt[0];
    std::ranges::copy(key, w);
    std::uint8_t round_constant = 1;
    for (std::size_t i = key_words; i < words; i++) {
        const std::uint8_t* const before = w + 4 * (i - 1);
        Word word = {before[0], before[1], before[2], before[3]};
        if (i % key_words == 0) {
            word = substituted({word[1], word[2], word[3], word[0]});
            word[0] ^= round_constant;
            round_constant = static_cast<std::uint8_t>(round_constant << 1 ^ (round_constant >> 7) * 0x1b);
        } else if (key_words > 6 && i % key_words == 4) {
            word = substituted(word);
        }
        for (std::size_t b = 0; b < 4; b++) w[4 * i + b] = w[4 * (i - key_words) + b] ^ word[b];
    }
}

void invert(arch::AesKey& schedule) {
    for (std::size_t i = 0; i <= schedule.rounds; i++) {
        const std::uint8_t* const from = schedule.encrypt[schedule.rounds - i];
        if (i == 0 || i == schedule.rounds) {
            std::copy_n(from, Aes::kBlock, schedule.decrypt[i]);
            continue;
        }
        AesPlanes planes{};
        aes_planes::insert(planes, 0, from);
        aes_planes::inv_mix_columns(planes);
        aes_planes::extract(schedule.decrypt[i], planes, 0);
    }
}

void slice(arch::AesKey& schedule) {
    constexpr unsigned kSubBytesConstant = 0x63;
    for (std::size_t i = 0; i <= schedule.rounds; i++)
        for (std::size_t j = 0; j < Aes::kBlock; j++) {
            const unsigned byte = schedule.encrypt[i][j], sliced = byte ^ (i == 0 ? 0 : kSubBytesConstant);
            for (std::size_t b = 0; b < 8; b++) {
                schedule.sliced[i][b][j] = static_cast<std::uint8_t>(0 - (sliced >> b & 1));
                schedule.planes[i][b] |= (byte >> b & 1) * (0x0001000100010001 << j);
            }
        }
}

}  // namespace

Aes::Aes(std::span<const std::uint8_t> key, const Cores& cores) : cores_(cores) {
    assert(key.size() == 16 || key.size() == 32);
    key_.rounds = static_cast<std::uint32_t>(key.size() / 4 + 6);
    expand(key_, key);
    invert(key_);
    slice(key_);
}

Aes::~Aes() {
    wipe(&key_, sizeof key_);
}

void Aes::crypt(Direction direction, std::span<std::uint8_t> out, std::span<const std::uint8_t> in) const {
    assert(out.size() == in.size() && in.size() % kBlock == 0);
    const std::size_t blocks = in.size() / kBlock;
    if (blocks == 0) return;
    cores_.function<CipherFamily::aes>(blocks)(&key_, direction == Direction::decrypt, out.data(), in.data(), blocks);
}

}  // namespace ciphers
