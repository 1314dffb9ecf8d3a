#include <arm_neon.h>

#include "arch/cipher_core.h"

/// Poly1305 (RFC 8439, section 2.5) in four lanes: those of four messages, or of every fourth block of one message.
/// About 40 cycles a block either way on llvm-mca's Cortex-A55, where portable code takes 77; four messages of two
/// blocks, as Adiantum's short sectors have them, 56 cycles a block.

// The functions of a pass keep some 25 vectors in registers: none may be called.
#define INLINE [[gnu::always_inline]] static inline

namespace {

enum { kLanes = 4, kBlock = 16, kLimbs = 5 };

/// One number in each lane: the sum of limb[k] << 26 k.
struct Numbers {
    uint32x4_t limb[kLimbs];
};

/// What to multiply each lane's number by.
struct Multiplier {
    uint32x4_t limb[kLimbs];
    uint32x4_t five[kLimbs];  ///< five times as much: what a product has from 2^130 on comes back so, 2^130 being 5
};

/// Sums of products of two limbs, in lanes 0 and 1, and in lanes 2 and 3.
struct Products {
    uint64x2_t low, high;
};

}  // namespace

/// The rows of a matrix of words become its columns.
INLINE void transpose(uint32x4_t& a, uint32x4_t& b, uint32x4_t& c, uint32x4_t& d) {
    const uint64x2_t ab02 = vreinterpretq_u64_u32(vtrn1q_u32(a, b)), ab13 = vreinterpretq_u64_u32(vtrn2q_u32(a, b));
    const uint64x2_t cd02 = vreinterpretq_u64_u32(vtrn1q_u32(c, d)), cd13 = vreinterpretq_u64_u32(vtrn2q_u32(c, d));
    a = vreinterpretq_u32_u64(vtrn1q_u64(ab02, cd02));
    b = vreinterpretq_u32_u64(vtrn1q_u64(ab13, cd13));
    c = vreinterpretq_u32_u64(vtrn2q_u64(ab02, cd02));
    d = vreinterpretq_u32_u64(vtrn2q_u64(ab13, cd13));
}

INLINE uint32x4_t low_limb(uint32x4_t words) {
    return vandq_u32(words, vdupq_n_u32(0x3ffffff));
}

INLINE uint32x4_t load_words(const uint8_t* from) {
    return vreinterpretq_u32_u8(vld1q_u8(from));
}

/// Adds a block to each lane's number; `top` is bit 128 of it, in its place in the last limb.
INLINE void add_blocks(Numbers& h, const uint8_t* lane0, const uint8_t* lane1, const uint8_t* lane2,
                       const uint8_t* lane3, uint32x4_t top) {
    uint32x4_t w0 = load_words(lane0), w1 = load_words(lane1), w2 = load_words(lane2), w3 = load_words(lane3);
    transpose(w0, w1, w2, w3);
    h.limb[0] = vaddq_u32(h.limb[0], low_limb(w0));
    h.limb[1] = vaddq_u32(h.limb[1], low_limb(vsliq_n_u32(vshrq_n_u32(w0, 26), w1, 6)));
    h.limb[2] = vaddq_u32(h.limb[2], low_limb(vsliq_n_u32(vshrq_n_u32(w1, 20), w2, 12)));
    h.limb[3] = vaddq_u32(h.limb[3], low_limb(vsliq_n_u32(vshrq_n_u32(w2, 14), w3, 18)));
    h.limb[4] = vaddq_u32(h.limb[4], vsraq_n_u32(top, w3, 8));
}

INLINE void add_product(Products& sum, uint32x4_t a, uint32x4_t b) {
    sum.low = vmlal_u32(sum.low, vget_low_u32(a), vget_low_u32(b));
    sum.high = vmlal_high_u32(sum.high, a, b);
}

/// The sum of the products of each limb of h and one of a0..a4.
INLINE Products dot(const Numbers& h, uint32x4_t a0, uint32x4_t a1, uint32x4_t a2, uint32x4_t a3, uint32x4_t a4) {
    Products sum = {vmull_u32(vget_low_u32(h.limb[0]), vget_low_u32(a0)), vmull_high_u32(h.limb[0], a0)};
    add_product(sum, h.limb[1], a1);
    add_product(sum, h.limb[2], a2);
    add_product(sum, h.limb[3], a3);
    add_product(sum, h.limb[4], a4);
    return sum;
}

