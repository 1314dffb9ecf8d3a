// SHA-256 (FIPS 180-4, section 6.2) by the ARMv8 SHA-2 instructions in AArch32 state, one message: 1.9
// instructions/byte, where compilers make 2.1 to 2.6 of intrinsics.

#include "../sha256_constants.h"

    .syntax unified
    .arm
    .arch   armv8-a
    .fpu    crypto-neon-fp-armv8

state    .req r0
messages .req r1
blocks   .req r2
next     .req r3
table    .req r12

// m0..m3 hold the sixteen schedule words that the next rounds need. q4..q7 belong to the caller and are not used.
abcd     .req q0
efgh     .req q1
wk       .req q2
old      .req q3
m0       .req q8
m1       .req q9
m2       .req q10
m3       .req q11
k        .req q12
chain0   .req q13
chain1   .req q14

// Four rounds on schedule words \m0, with the constants at `table`, which advances.
// With \begin, \m0 then starts on its way to the words sixteen rounds later; with \finish, \m3 (which began one call
// earlier) arrives there: apart, because the second step waits four cycles for the first.
.macro four_rounds m0, m1, m2, m3, begin, finish
    vld1.32     {k}, [table]!
    vmov        old, abcd
    vadd.i32    wk, \m0, k
    sha256h.32  abcd, efgh, wk
    sha256h2.32 efgh, old, wk
    .if \begin
    sha256su0.32 \m0, \m1
    .endif
    .if \finish
    sha256su1.32 \m3, \m1, \m2
    .endif
.endm

// void sha256_ce(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha256_ce
    .hidden sha256_ce
    .type   sha256_ce, %function
sha256_ce:
    .cfi_startproc
    ldr         next, [messages]
    vld1.32     {abcd}, [state]!
    vld1.32     {efgh}, [state]
    sub         state, state, #16
.Lblock:
    vld1.8      {m0}, [next]!
    vld1.8      {m1}, [next]!
    vld1.8      {m2}, [next]!
    vld1.8      {m3}, [next]!
    adr         table, .Lround_constants
    subs        blocks, blocks, #1
    vmov        chain0, abcd
    vmov        chain1, efgh
    vrev32.8    m0, m0
    vrev32.8    m1, m1
    vrev32.8    m2, m2
    vrev32.8    m3, m3

    four_rounds m0, m1, m2, m3, 1, 0
    four_rounds m1, m2, m3, m0, 1, 1
    four_rounds m2, m3, m0, m1, 1, 1
    four_rounds m3, m0, m1, m2, 1, 1
    four_rounds m0, m1, m2, m3, 1, 1
    four_rounds m1, m2, m3, m0, 1, 1
    four_rounds m2, m3, m0, m1, 1, 1
    four_rounds m3, m0, m1, m2, 1, 1
    four_rounds m0, m1, m2, m3, 1, 1
    four_rounds m1, m2, m3, m0, 1, 1
    four_rounds m2, m3, m0, m1, 1, 1
    four_rounds m3, m0, m1, m2, 1, 1
    four_rounds m0, m1, m2, m3, 0, 1
    four_rounds m1, m2, m3, m0, 0, 0
    four_rounds m2, m3, m0, m1, 0, 0
    four_rounds m3, m0, m1, m2, 0, 0

    vadd.i32    abcd, abcd, chain0
    vadd.i32    efgh, efgh, chain1
    bne         .Lblock

    vst1.32     {abcd}, [state]!
    vst1.32     {efgh}, [state]
    bx          lr
    .cfi_endproc
    .size       sha256_ce, . - sha256_ce

#define WORDS(k0, k1, k2, k3) .word k0, k1, k2, k3;
    .balign 4
.Lround_constants:
    SHA256_ROUND_CONSTANTS(WORDS)

    .section .note.GNU-stack, "", %progbits
