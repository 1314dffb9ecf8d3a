// BLAKE2b (RFC 7693) for ARMv7 with NEON, one message.
//
// Arithmetic bounds the speed: a round is 40 operations on Q registers, 40 on D registers and two moves, with nothing
// spilled: 13.3 cycles/byte on armcost's Cortex-A7 model at 4096-byte messages, 0.4 of them for what is done per block
// and per call. Results are not waited for where their latency is at most four cycles (see `step`).
//
// Four choices lead there:
//
// - Words {0, 2} and {1, 3} of a row share a Q register. From columns to diagonals BLAKE2b rotates rows by one, two
//   and three words, and each of these takes such a pair to such a pair; only the order of its two words can be wrong.
// - An operation done in halves, on D registers, can also swap the two words. Adding message words has to be done so
//   anyway, which lets row a change its order for nothing; with that, one exclusive-or in halves for row d and one for
//   row b in each step allow all others to be Q operations.
// - A swap cannot be done in place. The register it writes to takes over the name of the one that it replaces, and
//   that becomes the spare one: a single spare Q register serves them all, and 14 D registers are left for the message.
// - Words 7, 8, 9 and 14 of the message wait in core registers and take turns in two of those 14. This moves two words
//   in a round, the least that is possible with 14; of the sets of four that need no more, this one leaves the most
//   time between a word's last use, the move, and the next word's first use. It also means that only ldr and vld1.8
//   read the message, whose address may be odd; vldr would need an aligned one.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

// Core registers.

state       .req r0
message     .req r1
t_low       .req r2
t_high      .req r3
blocks      .req r12
constants   .req lr

low7        .req r4
high7       .req r5
low8        .req r6
high8       .req r7
low9        .req r8
high9       .req r9
low14       .req r10
high14      .req r11

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
    .set m10, 18
    .set m11, 19
    .set m0, 20
    .set m1, 21
    .set m2, 22
    .set m3, 23
    .set m4, 24
    .set m5, 25
    .set m6, 26
    .set m7, 27
    .set m12, 28
    .set m13, 29
    .set m14, 30
    .set m15, 31
    .set m8, absent
    .set m9, absent
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

// Word `new` of the message, from core registers, takes the place of word `old`.

    .macro replace old, new
    .set m\new, m\old
    .set m\old, absent
    .altmacro
    replace_ %m\new, low\new, high\new
    .noaltmacro
    .endm

    .macro replace_ to, low, high
    vmov d\to, \low, \high
    .endm

// x += the message words m_low and m_high.

    .macro add_words x, m_low, m_high
    half vadd.i64, \x, \x, m\m_low
    half vadd.i64, \x+1, \x+1, m\m_high
    .endm

// Swaps the words of x and adds the message words m_low and m_high.

    .macro swap_add_words x, m_low, m_high
    half vadd.i64, spare, \x+1, m\m_low
    half vadd.i64, spare+1, \x, m\m_high
    exchange \x, spare
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

// Rotations to the right by 32 bits, by bytes, and by 63 bits in two parts, with `spare` in use between them.

    .macro rotate32 x
    .altmacro
    rotate32_ %(\x)/2
    .noaltmacro
    .endm

    .macro rotate32_ x
    vrev64.32 q\x, q\x
    .endm

    .macro rotate_bytes x, bytes
    .altmacro
    rotate_bytes_ %\x, \bytes
    rotate_bytes_ %(\x)+1, \bytes
    .noaltmacro
    .endm

    .macro rotate_bytes_ x, bytes
    vext.8 d\x, d\x, d\x, #\bytes
    .endm

    .macro rotate63_begin x
    quad vadd.i64, spare, \x, \x
    .endm

    .macro rotate63_end x
    .altmacro
    rotate63_end_ %(spare)/2, %(\x)/2
    .noaltmacro
    exchange \x, spare
    .endm

    .macro rotate63_end_ to, x
    vsri.64 q\to, q\x, #63
    .endm

// Half a round: RFC 7693's G four times, two columns or diagonals in (a_p, b02, c_p, d02) and, indented, the other two
// in (a_r, b13, c_r, d13). Message words are those of the lower, then of the upper halves. `middle` and `end` are
// replacements of message words, "old, new".
//
// Each line is two cycles' work, and each result waits for at least one other line before it is used. As no line may
// write to `spare` within a rotation by 63, the second group lags behind the first, and its last rotation is left to
// the next step.

    .macro step a_p, c_p, a_r, c_r, p_low0, p_low1, p_high0, p_high1, r_low0, r_low1, r_high0, r_high1, middle, end
    swap_add_words \a_p, \p_low0, \p_high0
    .if b13_pending
                            rotate63_begin b13
    .endif
    quad vadd.i64, \a_p, \a_p, b02
    .if b13_pending
                            rotate63_end b13
    .endif
    swap_xor d02, \a_p
                            swap_add_words \a_r, \r_low0, \r_high0
    rotate32 d02
                            quad vadd.i64, \a_r, \a_r, b13
    quad vadd.i64, \c_p, \c_p, d02
                            quad veor, d13, d13, \a_r
    .ifnb \middle
    replace \middle
    .endif
    quad veor, b02, b02, \c_p
                            rotate32 d13
    rotate_bytes b02, 3
                            quad vadd.i64, \c_r, \c_r, d13
    add_words \a_p, \p_low1, \p_high1
                            quad veor, b13, b13, \c_r
    quad vadd.i64, \a_p, \a_p, b02
                            rotate_bytes b13, 3
    quad veor, d02, d02, \a_p
                            add_words \a_r, \r_low1, \r_high1
    rotate_bytes d02, 2
                            quad vadd.i64, \a_r, \a_r, b13
    quad vadd.i64, \c_p, \c_p, d02
                            quad veor, d13, d13, \a_r
    .ifnb \end
    replace \end
    .endif
    quad veor, b02, b02, \c_p
                            rotate_bytes d13, 2
    rotate63_begin b02
                            quad vadd.i64, \c_r, \c_r, d13
    rotate63_end b02
                            xor_swap b13, \c_r
    .set b13_pending, 1
    .endm

