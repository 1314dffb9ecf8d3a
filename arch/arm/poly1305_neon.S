// Poly1305 (RFC 8439, section 2.5) for ARMv7 with NEON, two blocks side by side: those of two messages, or two of one.
//
// A D register holds a limb of 26 bits of two numbers, and products are summed in Q registers. Arithmetic bounds the
// speed: for two blocks there are 25 multiplications, 19 other operations on Q registers, most of them to carry, and 26
// on D registers. On armcost's Cortex-A7 model that is 68 cycles a block in many messages of 8 blocks (NH digests of an
// Adiantum sector of 4096 bytes), and 67 in one message of 4096 bytes.
//
// Two messages are multiplied by r both. In one message the odd-numbered blocks are summed separately, and both sums
// are multiplied by r^2 at every step, but at the last the second one by r; then they are added. Before that, if the
// number of blocks is odd, the first one goes alone.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

key         .req r0
sums        .req r1
message     .req r2
stride      .req r3
blocks      .req r4
count       .req r5
first       .req r6     // the blocks that are next
second      .req r7
distance    .req r8     // from them to their next ones
steps       .req r9
by_first    .req r10    // powers of r to multiply the two sums by
by_second   .req r11
pointer     .req r12

// Multipliers, and five times these.
m0         .req d0
m2         .req d1
m1         .req d2
m3         .req d3
m4         .req d4
m1_5          .req d5
m2_5          .req d6
m3_5          .req d7
m4_5          .req d8
top         .req d9     // the bit above each of the blocks
// The sums. Like the multipliers', their order is what vtrn makes of one number's limbs and another's.
h02         .req q5
h0          .req d10
h2          .req d11
h13         .req q6
h1          .req d12
h3          .req d13
h4          .req d14
top_of_both .req d15
// Their products.
product0          .req q8
product1          .req q9
product2          .req q10
product3          .req q11
product4          .req q12
// Words of blocks and scratch.
w02         .req q13
w0          .req d26
w2          .req d27
w13         .req q14
w1          .req d28
w3          .req d29
t           .req q15
ta          .req d30
tb          .req d31

// The product of one limb of the sums with all of the multiplier.
    .macro multiply op, h, a0, a1, a2, a3, a4
    \op product0, \h, \a0
    \op product1, \h, \a1
    \op product2, \h, \a2
    \op product3, \h, \a3
    \op product4, \h, \a4
    .endm

// Keeps 26 bits of each word.
    .macro mask x
    vbic.i32 \x, #0xfc000000
    .endm

    .text
    .align 4
.Lno_block:
    .word 0, 0, 0, 0

// void poly1305_neon(const Poly1305Key* key, Poly1305Sum* sums, const uint8_t* message, size_t stride, size_t blocks,
//                    size_t count, size_t top_bit);

    .set saved, 10 * 4 + 8 * 8

    .cfi_sections .debug_frame
    .global poly1305_neon
    .hidden poly1305_neon
    .type poly1305_neon, %function
    .align 4
