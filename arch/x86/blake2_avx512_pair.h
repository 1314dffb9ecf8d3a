// BLAKE2b and BLAKE2s (RFC 7693) in AVX-512 lanes, two registers' worth of messages together: the first set's v0 to v15
// in zmm0 to zmm15, the second's in zmm16 to zmm31. For the .S file of each, which defines before it includes this:
//
//   CORE              the function's name
//   ADD XOR ROR       the instructions for words of its size; likewise TERNARY, BROADCAST, and BROADCASTING, the suffix
//                     of a memory operand that is one word for all lanes
//   ROTATION1 to 4, ROUNDS, WORD_BYTES, BLOCK_BYTES
//
// and after that, before it invokes compression_function, the macros
//
//   set_pointers set       what load_part wants done before, in r8 to r15
//   load_part set, part    makes the message words 4 * part to 4 * part + 3 of the set (0 or 1) from the block at
//                          block_offset, in registers of that set's state only, which is dead then
//   add_counter v12, v13   exclusive-ors frame_counter into the registers of these numbers
//
// and the IV, initial_value.
//
// Zen 5 has four 512-bit units, but every operation takes two cycles: the four columns of one set keep them two thirds
// idle, those of two sets fill them to 90 %. With each set's state in 16 registers there is none to spare, so the
// message words come from memory, and that is why this is assembly: g++ 12 moves registers to memory and back within
// the rounds (0.45 to 0.51 cycles/byte for BLAKE2b, as the code around it changes; here 0.41).
//
// The second set is one round behind the first. So each set's next message words can be transposed between the steps
// of a round of the other set, when its own registers are free. Without that: 0.425.

.intel_syntax noprefix

#define state rdi
#define messages rsi
#define blocks rdx
#define block_offset rax
#define schedule rbx

    .set frame_words, 0  // 16 registers for each set
    .set frame_counter, 2048
    .set frame_final_mask, 2056
    .set frame_caller_sp, 2064
    .set frame_bytes, 2112

#define FIRST_COLUMNS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, frame_words
#define FIRST_DIAGONALS 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, frame_words
#define SECOND_COLUMNS 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, frame_words + 1024
#define SECOND_DIAGONALS 16, 17, 18, 19, 21, 22, 23, 20, 26, 27, 24, 25, 31, 28, 29, 30, frame_words + 1024

// Half of G on four columns or diagonals. Of the eight entries at `entry` of the schedule it takes every second one.
// Row by row, because that keeps the units busier than column by column (3.7 of four instead of 3.5).
    .macro half_mix a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, words, entry, turn_d, turn_b
    movzx ecx, word ptr [schedule + 2 * (\entry)]
    movzx ebp, word ptr [schedule + 2 * (\entry) + 4]
    ADD zmm\a0, zmm\a0, [rsp + rcx + \words]
    ADD zmm\a1, zmm\a1, [rsp + rbp + \words]
    movzx ecx, word ptr [schedule + 2 * (\entry) + 8]
    movzx ebp, word ptr [schedule + 2 * (\entry) + 12]
    ADD zmm\a2, zmm\a2, [rsp + rcx + \words]
    ADD zmm\a3, zmm\a3, [rsp + rbp + \words]
    ADD zmm\a0, zmm\a0, zmm\b0
    ADD zmm\a1, zmm\a1, zmm\b1
    ADD zmm\a2, zmm\a2, zmm\b2
    ADD zmm\a3, zmm\a3, zmm\b3
    XOR zmm\d0, zmm\d0, zmm\a0
    XOR zmm\d1, zmm\d1, zmm\a1
    XOR zmm\d2, zmm\d2, zmm\a2
    XOR zmm\d3, zmm\d3, zmm\a3
    ROR zmm\d0, zmm\d0, \turn_d
    ROR zmm\d1, zmm\d1, \turn_d
    ROR zmm\d2, zmm\d2, \turn_d
    ROR zmm\d3, zmm\d3, \turn_d
    ADD zmm\c0, zmm\c0, zmm\d0
    ADD zmm\c1, zmm\c1, zmm\d1
    ADD zmm\c2, zmm\c2, zmm\d2
    ADD zmm\c3, zmm\c3, zmm\d3
    XOR zmm\b0, zmm\b0, zmm\c0
    XOR zmm\b1, zmm\b1, zmm\c1
    XOR zmm\b2, zmm\b2, zmm\c2
    XOR zmm\b3, zmm\b3, zmm\c3
    ROR zmm\b0, zmm\b0, \turn_b
    ROR zmm\b1, zmm\b1, \turn_b
    ROR zmm\b2, zmm\b2, \turn_b
    ROR zmm\b3, zmm\b3, \turn_b
    .endm

