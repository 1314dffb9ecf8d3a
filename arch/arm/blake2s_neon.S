// BLAKE2s (RFC 7693) for ARMv7 with NEON, two messages side by side: a D register holds one word of both.
//
// Arithmetic bounds the speed: for both messages a round is 48 operations on Q registers, 32 on D registers and three
// moves, with nothing spilled: 12.0 cycles/byte on armcost's Cortex-A7 model at 4096-byte messages, 0.5 of them for
// what is done per block and per call. Results are not waited for where their latency is at most four cycles (see
// `step`).
//
// It is built like blake2b_neon.S, where the order of the words, their swaps and the spare register are explained. What
// is different:
//
// - Rotations by 12 and by 7 bits both need the spare register, and the one by 8 bits needs a table: 13 D registers are
//   left for the 16 message words.
// - Words 0, 7, 8, 9 and 11 wait in core registers and take turns in two of those 13. Three words move in a round, the
//   least that is possible with 13, and a move brings together the two messages' words for nothing.
// - For the other words vtrn does that, and it determines where they are. It brings words 8, 9 and 11 along; they land
//   in the registers of the table and `spare`, and are dropped.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

// Core registers. The two messages are x and y.

state       .req r0
message_x   .req r1
message_y   .req r2
blocks      .req r3
scratch     .req lr     // until it is y11

x0          .req r4
y0          .req r5
x7          .req r6
y7          .req r7
x8          .req r8
y8          .req r9
x9          .req r10
y9          .req r11
x11         .req r12
y11         .req lr

// NEON registers. The value of a name is the number of a D register. The names of rows and `spare` mean the lower half
// of a Q register, and name + 1 the upper half. All are as here at the start of a block.

    .macro name_registers
    .set a02, 0         // v2, v0
    .set a13, 2         // v3, v1
    .set b02, 4         // v4, v6
    .set b13, 6         // v5, v7
    .set c02, 8         // v8, v10
    .set c13, 10        // v9, v11
    .set d02, 12        // v14, v12
    .set d13, 14        // v13, v15
    .set spare, 16
    .set m13, 18
    .set m15, 19
    .set table, 20
    .set m10, 21
    .set m12, 22
    .set m14, 23
    .set m0, 24
    .set m2, 25
    .set m4, 26
    .set m6, 27
    .set m1, 28
    .set m3, 29
    .set m5, 30
    .set m7, 31
    .set m8, absent
    .set m9, absent
    .set m11, absent
    .endm

    .set absent, 99     // there is no such register: using an absent word is an error

// Instructions on named registers.

    .macro quad op, to, x, y
    .altmacro
    quad_ \op, %(\to)/2, %(\x)/2, %(\y)/2
    .noaltmacro
    .endm

    .macro quad_ op, to, x, y
    \op q\to, q\x, q\y
    .endm

    .macro half op, to, x, y
    .altmacro
    half_ \op, %\to, %\x, %\y
    .noaltmacro
    .endm

    .macro half_ op, to, x, y
    \op d\to, d\x, d\y
    .endm

    .macro exchange x, y
    .set exchanged, \x
    .set \x, \y
    .set \y, exchanged
    .endm

// Word `new` of the messages, from core registers, takes the place of word `old`.

    .macro replace old, new
    .set m\new, m\old
    .set m\old, absent
    .altmacro
    replace_ %m\new, x\new, y\new
    .noaltmacro
    .endm

    .macro replace_ to, x, y
    vmov d\to, \x, \y
    .endm

// x += the message words m_low and m_high; then `replaced` is a pair of words "old, new", if given.

    .macro add_words x, m_low, m_high, replaced
    half vadd.i32, \x, \x, m\m_low
    half vadd.i32, \x+1, \x+1, m\m_high
    .ifnb \replaced
    replace \replaced
    .endif
    .endm

// The same, but before, the words of x are swapped.

    .macro swap_add_words x, m_low, m_high, replaced
    half vadd.i32, spare, \x+1, m\m_low
    half vadd.i32, spare+1, \x, m\m_high
    exchange \x, spare
    .ifnb \replaced
    replace \replaced
    .endif
    .endm

// Swaps the words of x and exclusive-ors with y.

    .macro swap_xor x, y
    half veor, spare, \x+1, \y
    half veor, spare+1, \x, \y+1
    exchange \x, spare
    .endm

// Exclusive-ors x with y and swaps the words of the result.

    .macro xor_swap x, y
    half veor, spare, \x+1, \y+1
    half veor, spare+1, \x, \y
    exchange \x, spare
    .endm