// A round, given its row of the table SIGMA. `column`, `between` and `diagonal` are the pairs of words "old, new" that
// are replaced in the middle of the column step, between the steps, and in the middle of the diagonal step.

    .macro round s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, column=, between=, diagonal=
    step a02, c02, a13, c13, \s0, \s1, \s4, \s5, \s2, \s3, \s6, \s7, "\column", "\between"
    step a13, c13, a02, c02, \s14, \s15, \s10, \s11, \s12, \s13, \s8, \s9, "\diagonal"
    .endm

    .text
    .align 4
.Linitial_c:            // IV[0..3] in the order of c02, c13
    .quad 0x6a09e667f3bcc908, 0x3c6ef372fe94f82b, 0xbb67ae8584caa73b, 0xa54ff53a5f1d36f1
.Linitial_d:            // IV[4..7] in the order of d02, d13
    .quad 0x1f83d9abfb41bd6b, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x5be0cd19137e2179

// void blake2b_neon(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//                   uint64_t final_mask);
//
// By the procedure call standard counter and final_mask are on the stack.

    .set saved, 10 * 4 + 8 * 8
    .set locals, 4 * 8  // initial values of d02 and d13, but for the counter

    .cfi_sections .debug_frame
    .global blake2b_neon
    .hidden blake2b_neon
    .type blake2b_neon, %function
    .align 4
blake2b_neon:
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
    ldr message, [r1]
    mov blocks, r2
    adr constants, .Linitial_c

    add r4, constants, #.Linitial_d - .Linitial_c
    vld1.64 {d12-d15}, [r4:128]
    vldr d16, [sp, #locals + saved + 8]
    veor d12, d12, d16
    vst1.64 {d12-d15}, [sp]
    ldrd t_low, t_high, [sp, #locals + saved]

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

    // The chaining value waits in `state`, in the order of the rows, until the end of the block.
    vst1.64 {d0-d3}, [state:128]!
    vst1.64 {d4-d7}, [state:128]

    ldr low7, [message, #7 * 8]
    ldr high7, [message, #7 * 8 + 4]
    ldr low8, [message, #8 * 8]
    ldr high8, [message, #8 * 8 + 4]
    ldr low9, [message, #9 * 8]
    ldr high9, [message, #9 * 8 + 4]
    ldr low14, [message, #14 * 8]
    ldr high14, [message, #14 * 8 + 4]
    vld1.8 {d20-d23}, [message]!    // words 0 to 3
    vld1.8 {d24-d27}, [message]!    // 4 to 7
    vld1.8 {d16-d19}, [message]!    // 8 to 11, of which 8 and 9 are dropped
    vld1.8 {d28-d31}, [message]!    // 12 to 15

    vld1.64 {d8-d11}, [constants:128]
    vld1.64 {d12-d15}, [sp]
    vmov d16, t_low, t_high
    veor d13, d13, d16
    adds t_low, t_low, #128
    adc t_high, t_high, #0

    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, between="7, 8", diagonal="8, 9"
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, column="14, 8", between="9, 7"
    round 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, between="8, 9", diagonal="9, 14"
    round 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8, column="7, 9", between="14, 8"
    round 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, column="9, 7", between="7, 14"
    round 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9, between="8, 7", diagonal="7, 9"
    round 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, between="14, 8", diagonal="8, 7"
    round 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, column="7, 14", between="9, 8"
    round 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, column="14, 9", between="9, 7"
    round 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0, between="8, 9", diagonal="9, 14"
    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, between="7, 8", diagonal="8, 9"
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, column="9, 8", between="8, 7"

    // The chaining value: h ^= v[0..7] ^ v[8..15].
    .set h_a02, 18
    .set h_a13, 20
    .set h_b02, 22
    .set h_b13, 24
    vld1.64 {d22-d25}, [state:128]
    sub state, state, #4 * 8
    vld1.64 {d18-d21}, [state:128]
    rotate63_begin b13
    quad veor, h_b02, h_b02, b02
    quad veor, h_a02, h_a02, a02
    rotate63_end b13
    quad veor, h_a13, h_a13, a13
    .if d02 - 12
    .error "row d is not where it was at the start of the block"
    .endif
    quad veor, h_b13, h_b13, b13
    name_registers
    half veor, b02, h_b02, d02+1
    half veor, b02+1, h_b02+1, d02
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
    .size blake2b_neon, . - blake2b_neon

    .section .note.GNU-stack, "", %progbits
