// SHA-256 (FIPS 180-4, section 6.2) by the ARMv8 SHA-2 instructions, one message: 1.91 cycles/byte by
// llvm-mca's cortex-a55. Compilers make 2.3 to 2.8 of intrinsics.

#include "../sha256_constants.h"

    .arch armv8-a+crypto

state    .req x0
messages .req x1
blocks   .req x2
next     .req x3
table    .req x4

abcd     .req v0
abcdq    .req q0
efgh     .req v1
efghq    .req q1
wk       .req v2
old      .req v3
oldq     .req q3
chain0   .req v4
chain1   .req v5
k        .req v6
kq       .req q6
m0       .req v16
m1       .req v17
m2       .req v18
m3       .req v19
m0q      .req q16
m1q      .req q17
m2q      .req q18
m3q      .req q19

// Four rounds on schedule words \m0. `k` holds their constants on entry and those at table + \next on exit.
// With \begin, \m0 then starts on its way to the words sixteen rounds later; with \finish, \m3 (which began one call
// earlier) arrives there: apart, because the second step waits four cycles for the first.
//
// Bound by latency: sha256h2 waits for the sha256h2 before it, 5 cycles. In-order cores need 7, since they issue
// nothing that would finish before an instruction already under way: add (2 cycles) and mov (1) wait behind the long
// ones (4), so they stand together at the head.
.macro four_rounds m0, m1, m2, m3, next, begin, finish
    add         wk.4s, \m0\().4s, k.4s
    mov         old.16b, abcd.16b
    ldr         kq, [table, #\next]
    sha256h     abcdq, efghq, wk.4s
    sha256h2    efghq, oldq, wk.4s
    .if \begin
    sha256su0   \m0\().4s, \m1\().4s
    .endif
    .if \finish
    sha256su1   \m3\().4s, \m1\().4s, \m2\().4s
    .endif
.endm

// void sha256_ce(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha256_ce
    .hidden sha256_ce
    .type   sha256_ce, %function
sha256_ce:
    .cfi_startproc
    hint        #34
    ldr         next, [messages]
    adrp        table, .Lround_constants
    add         table, table, :lo12:.Lround_constants
    ldp         abcdq, efghq, [state]
    ldr         kq, [table]
.Lblock:
    ldr         m0q, [next]
    ldr         m1q, [next, #16]
    ldr         m2q, [next, #32]
    ldr         m3q, [next, #48]
    add         next, next, #64
    subs        blocks, blocks, #1
    mov         chain0.16b, abcd.16b
    mov         chain1.16b, efgh.16b
    rev32       m0.16b, m0.16b
    rev32       m1.16b, m1.16b
    rev32       m2.16b, m2.16b
    rev32       m3.16b, m3.16b

    four_rounds m0, m1, m2, m3,  16, 1, 0
    four_rounds m1, m2, m3, m0,  32, 1, 1
    four_rounds m2, m3, m0, m1,  48, 1, 1
    four_rounds m3, m0, m1, m2,  64, 1, 1
    four_rounds m0, m1, m2, m3,  80, 1, 1
    four_rounds m1, m2, m3, m0,  96, 1, 1
    four_rounds m2, m3, m0, m1, 112, 1, 1
    four_rounds m3, m0, m1, m2, 128, 1, 1
    four_rounds m0, m1, m2, m3, 144, 1, 1
    four_rounds m1, m2, m3, m0, 160, 1, 1
    four_rounds m2, m3, m0, m1, 176, 1, 1
    four_rounds m3, m0, m1, m2, 192, 1, 1
    four_rounds m0, m1, m2, m3, 208, 0, 1
    four_rounds m1, m2, m3, m0, 224, 0, 0
    four_rounds m2, m3, m0, m1, 240, 0, 0
    four_rounds m3, m0, m1, m2,   0, 0, 0

    add         abcd.4s, abcd.4s, chain0.4s
    add         efgh.4s, efgh.4s, chain1.4s
    b.ne        .Lblock

    stp         abcdq, efghq, [state]
    ret
    .cfi_endproc
    .size       sha256_ce, . - sha256_ce

#define WORDS(k0, k1, k2, k3) .word k0, k1, k2, k3;
    .section .rodata
    .balign 16
.Lround_constants:
    SHA256_ROUND_CONSTANTS(WORDS)

    .section .note.GNU-stack, "", %progbits
