// SHA-512 (FIPS 180-4, section 6.4) in NEON registers, one message: a D register holds a word. 30.5 cycles/byte on
// armcost's Cortex-A7 model, where compiled C takes 88.
//
// Two messages side by side in Q registers come, by count, to the same per byte: what the arithmetic gains (a Q
// operation is a tenth cheaper than two D ones) goes to loading and storing the schedule, which then does not fit the
// registers.

#include "../sha512_constants.h"

#define WIDTH 64
#define VADD vadd.i64
#define VSHL vshl.i64
#define VSHR vshr.u64
#define VSRI vsri.64

#define SUM0_1 28
#define SUM0_2 34
#define SUM0_3 39
#define SUM1_1 14
#define SUM1_2 18
#define SUM1_3 41
#define SIGMA0_1 1
#define SIGMA0_2 8
#define SIGMA0_3 7
#define SIGMA1_1 19
#define SIGMA1_2 61
#define SIGMA1_3 6

    .syntax unified
    .arm
    .arch   armv7-a
    .fpu    neon

state    .req r0
messages .req r1
blocks   .req r2
next     .req r3
table    .req r12
efgh_at  .req r1

#include "sha2_neon.h"

// The even words lie low, as the message has them. The working variables, of which each pair's later is the earlier in
// memory, are turned round on entry and on exit; between, the chaining value is in `state` as it is in the registers.
    pair    w0, q0, d0, d1
    pair    w1, q1, d2, d3
    pair    w2, q2, d4, d5
    pair    w3, q3, d6, d7
    pair    w4, q4, d8, d9
    pair    t0, q5, d10, d11
    pair    m0, q8, d16, d17
    pair    m1, q9, d18, d19
    pair    m2, q10, d20, d21
    pair    m3, q11, d22, d23
    pair    m4, q12, d24, d25
    pair    m5, q13, d26, d27
    pair    m6, q14, d28, d29
    pair    m7, q15, d30, d31

// void sha512_neon(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
// Before the code, where adr reaches them.
#define WORDS(k0, k1) .quad k0, k1;
    .balign 16
.Lround_constants:
    SHA512_ROUND_CONSTANTS(WORDS)

    .global sha512_neon
    .hidden sha512_neon
    .type   sha512_neon, %function
sha512_neon:
    .cfi_startproc
    vpush       {d8-d15}
    .cfi_def_cfa_offset 64
    ldr         next, [messages]
    add         efgh_at, state, #32
    vld1.64     {d0-d3}, [state :128]
    vld1.64     {d4-d7}, [efgh_at :128]
    .irp w, w0, w1, w2, w3
    vswp        \w\()e, \w\()o
    .endr
    vst1.64     {d0-d3}, [state :128]
    vst1.64     {d4-d7}, [efgh_at :128]
.Lblock:
    vld1.8      {d16-d19}, [next]!
    vld1.8      {d20-d23}, [next]!
    vld1.8      {d24-d27}, [next]!
    vld1.8      {d28-d31}, [next]!
    adr         table, .Lround_constants
    subs        blocks, blocks, #1
    .irp m, m0, m1, m2, m3, m4, m5, m6, m7
    vrev64.8    \m, \m
    .endr

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
    two_rounds  w0, w1, w2, w3, w4, m0, m1, m5, m7, expand=1
    two_rounds  w4, w0, w1, w2, w3, m1, m2, m6, m0, expand=1
    two_rounds  w3, w4, w0, w1, w2, m2, m3, m7, m1, expand=1
    two_rounds  w2, w3, w4, w0, w1, m3, m4, m0, m2, expand=1
    two_rounds  w1, w2, w3, w4, w0, m4, m5, m1, m3, expand=1
    two_rounds  w0, w1, w2, w3, w4, m5, m6, m2, m4, expand=1
    two_rounds  w4, w0, w1, w2, w3, m6, m7, m3, m5, expand=1
    two_rounds  w3, w4, w0, w1, w2, m7, m0, m4, m6, expand=1
    two_rounds  w2, w3, w4, w0, w1, m0, m1, m5, m7
    two_rounds  w1, w2, w3, w4, w0, m1, m2, m6, m0
    two_rounds  w0, w1, w2, w3, w4, m2, m3, m7, m1
    two_rounds  w4, w0, w1, w2, w3, m3, m4, m0, m2
    two_rounds  w3, w4, w0, w1, w2, m4, m5, m1, m3
    two_rounds  w2, w3, w4, w0, w1, m5, m6, m2, m4
    two_rounds  w1, w2, w3, w4, w0, m6, m7, m3, m5
    two_rounds  w0, w1, w2, w3, w4, m7, m0, m4, m6, more=0

    vld1.64     {d16-d19}, [state :128]
    vld1.64     {d20-d23}, [efgh_at :128]
    vadd.i64    w0, w0, q8
    vadd.i64    w1, w1, q9
    vadd.i64    w2, w2, q10
    vadd.i64    w3, w3, q11
    vst1.64     {d0-d3}, [state :128]
    vst1.64     {d4-d7}, [efgh_at :128]
    bne         .Lblock

    .irp w, w0, w1, w2, w3
    vswp        \w\()e, \w\()o
    .endr
    vst1.64     {d0-d3}, [state :128]
    vst1.64     {d4-d7}, [efgh_at :128]
    vpop        {d8-d15}
    .cfi_def_cfa_offset 0
    bx          lr
    .cfi_endproc
    .size       sha512_neon, . - sha512_neon

    .section .note.GNU-stack, "", %progbits
