// SHA-1 (FIPS 180-4, section 6.1) by the ARMv8 SHA-1 instructions, two messages side by side: 1.86 cycles/byte by
// llvm-mca's cortex-a55, where one message alone takes 2.06.

    .arch armv8-a+crypto

// Registers. The messages are a and b; a_m0..a_m3 hold the sixteen schedule words that a's next rounds need. The
// working variable e alternates between a_e0 and a_e1. No register is left over that a function need not save.
state    .req x0
messages .req x1
blocks   .req x2
a_next   .req x3
b_next   .req x4

a_abcd   .req v0
a_abcdq  .req q0
a_abcds  .req s0
b_abcd   .req v1
b_abcdq  .req q1
b_abcds  .req s1
a_e0     .req s2
b_e0     .req s3
a_e0v    .req v2
b_e0v    .req v3
a_e1     .req s4
b_e1     .req s5
a_wk     .req v6
b_wk     .req v7
a_m0     .req v16
a_m1     .req v17
a_m2     .req v18
a_m3     .req v19
b_m0     .req v20
b_m1     .req v21
b_m2     .req v22
b_m3     .req v23
a_m0q    .req q16
a_m1q    .req q17
a_m2q    .req q18
a_m3q    .req q19
b_m0q    .req q20
b_m1q    .req q21
b_m2q    .req q22
b_m3q    .req q23
k0       .req v24
k1       .req v25
k2       .req v26
k3       .req v27
a_chain  .req v28
b_chain  .req v29
a_chain_e .req v30
b_chain_e .req v31

// Four rounds of both messages with \function (c for Ch, p for Parity, m for Maj) and constant \k on schedule words
// \m0, and, if \expand, the words that stand sixteen rounds later in their place. They take e from \e and leave the
// next one's in \e_next.
//
// Bound by the issue of ten instructions. The order is for in-order cores: they issue nothing that would finish before
// an instruction already under way, so the short ones (add, 2 cycles) stand together at the head, and the long ones (4
// cycles) follow at one a cycle, each result wanted four or more later.
.macro four_rounds function, k, e, e_next, m0, m1, m2, m3, expand
    add         a_wk.4s, a_\m0\().4s, \k\().4s
    add         b_wk.4s, b_\m0\().4s, \k\().4s
    .if \expand
    sha1su0     a_\m0\().4s, a_\m1\().4s, a_\m2\().4s
    sha1su0     b_\m0\().4s, b_\m1\().4s, b_\m2\().4s
    .endif
    sha1h       a_\e_next, a_abcds
    sha1h       b_\e_next, b_abcds
    sha1\function a_abcdq, a_\e, a_wk.4s
    sha1\function b_abcdq, b_\e, b_wk.4s
    .if \expand
    sha1su1     a_\m0\().4s, a_\m3\().4s
    sha1su1     b_\m0\().4s, b_\m3\().4s
    .endif
.endm

.macro set_constant k, high, low
    mov         w5, #\low
    movk        w5, #\high, lsl #16
    dup         \k\().4s, w5
.endm

// void sha1_ce_x2(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha1_ce_x2
    .hidden sha1_ce_x2
    .type   sha1_ce_x2, %function
sha1_ce_x2:
    .cfi_startproc
    hint        #34
    ldp         a_next, b_next, [messages]
    ld2         {a_abcd.4s, b_abcd.4s}, [state]
    ldp         a_e0, b_e0, [state, #32]
    set_constant k0, 0x5a82, 0x7999
    set_constant k1, 0x6ed9, 0xeba1
    set_constant k2, 0x8f1b, 0xbcdc
    set_constant k3, 0xca62, 0xc1d6
.Lblock:
    ldr         a_m0q, [a_next]
    ldr         b_m0q, [b_next]
    ldr         a_m1q, [a_next, #16]
    ldr         b_m1q, [b_next, #16]
    ldr         a_m2q, [a_next, #32]
    ldr         b_m2q, [b_next, #32]
    ldr         a_m3q, [a_next, #48]
    ldr         b_m3q, [b_next, #48]
    add         a_next, a_next, #64
    add         b_next, b_next, #64
    subs        blocks, blocks, #1
    mov         a_chain.16b, a_abcd.16b
    mov         b_chain.16b, b_abcd.16b
    mov         a_chain_e.8b, a_e0v.8b
    mov         b_chain_e.8b, b_e0v.8b
    .irp m, m0, m1, m2, m3
    rev32       a_\m\().16b, a_\m\().16b
    rev32       b_\m\().16b, b_\m\().16b
    .endr

    four_rounds c, k0, e0, e1, m0, m1, m2, m3, 1
    four_rounds c, k0, e1, e0, m1, m2, m3, m0, 1
    four_rounds c, k0, e0, e1, m2, m3, m0, m1, 1
    four_rounds c, k0, e1, e0, m3, m0, m1, m2, 1
    four_rounds c, k0, e0, e1, m0, m1, m2, m3, 1
    four_rounds p, k1, e1, e0, m1, m2, m3, m0, 1
    four_rounds p, k1, e0, e1, m2, m3, m0, m1, 1
    four_rounds p, k1, e1, e0, m3, m0, m1, m2, 1
    four_rounds p, k1, e0, e1, m0, m1, m2, m3, 1
    four_rounds p, k1, e1, e0, m1, m2, m3, m0, 1
    four_rounds m, k2, e0, e1, m2, m3, m0, m1, 1
    four_rounds m, k2, e1, e0, m3, m0, m1, m2, 1
    four_rounds m, k2, e0, e1, m0, m1, m2, m3, 1
    four_rounds m, k2, e1, e0, m1, m2, m3, m0, 1
    four_rounds m, k2, e0, e1, m2, m3, m0, m1, 1
    four_rounds p, k3, e1, e0, m3, m0, m1, m2, 1
    four_rounds p, k3, e0, e1, m0, m1, m2, m3, 0
    four_rounds p, k3, e1, e0, m1, m2, m3, m0, 0
    four_rounds p, k3, e0, e1, m2, m3, m0, m1, 0
    four_rounds p, k3, e1, e0, m3, m0, m1, m2, 0

    add         a_abcd.4s, a_abcd.4s, a_chain.4s
    add         b_abcd.4s, b_abcd.4s, b_chain.4s
    add         a_e0v.2s, a_e0v.2s, a_chain_e.2s
    add         b_e0v.2s, b_e0v.2s, b_chain_e.2s
    b.ne        .Lblock

    st2         {a_abcd.4s, b_abcd.4s}, [state]
    stp         a_e0, b_e0, [state, #32]
    ret
    .cfi_endproc
    .size       sha1_ce_x2, . - sha1_ce_x2

    .section .note.GNU-stack, "", %progbits