poly1305_neon:
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
    ldr blocks, [sp, #saved]
    ldr count, [sp, #saved + 4]
    ldr pointer, [sp, #saved + 8]
    lsl pointer, pointer, #24
    vdup.32 top, pointer

    mov by_first, key
    mov by_second, key
    bl .Lmultipliers
    mov distance, #16
    subs count, count, #2
    blo .Lone_message
.Ltwo_messages:
    mov pointer, sums
    vld1.32 {h02}, [pointer :128]!
    vld1.32 {h4[0]}, [pointer :32]
    add pointer, sums, #32
    vld1.32 {h13}, [pointer :128]!
    vld1.32 {h4[1]}, [pointer :32]
    vtrn.32 h02, h13
    mov first, message
    add second, message, stride
    add message, second, stride
    mov steps, blocks
    bl .Lsteps
    vtrn.32 h02, h13
    vst1.32 {h02}, [sums :128]!
    vst1.32 {h4[0]}, [sums :32]
    add sums, sums, #16
    vst1.32 {h13}, [sums :128]!
    vst1.32 {h4[1]}, [sums :32]
    add sums, sums, #16
    subs count, count, #2
    bhs .Ltwo_messages

.Lone_message:
    cmn count, #2
    beq .Ldone
    add pointer, sums, #16
    vld1.32 {h02}, [sums :128]
    vmov.i32 h13, #0
    vmov.i32 h4, #0
    vld1.32 {h4[0]}, [pointer :32]
    vtrn.32 h02, h13

    mov first, message
    tst blocks, #1
    beq .Leven
    vmov top_of_both, top
    vshr.u64 top, top, #32      // none above the second
    adr second, .Lno_block
    mov steps, #1
    bl .Lsteps
    vmov top, top_of_both
.Leven:
    lsrs blocks, blocks, #1
    beq .Ladd
    add second, first, #16
    mov distance, #32
    add by_first, key, #32
    subs steps, blocks, #1
    beq .Llast
    mov by_second, by_first
    bl .Lmultipliers
    bl .Lsteps
    mov by_second, key
.Llast:
    bl .Lmultipliers
    mov steps, #1
    bl .Lsteps

    // The two sums' sum, with limbs carried to their next ones.
.Ladd:
    vtrn.32 h02, h13
    vpadd.i32 h4, h4, h4
    vadd.i32 h02, h02, h13
    vdup.32 q8, h4[0]
    vshr.u32 q9, h02, #26
    vshr.u32 q10, q8, #26
    mask h02
    vshl.i32 q11, q10, #2
    vdup.32 d24, d19[1]
    vadd.i32 q10, q10, q11      // 2^130 is 5
    mask q8
    vext.32 q10, q10, q9, #3
    vadd.i32 d16, d16, d24
    vadd.i32 h02, h02, q10
    vst1.32 {h02}, [sums :128]!
    vst1.32 {d16[0]}, [sums :32]

.Ldone:
    vpop {d8-d15}
    pop {r3-r11, pc}
    .cfi_endproc

// Sets the multipliers to the numbers at by_first and by_second.
.Lmultipliers:
    vld1.32 {q0}, [by_first :128]
    add pointer, by_first, #16
    vld1.32 {m4[0]}, [pointer :32]
    vld1.32 {q1}, [by_second :128]
    add pointer, by_second, #16
    vld1.32 {m4[1]}, [pointer :32]
    vtrn.32 q0, q1
    vshl.i32 m1_5, m1, #2
    vshl.i32 m2_5, m2, #2
    vshl.i32 m3_5, m3, #2
    vshl.i32 m4_5, m4, #2
    vadd.i32 m1_5, m1_5, m1
    vadd.i32 m2_5, m2_5, m2
    vadd.i32 m3_5, m3_5, m3
    vadd.i32 m4_5, m4_5, m4
    bx lr

// Absorbs `steps` blocks into each sum.
.Lsteps:
    vld1.8 {w02}, [first], distance
    vld1.8 {w13}, [second], distance
    subs steps, steps, #1
    vtrn.32 w02, w13

    vshl.i32 ta, w1, #6
    vshl.i32 tb, w2, #12
    vsri.32 ta, w0, #26
    vsri.32 tb, w1, #20
    mask w0
    mask ta
    mask tb
    vadd.i32 h0, h0, w0
    vadd.i32 h1, h1, ta
    vadd.i32 h2, h2, tb
    vshl.i32 ta, w3, #18
    vshr.u32 tb, w3, #8
    vsri.32 ta, w2, #14
    vadd.i32 h4, h4, top
    mask ta
    vadd.i32 h4, h4, tb
    vadd.i32 h3, h3, ta

    multiply vmull.u32, h0, m0, m1, m2, m3, m4
    multiply vmlal.u32, h1, m4_5, m0, m1, m2, m3
    multiply vmlal.u32, h2, m3_5, m4_5, m0, m1, m2
    multiply vmlal.u32, h3, m2_5, m3_5, m4_5, m0, m1
    multiply vmlal.u32, h4, m1_5, m2_5, m3_5, m4_5, m0

    // Carries, from limbs 0 and 3 at the same time.
    vsra.u64 product1, product0, #26
    vsra.u64 product4, product3, #26
    vmovn.i64 h0, product0
    vmovn.i64 h3, product3
    vsra.u64 product2, product1, #26
    vshr.u64 w02, product4, #26
    mask h0
    mask h3
    vshr.u64 w13, product2, #26
    vshl.i64 t, w02, #2
    vaddw.u32 w02, w02, h0
    vaddw.u32 w13, w13, h3
    vmovn.i64 h1, product1
    vadd.i64 w02, w02, t        // 2^130 is 5
    vmovn.i64 h4, product4
    mask h1
    mask h4
    vshrn.i64 ta, w13, #26
    vshrn.i64 tb, w02, #26
    vmovn.i64 h2, product2
    vmovn.i64 h0, w02
    vmovn.i64 h3, w13
    vadd.i32 h4, h4, ta
    vadd.i32 h1, h1, tb
    mask h2
    mask h0
    mask h3
    bne .Lsteps
    bx lr
    .size poly1305_neon, . - poly1305_neon

    .section .note.GNU-stack, "", %progbits
