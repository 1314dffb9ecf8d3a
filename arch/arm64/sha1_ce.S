// SHA-1 (FIPS 180-4, section 6.1) by the ARMv8 SHA-1 instructions, one message: 2.06 cycles/byte by llvm-mca's
// cortex-a55. Compilers make 2.6 to 2.9 of intrinsics.

    .arch armv8-a+crypto

state    .req x0
messages .req x1
blocks   .req x2
next     .req x3

abcd     .req v0
abcdq    .req q0
abcds    .req s0
e0       .req s1
e0v      .req v1
e1       .req s2
wk       .req v3
chain    .req v4
chain_e  .req v5
k0       .req v20
k1       .req v21
k2       .req v22
k3       .req v23
m0       .req v16
m1       .req v17
m2       .req v18
m3       .req v19
m0q      .req q16
m1q      .req q17
m2q      .req q18
m3q      .req q19

// Four rounds with \function (c for Ch, p for Parity, m for Maj) and constant \k on schedule words \m0. They take the
// working variable e from \e and leave the next one's in \e_next.
// With \begin, \m0 then starts on its way to the words sixteen rounds later; with \finish, \m3 (which began one call
// earlier) arrives there: apart, because the second step waits four cycles for the first.
//
// Bound by the issue of five instructions, and on in-order cores a sixth cycle: they issue nothing that would finish
// before an instruction already under way, and add is shorter (2 cycles) than the others (4).
.macro four_rounds function, k, e, e_next, m0, m1, m2, m3, begin, finish
    add         wk.4s, \m0\().4s, \k\().4s
    sha1h       \e_next, abcds
    sha1\function abcdq, \e, wk.4s
    .if \begin
    sha1su0     \m0\().4s, \m1\().4s, \m2\().4s
    .endif
    .if \finish
    sha1su1     \m3\().4s, \m2\().4s
    .endif
.endm

.macro set_constant k, high, low
    mov         w4, #\low
    movk        w4, #\high, lsl #16
    dup         \k\().4s, w4
.endm

// void sha1_ce(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha1_ce
    .hidden sha1_ce
    .type   sha1_ce, %function
sha1_ce:
    .cfi_startproc
    hint        #34
    ldr         next, [messages]
    ldr         abcdq, [state]
    ldr         e0, [state, #16]
    set_constant k0, 0x5a82, 0x7999
    set_constant k1, 0x6ed9, 0xeba1
    set_constant k2, 0x8f1b, 0xbcdc
    set_constant k3, 0xca62, 0xc1d6
.Lblock:
    ldr         m0q, [next]
    ldr         m1q, [next, #16]
    ldr         m2q, [next, #32]
    ldr         m3q, [next, #48]
    add         next, next, #64
    subs        blocks, blocks, #1
    mov         chain.16b, abcd.16b
    mov         chain_e.8b, e0v.8b
    rev32       m0.16b, m0.16b
    rev32       m1.16b, m1.16b
    rev32       m2.16b, m2.16b
    rev32       m3.16b, m3.16b

    four_rounds c, k0, e0, e1, m0, m1, m2, m3, 1, 0
    four_rounds c, k0, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds c, k0, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds c, k0, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds c, k0, e0, e1, m0, m1, m2, m3, 1, 1
    four_rounds p, k1, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds p, k1, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds p, k1, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds p, k1, e0, e1, m0, m1, m2, m3, 1, 1
    four_rounds p, k1, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds m, k2, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds m, k2, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds m, k2, e0, e1, m0, m1, m2, m3, 1, 1
    four_rounds m, k2, e1, e0, m1, m2, m3, m0, 1, 1
    four_rounds m, k2, e0, e1, m2, m3, m0, m1, 1, 1
    four_rounds p, k3, e1, e0, m3, m0, m1, m2, 1, 1
    four_rounds p, k3, e0, e1, m0, m1, m2, m3, 0, 1
    four_rounds p, k3, e1, e0, m1, m2, m3, m0, 0, 0
    four_rounds p, k3, e0, e1, m2, m3, m0, m1, 0, 0
    four_rounds p, k3, e1, e0, m3, m0, m1, m2, 0, 0

    add         abcd.4s, abcd.4s, chain.4s
    add         e0v.2s, e0v.2s, chain_e.2s
    b.ne        .Lblock

    str         abcdq, [state]
    str         e0, [state, #16]
    ret
    .cfi_endproc
    .size       sha1_ce, . - sha1_ce

    .section .note.GNU-stack, "", %progbits
