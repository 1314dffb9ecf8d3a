// clang-format off
#ifndef VERITYTOOL_ARCH_X86_CHACHA_ROUNDS_AVX2_H
#define VERITYTOOL_ARCH_X86_CHACHA_ROUNDS_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// The rounds of eight blocks of ChaCha (RFC 8439, section 2.3) in AVX2 registers, in assembly.
///
/// The state, four rows a, b, c, d of four words, and two registers that shifts need are two more than there are: two
/// words of c wait in memory while the other two are worked on. Quarter rounds go two at a time, the second one step
/// behind the first. g++ 12 moves more, in worse places: 17.8 ns a double round on Zen 3 where this takes 16.

namespace arch {
namespace {

#define A(n) "%%ymm" #n
#define LOAD(word, r)  "vmovdqa 32*" #word "(%[from]), " A(r) "\n\t"
#define RELOAD(word, r) "vmovdqa 32*" #word "(%[x]), " A(r) "\n\t"
#define STORE(word, r) "vmovdqa " A(r) ", 32*" #word "(%[x])\n\t"

#define ADD(to, from)    "vpaddd " A(from) ", " A(to) ", " A(to) "\n\t"
#define XOR(to, from)    "vpxor " A(from) ", " A(to) ", " A(to) "\n\t"
#define ROTATE16(r)      "vpshufb %[by16], " A(r) ", " A(r) "\n\t"
#define ROTATE8(r)       "vpshufb %[by8], " A(r) ", " A(r) "\n\t"
#define LEFT(t, r, n)    "vpslld $" #n ", " A(r) ", " A(t) "\n\t"
#define RIGHT(r, n)      "vpsrld $32-" #n ", " A(r) ", " A(r) "\n\t"

/// Two quarter rounds; ymm14 and ymm15 are free.
#define QUARTER_ROUNDS(a, b, c, d, e, f, g, h)  \
    HALVES(a, b, c, d, e, f, g, h, ROTATE16, 12) \
    HALVES(a, b, c, d, e, f, g, h, ROTATE8, 7)

#define HALVES(a, b, c, d, e, f, g, h, ROTATE, n) \
    ADD(a, b)                                     \
    XOR(d, a)       ADD(e, f)                     \
    ROTATE(d)       XOR(h, e)                     \
    ADD(c, d)       ROTATE(h)                     \
    XOR(b, c)       ADD(g, h)                     \
    LEFT(14, b, n)  XOR(f, g)                     \
    RIGHT(b, n)     LEFT(15, f, n)                \
    XOR(b, 14)      RIGHT(f, n)                   \
                    XOR(f, 15)

/// Rows a, b and d are in ymm0 to ymm11, c in ymm12 and ymm13 or in its place in memory.
[[maybe_unused]] void chacha_rounds_avx2(__m256i (&x)[16], const __m256i (&initial)[16], size_t rounds) {
    alignas(32) static constexpr uint8_t kBy16[32] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,
                                                      2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};
    alignas(32) static constexpr uint8_t kBy8[32] = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14,
                                                     3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};
    asm volatile(
        LOAD(0, 0)    LOAD(1, 1)    LOAD(2, 2)    LOAD(3, 3)
        LOAD(4, 4)    LOAD(5, 5)    LOAD(6, 6)    LOAD(7, 7)
        LOAD(12, 8)   LOAD(13, 9)   LOAD(14, 10)  LOAD(15, 11)
        LOAD(10, 12)  LOAD(11, 13)  STORE(10, 12) STORE(11, 13)
        LOAD(8, 12)   LOAD(9, 13)
        ".p2align 5\n"
        "1:\n\t"
        QUARTER_ROUNDS(0, 4, 12, 8,   1, 5, 13, 9)
        STORE(8, 12)  STORE(9, 13)  RELOAD(10, 12) RELOAD(11, 13)
        QUARTER_ROUNDS(2, 6, 12, 10,  3, 7, 13, 11)
        QUARTER_ROUNDS(0, 5, 12, 11,  1, 6, 13, 8)
        STORE(10, 12) STORE(11, 13) RELOAD(8, 12) RELOAD(9, 13)
        QUARTER_ROUNDS(2, 7, 12, 9,   3, 4, 13, 10)
        "sub $2, %[rounds]\n\t"
        "jnz 1b\n\t"
        STORE(0, 0)   STORE(1, 1)   STORE(2, 2)   STORE(3, 3)
        STORE(4, 4)   STORE(5, 5)   STORE(6, 6)   STORE(7, 7)
        STORE(8, 12)  STORE(9, 13)
        STORE(12, 8)  STORE(13, 9)  STORE(14, 10) STORE(15, 11)
        : [rounds] "+r"(rounds), "=m"(x)
        : [x] "r"(x), [from] "r"(initial), "m"(initial), [by16] "m"(kBy16), [by8] "m"(kBy8)
        : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
}

#undef HALVES
#undef QUARTER_ROUNDS
#undef RIGHT
#undef LEFT
#undef ROTATE8
#undef ROTATE16
#undef XOR
#undef ADD
#undef STORE
#undef RELOAD
#undef LOAD
#undef A

}  // namespace
}  // namespace arch

#endif
