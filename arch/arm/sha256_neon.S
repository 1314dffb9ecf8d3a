// SHA-256 (FIPS 180-4, section 6.2) in NEON registers, two messages side by side: a D register holds a word of both.
// 23.8 cycles/byte on armcost's Cortex-A7 model, where one message in integer registers takes 27.2.

#include "../sha256_constants.h"

#define WIDTH 32
#define VADD vadd.i32
#define VSHL vshl.i32
#define VSHR vshr.u32
#define VSRI vsri.32

#define SUM0_1 2
#define SUM0_2 13
#define SUM0_3 22
#define SUM1_1 6
#define SUM1_2 11
#define SUM1_3 25
#define SIGMA0_1 7
#define SIGMA0_2 18
#define SIGMA0_3 3
#define SIGMA1_1 17
#define SIGMA1_2 19
#define SIGMA1_3 10

    .syntax unified
    .arm
    .arch   armv7-a
    .fpu    neon

state    .req r0
messages .req r1
blocks   .req r2
a_next   .req r3
b_next   .req r12
table    .req lr
efgh_at  .req r1

#include "sha2_neon.h"

// The odd words lie low: then the working variables, newest first, are in the order of memory. The schedule's registers
// are numbered as they come to lie after the transpose.
    pair    w0, q0, d1, d0
    pair    w1, q1, d3, d2
    pair    w2, q2, d5, d4
    pair    w3, q3, d7, d6
    pair    w4, q4, d9, d8
    pair    t0, q5, d11, d10
    pair    m1, q8, d17, d16
    pair    m3, q9, d19, d18
    pair    m0, q10, d21, d20
    pair    m2, q11, d23, d22
    pair    m5, q12, d25, d24
    pair    m7, q13, d27, d26
    pair    m4, q14, d29, d28
    pair    m6, q15, d31, d30

    .text
// Every constant once for each message, and as in the registers the odd round's before the even one's. Before the code,
// where adr reaches them.
#define WORDS(k0, k1, k2, k3) .word k1, k1, k0, k0, k3, k3, k2, k2;
    .balign 16
.Lround_constants:
    SHA256_ROUND_CONSTANTS(WORDS)

// void sha256_neon(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .global sha256_neon
    .hidden sha256_neon
    .type   sha256_neon, %function
sha256_neon:
    .cfi_startproc
    push        {r4, lr}  // r4 for the alignment of the stack
    .cfi_def_cfa_offset 8
    .cfi_offset r4, -8
    .cfi_offset lr, -4
    vpush       {d8-d15}
    .cfi_def_cfa_offset 72
    ldr         a_next, [messages]
    ldr         b_next, [messages, #4]
    add         efgh_at, state, #32
    vld1.32     {d0-d3}, [state :128]
    vld1.32     {d4-d7}, [efgh_at :128]
.Lblock:
    vld1.8      {d16-d19}, [a_next]!
    vld1.8      {d20-d23}, [b_next]!
    vld1.8      {d24-d27}, [a_next]!
    vld1.8      {d28-d31}, [b_next]!
    adr         table, .Lround_constants
    .irp m, m1, m0, m3, m2, m5, m4, m7, m6
    vrev32.8    \m, \m
    .endr
    vtrn.32     m1, m0
    vtrn.32     m3, m2
    vtrn.32     m5, m4
    vtrn.32     m7, m6
    vswp        m1o, m0e
    vswp        m3o, m2e
    vswp        m5o, m4e
    vswp        m7o, m6e
    subs        blocks, blocks, #1

    begin_rounds w4, w3, m0, m4
    two_rounds  w4, w0, w1, w2, w3, m0, m1, m5, m7, expand=1
    two_rounds  w3, w4, w0, w1, w2, m1, m2, m6, m0, expand=1
    two_rounds  w2, w3, w4, w0, w1, m2, m3, m7, m1, expand=1
    two_rounds  w1, w2, w3, w4, w0, m3, m4, m0, m2, expand=1
    two_rounds  w0, w1, w2, w3, w4, m4, m5, m1, m3, expand=1
    two_rounds  w4, w0, w1, w2, w3, m5, m6, m2, m4, expand=1
    two_rounds  w3, w4, w0, w1, w2, m6, m7, m3, m5, expand=1
    two_rounds  w2, w3, w4, w0, w1, m7, m0, m4, m6, expand=1
    two_rounds  w1, w2, w3, w4, w0, m0, m1, m5, m7, expand=1
    two_rounds  w0, w1, w2, w3, w4, m1, m2, m6, m0, expand=1
    two_rounds  w4, w0, w1, w2, w3, m2, m3, m7, m1, expand=1
    two_rounds  w3, w4, w0, w1, w2, m3, m4, m0, m2, expand=1
    two_rounds  w2, w3, w4, w0, w1, m4, m5, m1, m3, expand=1
    two_rounds  w1, w2, w3, w4, w0, m5, m6, m2, m4, expand=1
    two_rounds  w0, w1, w2, w3, w4, m6, m7, m3, m5, expand=1
    two_rounds  w4, w0, w1, w2, w3, m7, m0, m4, m6, expand=1
    two_rounds  w3, w4, w0, w1, w2, m0, m1, m5, m7, expand=1
    two_rounds  w2, w3, w4, w0, w1, m1, m2, m6, m0, expand=1
    two_rounds  w1, w2, w3, w4, w0, m2, m3, m7, m1, expand=1
    two_rounds  w0, w1, w2, w3, w4, m3, m4, m0, m2, expand=1
    two_rounds  w4, w0, w1, w2, w3, m4, m5, m1, m3, expand=1
    two_rounds  w3, w4, w0, w1, w2, m5, m6, m2, m4, expand=1
    two_rounds  w2, w3, w4, w0, w1, m6, m7, m3, m5, expand=1
    two_rounds  w1, w2, w3, w4, w0, m7, m0, m4, m6, expand=1
    two_rounds  w0, w1, w2, w3, w4, m0, m1, m5, m7
    two_rounds  w4, w0, w1, w2, w3, m1, m2, m6, m0
    two_rounds  w3, w4, w0, w1, w2, m2, m3, m7, m1
    two_rounds  w2, w3, w4, w0, w1, m3, m4, m0, m2
    two_rounds  w1, w2, w3, w4, w0, m4, m5, m1, m3
    two_rounds  w0, w1, w2, w3, w4, m5, m6, m2, m4
    two_rounds  w4, w0, w1, w2, w3, m6, m7, m3, m5
    two_rounds  w3, w4, w0, w1, w2, m7, m0, m4, m6, more=0

    vld1.32     {d16-d19}, [state :128]
    vld1.32     {d20-d23}, [efgh_at :128]
    // The thirty-two pairs have moved the working variables to w3, w4, w0 and w1.
    vadd.i32    w2, w0, q10
    vadd.i32    w0, w3, q8
    vadd.i32    w3, w1, q11
    vadd.i32    w1, w4, q9
    vst1.32     {d0-d3}, [state :128]
    vst1.32     {d4-d7}, [efgh_at :128]
    bne         .Lblock

    vpop        {d8-d15}
    .cfi_def_cfa_offset 8
    pop         {r4, pc}
    .cfi_endproc
    .size       sha256_neon, . - sha256_neon

    .section .note.GNU-stack, "", %progbits
