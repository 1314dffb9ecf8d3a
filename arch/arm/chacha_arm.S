// ChaCha (D. J. Bernstein, "ChaCha, a variant of Salsa20") for ARM without NEON, one block at a time.
//
// Arithmetic bounds the speed: a quarter round is eight instructions, as its rotations are left to the next use of
// their results, where they cost nothing. On armcost's Cortex-A7 model it takes 8.6 (ChaCha12) and 13.2 (ChaCha20)
// cycles/byte at 4096 bytes, and 9.0 and 13.8 at 1420.
//
// Fourteen words fill all registers. Words 8 and 9 take turns in theirs with words 10 and 11: two quarter rounds of
// each step need the ones, the two others the others, and with the order chosen here that is two exchanges in a double
// round.

    .syntax unified
    .arm
    .arch armv7-a

// During the rounds. Words 4 to 7 are to be rotated right by 25 bits and words 12 to 15 by 24, except within a step.
x0          .req r0
x1          .req r1
x2          .req r2
x3          .req r3
x4          .req r4
x5          .req r5
x6          .req r6
x7          .req r7
x8          .req r8
x9          .req r9
x10         .req r8
x11         .req r9
x12         .req r10
x13         .req r11
x14         .req r12
x15         .req lr

// Before and after them.
in          .req r8
out         .req r9
key         .req r10
data        .req r11
left        .req r12
pointer     .req lr

    .set start, 0               // the initial words as the rounds want them: 0 to 9 and 12 to 15
    .set wait89, 56
    .set wait1011, 64
    .set turns, 72
    .set double_rounds, 76
    .set out_at, 80
    .set in_at, 84
    .set left_at, 88
    .set rest, 92               // words 12 to 15 after the rounds
    .set piece_to, 108          // where the last of the message belongs
    .set initial, 112           // the initial words
    .set piece, initial + 64    // the last of the message
    .set locals, piece + 64
    .set saved, 10 * 4

// Two quarter rounds side by side.
    .macro two_quarters a0, b0, c0, d0, a1, b1, c1, d1
    add \a0, \a0, \b0, ror #25
    add \a1, \a1, \b1, ror #25
    eor \d0, \a0, \d0, ror #24
    eor \d1, \a1, \d1, ror #24
    add \c0, \c0, \d0, ror #16
    add \c1, \c1, \d1, ror #16
    eor \b0, \c0, \b0, ror #25
    eor \b1, \c1, \b1, ror #25
    add \a0, \a0, \b0, ror #20
    add \a1, \a1, \b1, ror #20
    eor \d0, \a0, \d0, ror #16
    eor \d1, \a1, \d1, ror #16
    add \c0, \c0, \d0, ror #24
    add \c1, \c1, \d1, ror #24
    eor \b0, \c0, \b0, ror #20
    eor \b1, \c1, \b1, ror #20
    .endm

