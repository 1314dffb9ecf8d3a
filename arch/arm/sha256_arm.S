// SHA-256 (FIPS 180-4, section 6.2) in ARM's integer registers, one message; for processors without NEON and for odd
// messages. 27.2 cycles/byte on armcost's Cortex-A7 model.
//
// Bound by the count of instructions: 28.5 a round from the seventeenth on, of which 13.5 are the message
// schedule. What keeps them few:
// - rotations ride along: ror(x, i) ^ ror(x, j) ^ ror(x, k) is ror(x ^ ror(x, j - i) ^ ror(x, k - i), i), whose last
//   rotation the addition does;
// - Maj(a, b, c) is ((a ^ b) & (b ^ c)) ^ b, and a round's a ^ b is the next one's b ^ c;
// - rounds go in pairs, so that the schedule's words and the constants are loaded and stored two at a time (the table
//   and the stack are word-aligned, which ldrd needs; the message is not and is read word by word);
// - sigma1 of the two newest words is made at once, for the two after them, and stays in registers.

#include "../sha256_constants.h"

    .syntax unified
    .arm
    .arch   armv7-a

// Registers. x0:x1 and y0:y1 are pairs for ldrd and take turns; va..vh are the working variables; bc is vb ^ vc.
x0       .req r0
x1       .req r1
y0       .req r2
y1       .req r3
va       .req r4
vb       .req r5
vc       .req r6
vd       .req r7
ve       .req r8
vf       .req r9
vg       .req r10
vh       .req r11
bc       .req r12
table    .req lr

// The stack: the schedule's last sixteen words, then what must survive the rounds.
    .equ    kStateAt, 64
    .equ    kNextAt, 68
    .equ    kBlocksAt, 72
    .equ    kFrame, 76

// \sum1 + Ch into \h, with \t and \u for scratch.
.macro add_sum1_ch e, f, g, h, t, u
    eor     \t, \e, \e, ror #5
    eor     \u, \f, \g
    eor     \t, \t, \e, ror #19
    and     \u, \u, \e
    add     \h, \h, \t, ror #6
    eor     \u, \u, \g
    add     \h, \h, \u
.endm

// The end of a round, \h holding T1: d += T1, a = T1 + sum0 + Maj. \bc is b ^ c before and scratch after; \u is the
// next round's b ^ c.
.macro finish_round a, b, d, h, bc, t, u
    eor     \t, \a, \a, ror #11
    add     \d, \d, \h
    eor     \t, \t, \a, ror #20
    eor     \u, \a, \b
    add     \h, \h, \t, ror #2
    and     \bc, \bc, \u
    eor     \bc, \bc, \b
    add     \h, \h, \bc
.endm

// \to = sigma1(\from), with \t for scratch (section 4.1.2); \to may be \from.
.macro sigma1 to, from, t
    ror     \t, \from, #17
    eor     \t, \t, \from, ror #19
    eor     \to, \t, \from, lsr #10
.endm

.macro sigma0 to, from
    ror     \to, \from, #7
    eor     \to, \to, \from, ror #18
    eor     \to, \to, \from, lsr #3
.endm

