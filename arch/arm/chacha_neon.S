// ChaCha (D. J. Bernstein, "ChaCha, a variant of Salsa20") for ARMv7 with NEON, four blocks side by side.
//
// Arithmetic bounds the speed, see chacha_neon.h. On armcost's Cortex-A7 model it takes 6.25 (ChaCha12) and 10.2
// (ChaCha20) cycles/byte at 4096 bytes, and 6.9 and 11.2 at 1420. A fourth block in core registers would not help:
// by that model a quarter round costs 7.7 cycles a block here, and 8 there even if nothing had to be spilled.
//
// - In the first column step only column 0 depends on the counter's low word. The other three are computed once a
//   message, and a message in which the low word overflows is treated as two. This saves 5 % of ChaCha12.
// - To block order: pairs of words are transposed by vtrn, the rest by exclusive-oring in halves.
// - A last piece of less than 256 bytes goes through the same pass from and to a buffer; see chacha_copy_neon.h.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

#include "arch/arm/chacha_copy_neon.h"
#include "arch/arm/chacha_neon.h"

state       .req r0     // until the end of the first setup
rounds      .req r1
out         .req r2
in          .req r3
left        .req r4     // bytes, up to where the counter's low word overflows
from        .req r5     // input of this pass: `in`, or `piece`
to          .req r6
words       .req r7
c89         .req r8
c1011       .req r9
turns       .req r10
block       .req r11    // 64, the distance of blocks
low         .req r12    // the counter
high        .req lr

    .set saved, 10 * 4 + 8 * 8
    .set first_words, 0             // what a pass starts from, after the first column step and in the order of loads
    .set counters, first_words + 3 * 32     // of which word 12 is the initial one
    .set wait89, first_words + 256
    .set wait1011, wait89 + 32
    .set initial, wait1011 + 32     // the initial words in pairs, each pair twice, but with 0 for word 12
    .set piece, initial + 128       // the last of the message
    .set remaining, piece + 256     // bytes behind the overflow
    .set locals, remaining + 8

// Three words from `words` on, each into all lanes of a register.
    .macro load_words x, y, z
    vld1.32 {\x\()l[], \x\()h[]}, [words :32]!
    vld1.32 {\y\()l[], \y\()h[]}, [words :32]!
    vld1.32 {\z\()l[], \z\()h[]}, [words :32]!
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
.Ltable:
    .byte 3, 0, 1, 2, 7, 4, 5, 6

// void chacha_neon(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length);

    .cfi_sections .debug_frame
    .global chacha_neon
    .hidden chacha_neon
    .type chacha_neon, %function
    .align 4
