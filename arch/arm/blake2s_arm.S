// BLAKE2s (RFC 7693) for ARMv6 and later without NEON, one message.
//
// The number of instructions bounds the speed: 12 for each G, its ten additions and exclusive-ors and the loads of two
// message words, and 8 a round that exchange state words with the stack: 16.8 cycles/byte on armcost's Cortex-A7 model
// at 4096-byte messages, 0.7 of them for what is done per block and per call.
//
// - Rows b and d are kept as they are before their last rotation, which is left to the shifter of each instruction that
//   reads them.
// - Rows a and c stay in registers; of rows b and d, words {0, 2} and words {1, 3} take turns in four registers.
//   Columns 0 and 2 come first, then 1 and 3, then the two diagonals that need what is there by then, then the other
//   two: thus one exchange in half a round is enough.
// - With these twelve, the message's address and one word of the message the registers are full. Only ldr reads the
//   message, whose address may be odd.

    .syntax unified
    .arm
    .arch armv6

a_0         .req r0
a_1         .req r1
a_2         .req r2
a_3         .req r3
c_0         .req r4
c_1         .req r5
c_2         .req r6
c_3         .req r7
b_0         .req r8    // or b_1
b_1         .req r8
d_0         .req r9    // or d_1
d_1         .req r9
b_2         .req r10   // or b_3
b_3         .req r10
d_2         .req r11   // or d_3
d_3         .req r11
word        .req r12
message     .req lr

// The stack: where b_0, d_0, b_2, d_2 and b_1, d_1, b_3, d_3 are while the others are in registers, and what is needed
// once per block.

    .set even, 0
    .set odd, 16
    .set counter, 32        // 64 bits
    .set initial_d2, 40     // IV[6] ^ final_mask
    .set state, 44
    .set end, 48            // of the message
    .set locals, 52
    .set saved, 9 * 4

// to = x op (y rotated to the right), where the rotation may be 0.

    .macro rotated op, to, x, y, rotation
    .if \rotation
    \op \to, \x, \y, ror #\rotation
    .else
    \op \to, \x, \y
    .endif
    .endm