// Adds initial word \number to \x rotated right, exclusive-ors with the message and stores.
    .macro finish x, rotation, number
    ldr key, [sp, #initial + \number * 4]
    ldr data, [in], #4
    .if \rotation
    add key, key, \x, ror #\rotation
    .else
    add key, key, \x
    .endif
    eor data, data, key
    str data, [out], #4
    .endm

// Copies the bytes that are left, at least one, from [\from] to [\to].
    .macro copy_left to, from
    subs left, left, #4
    blo 2f
1:
    ldr data, [\from], #4
    str data, [\to], #4
    subs left, left, #4
    bhs 1b
2:
    adds left, left, #4
    beq 4f
3:
    ldrb data, [\from], #1
    strb data, [\to], #1
    subs left, left, #1
    bne 3b
4:
    .endm

// void chacha_arm(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in, size_t length);

    .text
    .cfi_sections .debug_frame
    .global chacha_arm
    .hidden chacha_arm
    .type chacha_arm, %function
    .align 4
chacha_arm:
    .cfi_startproc
    push {r3-r11, lr}   // r3 only keeps the stack aligned
    .cfi_def_cfa_offset saved
    .irp number, 4, 5, 6, 7, 8, 9, 10, 11
    .cfi_rel_offset r\number, (\number - 3) * 4
    .endr
    .cfi_rel_offset lr, 9 * 4
    sub sp, sp, #locals
    .cfi_def_cfa_offset saved + locals
    ldr left, [sp, #locals + saved]
    lsr r1, r1, #1
    str r1, [sp, #double_rounds]
    str r2, [sp, #out_at]
    str r3, [sp, #in_at]
    str left, [sp, #left_at]

    mov pointer, r0
    add r12, sp, #initial
    ldmia pointer!, {r0-r7}
    stmia r12!, {r0-r7}
    ror x4, x4, #7
    ror x5, x5, #7
    ror x6, x6, #7
    ror x7, x7, #7
    stmia sp, {r0-r7}
    ldmia pointer, {r0-r7}
    stmia r12, {r0-r7}
    strd r0, r1, [sp, #start + 8 * 4]
    ror r4, r4, #8
    ror r5, r5, #8
    ror r6, r6, #8
    ror r7, r7, #8
    add r12, sp, #start + 10 * 4
    stmia r12, {r4-r7}

.Lblock:
    ldrd r0, r1, [sp, #initial + 10 * 4]
    ldr r2, [sp, #double_rounds]
    strd r0, r1, [sp, #wait1011]
    str r2, [sp, #turns]
    ldmia sp, {r0-r12, lr}
.Ldouble_round:
    two_quarters x0, x4, x8, x12, x1, x5, x9, x13
    strd x8, x9, [sp, #wait89]
    ldrd x10, x11, [sp, #wait1011]
    two_quarters x2, x6, x10, x14, x3, x7, x11, x15
    two_quarters x0, x5, x10, x15, x1, x6, x11, x12
    strd x10, x11, [sp, #wait1011]
    ldrd x8, x9, [sp, #wait89]
    two_quarters x2, x7, x8, x13, x3, x4, x9, x14
    str x0, [sp, #rest]
    ldr x0, [sp, #turns]
    subs x0, x0, #1
    str x0, [sp, #turns]
    ldr x0, [sp, #rest]
    bne .Ldouble_round

    strd x8, x9, [sp, #wait89]
    str x12, [sp, #rest]
    str x13, [sp, #rest + 4]
    str x14, [sp, #rest + 8]
    str x15, [sp, #rest + 12]
    ldr left, [sp, #left_at]
    ldr in, [sp, #in_at]
    ldr out, [sp, #out_at]
    cmp left, #64
    blo .Lpiece
.Lfinish:
    finish x0, 0, 0
    finish x1, 0, 1
    finish x2, 0, 2
    finish x3, 0, 3
    finish x4, 25, 4
    finish x5, 25, 5
    finish x6, 25, 6
    finish x7, 25, 7
    ldrd r0, r1, [sp, #wait89]
    ldrd r2, r3, [sp, #wait1011]
    add pointer, sp, #rest
    ldmia pointer, {r4-r7}
    finish r0, 0, 8
    finish r1, 0, 9
    finish r2, 0, 10
    finish r3, 0, 11
    finish r4, 24, 12
    finish r5, 24, 13
    finish r6, 24, 14
    finish r7, 24, 15

    // The next block's counter.
    ldr r0, [sp, #initial + 12 * 4]
    ldr r1, [sp, #initial + 13 * 4]
    adds r0, r0, #1
    adc r1, r1, #0
    str r0, [sp, #initial + 12 * 4]
    str r1, [sp, #initial + 13 * 4]
    ror r0, r0, #8
    ror r1, r1, #8
    str r0, [sp, #start + 10 * 4]
    str r1, [sp, #start + 11 * 4]
    subs left, left, #64
    str left, [sp, #left_at]
    str in, [sp, #in_at]
    str out, [sp, #out_at]
    bhi .Lblock
    beq .Ldone

    add left, left, #64
    ldr out, [sp, #piece_to]
    add in, sp, #piece
    copy_left out, in
.Ldone:
    add sp, sp, #locals
    pop {r3-r11, pc}
    .cfi_endproc

// A last piece of less than a block goes by way of a buffer.
.Lpiece:
    str out, [sp, #piece_to]
    add pointer, sp, #piece
    copy_left pointer, in
    ldr left, [sp, #left_at]
    add in, sp, #piece
    mov out, in
    b .Lfinish
    .size chacha_arm, . - chacha_arm

    .section .note.GNU-stack, "", %progbits
