#ifndef VERITYTOOL_ARCH_X86_SHA2_LANES_H
#define VERITYTOOL_ARCH_X86_SHA2_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/sha256_constants.h"

namespace arch {
namespace {

template <class Word>
struct Sha2Parameters;

template <>
struct Sha2Parameters<uint32_t> {
    static constexpr size_t kRounds = 64;
#define VERITYTOOL_K4(a, b, c, d) a, b, c, d,
    static constexpr uint32_t kConstants[kRounds] = {SHA256_ROUND_CONSTANTS(VERITYTOOL_K4)};
#undef VERITYTOOL_K4
    static constexpr int kSum0[3] = {2, 13, 22};
    static constexpr int kSum1[3] = {6, 11, 25};
    static constexpr int kSchedule0[3] = {7, 18, 3};
    static constexpr int kSchedule1[3] = {17, 19, 10};
};

template <class Lanes, const int (&kBits)[3]>
[[gnu::always_inline]] static inline typename Lanes::Vector sha2_sum(typename Lanes::Vector a) {
    return Lanes::exclusive_or(Lanes::template rotate_right<kBits[0]>(a), Lanes::template rotate_right<kBits[1]>(a),
                               Lanes::template rotate_right<kBits[2]>(a));
}
template <class Lanes, const int (&kBits)[3]>
[[gnu::always_inline]] static inline typename Lanes::Vector sha2_schedule_sum(typename Lanes::Vector a) {
    return Lanes::exclusive_or(Lanes::template rotate_right<kBits[0]>(a), Lanes::template rotate_right<kBits[1]>(a),
                               Lanes::template shift_right<kBits[2]>(a));
}

template <class Lanes, bool kExpand>
[[gnu::always_inline]] static inline void sha2_sixteen_rounds(typename Lanes::Vector (&s)[8], typename Lanes::Vector (&w)[16],
                                                              const typename Lanes::Word* constants) {
    using Vector = typename Lanes::Vector;
    using P = Sha2Parameters<typename Lanes::Word>;
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; i++) {
        Vector& a = s[(16 - i) % 8];
        Vector& b = s[(17 - i) % 8];
        Vector& c = s[(18 - i) % 8];
        Vector& d = s[(19 - i) % 8];
        Vector& e = s[(20 - i) % 8];
        Vector& f = s[(21 - i) % 8];
        Vector& g = s[(22 - i) % 8];
        Vector& h = s[(23 - i) % 8];
        if (kExpand) {
            w[i] = Lanes::add(Lanes::add(w[i], sha2_schedule_sum<Lanes, P::kSchedule0>(w[(i + 1) % 16])),
                       Lanes::add(w[(i + 9) % 16], sha2_schedule_sum<Lanes, P::kSchedule1>(w[(i + 14) % 16])));
        }
#ifndef FORM
#define FORM 1
#endif
        const Vector hk = Lanes::add(h, Lanes::add(w[i], Lanes::broadcast(constants[i])));
#if FORM==0
        const Vector t1=Lanes::add(Lanes::add(hk, Lanes::choose(e,f,g)), sha2_sum<Lanes,P::kSum1>(e));
        d=Lanes::add(d,t1);
        h=Lanes::add(Lanes::add(t1,Lanes::majority(a,b,c)),sha2_sum<Lanes,P::kSum0>(a));
#elif FORM==1
        Vector x = Lanes::add(d,hk); KEEP(x)
        x = Lanes::add(x, Lanes::choose(e,f,g)); KEEP(x)
        x = Lanes::add(x, sha2_sum<Lanes,P::kSum1>(e)); KEEP(x)
        Vector y = Lanes::subtract(Lanes::majority(a,b,c), d); KEEP(y)
        y=Lanes::add(y,x); KEEP(y)
        h=Lanes::add(y, sha2_sum<Lanes,P::kSum0>(a)); KEEP(h)
        d=x;
#elif FORM==2
        Vector hc = Lanes::add(hk, Lanes::choose(e,f,g)); KEEP(hc)
        Vector t1 = Lanes::add(hc, sha2_sum<Lanes,P::kSum1>(e)); KEEP(t1)
        d=Lanes::add(d,t1);
        t1=Lanes::add(t1,Lanes::majority(a,b,c)); KEEP(t1)
        h=Lanes::add(t1,sha2_sum<Lanes,P::kSum0>(a));
#endif
    }
}

/// The HashCompress of Lanes::kLanes messages.
template <class Lanes>
[[gnu::always_inline]] static inline void sha2_compress(void* state, const uint8_t* const* messages, size_t blocks) {
    using Word = typename Lanes::Word;
    using Vector = typename Lanes::Vector;
    using P = Sha2Parameters<Word>;
    Word* const chain = static_cast<Word*>(state);
    Vector s[8];
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) s[i] = Lanes::load(chain + i * Lanes::kLanes);
    for (size_t offset = 0; blocks > 0; blocks--, offset += 16 * sizeof(Word)) {
        Vector w[16];
        Lanes::load_block(w, messages, offset);
#pragma GCC unroll 16
        for (size_t i = 0; i < 16; i++) w[i] = Lanes::byte_swap(w[i]);
        sha2_sixteen_rounds<Lanes, false>(s, w, P::kConstants);
#pragma GCC unroll 1
        for (size_t round = 16; round < P::kRounds; round += 16) {
            sha2_sixteen_rounds<Lanes, true>(s, w, P::kConstants + round);
        }
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++) {
            s[i] = Lanes::add(s[i], Lanes::load(chain + i * Lanes::kLanes));
            Lanes::store(chain + i * Lanes::kLanes, s[i]);
        }
    }
}

}  // namespace
}  // namespace arch

#endif
