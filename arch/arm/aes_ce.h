// clang-format off
// AES by the ARMv8 instructions in AArch32 state, eight blocks side by side so that none waits for another's round, as
// assembler macros for aes_ce.S and aesxts_ce.S. q4 to q7 belong to the caller and are not used.

key         .req r0
next_key    .req r1
out         .req r2
in          .req r3
rounds      .req r4
blocks      .req r12    // left

    .set encrypt_keys, 0    // offsets in AesKey
    .set decrypt_keys, 240
    .set round_count, 2400

// Applies aese and aesmc, or aesd and aesimc, with the keys at next_key to the blocks in q8 to q15.
    .macro crypt_eight round, mix
    ldr rounds, [key, #round_count]
    vld1.8 {q0}, [next_key :128]!
    sub rounds, rounds, #1
1:
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    \round\().8 q\number, q0
    \mix\().8 q\number, q\number
    .endr
    vld1.8 {q0}, [next_key :128]!
    subs rounds, rounds, #1
    bne 1b
    vld1.8 {q1}, [next_key :128]
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    \round\().8 q\number, q0
    .endr
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    veor q\number, q\number, q1
    .endr
    .endm

// Loads the next blocks, up to eight, the last one again where there are no more, and leaves `in` at the last one.
    .macro load_few
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    vld1.8 {q\number}, [in]
    cmp blocks, #\number - 7
    addhi in, in, #16
    .endr
    .endm

// Stores the blocks that there are, up to eight, and goes to \end with the last one.
    .macro store_few end
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    vst1.8 {q\number}, [out]!
    subs blocks, blocks, #1
    beq \end
    .endr
    .endm