/// Moves what `from` has from 2^26 on to the limb above it.
INLINE void carry(Products& to, Products& from) {
    const uint64x2_t mask = vdupq_n_u64(0x3ffffff);
    to.low = vsraq_n_u64(to.low, from.low, 26);
    to.high = vsraq_n_u64(to.high, from.high, 26);
    from.low = vandq_u64(from.low, mask);
    from.high = vandq_u64(from.high, mask);
}

/// The same from the last limb to the first, where it counts five times.
INLINE void carry_around(Products& to, Products& from) {
    Products over = {vshrq_n_u64(from.low, 26), vshrq_n_u64(from.high, 26)};
    to.low = vaddq_u64(to.low, vshlq_n_u64(over.low, 2));
    to.high = vaddq_u64(to.high, vshlq_n_u64(over.high, 2));
    carry(to, from);
}

INLINE uint32x4_t low_words(const Products& d) {
    return vuzp1q_u32(vreinterpretq_u32_u64(d.low), vreinterpretq_u32_u64(d.high));
}

/// Multiplies. Limbs below 2^28 become limbs below 2^26 and a little more.
INLINE void multiply(Numbers& h, const Multiplier& m) {
    const uint32x4_t *const r = m.limb, *const five = m.five;
    Products d0 = dot(h, r[0], five[4], five[3], five[2], five[1]);
    Products d1 = dot(h, r[1], r[0], five[4], five[3], five[2]);
    Products d2 = dot(h, r[2], r[1], r[0], five[4], five[3]);
    Products d3 = dot(h, r[3], r[2], r[1], r[0], five[4]);
    Products d4 = dot(h, r[4], r[3], r[2], r[1], r[0]);
    // Two chains of carries at a time, for one would be twice as long.
    carry(d1, d0);
    carry(d4, d3);
    carry(d2, d1);
    carry_around(d0, d4);
    carry(d3, d2);
    carry(d1, d0);
    carry(d4, d3);
    h = {{low_words(d0), low_words(d1), low_words(d2), low_words(d3), low_words(d4)}};
}

INLINE Multiplier multiplier(const Numbers& r) {
    const auto times_five = [](uint32x4_t limb) { return vaddq_u32(limb, vshlq_n_u32(limb, 2)); };
    // The first limb never comes back.
    return {{r.limb[0], r.limb[1], r.limb[2], r.limb[3], r.limb[4]},
            {r.limb[0], times_five(r.limb[1]), times_five(r.limb[2]), times_five(r.limb[3]), times_five(r.limb[4])}};
}

/// One of the powers of r, in all lanes.
INLINE Numbers in_each_lane(const uint32_t* power) {
    return {{vdupq_n_u32(power[0]), vdupq_n_u32(power[1]), vdupq_n_u32(power[2]), vdupq_n_u32(power[3]),
             vdupq_n_u32(power[4])}};
}

/// A number for each lane from where its limbs stand one after the other.
INLINE Numbers load_numbers(const uint32_t* lane0, const uint32_t* lane1, const uint32_t* lane2,
                            const uint32_t* lane3) {
    uint32x4_t w0 = vld1q_u32(lane0), w1 = vld1q_u32(lane1), w2 = vld1q_u32(lane2), w3 = vld1q_u32(lane3);
    transpose(w0, w1, w2, w3);
    uint32x4_t last = vld1q_dup_u32(lane0 + 4);
    last = vld1q_lane_u32(lane1 + 4, last, 1);
    last = vld1q_lane_u32(lane2 + 4, last, 2);
    return {{w0, w1, w2, w3, vld1q_lane_u32(lane3 + 4, last, 3)}};
}

