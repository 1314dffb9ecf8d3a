// SHA-256 (FIPS 180-4, section 6.2) by the ARMv8 SHA-2 instructions, two messages side by side: 1.76 cycles/byte by
// llvm-mca's cortex-a55, where one message alone takes 1.91.

#include "../sha256_constants.h"

    .arch armv8-a+crypto

// Registers. The messages are a and b; a_m0..a_m3 hold the sixteen schedule words that a's next rounds need.
state    .req x0
messages .req x1
blocks   .req x2
a_next   .req x3
b_next   .req x4
table    .req x5
efgh_at  .req x7

a_abcd   .req v0
b_abcd   .req v1
a_efgh   .req v2
b_efgh   .req v3
a_abcdq  .req q0
b_abcdq  .req q1
a_efghq  .req q2
b_efghq  .req q3
a_wk     .req v4
b_wk     .req v5
a_old    .req v6
b_old    .req v7
a_oldq   .req q6
b_oldq   .req q7
a_m0     .req v16
a_m1     .req v17
a_m2     .req v18
a_m3     .req v19
b_m0     .req v20
b_m1     .req v21
b_m2     .req v22
b_m3     .req v23
a_m0q    .req q16
a_m1q    .req q17
a_m2q    .req q18
a_m3q    .req q19
b_m0q    .req q20
b_m1q    .req q21
b_m2q    .req q22
b_m3q    .req q23
a_chain0 .req v24
b_chain0 .req v25
a_chain1 .req v26
b_chain1 .req v27
k        .req v28
kq       .req q28

// Four rounds of both messages on schedule words \m0, and, if \expand, the words that stand sixteen rounds later in
// their place. `k` holds the four constants on entry and those at table + \next on exit.
//
// Bound by the issue of twelve instructions. The order is for in-order cores: they issue nothing that would finish
// before an instruction already under way, so the short ones (add 2 cycles, mov 1) stand together at the head, and the
// long ones (4 cycles) follow at one a cycle, each result wanted four or more later.
.macro four_rounds m0, m1, m2, m3, next, expand
    add         a_wk.4s, a_\m0\().4s, k.4s
    add         b_wk.4s, b_\m0\().4s, k.4s
    mov         a_old.16b, a_abcd.16b
    mov         b_old.16b, b_abcd.16b
    ldr         kq, [table, #\next]
    .if \expand
    sha256su0   a_\m0\().4s, a_\m1\().4s
    sha256su0   b_\m0\().4s, b_\m1\().4s
    .endif
    sha256h     a_abcdq, a_efghq, a_wk.4s
    sha256h     b_abcdq, b_efghq, b_wk.4s
    sha256h2    a_efghq, a_oldq, a_wk.4s
    sha256h2    b_efghq, b_oldq, b_wk.4s
    .if \expand
    sha256su1   a_\m0\().4s, a_\m2\().4s, a_\m3\().4s
    sha256su1   b_\m0\().4s, b_\m2\().4s, b_\m3\().4s
    .endif
.endm

// void sha256_ce_x2(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter, uint64_t final_mask);
    .text
    .balign 16
    .global sha256_ce_x2
    .hidden sha256_ce_x2
    .type   sha256_ce_x2, %function
sha256_ce_x2:
    .cfi_startproc
    hint        #34
    ldp         a_next, b_next, [messages]
    adrp        table, .Lround_constants
    add         table, table, :lo12:.Lround_constants
    ld2         {a_abcd.4s, b_abcd.4s}, [state]
    add         efgh_at, state, #32
    ld2         {a_efgh.4s, b_efgh.4s}, [efgh_at]
    ldr         kq, [table]
.Lblock:
    ldr         a_m0q, [a_next]
    ldr         b_m0q, [b_next]
    ldr         a_m1q, [a_next, #16]
    ldr         b_m1q, [b_next, #16]
    ldr         a_m2q, [a_next, #32]
    ldr         b_m2q, [b_next, #32]
    ldr         a_m3q, [a_next, #48]
    ldr         b_m3q, [b_next, #48]
    add         a_next, a_next, #64
    add         b_next, b_next, #64
    subs        blocks, blocks, #1
    mov         a_chain0.16b, a_abcd.16b
    mov         b_chain0.16b, b_abcd.16b
    mov         a_chain1.16b, a_efgh.16b
    mov         b_chain1.16b, b_efgh.16b
    .irp m, m0, m1, m2, m3
    rev32       a_\m\().16b, a_\m\().16b
    rev32       b_\m\().16b, b_\m\().16b
    .endr

    four_rounds m0, m1, m2, m3,  16, 1
    four_rounds m1, m2, m3, m0,  32, 1
    four_rounds m2, m3, m0, m1,  48, 1
    four_rounds m3, m0, m1, m2,  64, 1
    four_rounds m0, m1, m2, m3,  80, 1
    four_rounds m1, m2, m3, m0,  96, 1
    four_rounds m2, m3, m0, m1, 112, 1
    four_rounds m3, m0, m1, m2, 128, 1
    four_rounds m0, m1, m2, m3, 144, 1
    four_rounds m1, m2, m3, m0, 160, 1
    four_rounds m2, m3, m0, m1, 176, 1
    four_rounds m3, m0, m1, m2, 192, 1
    four_rounds m0, m1, m2, m3, 208, 0
    four_rounds m1, m2, m3, m0, 224, 0
    four_rounds m2, m3, m0, m1, 240, 0
    four_rounds m3, m0, m1, m2,   0, 0

    add         a_abcd.4s, a_abcd.4s, a_chain0.4s
    add         b_abcd.4s, b_abcd.4s, b_chain0.4s
    add         a_efgh.4s, a_efgh.4s, a_chain1.4s
    add         b_efgh.4s, b_efgh.4s, b_chain1.4s
    b.ne        .Lblock

    st2         {a_abcd.4s, b_abcd.4s}, [state]
    st2         {a_efgh.4s, b_efgh.4s}, [efgh_at]
    ret
    .cfi_endproc
    .size       sha256_ce_x2, . - sha256_ce_x2

#define WORDS(k0, k1, k2, k3) .word k0, k1, k2, k3;
    .section .rodata
    .balign 16
.Lround_constants:
    SHA256_ROUND_CONSTANTS(WORDS)

    .section .note.GNU-stack, "", %progbits
