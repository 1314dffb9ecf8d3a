// SHA-1 (FIPS 180-4, section 6.1) in NEON registers, two messages side by side: a D register holds a word of both.
// 10.5 cycles/byte on armcost's Cortex-A7 model, where one message in integer registers takes 14.7.
//
// Bound by arithmetic. Operations on Q registers cost less than two on D registers, so rounds go in pairs, of which all
// runs in Q registers that the second round need not wait for: the message schedule, the sum W + K + e and the rotation
// of b by 30. Only Ch, Parity or Maj and the rotation of a by 5 are done round by round. All sixteen schedule words
// stay in registers.

    .syntax unified
    .arm
    .arch   armv7-a
    .fpu    neon

state    .req r0
messages .req r1
blocks   .req r2
a_next   .req r3
b_next   .req r12
constant .req lr
later    .req r4

// Registers. Round t makes the working variable v[t], which is a in the round after it, b in the next, and, rotated by
// 30, c, d and e in the three that follow. Of the pairs v[2n-1]:v[2n] two are at hand as made (u) and two rotated (r).
// In a pair of rounds the first is 2n, and
//     u_now is v[2n-1] : v[2n], of which the second is to be made;
//     u_last is v[2n-3] : v[2n-2];
//     r_last is v[2n-3] : v[2n-2], rotated;
//     r_before is v[2n-5] : v[2n-4], rotated.
// The earlier word of each pair, here and in the schedule, stands in the high half (h), the later in the low one (l):
// then the chaining value lies in d1-d2 and d5-d7 in the order of memory.
ua       .req q0
ual      .req d0
uah      .req d1
ub       .req q1
ubl      .req d2
ubh      .req d3
ra       .req q2
ral      .req d4
rah      .req d5
rb       .req q3
rbl      .req d6
rbh      .req d7
sum      .req q4
suml     .req d8
sumh     .req d9
k        .req q5
kl       .req d10
kh       .req d11
word     .req q6
wordl    .req d12
wordh    .req d13
rotated  .req d14
choice   .req d15
// The schedule: m0 is W[t] : W[t+1] for t = 0 modulo 16, and so on. They are numbered as they come to lie after the
// transpose.
m0       .req q10
m0l      .req d20
m0h      .req d21
m1       .req q8
m1l      .req d16
m1h      .req d17
m2       .req q11
m2l      .req d22
m2h      .req d23
m3       .req q9
m3l      .req d18
m3h      .req d19
m4       .req q14
m4l      .req d28
m4h      .req d29
m5       .req q12
m5l      .req d24
m5h      .req d25
m6       .req q15
m6l      .req d30
m6h      .req d31
m7       .req q13
m7l      .req d26
m7h      .req d27

// \to = \sum + f(b, c, d) for the three functions of section 4.1.1, in three parts, so that other work goes between. Ch
// is made in b's own register, which must be done with by then.
.macro begin_ch b, c, d
.endm
.macro end_ch b, c, d
    vbsl        \b, \c, \d
.endm
.macro add_ch to, sum, b
    vadd.i32    \to, \sum, \b
.endm
.macro begin_parity b, c, d
    veor        choice, \b, \c
.endm
.macro end_parity b, c, d
    veor        choice, choice, \d
.endm
.macro add_parity to, sum, b
    vadd.i32    \to, \sum, choice
.endm
.macro begin_maj b, c, d
    veor        choice, \b, \c
.endm
.macro end_maj b, c, d
    vbsl        choice, \d, \b
.endm
.macro add_maj to, sum, b
    vadd.i32    \to, \sum, choice
.endm

