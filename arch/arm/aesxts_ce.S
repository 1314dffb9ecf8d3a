// XTS (IEEE 1619, section 5) by the ARMv8 AES instructions in AArch32 state, eight blocks side by side; see aes_ce.h.

    .syntax unified
    .arm
    .arch   armv8-a
    .fpu    crypto-neon-fp-armv8

#include "arch/arm/aes_ce.h"

next_tweak  .req r5     // the sectors' first tweaks
sectors     .req r6     // left
tweak       .req r7     // tweaks of these blocks

    .set saved, 6 * 4
    .set tweaks, 0                  // of the blocks of a pass, and of the block after them
    .set locals, tweaks + 9 * 16
    .set sector_blocks, locals + saved + 4

// Exclusive-ors \block with the tweak \this, which is also put on the stack, and doubles it to make \after: a half's
// top bit goes to the other one, as 1 or as x^7 + x^2 + x + 1.
    .macro add_tweak block, this, after
    vshr.s64 q1, \this, #63
    vst1.64 {\this}, [tweak :64]!
    vadd.i64 \after, \this, \this
    vand q1, q1, q0
    veor \block, \block, \this
    vext.8 q1, q1, q1, #8
    veor \after, \after, q1
    .endm

// The eight blocks in q8 to q15. q2 has the first one's tweak, and then that of the block after them.
    .macro pass round, mix, keys
    adr tweak, .Lreduction
    vld1.64 {q0}, [tweak :128]
    add tweak, sp, #tweaks
    add_tweak q8, q2, q3
    add_tweak q9, q3, q2
    add_tweak q10, q2, q3
    add_tweak q11, q3, q2
    add_tweak q12, q2, q3
    add_tweak q13, q3, q2
    add_tweak q14, q2, q3
    add_tweak q15, q3, q2
    vst1.64 {q2}, [tweak :64]
    add next_key, key, #\keys
    crypt_eight \round, \mix
    add tweak, sp, #tweaks
    vld1.64 {q0-q1}, [tweak :64]!
    vld1.64 {q2-q3}, [tweak :64]!
    veor q8, q8, q0
    veor q9, q9, q1
    vld1.64 {q0-q1}, [tweak :64]!
    veor q10, q10, q2
    veor q11, q11, q3
    vld1.64 {q2-q3}, [tweak :64]!
    veor q12, q12, q0
    veor q13, q13, q1
    veor q14, q14, q2
    veor q15, q15, q3
    vld1.64 {q2}, [tweak :64]
    .endm

    .macro all_sectors pass
1:
    vld1.64 {q2}, [next_tweak :128]!
    ldr blocks, [sp, #sector_blocks]
    subs blocks, blocks, #8
    blo 3f
2:
    vld1.8 {q8-q9}, [in]!
    vld1.8 {q10-q11}, [in]!
    vld1.8 {q12-q13}, [in]!
    vld1.8 {q14-q15}, [in]!
    bl \pass
    vst1.8 {q8-q9}, [out]!
    vst1.8 {q10-q11}, [out]!
    vst1.8 {q12-q13}, [out]!
    vst1.8 {q14-q15}, [out]!
    subs blocks, blocks, #8
    bhs 2b
3:
    adds blocks, blocks, #8
    beq 4f
    load_few
    add in, in, #16
    bl \pass
    store_few 4f
4:
    subs sectors, sectors, #1
    bne 1b
    .endm

    .text
    .align 4
.Lreduction:
    .quad 1, 0x87

// void aesxts_ce(const AesKey* key, size_t decrypt, uint8_t* out, const uint8_t* in, const uint8_t* tweaks,
//                size_t sector_blocks, size_t sectors);

    .cfi_sections .debug_frame
    .global aesxts_ce
    .hidden aesxts_ce
    .type aesxts_ce, %function
    .align 4
aesxts_ce:
    .cfi_startproc
    push {r4-r8, lr}    // r8 only keeps the stack aligned
    .cfi_def_cfa_offset saved
    .irp number, 4, 5, 6, 7, 8
    .cfi_rel_offset r\number, (\number - 4) * 4
    .endr
    .cfi_rel_offset lr, 5 * 4
    sub sp, sp, #locals
    .cfi_def_cfa_offset saved + locals
    ldr next_tweak, [sp, #locals + saved]
    ldr sectors, [sp, #locals + saved + 8]
    cmp r1, #0
    bne .Ldecrypt
    all_sectors .Lencrypt_pass
    b .Ldone
.Ldecrypt:
    all_sectors .Ldecrypt_pass
.Ldone:
    add sp, sp, #locals
    pop {r4-r8, pc}
    .cfi_endproc

.Lencrypt_pass:
    pass aese, aesmc, encrypt_keys
    bx lr
.Ldecrypt_pass:
    pass aesd, aesimc, decrypt_keys
    bx lr
    .size aesxts_ce, . - aesxts_ce

    .section .note.GNU-stack, "", %progbits
