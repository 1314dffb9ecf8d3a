// Salsa20 (D. J. Bernstein, "The Salsa20 family of stream ciphers") for ARMv7 with NEON, four blocks side by side: a Q
// register holds one word of all four.
//
// Arithmetic bounds the speed: a quarter round is 16 operations on Q registers. On armcost's Cortex-A7 model it takes
// 11.7 (Salsa20) and 7.1 (Salsa20/12) cycles/byte at 4096 bytes, and 12.8 and 7.8 at 1420.
//
// - Three registers are scratch, so that two quarter rounds can run side by side without waiting for results. Three
//   pairs of words take turns in one register each: 0 and 10, 1 and 14, 4 and 11. With the order of quarter rounds
//   chosen here, one of a pair is done with long enough before the other is needed.
// - In the first column round only column 0 depends on the counter's low word, and only from its second step on. The
//   rest is computed once a message, and a message in which the low word overflows is treated as two. This saves 7 % of
//   Salsa20/12.
// - To block order: pairs of words are transposed by vtrn, the rest by exclusive-oring in halves.
// - A last piece of less than 256 bytes goes through the same pass from and to a buffer; see chacha_copy_neon.h.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

#include "arch/arm/chacha_copy_neon.h"

state       .req r0
rounds      .req r1     // then
turns       .req r1     // double rounds left of this pass
out         .req r2
in          .req r3
left        .req r4     // bytes, up to where the counter's low word overflows
from        .req r5     // input of this pass: `in`, or `piece`
to          .req r6
words       .req r7
wait0_1     .req r8     // where words wait that have no register
wait10_14   .req r9
wait4       .req r10
wait11      .req r11
low         .req r12    // the counter, until the setup is done; then
block       .req r12    // 64, the distance of blocks
high        .req lr

    .macro word name, both, lower, upper
\name       .req \both
\name\()l   .req \lower
\name\()h   .req \upper
    .endm

    word x2, q0, d0, d1
    word x3, q1, d2, d3
    word x5, q2, d4, d5
    word x6, q3, d6, d7
    word x7, q4, d8, d9
    word x8, q5, d10, d11
    word x9, q6, d12, d13
    word x12, q7, d14, d15
    word x0, q8, d16, d17
    word x10, q8, d16, d17
    word x1, q9, d18, d19
    word x14, q9, d18, d19
    word x4, q10, d20, d21
    word x11, q10, d20, d21
    word x13, q11, d22, d23
    word x15, q12, d24, d25
t0          .req q13
t1          .req q14
t2          .req q15

    .set saved, 10 * 4 + 8 * 8
    .set first_words, 0             // what a pass starts from, in the order of loads; see `spread`
    .set waiting, first_words + 256 // words 0, 1; 10, 14; 4; 11
    .set counters, waiting + 96     // word 8 of four blocks
    .set initial, counters + 16     // the initial words in pairs, each pair twice, but with 0 for word 8
    .set piece, initial + 128       // the last of the message
    .set plain, piece               // words before they are spread
    .set remaining, piece + 256     // bytes behind the overflow
    .set double_rounds, remaining + 4
    .set locals, double_rounds + 4

// Two quarter rounds. Each line is two cycles' work, and each result waits for at least one other line before it is
// used, except for words from memory. The second quarter round lags behind the first, and the end of its last rotation
// is left to the next two, which get its word as a_before. If given, b1 then goes to `put` and its companion comes from
// `get`, once it has been read for the last time; and before, words 0 and 1, or 10 and 14, do likewise.
    .macro two_quarters a0, b0, c0, d0, a1, b1, c1, d1, a_before, put=, get=, put2=, get2=
    vadd.i32 t0, \a0, \d0
    .ifnb \a_before
                                vsri.32 t2, t1, #14
    .endif
    vshl.i32 t1, t0, #7
    .ifnb \a_before
                                veor \a_before, \a_before, t2
    .endif
    .ifnb \put2
    vst1.32 {q8-q9}, [\put2 :64]
    vld1.32 {q8-q9}, [\get2 :64]
    .endif
    vsri.32 t1, t0, #25
                                vadd.i32 t0, \a1, \d1
    veor \b0, \b0, t1
                                vshl.i32 t1, t0, #7
    vadd.i32 t2, \b0, \a0
                                vsri.32 t1, t0, #25
    vshl.i32 t0, t2, #9
                                veor \b1, \b1, t1
    vsri.32 t0, t2, #23
                                vadd.i32 t1, \b1, \a1
    veor \c0, \c0, t0
                                vshl.i32 t2, t1, #9
    vadd.i32 t0, \c0, \b0
                                vsri.32 t2, t1, #23
    vshl.i32 t1, t0, #13
                                veor \c1, \c1, t2
    vsri.32 t1, t0, #19
                                vadd.i32 t0, \c1, \b1
    .ifnb \put
    vst1.32 {q10}, [\put :64]
    vld1.32 {q10}, [\get :64]
    .endif
    veor \d0, \d0, t1
                                vshl.i32 t1, t0, #13
    vadd.i32 t2, \d0, \c0
                                vsri.32 t1, t0, #19
    vshl.i32 t0, t2, #18
                                veor \d1, \d1, t1
    vsri.32 t0, t2, #14
                                vadd.i32 t1, \d1, \c1
    veor \a0, \a0, t0
                                vshl.i32 t2, t1, #18
    .endm

