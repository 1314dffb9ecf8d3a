#ifndef VERITYTOOL_ARCH_X86_CHACHA_LANES_H
#define VERITYTOOL_ARCH_X86_CHACHA_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/keep_order.h"

/// ChaCha and Salsa20 (D. J. Bernstein) over the lanes of vector registers: every lane computes a block of its own, so
/// that rounds need no shuffles. Only what becomes of the result does: the keystream is transposed into blocks.
///
/// `Lanes` is the register: chacha_lanes_avx512.h, chacha_lanes_avx2.h. A cipher has the words of the state in the
/// order of its specification, four of which make a column or a diagonal.

namespace arch {
namespace {

/// Some quarter rounds go on at once: as many as keep the units busy, but not so many that registers run out.
/// keep_order() holds the compiler to that; it would rather finish one after the other.
#define VERITYTOOL_COLUMNS(result, value)                                         \
    _Pragma("GCC unroll 4") for (int i = 0; i < kColumns; i++) result[i] = value; \
    Lanes::keep_order(result)

/// RFC 8439, section 2.3.
struct ChaCha {
    static constexpr size_t kCounter = 12;

    template <class Lanes>
    [[gnu::always_inline]] static inline void all_rounds(typename Lanes::Vector (&x)[16],
                                                         const typename Lanes::Vector (&initial)[16], size_t rounds) {
        if constexpr (kKeepsOrder && requires { Lanes::chacha_rounds(x, initial, rounds); }) {
            Lanes::chacha_rounds(x, initial, rounds);
        } else {
#pragma GCC unroll 16
            for (size_t w = 0; w < 16; w++) x[w] = initial[w];
#pragma GCC unroll 1
            for (size_t round = 0; round < rounds; round += 2) double_round<Lanes>(x);
        }
    }

  private:
    template <class Lanes>
    [[gnu::always_inline]] static inline void double_round(typename Lanes::Vector (&x)[16]) {
        constexpr int kColumns = Lanes::kBlake2Columns;
#pragma GCC unroll 4
        for (int first = 0; first < 4; first += kColumns) quarter_rounds<Lanes>(x, first, 0);
#pragma GCC unroll 4
        for (int first = 0; first < 4; first += kColumns) quarter_rounds<Lanes>(x, first, 1);
    }

    /// Those on columns (diagonal = 0) or diagonals (1), from column `first` on.
    template <class Lanes>
    [[gnu::always_inline]] static inline void quarter_rounds(typename Lanes::Vector (&x)[16], int first, int diagonal) {
        constexpr int kColumns = Lanes::kBlake2Columns;
        typename Lanes::Vector a[kColumns], b[kColumns], c[kColumns], d[kColumns];
#pragma GCC unroll 4
        for (int i = 0; i < kColumns; i++) {
            a[i] = x[first + i];
            b[i] = x[4 + (first + i + diagonal) % 4];
            c[i] = x[8 + (first + i + 2 * diagonal) % 4];
            d[i] = x[12 + (first + i + 3 * diagonal) % 4];
        }
        VERITYTOOL_COLUMNS(a, Lanes::add(a[i], b[i]));
        VERITYTOOL_COLUMNS(d, Lanes::exclusive_or(d[i], a[i]));
        VERITYTOOL_COLUMNS(d, Lanes::template rotate_right<32 - 16>(d[i]));
        VERITYTOOL_COLUMNS(c, Lanes::add(c[i], d[i]));
        VERITYTOOL_COLUMNS(b, Lanes::exclusive_or(b[i], c[i]));
        VERITYTOOL_COLUMNS(b, Lanes::template rotate_right<32 - 12>(b[i]));
        VERITYTOOL_COLUMNS(a, Lanes::add(a[i], b[i]));
        VERITYTOOL_COLUMNS(d, Lanes::exclusive_or(d[i], a[i]));
        VERITYTOOL_COLUMNS(d, Lanes::template rotate_right<32 - 8>(d[i]));
        VERITYTOOL_COLUMNS(c, Lanes::add(c[i], d[i]));
        VERITYTOOL_COLUMNS(b, Lanes::exclusive_or(b[i], c[i]));
        VERITYTOOL_COLUMNS(b, Lanes::template rotate_right<32 - 7>(b[i]));
#pragma GCC unroll 4
        for (int i = 0; i < kColumns; i++) {
            x[first + i] = a[i];
            x[4 + (first + i + diagonal) % 4] = b[i];
            x[8 + (first + i + 2 * diagonal) % 4] = c[i];
            x[12 + (first + i + 3 * diagonal) % 4] = d[i];
        }
    }
};

/// "Salsa20 specification", sections 3 to 6.
struct Salsa {
    static constexpr size_t kCounter = 8;

