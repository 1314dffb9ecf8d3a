#include <immintrin.h>

#include "arch/cipher_core.h"
#include "arch/load_store.h"
#include "arch/x86/lanes_avx2.h"

/// Poly1305, RFC 8439 section 2.5, in four lanes of 64 bits: four messages, or every fourth block of one that is
/// longer. Numbers are five limbs of 26 bits; products of limbs and their sums fit a lane.

namespace {

using Vector = __m256i;
using Lanes = arch::U64x4;

enum { kLanes = 4, kLimbs = 5, kLimbBits = 26 };

/// From so many blocks of one message on, filling lanes with them pays for adding lanes up in the end.
enum { kLongMessage = 8 };

/// A number in each lane.
struct Numbers {
    Vector limb[kLimbs];
};

/// A multiplier in each lane: limbs, and 5 times limbs, as 2^130 is 5.
struct Multipliers {
    Vector limb[kLimbs], five_limb[kLimbs];
};

inline Vector mask() {
    return _mm256_set1_epi64x((1 << kLimbBits) - 1);
}

inline Vector times_5(Vector a) {
    return _mm256_add_epi64(a, _mm256_slli_epi64(a, 2));
}

inline Multipliers multipliers(const Numbers& r) {
    Multipliers m;
#pragma GCC unroll 5
    for (int k = 0; k < kLimbs; k++) {
        m.limb[k] = r.limb[k];
        m.five_limb[k] = times_5(r.limb[k]);
    }
    return m;
}

/// The same number in all lanes.
inline Numbers broadcast(const uint32_t* limbs) {
    Numbers n;
#pragma GCC unroll 5
    for (int k = 0; k < kLimbs; k++) n.limb[k] = _mm256_set1_epi64x(limbs[k]);
    return n;
}

/// Adds a 16-byte block of each of four messages, and 2^128 where `top` has 2^24.
inline void add_blocks(Numbers& h, const uint8_t* const* messages, size_t offset, Vector top) {
    Vector words[2];
    Lanes::load_piece(words, messages, offset);
    const Vector low = words[0], high = words[1];
    const Vector across = _mm256_or_si256(_mm256_srli_epi64(low, 52), _mm256_slli_epi64(high, 12));
    const auto add = [&h](int k, Vector limb) { h.limb[k] = _mm256_add_epi64(h.limb[k], limb); };
    add(0, _mm256_and_si256(low, mask()));
    add(1, _mm256_and_si256(_mm256_srli_epi64(low, 26), mask()));
    add(2, _mm256_and_si256(across, mask()));
    add(3, _mm256_and_si256(_mm256_srli_epi64(high, 14), mask()));
    add(4, _mm256_or_si256(_mm256_srli_epi64(high, 40), top));
}

/// Moves what limb `from` has beyond 26 bits to the next; beyond the last is 5 times the first.
inline void carry(Numbers& h, int from) {
    const Vector above = _mm256_srli_epi64(h.limb[from], kLimbBits);
    const int to = (from + 1) % kLimbs;
    h.limb[from] = _mm256_and_si256(h.limb[from], mask());
    h.limb[to] = _mm256_add_epi64(h.limb[to], to == 0 ? times_5(above) : above);
}

/// Limbs below 2^59 come to be below 2^26 + 2^10: two chains side by side, each once around.
inline void carry(Numbers& h) {
    carry(h, 0);
    carry(h, 3);
    carry(h, 1);
    carry(h, 4);
    carry(h, 2);
    carry(h, 0);
    carry(h, 3);
}

/// h * r, not carried. Limbs of h are below 2^28, those of r below 2^26: those of the product below 2^59.
inline Numbers product(const Numbers& h, const Multipliers& r) {
    Numbers d;
#pragma GCC unroll 5
    for (int k = 0; k < kLimbs; k++) {
        d.limb[k] = _mm256_mul_epu32(h.limb[0], r.limb[k]);
#pragma GCC unroll 5
        for (int i = 1; i < kLimbs; i++) {
            const Vector factor = i <= k ? r.limb[k - i] : r.five_limb[k - i + kLimbs];
            d.limb[k] = _mm256_add_epi64(d.limb[k], _mm256_mul_epu32(h.limb[i], factor));
        }
    }
    return d;
}

/// Words 0 to 3 of each lane's number to a word of all lanes, or back.
inline void transpose(Vector (&a)[kLanes]) {
    const Vector low01 = _mm256_unpacklo_epi64(a[0], a[1]), high01 = _mm256_unpackhi_epi64(a[0], a[1]);
    const Vector low23 = _mm256_unpacklo_epi64(a[2], a[3]), high23 = _mm256_unpackhi_epi64(a[2], a[3]);
    a[0] = _mm256_permute2x128_si256(low01, low23, 0x20);
    a[1] = _mm256_permute2x128_si256(high01, high23, 0x20);
    a[2] = _mm256_permute2x128_si256(low01, low23, 0x31);
    a[3] = _mm256_permute2x128_si256(high01, high23, 0x31);
}

/// A number for each lane, 16-byte aligned.
inline Numbers load(const uint32_t* const (&limbs)[kLanes]) {
    Vector rows[kLanes];
#pragma GCC unroll 4
    for (int i = 0; i < kLanes; i++)
        rows[i] = _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(limbs[i])));
    transpose(rows);
    return {
        {rows[0], rows[1], rows[2], rows[3], _mm256_setr_epi64x(limbs[0][4], limbs[1][4], limbs[2][4], limbs[3][4])}};
}