// The set's v0 to v15 before the first round.
    .macro start set, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15
    vmovdqa64 zmm\v0, [state + 64 * \set]
    vmovdqa64 zmm\v1, [state + 64 * \set + 128]
    vmovdqa64 zmm\v2, [state + 64 * \set + 256]
    vmovdqa64 zmm\v3, [state + 64 * \set + 384]
    vmovdqa64 zmm\v4, [state + 64 * \set + 512]
    vmovdqa64 zmm\v5, [state + 64 * \set + 640]
    vmovdqa64 zmm\v6, [state + 64 * \set + 768]
    vmovdqa64 zmm\v7, [state + 64 * \set + 896]
    BROADCAST zmm\v8, [rip + initial_value]
    BROADCAST zmm\v9, [rip + initial_value + WORD_BYTES]
    BROADCAST zmm\v10, [rip + initial_value + 2 * WORD_BYTES]
    BROADCAST zmm\v11, [rip + initial_value + 3 * WORD_BYTES]
    BROADCAST zmm\v12, [rip + initial_value + 4 * WORD_BYTES]
    BROADCAST zmm\v13, [rip + initial_value + 5 * WORD_BYTES]
    BROADCAST zmm\v14, [rip + initial_value + 6 * WORD_BYTES]
    BROADCAST zmm\v15, [rip + initial_value + 7 * WORD_BYTES]
    add_counter \v12, \v13
    XOR zmm\v14, zmm\v14, [rsp + frame_final_mask]BROADCASTING
    .endm

    .macro finish_word at, low, high
    TERNARY zmm\low, zmm\high, [state + \at], 0x96  // the exclusive-or of all three
    vmovdqa64 [state + \at], zmm\low
    .endm

    .macro finish set, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15
    finish_word 64*\set, \v0, \v8
    finish_word 64*\set+128, \v1, \v9
    finish_word 64*\set+256, \v2, \v10
    finish_word 64*\set+384, \v3, \v11
    finish_word 64*\set+512, \v4, \v12
    finish_word 64*\set+640, \v5, \v13
    finish_word 64*\set+768, \v6, \v14
    finish_word 64*\set+896, \v7, \v15
    .endm

// The function itself.
    .macro compression_function
    .text
    .p2align 6
    .globl CORE
    .hidden CORE
    .type CORE, @function
CORE:
    .cfi_startproc
    push rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    push r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    push r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    push r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    push r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    mov rax, rsp
    and rsp, -64
    sub rsp, frame_bytes
    mov [rsp + frame_caller_sp], rax
    // The canonical frame address is 56 bytes above the word at rsp + frame_caller_sp.
    .cfi_escape 0x0f, 6, 0x77, 0x90, 0x10, 0x06, 0x23, 56
    mov [rsp + frame_counter], rcx
    mov [rsp + frame_final_mask], r8
    xor eax, eax
    set_pointers 0
    load_part 0, 0
    load_part 0, 1
    load_part 0, 2
    load_part 0, 3

    .p2align 6
.Lblock:
    start 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    lea schedule, [rip + word_offsets]
    set_pointers 1
    half_mix FIRST_COLUMNS, 0, ROTATION1, ROTATION2
    load_part 1, 0
    half_mix FIRST_COLUMNS, 1, ROTATION3, ROTATION4
    load_part 1, 1
    half_mix FIRST_DIAGONALS, 8, ROTATION1, ROTATION2
    load_part 1, 2
    half_mix FIRST_DIAGONALS, 9, ROTATION3, ROTATION4
    load_part 1, 3
    start 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

    // Code that streaming data does not push out of the second-level cache, and with it the first: see blake2_lanes.h.
    .p2align 6
.Lround:
    half_mix FIRST_COLUMNS, 16, ROTATION1, ROTATION2
    half_mix SECOND_COLUMNS, 0, ROTATION1, ROTATION2
    half_mix FIRST_COLUMNS, 17, ROTATION3, ROTATION4
    half_mix SECOND_COLUMNS, 1, ROTATION3, ROTATION4
    half_mix FIRST_DIAGONALS, 24, ROTATION1, ROTATION2
    half_mix SECOND_DIAGONALS, 8, ROTATION1, ROTATION2
    half_mix FIRST_DIAGONALS, 25, ROTATION3, ROTATION4
    half_mix SECOND_DIAGONALS, 9, ROTATION3, ROTATION4
    add schedule, 32
    lea rcx, [rip + word_offsets + 32 * (ROUNDS - 1)]
    cmp schedule, rcx
    jne .Lround

    finish 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    // After the last block, that block once more: there is no next one to read.
    xor ecx, ecx
    mov ebp, BLOCK_BYTES
    cmp blocks, 1
    cmove ebp, ecx
    add block_offset, rbp
    set_pointers 0
    half_mix SECOND_COLUMNS, 0, ROTATION1, ROTATION2
    load_part 0, 0
    half_mix SECOND_COLUMNS, 1, ROTATION3, ROTATION4
    load_part 0, 1
    half_mix SECOND_DIAGONALS, 8, ROTATION1, ROTATION2
    load_part 0, 2
    half_mix SECOND_DIAGONALS, 9, ROTATION3, ROTATION4
    load_part 0, 3
    finish 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

    add qword ptr [rsp + frame_counter], BLOCK_BYTES
    dec blocks
    jnz .Lblock

    vzeroupper
    mov rsp, [rsp + frame_caller_sp]
    .cfi_def_cfa rsp, 56
    pop r15
    .cfi_adjust_cfa_offset -8
    pop r14
    .cfi_adjust_cfa_offset -8
    pop r13
    .cfi_adjust_cfa_offset -8
    pop r12
    .cfi_adjust_cfa_offset -8
    pop rbp
    .cfi_adjust_cfa_offset -8
    pop rbx
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size CORE, . - CORE
    .endm

// RFC 7693, section 2.7: the message words of a round in order, as offsets into one set's 16 registers.
    .section .rodata
    .macro round_words words:vararg
    .irp word, \words
    .short 64 * \word
    .endr
    .endm
    .p2align 6
word_offsets:
    round_words 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round_words 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    round_words 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    round_words 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    round_words 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    round_words 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    round_words 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    round_words 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    round_words 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    round_words 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
    round_words 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round_words 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
