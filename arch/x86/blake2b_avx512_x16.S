// void blake2b_avx512_x16(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//                         uint64_t final_mask);

#define CORE blake2b_avx512_x16
#define ADD vpaddq
#define XOR vpxorq
#define ROR vprorq
#define TERNARY vpternlogq
#define BROADCAST vpbroadcastq
#define BROADCASTING {1to8}
#define ROTATION1 32
#define ROTATION2 24
#define ROTATION3 16
#define ROTATION4 63
#define ROUNDS 12
#define WORD_BYTES 8
#define BLOCK_BYTES 128
#include "arch/x86/blake2_avx512_pair.h"

// The set's eight messages.
    .macro set_pointers set
    mov r8, [messages + 64 * \set]
    mov r9, [messages + 64 * \set + 8]
    mov r10, [messages + 64 * \set + 16]
    mov r11, [messages + 64 * \set + 24]
    mov r12, [messages + 64 * \set + 32]
    mov r13, [messages + 64 * \set + 40]
    mov r14, [messages + 64 * \set + 48]
    mov r15, [messages + 64 * \set + 56]
    .endm

// Two words, from 16 bytes of each message. These go to their quarter of the register in the load, which leaves one
// shuffle a word.
    .macro load_pair set, word, even, odd, low
    vmovdqu64 xmm\even, [r8 + block_offset + 8 * (\word)]
    vmovdqu64 xmm\odd, [r9 + block_offset + 8 * (\word)]
    vinserti32x4 zmm\even, zmm\even, [r10 + block_offset + 8 * (\word)], 1
    vinserti32x4 zmm\odd, zmm\odd, [r11 + block_offset + 8 * (\word)], 1
    vinserti32x4 zmm\even, zmm\even, [r12 + block_offset + 8 * (\word)], 2
    vinserti32x4 zmm\odd, zmm\odd, [r13 + block_offset + 8 * (\word)], 2
    vinserti32x4 zmm\even, zmm\even, [r14 + block_offset + 8 * (\word)], 3
    vinserti32x4 zmm\odd, zmm\odd, [r15 + block_offset + 8 * (\word)], 3
    vpunpcklqdq zmm\low, zmm\even, zmm\odd
    vpunpckhqdq zmm\even, zmm\even, zmm\odd
    vmovdqa64 [rsp + frame_words + 1024 * \set + 64 * (\word)], zmm\low
    vmovdqa64 [rsp + frame_words + 1024 * \set + 64 * (\word) + 64], zmm\even
    .endm

    .macro load_part set, part
    .if \set
    load_pair 1, 4*\part, 16, 17, 18
    load_pair 1, 4*\part+2, 19, 20, 21
    .else
    load_pair 0, 4*\part, 0, 1, 2
    load_pair 0, 4*\part+2, 3, 4, 5
    .endif
    .endm

    .macro add_counter v12, v13
    vpxorq zmm\v12, zmm\v12, [rsp + frame_counter]{1to8}
    .endm

    compression_function

    .section .rodata
    .p2align 6
initial_value:
    .quad 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1
    .quad 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
    .section .note.GNU-stack, "", @progbits
