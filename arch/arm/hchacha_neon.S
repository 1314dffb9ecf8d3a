// HChaCha (draft-irtf-cfrg-xchacha-03, section 2.2) for ARMv7 with NEON, four nonces side by side.
//
// Arithmetic bounds the speed, see chacha_neon.h: a pass takes 1600 cycles on armcost's Cortex-A7 model with 12 rounds,
// 2620 with 20.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

#include "arch/arm/chacha_neon.h"

key         .req r0
rounds      .req r1
subkeys     .req r2
nonces      .req r3
count       .req r4
from        .req r5
c89         .req r6
c1011       .req r7
turns       .req r12

    .set saved, 6 * 4 + 8 * 8
    .set wait89, 0
    .set wait1011, 32
    .set locals, 64

// The word at `from`, for all four nonces.
    .macro load_word x
    vld1.32 {\x\()l[], \x\()h[]}, [from :32]!
    .endm

// The next nonce into a lane of words 12 to 15. There is one if more than \number are left; else the last one serves
// again.
    .macro load_nonce half, lane, number
    .if \number
    cmp count, #\number
    addhi from, from, #16
    .endif
    load_lane x12\half, x13\half, x14\half, x15\half, \lane
    .endm

    .macro load_lane w, x, y, z, lane
    vld4.32 {\w[\lane], \x[\lane], \y[\lane], \z[\lane]}, [from :128]
    .endm

    .macro store_lane w, x, y, z, lane
    vst4.32 {\w[\lane], \x[\lane], \y[\lane], \z[\lane]}, [subkeys :128]!
    .endm

    .text
    .align 4
.Lconstants:
    .ascii "expand 32-byte k"
.Ltable:
    .byte 3, 0, 1, 2, 7, 4, 5, 6

// void hchacha_neon(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces, size_t count);

    .cfi_sections .debug_frame
    .global hchacha_neon
    .hidden hchacha_neon
    .type hchacha_neon, %function
    .align 4
hchacha_neon:
    .cfi_startproc
    push {r4-r8, lr}    // r8 only keeps the stack aligned
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
    sub sp, sp, #locals
    .cfi_def_cfa_offset saved + locals
    ldr count, [sp, #locals + saved]
    add c89, sp, #wait89
    add c1011, sp, #wait1011
    vldr table, .Ltable

.Lpass:
    add from, key, #6 * 4
    load_word x10
    load_word x11
    vst1.32 {q8-q9}, [c1011 :64]
    adr from, .Lconstants
    load_word x0
    load_word x1
    load_word x2
    load_word x3
    mov from, key
    load_word x4
    load_word x5
    load_word x6
    load_word x7
    load_word x8
    load_word x9
    mov from, nonces
    load_nonce l, 0, 0
    load_nonce l, 1, 1
    load_nonce h, 0, 2
    load_nonce h, 1, 3
    add nonces, nonces, #4 * 16

    mov turns, rounds, lsr #1
    two_quarters x0, x4, x8, x12, x1, x5, x9, x13
    two_quarters x2, x6, x10, x14, x3, x7, x11, x15, x5, x9, c89, c1011
    two_quarters x0, x5, x10, x15, x1, x6, x11, x12, x7, x11
    double_rounds

    cmp count, #2
    store_lane x0l, x1l, x2l, x3l, 0
    store_lane x12l, x13l, x14l, x15l, 0
    blo .Ldone
    store_lane x0l, x1l, x2l, x3l, 1
    store_lane x12l, x13l, x14l, x15l, 1
    beq .Ldone
    cmp count, #4
    store_lane x0h, x1h, x2h, x3h, 0
    store_lane x12h, x13h, x14h, x15h, 0
    blo .Ldone
    store_lane x0h, x1h, x2h, x3h, 1
    store_lane x12h, x13h, x14h, x15h, 1
    subs count, count, #4
    bne .Lpass

.Ldone:
    add sp, sp, #locals
    vpop {d8-d15}
    pop {r4-r8, pc}
    .cfi_endproc
    .size hchacha_neon, . - hchacha_neon

    .section .note.GNU-stack, "", %progbits