// One quarter round of the first column round, in core registers, from `state` to \to_a ... in `plain`.
    .macro known_quarter a, b, c, d, to_a, to_b, to_c, to_d
    ldr r5, [state, #\a * 4]
    .if \b == 9
    mov r6, high
    .else
    ldr r6, [state, #\b * 4]
    .endif
    ldr r7, [state, #\c * 4]
    ldr r8, [state, #\d * 4]
    add r9, r5, r8
    eor r6, r6, r9, ror #25
    add r9, r6, r5
    eor r7, r7, r9, ror #23
    add r9, r7, r6
    eor r8, r8, r9, ror #19
    add r9, r8, r7
    eor r5, r5, r9, ror #14
    str r5, [sp, #plain + \to_a * 4]
    str r6, [sp, #plain + \to_b * 4]
    str r7, [sp, #plain + \to_c * 4]
    str r8, [sp, #plain + \to_d * 4]
    .endm

// The next word of `plain` into all lanes.
    .macro spread lower, upper
    vld1.32 {\lower[], \upper[]}, [words :32]!
    .endm

// Exclusive-ors four D registers, 32 bytes of the message, with the pairs of words that belong there.
    .macro xor_pairs m0, m1, m2, m3, p0, p1, p2, p3
    veor \m0, \m0, \p0
    veor \m1, \m1, \p1
    veor \m2, \m2, \p2
    veor \m3, \m3, \p3
    .endm

    .text
    .align 4
.Lcount:
    .word 0, 1, 2, 3

// void salsa_neon(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length);

    .cfi_sections .debug_frame
    .global salsa_neon
    .hidden salsa_neon
    .type salsa_neon, %function
    .align 4
salsa_neon:
    .cfi_startproc
    push {r3-r11, lr}   // r3 only keeps the stack aligned
    .cfi_def_cfa_offset 10 * 4
    .irp number, 4, 5, 6, 7, 8, 9, 10, 11
    .cfi_rel_offset r\number, (\number - 3) * 4
    .endr
    .cfi_rel_offset lr, 9 * 4
    vpush {d8-d15}
    .cfi_def_cfa_offset saved
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    .cfi_rel_offset d\number, (\number - 8) * 8
    .endr
    sub sp, sp, #locals
    .cfi_def_cfa_offset saved + locals

    lsr rounds, rounds, #1
    str rounds, [sp, #double_rounds]
    ldr left, [sp, #locals + saved]
    ldr low, [state, #8 * 4]
    ldr high, [state, #9 * 4]

    // If low + blocks - 1 overflows, this part of the message is what -low blocks cover.
.Lpart:
    mov words, #0
    sub from, left, #1
    adds from, low, from, lsr #6
    bcc .Lsetup
    rsb from, low, #0
    sub words, left, from, lsl #6
    lsl left, from, #6
.Lsetup:
    str words, [sp, #remaining]

    // The initial pairs.
    mov from, state
    add words, sp, #initial
    vld1.32 {q0-q1}, [from :128]!
    vld1.32 {q2-q3}, [from :128]
    mov from, #0
    vmov d4, from, high
    .irp row, 0, 1, 2, 3
    vmov q8, q\row
    vmov q9, q\row
    vswp d17, d18
    vst1.32 {q8-q9}, [words :64]!
    .endr

    // The first column round, as far as it is known.
    known_quarter 5, 9, 13, 1, 10, 2, 5, 7
    known_quarter 10, 14, 2, 6, 14, 15, 8, 11
    known_quarter 15, 3, 7, 11, 12, 9, 0, 13
    ldr r5, [state, #0 * 4]
    ldr r6, [state, #4 * 4]
    ldr r8, [state, #12 * 4]
    add r9, r5, r8
    eor r6, r6, r9, ror #25
    add r7, r6, r5
    ror r7, r7, #23                 // what word 8 is exclusive-ored with
    str r5, [sp, #plain + 6 * 4]
    str r6, [sp, #plain + 4 * 4]
    str r7, [sp, #plain + 1 * 4]
    str r8, [sp, #plain + 3 * 4]

    add words, sp, #plain
    spread d0, d1                   // 7
    spread d2, d3                   // for 8
    spread d4, d5                   // 9
    spread d6, d7                   // 12
    spread d8, d9                   // 4
    spread d10, d11                 // 13
    spread d12, d13                 // 0
    spread d14, d15                 // 1
    spread d16, d17                 // 2
    spread d18, d19                 // 3
    spread d20, d21                 // 5
    spread d22, d23                 // 6
    spread d24, d25                 // 15
    spread d26, d27                 // 11
    spread d28, d29                 // 10
    spread d30, d31                 // 14
    add words, sp, #first_words
    vst1.32 {q0-q1}, [words :64]!
    vst1.32 {q2-q3}, [words :64]!
    vst1.32 {q4-q5}, [words :64]!
    vst1.32 {q6-q7}, [words :64]!
    vst1.32 {q8-q9}, [words :64]!
    vst1.32 {q10-q11}, [words :64]!
    vst1.32 {q12-q13}, [words :64]!
    vst1.32 {q14-q15}, [words :64]
    adr words, .Lcount
    vld1.32 {q0}, [words :128]
    vdup.32 q1, low
    vadd.i32 q0, q0, q1
    add words, sp, #counters
    vst1.32 {q0}, [words :64]
    add wait0_1, sp, #waiting
    add wait10_14, sp, #waiting + 32
    add wait4, sp, #waiting + 64
    add wait11, sp, #waiting + 80
    mov block, #64

.Lpass:
    cmp left, #256
    mov from, in
    mov to, out
    addhs in, in, #256
    addhs out, out, #256
    bhs .Lwords
    add from, sp, #piece
    copy_short from, in, left, to
    add from, sp, #piece
    mov to, from
.Lwords:
    // The rest of column 0, beside the other words' loads; then the first row round.
    ldr turns, [sp, #double_rounds]
    add words, sp, #counters
    vld1.32 {t0}, [words :64]
    add words, sp, #first_words
    vld1.32 {q4-q5}, [words :64]!
    vld1.32 {q6-q7}, [words :64]!
    vld1.32 {q10-q11}, [words :64]!
    veor x8, x8, t0
    vld1.32 {q8-q9}, [words :64]!
    vadd.i32 t0, x8, x4
    vld1.32 {q0-q1}, [words :64]!
    vshl.i32 t1, t0, #13
    vld1.32 {q2-q3}, [words :64]!
    vsri.32 t1, t0, #19
    vld1.32 {q12}, [words :64]!
    veor x12, x12, t1
    vst1.32 {q10}, [wait4 :64]
    vadd.i32 t1, x12, x8
    vld1.32 {q10}, [words :64]!
    vshl.i32 t2, t1, #18
    vsri.32 t2, t1, #14
    veor x0, x0, t2
    vst1.32 {q8-q9}, [wait0_1 :64]
    vld1.32 {q8-q9}, [words :64]
    two_quarters x15, x12, x13, x14, x10, x11, x8, x9, put=wait11, get=wait4
    b .Lsecond_rows

.Ldouble_round:
    two_quarters x5, x9, x13, x1, x0, x4, x8, x12, x0, wait4, wait11
    two_quarters x15, x3, x7, x11, x10, x14, x2, x6, x0, put2=wait0_1, get2=wait10_14
    two_quarters x15, x12, x13, x14, x10, x11, x8, x9, x10, wait11, wait4
.Lsecond_rows:
    subs turns, turns, #1
    two_quarters x5, x6, x7, x4, x0, x1, x2, x3, x10, put2=wait10_14, get2=wait0_1
    bne .Ldouble_round
    vsri.32 t2, t1, #14
    veor x0, x0, t2

    // Word 15 to memory, so that there are two buffers for the message. Back at the initial words:
    vst1.32 {q12}, [wait4 :64]
    add words, sp, #counters
    vld1.32 {t0}, [words :64]
    vmov.i32 t1, #4
    vadd.i32 x8, x8, t0
    vadd.i32 t0, t0, t1
    vst1.32 {t0}, [words :64]
    add words, sp, #initial
    vld1.32 {q12-q13}, [words :64]!
    vtrn.32 x0, x1
    vtrn.32 x2, x3
    vld1.32 {q14-q15}, [words :64]!
    vtrn.32 x4, x5
    vtrn.32 x6, x7
    vadd.i32 x0, x0, q12
    vadd.i32 x1, x1, q12
    vadd.i32 x2, x2, q13
    vadd.i32 x3, x3, q13
    vld1.8 {d24-d27}, [from], block
    vadd.i32 x4, x4, q14
    vadd.i32 x5, x5, q14
    vadd.i32 x6, x6, q15
    vadd.i32 x7, x7, q15

    // The first halves of blocks: lower halves of registers are of blocks 0 and 1, upper ones of 2 and 3.
    vld1.8 {d28-d31}, [from], block
    xor_pairs d24, d25, d26, d27, x0l, x2l, x4l, x6l
    vst1.8 {d24-d27}, [to], block
    vld1.8 {d24-d27}, [from], block
    xor_pairs d28, d29, d30, d31, x1l, x3l, x5l, x7l
    vst1.8 {d28-d31}, [to], block
    vld1.8 {d28-d31}, [from], block
    xor_pairs d24, d25, d26, d27, x0h, x2h, x4h, x6h
    vst1.8 {d24-d27}, [to], block
    xor_pairs d28, d29, d30, d31, x1h, x3h, x5h, x7h
    vst1.8 {d28-d31}, [to], block

    // The second halves.
    vld1.32 {q8-q9}, [wait10_14 :64]
    vld1.32 {q10}, [wait11 :64]
    vld1.32 {q12}, [wait4 :64]
    sub from, from, #4 * 64 - 32
    vld1.32 {q0-q1}, [words :64]!
    vtrn.32 x8, x9
    vtrn.32 x10, x11
    vld1.32 {q2-q3}, [words :64]
    vtrn.32 x12, x13
    vtrn.32 x14, x15
    vld1.8 {d26-d29}, [from], block
    vadd.i32 x8, x8, q0
    vadd.i32 x9, x9, q0
    vadd.i32 x10, x10, q1
    vadd.i32 x11, x11, q1
    vld1.8 {d0-d3}, [from], block
    vadd.i32 x12, x12, q2
    vadd.i32 x13, x13, q2
    vadd.i32 x14, x14, q3
    vadd.i32 x15, x15, q3
    sub to, to, #4 * 64 - 32
    vld1.8 {d4-d7}, [from], block
    xor_pairs d26, d27, d28, d29, x8l, x10l, x12l, x14l
    vst1.8 {d26-d29}, [to], block
    vld1.8 {d26-d29}, [from], block
    xor_pairs d0, d1, d2, d3, x9l, x11l, x13l, x15l
    vst1.8 {d0-d3}, [to], block
    xor_pairs d4, d5, d6, d7, x8h, x10h, x12h, x14h
    vst1.8 {d4-d7}, [to], block
    xor_pairs d26, d27, d28, d29, x9h, x11h, x13h, x15h
    vst1.8 {d26-d29}, [to], block

    subs left, left, #256
    bhi .Lpass
    beq .Lpart_done
    add left, left, #256
    add from, sp, #piece
    copy_short out, from, left, to
.Lpart_done:
    ldr left, [sp, #remaining]
    mov low, #0
    add high, high, #1
    cmp left, #0
    bne .Lpart

    add sp, sp, #locals
    vpop {d8-d15}
    pop {r3-r11, pc}
    .cfi_endproc
    .size salsa_neon, . - salsa_neon

    .section .note.GNU-stack, "", %progbits