// Rounds \t and \t + 1 of the first sixteen. Leaves the two schedule words in the pair \y.
.macro first_two_rounds t, a, b, c, d, e, f, g, h, x0, x1, y0, y1
    ldrd    \y0, \y1, [sp, #4 * \t]
    add_sum1_ch \e, \f, \g, \h, \x0, \x1
    ldrd    \x0, \x1, [table], #8
    add     \h, \h, \y0
    add     \g, \g, \y1
    add     \h, \h, \x0
    add     \g, \g, \x1
    finish_round \a, \b, \d, \h, bc, \x0, \x1
    add_sum1_ch \d, \e, \f, \g, \x0, bc
    finish_round \h, \a, \c, \g, \x1, \x0, bc
.endm

// Rounds t and t + 1 for t = \t modulo 16, from the seventeenth on. On entry the pair \x holds sigma1 of W[t-2] and
// W[t-1]; on exit \y holds sigma1 of W[t] and W[t+1].
.macro two_rounds t, a, b, c, d, e, f, g, h, x0, x1, y0, y1
    ldrd    \y0, \y1, [sp, #4 * \t]
    add     \y0, \y0, \x0
    sigma0  \x0, \y1
    add     \y1, \y1, \x1
    ldr     \x1, [sp, #4 * ((\t + 2) % 16)]
    add     \y0, \y0, \x0
    eor     \x0, \e, \e, ror #5
    eor     \x0, \x0, \e, ror #19
    add     \h, \h, \x0, ror #6
    sigma0  \x0, \x1
    eor     \x1, \f, \g
    add     \y1, \y1, \x0
    and     \x1, \x1, \e
    eor     \x1, \x1, \g
    add     \h, \h, \x1
    .if (\t + 9) % 16 == 15
    ldr     \x0, [sp, #4 * 15]
    ldr     \x1, [sp]
    .else
    ldrd    \x0, \x1, [sp, #4 * ((\t + 9) % 16)]
    .endif
    add     \y0, \y0, \x0
    add     \y1, \y1, \x1
    ldrd    \x0, \x1, [table], #8
    strd    \y0, \y1, [sp, #4 * \t]
    add     \h, \h, \y0
    add     \g, \g, \y1
    add     \h, \h, \x0
    add     \g, \g, \x1
    sigma1  \y0, \y0, \x0
    sigma1  \y1, \y1, \x0
    finish_round \a, \b, \d, \h, bc, \x0, \x1
    add_sum1_ch \d, \e, \f, \g, \x0, bc
    finish_round \h, \a, \c, \g, \x1, \x0, bc
.endm

.macro sixteen_rounds kind
    \kind    0, va, vb, vc, vd, ve, vf, vg, vh, x0, x1, y0, y1
    \kind    2, vg, vh, va, vb, vc, vd, ve, vf, y0, y1, x0, x1
    \kind    4, ve, vf, vg, vh, va, vb, vc, vd, x0, x1, y0, y1
    \kind    6, vc, vd, ve, vf, vg, vh, va, vb, y0, y1, x0, x1
    \kind    8, va, vb, vc, vd, ve, vf, vg, vh, x0, x1, y0, y1
    \kind   10, vg, vh, va, vb, vc, vd, ve, vf, y0, y1, x0, x1
    \kind   12, ve, vf, vg, vh, va, vb, vc, vd, x0, x1, y0, y1
    \kind   14, vc, vd, ve, vf, vg, vh, va, vb, y0, y1, x0, x1
.endm

    .text
// Before the code, where adr reaches it.
#define WORDS(k0, k1, k2, k3) .word k0, k1, k2, k3;
    .balign 256
.Lround_constants:
    SHA256_ROUND_CONSTANTS(WORDS)

// void sha256_arm(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .global sha256_arm
    .hidden sha256_arm
    .type   sha256_arm, %function
sha256_arm:
    .cfi_startproc
    push    {r4-r11, lr}
    .cfi_def_cfa_offset 36
    .cfi_offset r4, -36
    .cfi_offset r5, -32
    .cfi_offset r6, -28
    .cfi_offset r7, -24
    .cfi_offset r8, -20
    .cfi_offset r9, -16
    .cfi_offset r10, -12
    .cfi_offset r11, -8
    .cfi_offset lr, -4
    sub     sp, sp, #kFrame
    .cfi_def_cfa_offset 36 + kFrame
    ldr     r12, [r1]
    str     r0, [sp, #kStateAt]
    str     r2, [sp, #kBlocksAt]
.Lblock:
    // The message in the processor's byte order, eight words at a time.
    .irp at, 0, 32
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    ldr     r\i, [r12, #\at + 4 * \i]
    .endr
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    rev     r\i, r\i
    .endr
    add     lr, sp, #\at
    stm     lr, {r0-r7}
    .endr
    add     r12, r12, #64
    str     r12, [sp, #kNextAt]

    ldr     r0, [sp, #kStateAt]
    ldm     r0, {va, vb, vc, vd, ve, vf, vg, vh}
    adr     table, .Lround_constants
    eor     bc, vb, vc
    sixteen_rounds first_two_rounds
    sigma1  x0, x0, y0
    sigma1  x1, x1, y0
.Lsixteen_rounds:
    sixteen_rounds two_rounds
    // The table ends where its address is a multiple of 256.
    tst     table, #255
    bne     .Lsixteen_rounds

    ldr     lr, [sp, #kStateAt]
    ldm     lr, {r0-r3}
    add     va, va, r0
    add     vb, vb, r1
    add     vc, vc, r2
    add     vd, vd, r3
    stm     lr!, {va, vb, vc, vd}
    ldm     lr, {r0-r3}
    add     ve, ve, r0
    add     vf, vf, r1
    add     vg, vg, r2
    add     vh, vh, r3
    stm     lr, {ve, vf, vg, vh}
    ldr     r0, [sp, #kBlocksAt]
    ldr     r12, [sp, #kNextAt]
    subs    r0, r0, #1
    str     r0, [sp, #kBlocksAt]
    bne     .Lblock

    add     sp, sp, #kFrame
    .cfi_def_cfa_offset 36
    pop     {r4-r11, pc}
    .cfi_endproc
    .size   sha256_arm, . - sha256_arm

    .section .note.GNU-stack, "", %progbits
