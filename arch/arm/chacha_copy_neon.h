// clang-format off
// Copying short pieces of messages, for the last pass of chacha_neon.S and salsa_neon.S.

// Copies \size bytes, less than 256, from [\from] to [\to] and moves both on. Changes q0 to q7 and \scratch.
.macro copy_short to, from, size, scratch
    tst         \size, #128
    beq         1f
    vld1.8      {q0-q1}, [\from]!
    vld1.8      {q2-q3}, [\from]!
    vld1.8      {q4-q5}, [\from]!
    vld1.8      {q6-q7}, [\from]!
    vst1.8      {q0-q1}, [\to]!
    vst1.8      {q2-q3}, [\to]!
    vst1.8      {q4-q5}, [\to]!
    vst1.8      {q6-q7}, [\to]!
1:
    tst         \size, #64
    beq         1f
    vld1.8      {q0-q1}, [\from]!
    vld1.8      {q2-q3}, [\from]!
    vst1.8      {q0-q1}, [\to]!
    vst1.8      {q2-q3}, [\to]!
1:
    tst         \size, #32
    beq         1f
    vld1.8      {q0-q1}, [\from]!
    vst1.8      {q0-q1}, [\to]!
1:
    tst         \size, #16
    beq         1f
    vld1.8      {q0}, [\from]!
    vst1.8      {q0}, [\to]!
1:
    tst         \size, #15
    beq         2f
    tst         \size, #8
    beq         1f
    vld1.8      {d0}, [\from]!
    vst1.8      {d0}, [\to]!
1:
    tst         \size, #4
    ldrne       \scratch, [\from], #4
    strne       \scratch, [\to], #4
    tst         \size, #2
    ldrhne      \scratch, [\from], #2
    strhne      \scratch, [\to], #2
    tst         \size, #1
    ldrbne      \scratch, [\from], #1
    strbne      \scratch, [\to], #1
2:
.endm
