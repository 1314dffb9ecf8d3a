// clang-format off
#ifndef VERITYTOOL_ARCH_X86_SALSA_ROUNDS_AVX2_H
#define VERITYTOOL_ARCH_X86_SALSA_ROUNDS_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/// The rounds of eight blocks of Salsa20 ("Salsa20 specification", sections 3 to 6) in AVX2 registers, in assembly.
///
/// The state and two registers for a rotated sum are two more than there are: two words wait in memory at any time,
/// such as are not wanted soon. Quarter rounds go four at a time, step by step; the processor reorders their operations
/// well enough. g++ 12 moves more words: 18.7 ns a double round on Zen 3 where this takes 16.8.

namespace arch {
namespace {

#define A(n) "%%ymm" #n
#define LOAD(word, r)  "vmovdqa 32*" #word "(%[from]), " A(r) "\n\t"
#define STORE(word, r) "vmovdqa " A(r) ", 32*" #word "(%[x])\n\t"

/// The two shifts of ymm14, whose exclusive or is the sum rotated, in ymm14 and ymm15.
#define ROTATED(n)                            \
    "vpslld $" #n ", " A(14) ", " A(15) "\n\t" \
    "vpsrld $32-" #n ", " A(14) ", " A(14) "\n\t"
#define XOR_TO(r)                              \
    "vpxor " A(15) ", " A(r) ", " A(r) "\n\t"   \
    "vpxor " A(14) ", " A(r) ", " A(r) "\n\t"

/// A step of a quarter round: to ^= (r + s) <<< n.
#define STEP(to, r, s, n)                      \
    "vpaddd " A(r) ", " A(s) ", " A(14) "\n\t"  \
    ROTATED(n) XOR_TO(to)

/// The same with a word in memory in the place of s.
#define STEP_ADD(to, r, word, n)                                \
    "vpaddd 32*" #word "(%[x]), " A(r) ", " A(14) "\n\t"         \
    ROTATED(n) XOR_TO(to)

/// The same where the word to be changed is in memory. It comes to register `to`, and what was there goes to memory in
/// its turn, as word `out`.
#define STEP_SWAP(word, to, out, r, s, n)              \
    STORE(out, to)                                     \
    "vpaddd " A(r) ", " A(s) ", " A(14) "\n\t"          \
    ROTATED(n)                                          \
    "vpxor 32*" #word "(%[x]), " A(15) ", " A(15) "\n\t" \
    "vpxor " A(14) ", " A(15) ", " A(to) "\n\t"

/// Words 0 to 5, 7, 8, 12 and 13 are in ymm0 to ymm9. Of words 6, 9 and 10, two are in ymm10 and ymm11, of 11, 14 and
/// 15 two in ymm12 and ymm13: 6 and 11 in memory before and after a double round. At least 2 rounds.
[[maybe_unused]] void salsa_rounds_avx2(__m256i (&x)[16], const __m256i (&initial)[16], size_t rounds) {
    asm volatile(
        LOAD(6, 10)  LOAD(11, 12) STORE(6, 10) STORE(11, 12)
        LOAD(0, 0)   LOAD(1, 1)   LOAD(2, 2)   LOAD(3, 3)
        LOAD(4, 4)   LOAD(5, 5)   LOAD(7, 6)   LOAD(8, 7)
        LOAD(12, 8)  LOAD(13, 9)
        LOAD(10, 10) LOAD(9, 11)  LOAD(15, 12) LOAD(14, 13)
        ".p2align 5\n"
        "1:\n\t"
        STEP(4, 0, 8, 7)  STEP(11, 5, 1, 7)  STEP_ADD(13, 10, 6, 7)  STEP_ADD(3, 12, 11, 7)
        STEP(7, 0, 4, 9)  STEP(9, 5, 11, 9)  STEP(2, 10, 13, 9)      STEP(6, 12, 3, 9)
        STEP(8, 4, 7, 13) STEP(1, 11, 9, 13) STEP_SWAP(6, 10, 10, 13, 2, 13)  STEP_SWAP(11, 12, 15, 3, 6, 13)
        STEP(0, 7, 8, 18) STEP(5, 9, 1, 18)  STEP_SWAP(10, 11, 9, 2, 10, 18)  STEP_SWAP(15, 13, 14, 6, 12, 18)
        STEP(1, 0, 3, 7)  STEP(10, 5, 4, 7)  STEP_ADD(12, 11, 9, 7)  STEP_ADD(8, 13, 14, 7)
        STEP(2, 0, 1, 9)  STEP(6, 5, 10, 9)  STEP(7, 11, 12, 9)      STEP(9, 13, 8, 9)
        STEP(3, 1, 2, 13) STEP(4, 10, 6, 13) STEP_SWAP(9, 11, 10, 12, 7, 13)  STEP_SWAP(14, 13, 15, 8, 9, 13)
        STEP(0, 2, 3, 18) STEP(5, 6, 4, 18)  STEP_SWAP(10, 10, 6, 7, 11, 18)  STEP_SWAP(15, 12, 11, 9, 13, 18)
        "sub $2, %[rounds]\n\t"
        "jnz 1b\n\t"
        STORE(0, 0)   STORE(1, 1)   STORE(2, 2)   STORE(3, 3)
        STORE(4, 4)   STORE(5, 5)   STORE(7, 6)   STORE(8, 7)
        STORE(12, 8)  STORE(13, 9)
        STORE(10, 10) STORE(9, 11)  STORE(15, 12) STORE(14, 13)
        : [rounds] "+r"(rounds), "=m"(x)
        : [x] "r"(x), [from] "r"(initial), "m"(initial)
        : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
}

#undef STEP_SWAP
#undef STEP_ADD
#undef STEP
#undef XOR_TO
#undef ROTATED
#undef STORE
#undef LOAD
#undef A

}  // namespace
}  // namespace arch

#endif