chacha_neon:
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

    ldr left, [sp, #locals + saved]
    ldr low, [state, #12 * 4]
    ldr high, [state, #13 * 4]
    mov block, #64
    add c89, sp, #wait89
    add c1011, sp, #wait1011

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

    // Rows, and from them the initial pairs.
    mov from, state
    add words, sp, #initial
    vld1.32 {q0-q1}, [from :128]!
    vld1.32 {q2-q3}, [from :128]
    vmov d6, low, high
    vldr table, .Ltable
    .irp row, 0, 1, 2
    vmov q8, q\row
    vmov q9, q\row
    vswp d17, d18
    vst1.32 {q8-q9}, [words :64]!
    .endr
    mov from, #0
    vmov q9, q3
    vmov d16, from, high
    vmov d17, d16
    vmov d18, d19
    vst1.32 {q8-q9}, [words :64]

    // The first column step, on rows.
    vadd.i32 q4, q0, q1
    veor q7, q3, q4
    vrev32.16 q7, q7
    vadd.i32 q6, q2, q7
    veor q8, q1, q6
    vshl.i32 q5, q8, #12
    vsri.32 q5, q8, #20
    vadd.i32 q4, q4, q5
    veor q7, q7, q4
    vtbl.8 d14, {d14}, table
    vtbl.8 d15, {d15}, table
    vadd.i32 q6, q6, q7
    veor q8, q5, q6
    vshl.i32 q5, q8, #7
    vsri.32 q5, q8, #25
    add words, sp, #first_words
    vst1.32 {q4-q5}, [words :64]!
    vst1.32 {q6-q7}, [words :64]

    // A register for each word of columns 1 to 3 after that step, and of column 0 before.
    add words, sp, #first_words + 4
    load_words x1, x2, x3
    add words, words, #4
    load_words x5, x6, x7
    add words, words, #4
    load_words x9, t, spare         // 10 and 11
    add words, words, #4
    load_words x13, x14, x15
    add words, state, #4 * 4
    vld1.32 {d0[], d1[]}, [state :32]
    vld1.32 {d8[], d9[]}, [words :32]
    add words, state, #8 * 4
    vld1.32 {d16[], d17[]}, [words :32]
    vadd.i32 q0, q0, q4
    add words, sp, #first_words
    vst1.32 {q0-q1}, [words :64]!
    vst1.32 {q4-q5}, [words :64]!
    vst1.32 {q8-q9}, [words :64]!
    vdup.32 q12, low
    adr low, .Lcount
    vld1.32 {q0}, [low :128]
    vadd.i32 q12, q12, q0
    vst1.32 {q12-q13}, [words :64]!
    vst1.32 {q2-q3}, [words :64]!
    vst1.32 {q6-q7}, [words :64]!
    vst1.32 {q14-q15}, [words :64]!
    vst1.32 {q10-q11}, [words :64]

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
    add words, sp, #first_words
    vldr table, .Ltable
    vld1.32 {q0-q1}, [words :64]!
    vld1.32 {q4-q5}, [words :64]!
    vld1.32 {q8-q9}, [words :64]!
    vld1.32 {q12-q13}, [words :64]!
    mov turns, rounds, lsr #1
    column0 words
    two_quarters x0, x5, x10, x15, x1, x6, x11, x12, x4, x8, c89, words
    double_rounds

    // To memory with words 8 and 9, so that there are two buffers for the message. Back at the initial words:
    vst1.32 {q8-q9}, [c89 :64]
    add words, sp, #counters
    vld1.32 {q8}, [words :64]
    vmov.i32 q9, #4
    vadd.i32 x12, x12, q8
    vadd.i32 q8, q8, q9
    vst1.32 {q8}, [words :64]
    add words, sp, #initial
    vld1.32 {q8-q9}, [words :64]!
    vtrn.32 x0, x1
    vtrn.32 x2, x3
    vld1.32 {q10-q11}, [words :64]!
    vtrn.32 x4, x5
    vtrn.32 x6, x7
    vadd.i32 x0, x0, q8
    vadd.i32 x1, x1, q8
    vadd.i32 x2, x2, q9
    vadd.i32 x3, x3, q9
    vld1.8 {d16-d19}, [from], block
    vadd.i32 x4, x4, q10
    vadd.i32 x5, x5, q10
    vadd.i32 x6, x6, q11
    vadd.i32 x7, x7, q11

    // The first halves of blocks: lower halves of registers are of blocks 0 and 1, upper ones of 2 and 3.
    vld1.8 {d20-d23}, [from], block
    xor_pairs d16, d17, d18, d19, x0l, x2l, x4l, x6l
    vst1.8 {d16-d19}, [to], block
    vld1.8 {d16-d19}, [from], block
    xor_pairs d20, d21, d22, d23, x1l, x3l, x5l, x7l
    vst1.8 {d20-d23}, [to], block
    vld1.8 {d20-d23}, [from], block
    xor_pairs d16, d17, d18, d19, x0h, x2h, x4h, x6h
    vst1.8 {d16-d19}, [to], block
    xor_pairs d20, d21, d22, d23, x1h, x3h, x5h, x7h
    vst1.8 {d20-d23}, [to], block

    // The second halves.
    vld1.32 {q8-q9}, [c89 :64]
    vld1.32 {q10-q11}, [c1011 :64]
    sub from, from, #4 * 64 - 32
    vld1.32 {q0-q1}, [words :64]!
    vtrn.32 q8, q9
    vtrn.32 q10, q11
    vld1.32 {q2-q3}, [words :64]
    vtrn.32 x12, x13
    vtrn.32 x14, x15
    vld1.8 {d8-d11}, [from], block
    vadd.i32 q8, q8, q0
    vadd.i32 q9, q9, q0
    vadd.i32 q10, q10, q1
    vadd.i32 q11, q11, q1
    vld1.8 {d12-d15}, [from], block
    vadd.i32 x12, x12, q2
    vadd.i32 x13, x13, q2
    vld1.8 {d0-d3}, [from], block
    vadd.i32 x14, x14, q3
    vadd.i32 x15, x15, q3
    sub to, to, #4 * 64 - 32
    vld1.8 {d4-d7}, [from], block
    xor_pairs d8, d9, d10, d11, d16, d20, x12l, x14l
    vst1.8 {d8-d11}, [to], block
    xor_pairs d12, d13, d14, d15, d18, d22, x13l, x15l
    vst1.8 {d12-d15}, [to], block
    xor_pairs d0, d1, d2, d3, d17, d21, x12h, x14h
    vst1.8 {d0-d3}, [to], block
    xor_pairs d4, d5, d6, d7, d19, d23, x13h, x15h
    vst1.8 {d4-d7}, [to], block

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
    .size chacha_neon, . - chacha_neon

    .section .note.GNU-stack, "", %progbits