    template <class Lanes>
    [[gnu::always_inline]] static inline void all_rounds(typename Lanes::Vector (&x)[16],
                                                         const typename Lanes::Vector (&initial)[16], size_t rounds) {
        if constexpr (kKeepsOrder && requires { Lanes::salsa_rounds(x, initial, rounds); }) {
            Lanes::salsa_rounds(x, initial, rounds);
        } else {
#pragma GCC unroll 16
            for (size_t w = 0; w < 16; w++) x[w] = initial[w];
#pragma GCC unroll 1
            for (size_t round = 0; round < rounds; round += 2) double_round<Lanes>(x);
        }
    }

  private:
    template <class Lanes>
    [[gnu::always_inline]] static inline void double_round(typename Lanes::Vector (&x)[16]) {
        constexpr int kColumns = Lanes::kBlake2Columns;
#pragma GCC unroll 4
        for (int first = 0; first < 4; first += kColumns) quarter_rounds<Lanes>(x, first, 4, 1);
#pragma GCC unroll 4
        for (int first = 0; first < 4; first += kColumns) quarter_rounds<Lanes>(x, first, 1, 4);
    }

    /// Those on columns (along = 4, across = 1) or rows (1, 4), from number `first` on. Each starts on the diagonal.
    template <class Lanes>
    [[gnu::always_inline]] static inline void quarter_rounds(typename Lanes::Vector (&x)[16], int first, int along,
                                                             int across) {
        constexpr int kColumns = Lanes::kBlake2Columns;
        typename Lanes::Vector a[kColumns], b[kColumns], c[kColumns], d[kColumns], sum[kColumns];
        const auto word = [along, across, first](int column, int step) {
            return (first + column) * across + (first + column + step) % 4 * along;
        };
#pragma GCC unroll 4
        for (int i = 0; i < kColumns; i++) {
            a[i] = x[word(i, 0)];
            b[i] = x[word(i, 1)];
            c[i] = x[word(i, 2)];
            d[i] = x[word(i, 3)];
        }
        VERITYTOOL_COLUMNS(sum, Lanes::template rotate_right<32 - 7>(Lanes::add(a[i], d[i])));
        VERITYTOOL_COLUMNS(b, Lanes::exclusive_or(b[i], sum[i]));
        VERITYTOOL_COLUMNS(sum, Lanes::template rotate_right<32 - 9>(Lanes::add(b[i], a[i])));
        VERITYTOOL_COLUMNS(c, Lanes::exclusive_or(c[i], sum[i]));
        VERITYTOOL_COLUMNS(sum, Lanes::template rotate_right<32 - 13>(Lanes::add(c[i], b[i])));
        VERITYTOOL_COLUMNS(d, Lanes::exclusive_or(d[i], sum[i]));
        VERITYTOOL_COLUMNS(sum, Lanes::template rotate_right<32 - 18>(Lanes::add(d[i], c[i])));
        VERITYTOOL_COLUMNS(a, Lanes::exclusive_or(a[i], sum[i]));
#pragma GCC unroll 4
        for (int i = 0; i < kColumns; i++) {
            x[word(i, 0)] = a[i];
            x[word(i, 1)] = b[i];
            x[word(i, 2)] = c[i];
            x[word(i, 3)] = d[i];
        }
    }
};

#undef VERITYTOOL_COLUMNS

/// "expand 32-byte k".
[[maybe_unused]] constexpr uint32_t kChaChaConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

/// The keystream of all lanes, block after block: calls take(offset, a register of it). `x` is the state behind all
/// rounds and `initial` before them. Words are added and transposed in parts, so that few registers hold all that is on
/// the way.
template <class Lanes, class Take>
[[gnu::always_inline]] static inline void finish(typename Lanes::Vector (&x)[16],
                                                 const typename Lanes::Vector (&initial)[16], Take take) {
    constexpr size_t kWords = 16 / Lanes::kParts;
#pragma GCC unroll 2
    for (size_t part = 0; part < Lanes::kParts; part++) {
#pragma GCC unroll 16
        for (size_t w = part * kWords; w < (part + 1) * kWords; w++) x[w] = Lanes::add(x[w], initial[w]);
        auto* const rows = x + part * kWords;
        Lanes::transpose(rows);
#pragma GCC unroll 16
        for (size_t i = 0; i < Lanes::kLanes; i++) take(64 * i + Lanes::kBytes * part, rows[i]);
    }
}

/// Stores the keystream.
template <class Lanes>
[[gnu::always_inline]] static inline void finish_store(typename Lanes::Vector (&x)[16],
                                                       const typename Lanes::Vector (&initial)[16],
                                                       uint8_t* keystream) {
    finish<Lanes>(
        x, initial, [keystream](size_t at, typename Lanes::Vector row) __attribute__((always_inline)) {
            Lanes::store_bytes(keystream + at, row);
        });
}

/// Exclusive-ors `length` bytes, up to those of all lanes, with the keystream.
template <class Lanes>
[[gnu::always_inline]] static inline void finish_xor(typename Lanes::Vector (&x)[16],
                                                     const typename Lanes::Vector (&initial)[16], uint8_t* out,
                                                     const uint8_t* in, size_t length) {
    using Vector = typename Lanes::Vector;
    if (length >= 64 * Lanes::kLanes) {
        finish<Lanes>(
            x, initial, [ out, in ](size_t at, Vector keystream) __attribute__((always_inline)) {
                Lanes::store_bytes(out + at, Lanes::exclusive_or(Lanes::load_bytes(in + at), keystream));
            });
    } else {
        alignas(Lanes::kBytes) uint8_t bytes[64 * Lanes::kLanes];
        finish_store<Lanes>(x, initial, bytes);
        Lanes::xor_bytes(out, in, bytes, length);
    }
}

/// StreamXor, Lanes::kLanes blocks at a time.
template <class Cipher, class Lanes>
[[gnu::always_inline]] static inline void stream_xor(const uint32_t* state, size_t rounds, uint8_t* out,
                                                     const uint8_t* in, size_t length) {
    using Vector = typename Lanes::Vector;
    constexpr size_t kPass = 64 * Lanes::kLanes;
    Vector initial[16];
#pragma GCC unroll 16
    for (size_t w = 0; w < 16; w++) initial[w] = Lanes::broadcast(state[w]);
    uint64_t counter = state[Cipher::kCounter] | uint64_t{state[Cipher::kCounter + 1]} << 32;
    for (;; counter += Lanes::kLanes) {
        Lanes::count(initial + Cipher::kCounter, counter);
        Vector x[16];
        Cipher::template all_rounds<Lanes>(x, initial, rounds);
        finish_xor<Lanes>(x, initial, out, in, length);
        if (length <= kPass) return;
        length -= kPass;
        in += kPass;
        out += kPass;
    }
}

/// HChaChaMany, Lanes::kLanes nonces at a time.
template <class Lanes>
[[gnu::always_inline]] static inline void hchacha(const uint32_t* key, size_t rounds, uint32_t* subkeys,
                                                  const uint8_t* nonces, size_t count) {
    constexpr size_t kLanes = Lanes::kLanes;
    for (size_t done = 0; done < count; done += kLanes) {
        const uint8_t* of_lane[kLanes];
        for (size_t lane = 0; lane < kLanes; lane++)
            of_lane[lane] = nonces + 16 * (done + lane < count ? done + lane : done);
        typename Lanes::Vector initial[16], x[16];
#pragma GCC unroll 4
        for (size_t w = 0; w < 4; w++) initial[w] = Lanes::broadcast(kChaChaConstants[w]);
#pragma GCC unroll 8
        for (size_t w = 0; w < 8; w++) initial[4 + w] = Lanes::broadcast(key[w]);
        Lanes::load_piece(initial + 12, of_lane, 0);
        ChaCha::all_rounds<Lanes>(x, initial, rounds);
        // As if words 8 to 15 were of no interest and 12 to 15 stood in the place of 4 to 7; then a subkey is the
        // first half of a block.
#pragma GCC unroll 4
        for (size_t w = 0; w < 4; w++) x[4 + w] = x[12 + w];
        Lanes::transpose(x);
#pragma GCC unroll 16
        for (size_t i = 0; i < kLanes; i++) {
            if (i >= count - done) break;
            Lanes::store_half_block(subkeys + 8 * (done + i), x[i]);
        }
    }
}

}  // namespace
}  // namespace arch

#endif
