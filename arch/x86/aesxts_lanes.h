#ifndef VERITYTOOL_ARCH_X86_AESXTS_LANES_H
#define VERITYTOOL_ARCH_X86_AESXTS_LANES_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// AES-XTS (IEEE 1619), several registers of blocks side by side.
///
/// `Lanes` is the register: aesxts_aesni.cc, aesxts_vaes_avx2.cc. It has kBlocks blocks of AES and their tweaks, and
/// its Encrypt and Decrypt have the rounds.

namespace arch {
namespace {

/// Registers of a whole pass: rounds of as many can be on their way at once (4 cycles each, two starting in every cycle
/// on Zen 3 to Zen 5). They fill half of the register file; tweaks wait in memory.
constexpr int kXtsRegisters = 8;

/// Rounds, of at least 10, while which the tweaks of the pass to come are computed. Behind the last round they would
/// have the units of AES wait: a pass takes all that the processor can look ahead.
constexpr int kXtsRoundsWithTweaks = kXtsRegisters;
static_assert(kXtsRoundsWithTweaks < 10);

template <class Lanes, class Direction>
class AesXtsSectorsOf {
    using Vector = typename Lanes::Vector;

  public:
    [[gnu::always_inline]] static inline void crypt(const uint8_t (*keys)[16], size_t rounds, uint8_t* out,
                                                    const uint8_t* in, const uint8_t* tweaks, size_t sector_blocks,
                                                    size_t sectors) {
        constexpr size_t kPass = kXtsRegisters * Lanes::kBlocks;
        for (; sectors > 0; sectors--, tweaks += 16) {
            Vector t[kXtsRegisters];
            Lanes::first_tweaks(t, _mm_load_si128(reinterpret_cast<const __m128i*>(tweaks)));
            size_t left = sector_blocks;
            for (; left >= kPass; left -= kPass, in += 16 * kPass, out += 16 * kPass) pass(keys, rounds, out, in, t);
            rest(keys, rounds, out, in, t, left);
            in += 16 * left;
            out += 16 * left;
        }
    }

  private:
    /// A whole pass; `t` are its tweaks, and then those of the next.
    [[gnu::always_inline]] static inline void pass(const uint8_t (*keys)[16], size_t rounds, uint8_t* out,
                                                   const uint8_t* in, Vector (&t)[kXtsRegisters]) {
        Vector blocks[kXtsRegisters], next[kXtsRegisters];
        const Vector whitening = Lanes::round_key(keys[0]);
#pragma GCC unroll 8
        for (int i = 0; i < kXtsRegisters; i++)
            blocks[i] = Lanes::exclusive_or(Lanes::exclusive_or(Lanes::load(in + kBytes * i), t[i]), whitening);
#pragma GCC unroll 8
        for (int round = 1; round <= kXtsRoundsWithTweaks; round++) {
            all_round(blocks, keys[round]);
            const int i = round - 1;
            next[i] = Lanes::next_tweak(t[i], i > 0 ? next[i - 1] : t[kXtsRegisters - 1]);
        }
#pragma GCC unroll 1
        for (size_t round = kXtsRoundsWithTweaks + 1; round < rounds; round++) all_round(blocks, keys[round]);
        const Vector last = Lanes::round_key(keys[rounds]);
#pragma GCC unroll 8
        for (int i = 0; i < kXtsRegisters; i++) {
            // The last round adds its key behind everything else: the tweak goes with it.
            Lanes::store(out + kBytes * i, Direction::last(blocks[i], Lanes::exclusive_or(last, t[i])));
            t[i] = next[i];
        }
    }

    [[gnu::always_inline]] static inline void all_round(Vector (&blocks)[kXtsRegisters], const uint8_t* round_key) {
        const Vector key = Lanes::round_key(round_key);
#pragma GCC unroll 8
        for (int i = 0; i < kXtsRegisters; i++) blocks[i] = Direction::round(blocks[i], key);
    }

    /// `left` blocks, fewer than a whole pass, at the end of a sector.
    static void rest(const uint8_t (*keys)[16], size_t rounds, uint8_t* out, const uint8_t* in,
                     const Vector (&t)[kXtsRegisters], size_t left) {
        for (int i = 0; left > 0; i++) {
            const size_t taken = left < Lanes::kBlocks ? left : size_t{Lanes::kBlocks};
            Vector block = Lanes::exclusive_or(Lanes::load_some(in, taken), t[i]);
            block = Lanes::exclusive_or(block, Lanes::round_key(keys[0]));
            for (size_t round = 1; round < rounds; round++)
                block = Direction::round(block, Lanes::round_key(keys[round]));
            block = Direction::last(block, Lanes::exclusive_or(Lanes::round_key(keys[rounds]), t[i]));
            Lanes::store_some(out, block, taken);
            left -= taken;
            in += 16 * taken;
            out += 16 * taken;
        }
    }

    static constexpr size_t kBytes = 16 * Lanes::kBlocks;
};

}  // namespace
}  // namespace arch

#endif