// Rotations to the right by 16 and 8 bits, and by any number of bits in two parts, with `spare` in use between them.

    .macro rotate16 x
    .altmacro
    rotate16_ %(\x)/2
    .noaltmacro
    .endm

    .macro rotate16_ x
    vrev32.16 q\x, q\x
    .endm

    .macro rotate8 x
    .altmacro
    rotate8_ %\x, %table
    rotate8_ %(\x)+1, %table
    .noaltmacro
    .endm

    .macro rotate8_ x, table
    vtbl.8 d\x, {d\x}, d\table
    .endm

    .macro rotate_begin x, bits
    .altmacro
    rotate_begin_ %(spare)/2, %(\x)/2, \bits
    .noaltmacro
    .endm

    .macro rotate_begin_ to, x, bits
    vshl.i32 q\to, q\x, #32 - \bits
    .endm

    .macro rotate_end x, bits
    .altmacro
    rotate_end_ %(spare)/2, %(\x)/2, \bits
    .noaltmacro
    exchange \x, spare
    .endm

    .macro rotate_end_ to, x, bits
    vsri.32 q\to, q\x, #\bits
    .endm

// Half a round: RFC 7693's G four times, two columns or diagonals in (a_p, b02, c_p, d02) and, indented, the other two
// in (a_r, b13, c_r, d13). Message words are in the order of their addition, as are the words replaced afterwards.
//
// Each line is two cycles' work, and each result waits for at least one other line before it is used. As no line may
// write to `spare` within a rotation by 12 or 7, the second group lags behind the first, and its last rotation is left
// to the next step.

    .macro step a_p, c_p, a_r, c_r, p0, p1, r0, r1, p2, p3, r2, r3, replaced1, replaced2, replaced3, replaced4
    swap_add_words \a_p, \p0, \p1, "\replaced1"
    .if b13_pending
                            rotate_begin b13, 7
    .endif
    quad vadd.i32, \a_p, \a_p, b02
    .if b13_pending
                            rotate_end b13, 7
    .endif
    swap_xor d02, \a_p
                            swap_add_words \a_r, \r0, \r1, "\replaced2"
    rotate16 d02
                            quad vadd.i32, \a_r, \a_r, b13
    quad vadd.i32, \c_p, \c_p, d02
    add_words \a_p, \p2, \p3, "\replaced3"
                            quad veor, d13, d13, \a_r
    quad veor, b02, b02, \c_p
                            rotate16 d13
    rotate_begin b02, 12
                            quad vadd.i32, \c_r, \c_r, d13
    rotate_end b02, 12
                            quad veor, b13, b13, \c_r
                            add_words \a_r, \r2, \r3, "\replaced4"
    quad vadd.i32, \a_p, \a_p, b02
                            rotate_begin b13, 12
    quad veor, d02, d02, \a_p
                            rotate_end b13, 12
    rotate8 d02
                            quad vadd.i32, \a_r, \a_r, b13
    quad vadd.i32, \c_p, \c_p, d02
                            quad veor, d13, d13, \a_r
    quad veor, b02, b02, \c_p
                            rotate8 d13
    rotate_begin b02, 7
                            quad vadd.i32, \c_r, \c_r, d13
    rotate_end b02, 7
                            xor_swap b13, \c_r
    .set b13_pending, 1
    .endm

// A round, given its row of the table SIGMA. c1 to c4 are the pairs of words "old, new" that are replaced after the
// first to fourth addition of words in the column step, d1 to d4 those in the diagonal step.

    .macro round s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, c1=, c2=, c3=, c4=, d1=, d2=, d3=
    step a02, c02, a13, c13, \s0, \s4, \s2, \s6, \s1, \s5, \s3, \s7, "\c1", "\c2", "\c3", "\c4"
    step a13, c13, a02, c02, \s14, \s10, \s12, \s8, \s15, \s11, \s13, \s9, "\d1", "\d2", "\d3"
    .endm

    .text
    .align 4
.Linitial_c:            // IV[0..3] in the order of c02, c13, for both messages
    .word 0x6a09e667, 0x6a09e667, 0x3c6ef372, 0x3c6ef372, 0xbb67ae85, 0xbb67ae85, 0xa54ff53a, 0xa54ff53a
.Linitial_d:            // IV[4..7] in the order of d02, d13
    .word 0x1f83d9ab, 0x1f83d9ab, 0x510e527f, 0x510e527f, 0x9b05688c, 0x9b05688c, 0x5be0cd19, 0x5be0cd19
.Ltable:
    .byte 1, 2, 3, 0, 5, 6, 7, 4

// void blake2s_neon(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//                   uint64_t final_mask);
//
// By the procedure call standard counter and final_mask are on the stack.

    .set saved, 10 * 4 + 8 * 8
    .set initial_d, 0       // d02 and d13 but for the counter
    .set counter, 32        // of the next block
    .set locals, 40

    .cfi_sections .debug_frame
    .global blake2s_neon
    .hidden blake2s_neon
    .type blake2s_neon, %function
    .align 4