// Two rounds with \function on schedule words \m0, and, if \expand, the words that stand sixteen rounds later in their
// place. On exit \u_last holds the later word made, which makes it the next pair's u_now, and \r_before its r_last.
.macro two_rounds function, u_now, u_last, r_last, r_before, m0, m1, m4, m6, m7, expand
    vadd.i32    sum, \m0, k
    begin_\function \u_last\()l, \r_last\()h, \r_before\()l
    .if \expand
    veor        word, \m0, \m1
    .endif
    vshl.i32    rotated, \u_now\()h, #5
    vadd.i32    sum, sum, \r_before
    end_\function \u_last\()l, \r_last\()h, \r_before\()l
    .if \expand
    veor        word, word, \m4
    .endif
    vsra.u32    sumh, \u_now\()h, #27
    .if \expand
    veor        wordh, wordh, \m6\()l
    .endif
    add_\function sumh, sumh, \u_last\()l
    .if \expand
    veor        wordl, wordl, \m7\()h
    .endif
    vadd.i32    \u_now\()l, sumh, rotated
    begin_\function \u_now\()h, \r_last\()l, \r_last\()h
    .if \expand
    vshl.i32    \m0, word, #1
    .endif
    vshl.i32    \r_before, \u_now, #30
    vshl.i32    rotated, \u_now\()l, #5
    .if \expand
    vsri.32     \m0, word, #31
    .endif
    vsra.u32    suml, \u_now\()l, #27
    vsri.32     \r_before, \u_now, #2
    end_\function \u_now\()h, \r_last\()l, \r_last\()h
    vadd.i32    suml, suml, rotated
    add_\function \u_last\()h, suml, \u_now\()h
.endm

    .text
// Before the code, where adr reaches them.
    .balign 16
.Lround_constants:
    .word       0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6

// void sha1_neon(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .global sha1_neon
    .hidden sha1_neon
    .type   sha1_neon, %function
