// SHA-1 (FIPS 180-4, section 6.1) in ARM's integer registers, one message; for processors without NEON and for odd
// messages. 14.7 cycles/byte on armcost's Cortex-A7 model.
//
// Bound by the count of instructions: 11 to 13 a round from the seventeenth on, of which 5 are the message schedule.
// What keeps them few:
// - no rotation is an instruction of its own. c, d and e are kept as they were when they were b, and whatever takes
//   them rotates them by 30. The schedule's words W[t] = rol(W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16], 1) are kept short of
//   t / 16 rotations by 1: W[t-16] lacks one less than W[t], and the others as many as either;
// - rounds go in pairs, so that the schedule's words are loaded and stored two at a time (the stack is word-aligned,
//   which ldrd needs; the message is not and is read word by word), and those that a pair takes as W[t-14] are still in
//   registers when the next takes them as W[t-16].

    .syntax unified
    .arm
    .arch   armv7-a

// Registers. x0:x1, y0:y1 and z0:z1 are pairs for ldrd; x and y take turns.
x0       .req r0
x1       .req r1
y0       .req r2
y1       .req r3
z0       .req r4
z1       .req r5
va       .req r6
vb       .req r7
vc       .req r8
vd       .req r9
ve       .req r10
k        .req r11
t        .req r12
u        .req lr

// The stack: the schedule's last sixteen words, then what must survive the rounds.
    .equ    kStateAt, 64
    .equ    kNextAt, 68
    .equ    kBlocksAt, 72
    .equ    kFrame, 76

// e += f(b, c, d) for the three functions of section 4.1.1; in two parts, so that other work goes between.
.macro begin_ch b, c, d
    eor     t, \c, \d
    and     t, \b, t, ror #2
.endm
.macro end_ch d, e
    eor     t, t, \d, ror #2
    add     \e, \e, t
.endm
.macro begin_parity b, c, d
    eor     t, \c, \d
    eor     t, \b, t, ror #2
.endm
.macro end_parity d, e
    add     \e, \e, t
.endm
.macro begin_maj b, c, d
    eor     t, \c, \d
    and     u, \c, \d
    and     t, \b, t, ror #2
.endm
.macro end_maj d, e
    add     \e, \e, u, ror #2
    add     \e, \e, t
.endm

// \to ^= \word, where \to is on its way from W[t-16] to W[t] and \word is W[t-\back].
.macro eor_word to, word, t, back
    .if (\t - \back) / 16 == \t / 16
    eor     \to, \to, \word, ror #31
    .else
    eor     \to, \to, \word
    .endif
.endm

// \to += W[t], which is in \word.
.macro add_word to, word, t
    .if \t < 16
    add     \to, \to, \word
    .else
    add     \to, \to, \word, ror #(32 - \t / 16)
    .endif
.endm

// Rounds \t and \t + 1 with \function. From t = 16 on, the pair \x holds W[t-16] and W[t-15] on entry, and \y those
// words for the next two rounds on exit.
.macro two_rounds function, t, a, b, c, d, e, x0, x1, y0, y1
    .if \t < 16
    ldrd    \x0, \x1, [sp, #4 * \t]
    begin_\function \b, \c, \d
    add     \e, k, \e, ror #2
    add     \e, \e, \a, ror #27
    end_\function \d, \e
    .else
    ldrd    \y0, \y1, [sp, #4 * ((\t + 2) % 16)]
    ldrd    z0, z1, [sp, #4 * ((\t + 8) % 16)]
    begin_\function \b, \c, \d
    eor_word \x0, \y0, \t, 14
    eor_word \x1, \y1, (\t + 1), 14
    eor_word \x0, z0, \t, 8
    eor_word \x1, z1, (\t + 1), 8
    .if (\t + 13) % 16 == 15
    ldr     z0, [sp, #4 * 15]
    ldr     z1, [sp]
    .else
    ldrd    z0, z1, [sp, #4 * ((\t + 13) % 16)]
    .endif
    add     \e, k, \e, ror #2
    add     \e, \e, \a, ror #27
    end_\function \d, \e
    eor_word \x0, z0, \t, 3
    eor_word \x1, z1, (\t + 1), 3
    strd    \x0, \x1, [sp, #4 * (\t % 16)]
    .endif
    begin_\function \a, \b, \c
    add_word \e, \x0, \t
    add     \d, k, \d, ror #2
    add_word \d, \x1, \t
    end_\function \c, \d
    add     \d, \d, \e, ror #27
.endm

.macro ten_rounds function, t, x0, x1, y0, y1
    two_rounds \function, (\t + 0), va, vb, vc, vd, ve, \x0, \x1, \y0, \y1
    two_rounds \function, (\t + 2), vd, ve, va, vb, vc, \y0, \y1, \x0, \x1
    two_rounds \function, (\t + 4), vb, vc, vd, ve, va, \x0, \x1, \y0, \y1
    .if \t == 10
    ldrd    \y0, \y1, [sp]
    .endif
    two_rounds \function, (\t + 6), ve, va, vb, vc, vd, \y0, \y1, \x0, \x1
    two_rounds \function, (\t + 8), vc, vd, ve, va, vb, \x0, \x1, \y0, \y1
.endm

.macro twenty_rounds function, t
    ten_rounds \function, \t, x0, x1, y0, y1
    ten_rounds \function, (\t + 10), y0, y1, x0, x1
.endm

// void sha1_arm(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha1_arm
    .hidden sha1_arm
    .type   sha1_arm, %function
sha1_arm:
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
    ldm     r0, {va, vb, vc, vd, ve}
    ldr     k, =0x5a827999
    ror     vc, vc, #30
    ror     vd, vd, #30
    ror     ve, ve, #30
    twenty_rounds ch, 0
    ldr     k, =0x6ed9eba1
    twenty_rounds parity, 20
    ldr     k, =0x8f1bbcdc
    twenty_rounds maj, 40
    ldr     k, =0xca62c1d6
    twenty_rounds parity, 60

    ldr     r12, [sp, #kStateAt]
    ldm     r12, {r0-r4}
    add     va, va, r0
    add     vb, vb, r1
    add     vc, r2, vc, ror #2
    add     vd, r3, vd, ror #2
    add     ve, r4, ve, ror #2
    stm     r12, {va, vb, vc, vd, ve}
    ldr     r0, [sp, #kBlocksAt]
    ldr     r12, [sp, #kNextAt]
    subs    r0, r0, #1
    str     r0, [sp, #kBlocksAt]
    bne     .Lblock

    add     sp, sp, #kFrame
    .cfi_def_cfa_offset 36
    pop     {r4-r11, pc}
    .cfi_endproc
    .ltorg
    .size   sha1_arm, . - sha1_arm

    .section .note.GNU-stack, "", %progbits
