// AES-256 and AES-128 (FIPS 197) for ARMv7 with NEON, eight blocks side by side; see aes_neon.h.
//
// A pass takes 6000 cycles on armcost's Cortex-A7 model with a key of 32 bytes, and 7220 to decrypt.

    .syntax unified
    .arm
    .arch armv7-a
    .fpu neon

#include "arch/arm/aes_neon.h"

key         .req r4     // these are on the stack while slots use their registers
blocks      .req r5

    .set sliced, 480    // offsets in AesKey
    .set round_count, 2400

// Loads the next block, or the last one again.
    .macro load_block register, number
    vld1.8 {\register}, [in]
    cmp blocks, #\number + 1
    addhi in, in, #16
    .endm

    .set saved, 10 * 4 + 8 * 8
    .set key_and_blocks, 9 * 16
    .set locals, 10 * 16

// One pass over up to eight blocks, which \crypt wants in the given registers.
    .macro pass crypt, from_last, r0_, r1_, r2_, r3_, r4_, r5_, r6_, r7_
    load_block \r0_, 0
    load_block \r1_, 1
    load_block \r2_, 2
    load_block \r3_, 3
    load_block \r4_, 4
    load_block \r5_, 5
    load_block \r6_, 6
    load_block \r7_, 7
    ldr rounds, [key, #round_count]
    add next_key, key, #sliced
    .if \from_last
    add next_key, next_key, rounds, lsl #7
    .endif
    strd key, blocks, [sp, #key_and_blocks]
    set_slots
    \crypt
    ldrd key, blocks, [sp, #key_and_blocks]
    .endm

    .text
    aes_tables

// void aes_neon(const AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks);

    .cfi_sections .debug_frame
    .global aes_neon
    .hidden aes_neon
    .type aes_neon, %function
    .align 4
aes_neon:
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
    ldr blocks, [sp, #locals + saved]
    mov key, r0
    adr tables, .Laes_tables
    cmp r1, #0
    bne .Ldecrypt

.Lencrypt:
    pass encrypt_eight, 0, q0, q1, q2, q3, q4, q5, q6, q7
    bl .Lstore
    bhi .Lencrypt
    b .Ldone

.Ldecrypt:
    pass decrypt_eight, 1, q1, q2, q3, q4, q5, q6, q7, q0
    bl .Lstore
    bhi .Ldecrypt

.Ldone:
    add sp, sp, #locals
    vpop {d8-d15}
    pop {r3-r11, pc}
    .cfi_endproc

// Stores the blocks that there are. Returns "higher" if more are left.
.Lstore:
    .irp number, 0, 1, 2, 3, 4, 5, 6
    vst1.8 {q\number}, [out]!
    subs blocks, blocks, #1
    bxeq lr
    .endr
    vst1.8 {q7}, [out]!
    subs blocks, blocks, #1
    bx lr
    .size aes_neon, . - aes_neon

    .section .note.GNU-stack, "", %progbits
