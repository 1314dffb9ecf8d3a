// void blake2s_avx512_x32(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//                         uint64_t final_mask);

#define CORE blake2s_avx512_x32
#define ADD vpaddd
#define XOR vpxord
#define ROR vprord
#define TERNARY vpternlogd
#define BROADCAST vpbroadcastd
#define BROADCASTING {1to16}
#define ROTATION1 16
#define ROTATION2 12
#define ROTATION3 8
#define ROTATION4 7
#define ROUNDS 10
#define WORD_BYTES 4
#define BLOCK_BYTES 64
#include "arch/x86/blake2_avx512_pair.h"

// There are sixteen messages in a set; load_row fetches the pointers as it needs them.
    .macro set_pointers set
    .endm

// 16 bytes of each of four messages.
    .macro load_row set, part, message, row
    mov r8, [messages + 128 * \set + 8 * \message]
    mov r9, [messages + 128 * \set + 8 * \message + 32]
    mov r10, [messages + 128 * \set + 8 * \message + 64]
    mov r11, [messages + 128 * \set + 8 * \message + 96]
    vmovdqu64 xmm\row, [r8 + block_offset + 16 * \part]
    vinserti32x4 zmm\row, zmm\row, [r9 + block_offset + 16 * \part], 1
    vinserti32x4 zmm\row, zmm\row, [r10 + block_offset + 16 * \part], 2
    vinserti32x4 zmm\row, zmm\row, [r11 + block_offset + 16 * \part], 3
    .endm

    .macro load_four set, part, row0, row1, row2, row3, low01, high01, low23, high23
    load_row \set, \part, 0, \row0
    load_row \set, \part, 1, \row1
    load_row \set, \part, 2, \row2
    load_row \set, \part, 3, \row3
    vpunpckldq zmm\low01, zmm\row0, zmm\row1
    vpunpckhdq zmm\high01, zmm\row0, zmm\row1
    vpunpckldq zmm\low23, zmm\row2, zmm\row3
    vpunpckhdq zmm\high23, zmm\row2, zmm\row3
    vpunpcklqdq zmm\row0, zmm\low01, zmm\low23
    vpunpckhqdq zmm\row1, zmm\low01, zmm\low23
    vpunpcklqdq zmm\row2, zmm\high01, zmm\high23
    vpunpckhqdq zmm\row3, zmm\high01, zmm\high23
    vmovdqa64 [rsp + frame_words + 1024 * \set + 256 * \part], zmm\row0
    vmovdqa64 [rsp + frame_words + 1024 * \set + 256 * \part + 64], zmm\row1
    vmovdqa64 [rsp + frame_words + 1024 * \set + 256 * \part + 128], zmm\row2
    vmovdqa64 [rsp + frame_words + 1024 * \set + 256 * \part + 192], zmm\row3
    .endm

    .macro load_part set, part
    .if \set
    load_four 1, \part, 16, 17, 18, 19, 20, 21, 22, 23
    .else
    load_four 0, \part, 0, 1, 2, 3, 4, 5, 6, 7
    .endif
    .endm

    .macro add_counter v12, v13
    vpxord zmm\v12, zmm\v12, [rsp + frame_counter]{1to16}
    vpxord zmm\v13, zmm\v13, [rsp + frame_counter + 4]{1to16}
    .endm

    compression_function

    .section .rodata
    .p2align 6
initial_value:
    .long 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    .section .note.GNU-stack, "", @progbits
