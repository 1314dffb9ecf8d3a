// SHA-1 (FIPS 180-4, section 6.1) by the ARMv8 SHA-1 instructions in AArch32 state, one message: 1.8
// instructions/byte. Of intrinsics g++ 12 and clang 14 make 3.0 and 3.7, since they move e through other registers.

    .syntax unified
    .arm
    .arch   armv8-a
    .fpu    crypto-neon-fp-armv8

state    .req r0
messages .req r1
blocks   .req r2
next     .req r3
constant .req r12

// m0..m3 hold the sixteen schedule words that the next rounds need; the working variable e alternates between the
// lowest lanes of e0 and e1. q4..q7 belong to the caller and are not used, so k is loaded anew for every twenty rounds.
abcd     .req q0
e0       .req q1
e0s      .req s4
e1       .req q2
wk       .req q3
m0       .req q8
m1       .req q9
m2       .req q10
m3       .req q11
k        .req q12
k_low    .req d24
k_high   .req d25
chain    .req q13
chain_e  .req q14

// Four rounds with \function (c for Ch, p for Parity, m for Maj) and constant k on schedule words \m0. They take e from
// \e and leave the next one in \e_next. With \begin, \m0 then starts on its way to the words sixteen rounds later; with
// \finish, \m3 (which began one call earlier) arrives there: apart, because the second step waits four cycles for the
// first.
.macro four_rounds function, e, e_next, m0, m1, m2, m3, begin, finish
    vadd.i32    wk, \m0, k
    sha1h.32    \e_next, abcd
    sha1\function\().32 abcd, \e, wk
    .if \begin
    sha1su0.32  \m0, \m1, \m2
    .endif
    .if \finish
    sha1su1.32  \m3, \m2
    .endif
.endm

// void sha1_ce(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha1_ce
    .hidden sha1_ce
    .type   sha1_ce, %function
sha1_ce:
    .cfi_startproc
    ldr         next, [messages]
    vld1.32     {abcd}, [state]
    vldr        e0s, [state, #16]
.Lblock:
    vld1.8      {m0}, [next]!
    vld1.8      {m1}, [next]!
    vld1.8      {m2}, [next]!
    vld1.8      {m3}, [next]!
    adr         constant, .Lround_constants
    subs        blocks, blocks, #1
    vmov        chain, abcd
    vmov        chain_e, e0
    vrev32.8    m0, m0
    vrev32.8    m1, m1
    vrev32.8    m2, m2
    vrev32.8    m3, m3

    vld1.32     {k_low[], k_high[]}, [constant]!
    four_rounds c, e0, e1, m0, m1, m2, m3, 1, 0
    four_rounds c, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds c, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds c, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds c, e0, e1, m0, m1, m2, m3, 1, 1
    vld1.32     {k_low[], k_high[]}, [constant]!
    four_rounds p, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds p, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds p, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds p, e0, e1, m0, m1, m2, m3, 1, 1
    four_rounds p, e1, e0, m1, m2, m3, m0, 1, 1
    vld1.32     {k_low[], k_high[]}, [constant]!
    four_rounds m, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds m, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds m, e0, e1, m0, m1, m2, m3, 1, 1
    four_rounds m, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds m, e0, e1, m2, m3, m0, m1, 1, 1
    vld1.32     {k_low[], k_high[]}, [constant]!
    four_rounds p, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds p, e0, e1, m0, m1, m2, m3, 0, 1
    four_rounds p, e1, e0, m1, m2, m3, m0, 0, 0
    four_rounds p, e0, e1, m2, m3, m0, m1, 0, 0
    four_rounds p, e1, e0, m3, m0, m1, m2, 0, 0

    vadd.i32    abcd, abcd, chain
    vadd.i32    e0, e0, chain_e
    bne         .Lblock

    vst1.32     {abcd}, [state]
    vstr        e0s, [state, #16]
    bx          lr
    .cfi_endproc
    .size       sha1_ce, . - sha1_ce

    .balign 4
.Lround_constants:
    .word       0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6

    .section .note.GNU-stack, "", %progbits