/// One to four messages; the last of them is in the lanes that are left over too.
static void absorb_messages(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message,
                            size_t stride, size_t blocks, size_t count, uint32x4_t top) {
    const size_t second = count > 1, third = second + (count > 2), fourth = third + (count > 3);
    uint32_t *const sum0 = sums[0].limb, *const sum1 = sums[second].limb;
    uint32_t *const sum2 = sums[third].limb, *const sum3 = sums[fourth].limb;
    const uint8_t *lane0 = message, *lane1 = message + second * stride;
    const uint8_t *lane2 = message + third * stride, *lane3 = message + fourth * stride;
    const Multiplier r = multiplier(in_each_lane(key->power[0]));
    Numbers h = load_numbers(sum0, sum1, sum2, sum3);
    for (size_t at = 0; at < kBlock * blocks; at += kBlock) {
        add_blocks(h, lane0 + at, lane1 + at, lane2 + at, lane3 + at, top);
        multiply(h, r);
    }
    transpose(h.limb[0], h.limb[1], h.limb[2], h.limb[3]);
    vst1q_u32(sum0, h.limb[0]);
    vst1q_u32(sum1, h.limb[1]);
    vst1q_u32(sum2, h.limb[2]);
    vst1q_u32(sum3, h.limb[3]);
    vst1q_lane_u32(sum0 + 4, h.limb[4], 0);
    vst1q_lane_u32(sum1 + 4, h.limb[4], 1);
    vst1q_lane_u32(sum2 + 4, h.limb[4], 2);
    vst1q_lane_u32(sum3 + 4, h.limb[4], 3);
}

/// One message, four blocks at a time. All steps but the last multiply by r^4, and that by what is due in each lane.
/// Where the blocks are no multiple of four, zeros in front of the sum make them one, for these change nothing.
static void absorb_message(const arch::Poly1305Key* key, arch::Poly1305Sum& sum, const uint8_t* message, size_t blocks,
                           uint32x4_t top) {
    static const uint32_t kLaneNumbers[kLanes] = {0, 1, 2, 3};
    static const uint8_t kZeros[kBlock] = {};
    const size_t missing = (0 - blocks) % kLanes;
    const uint32x4_t lane_numbers = vld1q_u32(kLaneNumbers);
    const uint32x4_t first = vdupq_n_u32(static_cast<uint32_t>(missing));
    const uint32x4_t is_first = vceqq_u32(lane_numbers, first);
    const auto in_first_lane = [&](uint32_t limb) { return vandq_u32(vdupq_n_u32(limb), is_first); };
    Numbers h = {{in_first_lane(sum.limb[0]), in_first_lane(sum.limb[1]), in_first_lane(sum.limb[2]),
                  in_first_lane(sum.limb[3]), in_first_lane(sum.limb[4])}};

    const auto block = [&](size_t lane) { return lane < missing ? kZeros : message + kBlock * (lane - missing); };
    add_blocks(h, block(0), block(1), block(2), block(3), vandq_u32(top, vcgeq_u32(lane_numbers, first)));
    message += kBlock * (kLanes - missing);
    size_t steps = (blocks + missing) / kLanes - 1;
    if (steps > 0) {
        const Multiplier fourth = multiplier(in_each_lane(key->power[3]));
        for (; steps > 0; steps--, message += kLanes * kBlock) {
            multiply(h, fourth);
            add_blocks(h, message, message + kBlock, message + 2 * kBlock, message + 3 * kBlock, top);
        }
    }
    multiply(h, multiplier(load_numbers(key->power[3], key->power[2], key->power[1], key->power[0])));

    // Limbs of four times 2^26 and a little more: carries make them fit again.
    uint32_t over = 0;
    const auto limb = [&](uint32x4_t lanes) {
        const uint32_t total = vaddvq_u32(lanes) + over;
        over = total >> 26;
        return total & 0x3ffffff;
    };
    sum.limb[0] = limb(h.limb[0]);
    sum.limb[1] = limb(h.limb[1]);
    sum.limb[2] = limb(h.limb[2]);
    sum.limb[3] = limb(h.limb[3]);
    sum.limb[4] = limb(h.limb[4]);
    sum.limb[0] += 5 * over;
}

extern "C" void poly1305_neon(const arch::Poly1305Key* key, arch::Poly1305Sum* sums, const uint8_t* message,
                              size_t stride, size_t blocks, size_t count, size_t top_bit) {
    const uint32x4_t top = vdupq_n_u32(static_cast<uint32_t>(top_bit << 24));
    while (count > 0) {
        size_t now = count < kLanes ? count : size_t{kLanes};
        if (now * ((blocks + kLanes - 1) / kLanes) < blocks) {
            now = 1;
            absorb_message(key, *sums, message, blocks, top);
        } else {
            absorb_messages(key, sums, message, stride, blocks, now, top);
        }
        sums += now;
        message += now * stride;
        count -= now;
    }
}
