// AES-256 and AES-128 (FIPS 197) by the ARMv8 instructions in AArch32 state; see aes_ce.h.

    .syntax unified
    .arm
    .arch   armv8-a
    .fpu    crypto-neon-fp-armv8

#include "arch/arm/aes_ce.h"

// Passes over eight blocks.
    .macro passes round, mix, keys
1:
    load_few
    add next_key, key, #\keys
    bl .L\round
    store_few .Ldone
    b 1b
    .endm

// void aes_ce(const AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, size_t blocks);

    .text
    .cfi_sections .debug_frame
    .global aes_ce
    .hidden aes_ce
    .type aes_ce, %function
    .align 4
aes_ce:
    .cfi_startproc
    push {r4, lr}
    .cfi_def_cfa_offset 2 * 4
    .cfi_rel_offset r4, 0
    .cfi_rel_offset lr, 4
    ldr blocks, [sp, #2 * 4]
    cmp r1, #0
    bne .Ldecrypt
    passes aese, aesmc, encrypt_keys
.Ldecrypt:
    passes aesd, aesimc, decrypt_keys
.Ldone:
    pop {r4, pc}
    .cfi_endproc

.Laese:
    crypt_eight aese, aesmc
    bx lr
.Laesd:
    crypt_eight aesd, aesimc
    bx lr
    .size aes_ce, . - aes_ce

    .section .note.GNU-stack, "", %progbits