sha1_neon:
    .cfi_startproc
    push        {r4, lr}
    .cfi_def_cfa_offset 8
    .cfi_offset r4, -8
    .cfi_offset lr, -4
    vpush       {d8-d15}
    .cfi_def_cfa_offset 72
    ldr         a_next, [messages]
    ldr         b_next, [messages, #4]
    add         later, state, #16
    vld1.32     {uah, ubl}, [state]
    vld1.32     {rah, rbl, rbh}, [later]
.Lblock:
    vld1.8      {d16-d19}, [a_next]!
    vld1.8      {d20-d23}, [b_next]!
    vld1.8      {d24-d27}, [a_next]!
    vld1.8      {d28-d31}, [b_next]!
    adr         constant, .Lround_constants
    vshl.i32    ral, ubl, #30
    .irp m, m0, m1, m2, m3, m4, m5, m6, m7
    vrev32.8    \m, \m
    .endr
    vsri.32     ral, ubl, #2
    vtrn.32     m1, m0
    vtrn.32     m3, m2
    vtrn.32     m5, m4
    vtrn.32     m7, m6
    vswp        m1l, m0h
    vswp        m3l, m2h
    vswp        m5l, m4h
    vswp        m7l, m6h
    subs        blocks, blocks, #1

    vld1.32     {kl[], kh[]}, [constant]!
    two_rounds  ch,     ua, ub, ra, rb, m0, m1, m4, m6, m7, 1
    two_rounds  ch,     ub, ua, rb, ra, m1, m2, m5, m7, m0, 1
    two_rounds  ch,     ua, ub, ra, rb, m2, m3, m6, m0, m1, 1
    two_rounds  ch,     ub, ua, rb, ra, m3, m4, m7, m1, m2, 1
    two_rounds  ch,     ua, ub, ra, rb, m4, m5, m0, m2, m3, 1
    two_rounds  ch,     ub, ua, rb, ra, m5, m6, m1, m3, m4, 1
    two_rounds  ch,     ua, ub, ra, rb, m6, m7, m2, m4, m5, 1
    two_rounds  ch,     ub, ua, rb, ra, m7, m0, m3, m5, m6, 1
    two_rounds  ch,     ua, ub, ra, rb, m0, m1, m4, m6, m7, 1
    two_rounds  ch,     ub, ua, rb, ra, m1, m2, m5, m7, m0, 1
    vld1.32     {kl[], kh[]}, [constant]!
    two_rounds  parity, ua, ub, ra, rb, m2, m3, m6, m0, m1, 1
    two_rounds  parity, ub, ua, rb, ra, m3, m4, m7, m1, m2, 1
    two_rounds  parity, ua, ub, ra, rb, m4, m5, m0, m2, m3, 1
    two_rounds  parity, ub, ua, rb, ra, m5, m6, m1, m3, m4, 1
    two_rounds  parity, ua, ub, ra, rb, m6, m7, m2, m4, m5, 1
    two_rounds  parity, ub, ua, rb, ra, m7, m0, m3, m5, m6, 1
    two_rounds  parity, ua, ub, ra, rb, m0, m1, m4, m6, m7, 1
    two_rounds  parity, ub, ua, rb, ra, m1, m2, m5, m7, m0, 1
    two_rounds  parity, ua, ub, ra, rb, m2, m3, m6, m0, m1, 1
    two_rounds  parity, ub, ua, rb, ra, m3, m4, m7, m1, m2, 1
    vld1.32     {kl[], kh[]}, [constant]!
    two_rounds  maj,    ua, ub, ra, rb, m4, m5, m0, m2, m3, 1
    two_rounds  maj,    ub, ua, rb, ra, m5, m6, m1, m3, m4, 1
    two_rounds  maj,    ua, ub, ra, rb, m6, m7, m2, m4, m5, 1
    two_rounds  maj,    ub, ua, rb, ra, m7, m0, m3, m5, m6, 1
    two_rounds  maj,    ua, ub, ra, rb, m0, m1, m4, m6, m7, 1
    two_rounds  maj,    ub, ua, rb, ra, m1, m2, m5, m7, m0, 1
    two_rounds  maj,    ua, ub, ra, rb, m2, m3, m6, m0, m1, 1
    two_rounds  maj,    ub, ua, rb, ra, m3, m4, m7, m1, m2, 1
    two_rounds  maj,    ua, ub, ra, rb, m4, m5, m0, m2, m3, 1
    two_rounds  maj,    ub, ua, rb, ra, m5, m6, m1, m3, m4, 1
    vld1.32     {kl[], kh[]}, [constant]!
    two_rounds  parity, ua, ub, ra, rb, m6, m7, m2, m4, m5, 1
    two_rounds  parity, ub, ua, rb, ra, m7, m0, m3, m5, m6, 1
    two_rounds  parity, ua, ub, ra, rb, m0, m1, m4, m6, m7, 0
    two_rounds  parity, ub, ua, rb, ra, m1, m2, m5, m7, m0, 0
    two_rounds  parity, ua, ub, ra, rb, m2, m3, m6, m0, m1, 0
    two_rounds  parity, ub, ua, rb, ra, m3, m4, m7, m1, m2, 0
    two_rounds  parity, ua, ub, ra, rb, m4, m5, m0, m2, m3, 0
    two_rounds  parity, ub, ua, rb, ra, m5, m6, m1, m3, m4, 0
    two_rounds  parity, ua, ub, ra, rb, m6, m7, m2, m4, m5, 0
    two_rounds  parity, ub, ua, rb, ra, m7, m0, m3, m5, m6, 0

    vld1.32     {d16, d17}, [state]
    vld1.32     {d18, d19, d20}, [later]
    vadd.i32    uah, uah, d16
    vadd.i32    ubl, ubl, d17
    vadd.i32    rah, rah, d18
    vadd.i32    rbl, rbl, d19
    vadd.i32    rbh, rbh, d20
    vst1.32     {uah, ubl}, [state]
    vst1.32     {rah, rbl, rbh}, [later]
    bne         .Lblock

    vpop        {d8-d15}
    .cfi_def_cfa_offset 8
    pop         {r4, pc}
    .cfi_endproc
    .size       sha1_neon, . - sha1_neon

    .section .note.GNU-stack, "", %progbits