/// Writes the first `count` of them.
inline void store_sums(arch::Poly1305Sum* sums, const Numbers& h, size_t count) {
    Vector rows[kLanes] = {h.limb[0], h.limb[1], h.limb[2], h.limb[3]};
    transpose(rows);
    alignas(32) uint64_t last[kLanes];
    _mm256_store_si256(reinterpret_cast<Vector*>(last), h.limb[4]);
    const Vector low_words = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
#pragma GCC unroll 4
    for (size_t i = 0; i < kLanes; i++) {
        if (i >= count) return;
        const Vector words = _mm256_permutevar8x32_epi32(rows[i], low_words);
        _mm_store_si128(reinterpret_cast<__m128i*>(sums[i].limb), _mm256_castsi256_si128(words));
        sums[i].limb[4] = static_cast<uint32_t>(last[i]);
    }
}

void absorb_side_by_side(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message, size_t stride,
                         size_t blocks, size_t count, Vector top) {
    const Multipliers r = multipliers(broadcast(key->power[0]));
    for (size_t done = 0; done < count; done += kLanes) {
        const uint8_t* messages[kLanes];
        const uint32_t* of_lane[kLanes];
        for (size_t lane = 0; lane < kLanes; lane++) {
            const size_t i = done + lane < count ? done + lane : done;
            messages[lane] = message + i * stride;
            of_lane[lane] = sums[i].limb;
        }
        Numbers h = load(of_lane);
#pragma GCC unroll 1
        for (size_t b = 0; b < blocks; b++) {
            add_blocks(h, messages, 16 * b, top);
            h = product(h, r);
            carry(h);
        }
        store_sums(sums + done, h, count - done);
    }
}

/// The whole of a message whose blocks are a multiple of four. Lanes are multiplied by r^4 for each step, and by what
/// their last block is short of the end in the last.
void absorb_long(const arch::Poly1305Key* key, arch::Poly1305Sum* sum, const uint8_t* message, size_t blocks,
                 Vector top) {
    const uint8_t* messages[kLanes] = {message, message + 16, message + 32, message + 48};
    const arch::Poly1305Sum none = {};
    Numbers h = load({sum->limb, none.limb, none.limb, none.limb});
    const Multipliers step = multipliers(broadcast(key->power[3]));
    size_t b = 0;
#pragma GCC unroll 1
    for (; b < blocks - kLanes; b += kLanes) {
        add_blocks(h, messages, 16 * b, top);
        h = product(h, step);
        carry(h);
    }
    add_blocks(h, messages, 16 * b, top);
    h = product(h, multipliers(load({key->power[3], key->power[2], key->power[1], key->power[0]})));
    carry(h);  // the sum of four needs another
#pragma GCC unroll 5
    for (int k = 0; k < kLimbs; k++) {
        const Vector pairs = _mm256_add_epi64(h.limb[k], _mm256_permute4x64_epi64(h.limb[k], 0x4e));
        h.limb[k] = _mm256_add_epi64(pairs, _mm256_shuffle_epi32(pairs, 0x4e));
    }
    carry(h);
    store_sums(sum, h, 1);
}

/// A few blocks of one message: one at a time is done before a single lane would be.
void absorb_short(const uint32_t* r, uint32_t* sum, const uint8_t* message, size_t blocks, uint64_t top) {
    constexpr uint64_t kLimb = (1 << kLimbBits) - 1;
    uint64_t h[kLimbs];
    for (int k = 0; k < kLimbs; k++) h[k] = sum[k];
    for (; blocks > 0; blocks--, message += 16) {
        const uint64_t low = arch::load_le64(message), high = arch::load_le64(message + 8);
        h[0] += low & kLimb;
        h[1] += low >> 26 & kLimb;
        h[2] += (low >> 52 | high << 12) & kLimb;
        h[3] += high >> 14 & kLimb;
        h[4] += high >> 40 | top;
        uint64_t d[kLimbs];
#pragma GCC unroll 5
        for (int k = 0; k < kLimbs; k++) {
            d[k] = 0;
#pragma GCC unroll 5
            for (int i = 0; i < kLimbs; i++)
                d[k] += h[i] * (i <= k ? uint64_t{r[k - i]} : 5 * uint64_t{r[k - i + kLimbs]});
        }
        d[1] += d[0] >> kLimbBits;
        d[2] += d[1] >> kLimbBits;
        d[3] += d[2] >> kLimbBits;
        d[4] += d[3] >> kLimbBits;
        d[0] = (d[0] & kLimb) + 5 * (d[4] >> kLimbBits);
        h[0] = d[0] & kLimb;
        h[1] = (d[1] & kLimb) + (d[0] >> kLimbBits);
        for (int k = 2; k < kLimbs; k++) h[k] = d[k] & kLimb;
    }
    for (int k = 0; k < kLimbs; k++) sum[k] = static_cast<uint32_t>(h[k]);
}

}  // namespace

extern "C" void poly1305_avx2(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message,
                              size_t stride, size_t blocks, size_t count, size_t top_bit) {
    const uint64_t top_limb = uint64_t{top_bit} << 24;
    const Vector top = _mm256_set1_epi64x(static_cast<long long>(top_limb));
    if (count > 1) return absorb_side_by_side(key, sums, message, stride, blocks, count, top);
    const size_t in_lanes = blocks >= kLongMessage ? blocks / kLanes * kLanes : 0;
    if (in_lanes > 0) absorb_long(key, sums, message, in_lanes, top);
    if (blocks > in_lanes)
        absorb_short(key->power[0], sums->limb, message + 16 * in_lanes, blocks - in_lanes, top_limb);
}