// RFC 7693's G on (ax, bx, cx, dx) with message words mx0 and mx1 and, indented, on (ay, by, cy, dy) with my0 and my1.
// `word` holds mx0 on entry and message word `next` in the end. The four words of b and d that are in registers are
// stored at `to` and replaced by those at `from`, if given.
//
// A result is never the rotated operand of the next instruction, and three instructions follow the load of a word
// before its use.

    .macro pair ax, bx, cx, dx, ay, by, cy, dy, mx1, my0, my1, next, to=, from=
    add \ax, \ax, word
                            ldr word, [message, #4 * \my0]
    rotated add, \ax, \ax, \bx, rotation_b
                            rotated add, \ay, \ay, \by, rotation_b
    rotated eor, \dx, \ax, \dx, rotation_d
                            add \ay, \ay, word
    ldr word, [message, #4 * \mx1]
    add \cx, \cx, \dx, ror #16
                            rotated eor, \dy, \ay, \dy, rotation_d
    rotated eor, \bx, \cx, \bx, rotation_b
    add \ax, \ax, word
                            ldr word, [message, #4 * \my1]
                            add \cy, \cy, \dy, ror #16
    add \ax, \ax, \bx, ror #12
                            rotated eor, \by, \cy, \by, rotation_b
                            add \ay, \ay, word
    .ifnb \next
    ldr word, [message, #4 * \next]
    .endif
    eor \dx, \ax, \dx, ror #16
                            add \ay, \ay, \by, ror #12
    add \cx, \cx, \dx, ror #8
                            eor \dy, \ay, \dy, ror #16
    eor \bx, \cx, \bx, ror #12
                            add \cy, \cy, \dy, ror #8
    .ifnb \to
    strd b_0, d_0, [sp, #\to]
    ldrd b_0, d_0, [sp, #\from]
    .endif
                            eor \by, \cy, \by, ror #12
    .ifnb \to
    strd b_2, d_2, [sp, #\to + 8]
    ldrd b_2, d_2, [sp, #\from + 8]
    .endif
    .endm

// A round, given its row of the table SIGMA and the next round's first word.

    .macro round s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, next
    pair a_0, b_0, c_0, d_0, a_2, b_2, c_2, d_2, \s1, \s4, \s5, \s2, even, odd
    pair a_1, b_1, c_1, d_1, a_3, b_3, c_3, d_3, \s3, \s6, \s7, \s8
    .set rotation_b, 7
    .set rotation_d, 8
    pair a_0, b_1, c_2, d_3, a_2, b_3, c_0, d_1, \s9, \s12, \s13, \s10, odd, even
    pair a_1, b_2, c_3, d_0, a_3, b_0, c_1, d_2, \s11, \s14, \s15, \next
    .endm

    .text
    .align 4
.Liv:
    .word 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19

// void blake2s_arm(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
//
// By the procedure call standard counter and final_mask are on the stack.

    .cfi_sections .debug_frame
    .global blake2s_arm
    .hidden blake2s_arm
    .type blake2s_arm, %function
    .align 4
blake2s_arm:
    .cfi_startproc
    push {r4-r11, lr}
    .cfi_def_cfa_offset saved
    .irp number, 4, 5, 6, 7, 8, 9, 10, 11
    .cfi_rel_offset r\number, (\number - 4) * 4
    .endr
    .cfi_rel_offset lr, 8 * 4
    sub sp, sp, #locals
    .cfi_def_cfa_offset saved + locals
    ldr message, [r1]
    ldrd r4, r5, [sp, #locals + saved]
    ldr r6, [sp, #locals + saved + 8]
    ldr r7, .Liv + 6 * 4
    add r8, message, r2, lsl #6
    eor r6, r6, r7
    strd r4, r5, [sp, #counter]
    str r6, [sp, #initial_d2]
    str r0, [sp, #state]
    str r8, [sp, #end]
    ldm r0, {r0-r7}

.Lblock:
    // h[0..3] are in row a, h[4..7] in row c. Rows b and d are made of them, words 1 and 3 first.
    ldrd r8, r9, [sp, #counter]
    adds r10, r8, #64
    adc r11, r9, #0
    strd r10, r11, [sp, #counter]
    ldr r12, .Liv + 5 * 4
    ldr r10, .Liv + 4 * 4
    eor d_1, r9, r12
    eor r12, r8, r10
    ldr d_3, .Liv + 7 * 4
    mov b_1, c_1
    mov b_3, c_3
    strd b_1, d_1, [sp, #odd]
    strd b_3, d_3, [sp, #odd + 8]
    mov b_0, c_0
    mov d_0, r12
    mov b_2, c_2
    ldr d_2, [sp, #initial_d2]
    adr r12, .Liv
    ldm r12, {c_0, c_1, c_2, c_3}

    .set rotation_b, 0
    .set rotation_d, 0
    ldr word, [message]
    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, 11
    round 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7
    round 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8, 9
    round 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2
    round 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9, 12
    round 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13
    round 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, 6
    round 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, 10
    round 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0

    // The chaining value: h ^= v[0..7] ^ v[8..15], into rows a and c.
    ldr r12, [sp, #state]
    eor a_0, a_0, c_0
    eor a_1, a_1, c_1
    eor a_2, a_2, c_2
    eor a_3, a_3, c_3
    ldm r12, {c_0, c_1, c_2, c_3}
    add message, message, #64
    eor a_0, a_0, c_0
    eor a_1, a_1, c_1
    eor a_2, a_2, c_2
    eor a_3, a_3, c_3
    stm r12!, {a_0, a_1, a_2, a_3}
    ldm r12, {c_0, c_1, c_2, c_3}
    eor c_0, c_0, b_0, ror #rotation_b
    eor c_2, c_2, b_2, ror #rotation_b
    eor c_0, c_0, d_0, ror #rotation_d
    eor c_2, c_2, d_2, ror #rotation_d
    ldrd b_1, d_1, [sp, #odd]
    ldrd b_3, d_3, [sp, #odd + 8]
    eor c_1, c_1, b_1, ror #rotation_b
    eor c_3, c_3, b_3, ror #rotation_b
    eor c_1, c_1, d_1, ror #rotation_d
    eor c_3, c_3, d_3, ror #rotation_d
    stm r12, {c_0, c_1, c_2, c_3}

    ldr r12, [sp, #end]
    cmp message, r12
    bne .Lblock

    add sp, sp, #locals
    pop {r4-r11, pc}
    .cfi_endproc
    .size blake2s_arm, . - blake2s_arm

    .section .note.GNU-stack, "", %progbits
