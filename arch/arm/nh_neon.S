// NH (P. Crowley, E. Biggers, "Adiantum: length-preserving encryption for entry-level processors", section 5.2) for
// ARMv7 with NEON.
//
// Arithmetic bounds the speed: for each of the four passes, a unit of 16 bytes takes one addition and one
// multiplication of two pairs of words with accumulation, both on Q registers. That is 1.09 cycles/byte on armcost's
// Cortex-A7 model; with all else it is 1.23 at 4096 bytes.
//
// A pass's key is that of the pass before, one unit on: each part is loaded once, and its last sum, which is with
// pass 0, is made in its own register. This leaves room for eight of them, so that two can be loaded with one
// instruction; and eight units later they are back in the same registers.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

key         .req r0
digests     .req r1
message     .req r2
stride      .req r3
length      .req r4
count       .req r5
from        .req r6     // what is next of the message,
key_next    .req r7     // of the key
left        .req r8     // bytes behind this chunk
size        .req r12    // bytes of this chunk

sum0        .req q0
sum1        .req q1
sum2        .req q2
sum3        .req q3
m0          .req q4     // the message's units
m1          .req q5
ta          .req q6
ta_low      .req d12
ta_high     .req d13
tb          .req q7
tb_low      .req d14
tb_high     .req d15

    .macro key_register name, both, lower, upper
\name       .req \both
\name\()_low    .req \lower
\name\()_high   .req \upper
    .endm

    key_register k0, q8, d16, d17
    key_register k1, q9, d18, d19
    key_register k2, q10, d20, d21
    key_register k3, q11, d22, d23
    key_register k4, q12, d24, d25
    key_register k5, q13, d26, d27
    key_register k6, q14, d28, d29
    key_register k7, q15, d30, d31

// One unit. \p is not needed any longer. With \more, the next two units are loaded where nothing has to wait for it.
    .macro unit m, p, q, r, s, more=0
    vadd.i32 \p, \m, \p
    vadd.i32 ta, \m, \q
    vmlal.u32 sum0, \p\()_low, \p\()_high
    vadd.i32 tb, \m, \r
    vmlal.u32 sum1, ta_low, ta_high
    vadd.i32 ta, \m, \s
    .if \more
    vld1.8 {m0-m1}, [from]!
    .endif
    vmlal.u32 sum2, tb_low, tb_high
    vmlal.u32 sum3, ta_low, ta_high
    .endm

// void nh_neon(const uint32_t* key, uint8_t* digests, const uint8_t* message, size_t stride, size_t length,
//              size_t count);

    .set saved, 6 * 4 + 8 * 8

    .text
    .cfi_sections .debug_frame
    .global nh_neon
    .hidden nh_neon
    .type nh_neon, %function
    .align 4
nh_neon:
    .cfi_startproc
    push {r4-r8, lr}
    .cfi_def_cfa_offset 6 * 4
    .irp number, 4, 5, 6, 7, 8
    .cfi_rel_offset r\number, (\number - 4) * 4
    .endr
    .cfi_rel_offset lr, 5 * 4
    vpush {d8-d15}
    .cfi_def_cfa_offset saved
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    .cfi_rel_offset d\number, (\number - 8) * 8
    .endr
    ldr length, [sp, #saved]
    ldr count, [sp, #saved + 4]

.Lmessage:
    mov from, message
    add message, message, stride
    mov left, length
.Lchunk:
    cmp left, #1024
    mov size, left
    movhi size, #1024
    sub left, left, size
    mov key_next, key
    vld1.32 {k0-k1}, [key_next :128]!
    vmov.i32 sum0, #0
    vld1.32 {k2-k3}, [key_next :128]!
    vmov.i32 sum1, #0
    vmov.i32 sum2, #0
    vmov.i32 sum3, #0
    subs size, size, #8 * 16
    blo .Lfew_units

.Leight_units:
    vld1.8 {m0-m1}, [from]!
    vld1.32 {k4-k5}, [key_next :128]!
    unit m0, k0, k1, k2, k3
    unit m1, k1, k2, k3, k4, more=1
    vld1.32 {k6-k7}, [key_next :128]!
    unit m0, k2, k3, k4, k5
    unit m1, k3, k4, k5, k6, more=1
    vld1.32 {k0-k1}, [key_next :128]!
    unit m0, k4, k5, k6, k7
    unit m1, k5, k6, k7, k0, more=1
    vld1.32 {k2-k3}, [key_next :128]!
    subs size, size, #8 * 16
    unit m0, k6, k7, k0, k1
    unit m1, k7, k0, k1, k2
    bhs .Leight_units

.Lfew_units:
    adds size, size, #8 * 16
    beq .Ldigest
    sub key_next, key_next, #3 * 16
.Lunit:
    vld1.8 {m0}, [from]!
    subs size, size, #16
    unit m0, k0, k1, k2, k3
    vld1.32 {k0-k1}, [key_next :128]!
    vld1.32 {k2-k3}, [key_next :128]
    sub key_next, key_next, #16
    bne .Lunit

.Ldigest:
    vadd.i64 d0, d0, d1
    vadd.i64 d1, d2, d3
    vadd.i64 d2, d4, d5
    vadd.i64 d3, d6, d7
    vst1.64 {d0-d3}, [digests]!
    cmp left, #0
    bne .Lchunk
    subs count, count, #1
    bne .Lmessage

    vpop {d8-d15}
    pop {r4-r8, pc}
    .cfi_endproc
    .size nh_neon, . - nh_neon

    .section .note.GNU-stack, "", %progbits