blake2s_neon:
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
    mov blocks, r2
    ldr message_y, [r1, #4]
    ldr message_x, [r1]

    adr scratch, .Linitial_d
    vld1.64 {d12-d15}, [scratch:128]
    vldr d16, [sp, #locals + saved + 8]
    veor d12, d12, d16
    vst1.64 {d12-d15}, [sp]
    ldrd r4, r5, [sp, #locals + saved]
    strd r4, r5, [sp, #counter]

    vldr d0, [state, #2 * 8]
    vldr d1, [state, #0 * 8]
    vldr d2, [state, #3 * 8]
    vldr d3, [state, #1 * 8]
    vldr d4, [state, #4 * 8]
    vldr d5, [state, #6 * 8]
    vldr d6, [state, #5 * 8]
    vldr d7, [state, #7 * 8]

    name_registers
.Lblock:
    .set b13_pending, 0

    // The chaining values wait in `state`, in the order of the rows, until the end of the block.
    vst1.64 {d0-d3}, [state:128]!
    vst1.64 {d4-d7}, [state:128]

    vld1.64 {d12-d15}, [sp]
    ldrd r4, r5, [sp, #counter]
    vdup.32 d8, r4
    vdup.32 d9, r5
    veor d13, d13, d8
    veor d14, d14, d9
    adds r4, r4, #64
    adc r5, r5, #0
    strd r4, r5, [sp, #counter]
    adr scratch, .Linitial_c
    vld1.64 {d8-d11}, [scratch:128]

    ldr x0, [message_x, #0 * 4]
    ldr y0, [message_y, #0 * 4]
    ldr x7, [message_x, #7 * 4]
    ldr y7, [message_y, #7 * 4]
    ldr x8, [message_x, #8 * 4]
    ldr y8, [message_y, #8 * 4]
    ldr x9, [message_x, #9 * 4]
    ldr y9, [message_y, #9 * 4]
    ldr x11, [message_x, #11 * 4]
    ldr y11, [message_y, #11 * 4]
    vld1.8 {d24-d27}, [message_x]!
    vld1.8 {d28-d31}, [message_y]!
    vld1.8 {d20-d23}, [message_x]!
    vld1.8 {d16-d19}, [message_y]!
    vtrn.32 q12, q14                // words 0, 2 and 1, 3
    vtrn.32 q13, q15                // 4, 6 and 5, 7
    vtrn.32 q10, q8                 // 8, 10 and 9, 11
    vtrn.32 q11, q9                 // 12, 14 and 13, 15
    vldr d20, .Ltable

    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, c1="0, 11", c4="7, 8", d3="11, 9"
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, c1="9, 0", c4="8, 7", d1="0, 11"
    round 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, c1="11, 8", c3="8, 0", c4="0, 9"
    round 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8, c1="7, 11", c2="11, 8", d3="8, 0"
    round 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, c1="9, 7", c4="7, 11", d1="11, 8"
    round 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9, c1="0, 11", c3="11, 7", d1="7, 9"
    round 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, d1="8, 0", d2="0, 11", d3="9, 7"
    round 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, c2="7, 9", c4="9, 8", d2="8, 0"
    round 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, c1="11, 9", c2="0, 8", c4="9, 7"
    round 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0, c1="7, 0", c2="8, 9", d1="9, 11"

    // The chaining values: h ^= v[0..7] ^ v[8..15].
    .set h_a02, 22
    .set h_a13, 24
    .set h_b02, 26
    .set h_b13, 28
    vld1.64 {d26-d29}, [state:128]
    sub state, state, #4 * 8
    vld1.64 {d22-d25}, [state:128]
    rotate_begin b13, 7
    quad veor, h_b02, h_b02, b02
    quad veor, h_a02, h_a02, a02
    rotate_end b13, 7
    quad veor, h_a13, h_a13, a13
    .set last_d02, d02      // which is where a13 begins: it has to be used first
    quad veor, h_b13, h_b13, b13
    name_registers
    half veor, b02, h_b02, last_d02+1
    half veor, b02+1, h_b02+1, last_d02
    half veor, a02, h_a02, c02+1
    half veor, a02+1, h_a02+1, c02
    half veor, a13, h_a13, c13+1
    half veor, a13+1, h_a13+1, c13
    quad veor, b13, h_b13, d13

    subs blocks, blocks, #1
    bne .Lblock

    vstr d0, [state, #2 * 8]
    vstr d1, [state, #0 * 8]
    vstr d2, [state, #3 * 8]
    vstr d3, [state, #1 * 8]
    vstr d4, [state, #4 * 8]
    vstr d5, [state, #6 * 8]
    vstr d6, [state, #5 * 8]
    vstr d7, [state, #7 * 8]
    add sp, sp, #locals
    vpop {d8-d15}
    pop {r3-r11, pc}
    .cfi_endproc
    .size blake2s_neon, . - blake2s_neon

    .section .note.GNU-stack, "", %progbits
