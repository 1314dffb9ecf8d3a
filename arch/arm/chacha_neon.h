// clang-format off
// ChaCha's rounds in NEON registers, four blocks side by side, as assembler macros for chacha_neon.S and
// hchacha_neon.S: a Q register holds one word of all four.
//
// A quarter round is 13 operations on Q registers and the two halves of a vtbl, which rotates by 8 bits at about half
// of what two shifts cost. Of the 16 registers one is scratch and half of another vtbl's table. So words 8 and 9 take
// turns in theirs with words 10 and 11: two quarter rounds of each step need the ones, the two others the others, and
// with the order chosen here that is two exchanges in a double round, 3 % of its time.

// \name is \both, \name\()l its lower half and \name\()h the upper one.
.macro word name, both, lower, upper
\name       .req \both
\name\()l   .req \lower
\name\()h   .req \upper
.endm

.macro name_words
    word    x0, q0, d0, d1
    word    x1, q1, d2, d3
    word    x2, q2, d4, d5
    word    x3, q3, d6, d7
    word    x4, q4, d8, d9
    word    x5, q5, d10, d11
    word    x6, q6, d12, d13
    word    x7, q7, d14, d15
    word    x8, q8, d16, d17
    word    x9, q9, d18, d19
    word    x10, q8, d16, d17
    word    x11, q9, d18, d19
    word    x12, q12, d24, d25
    word    x13, q13, d26, d27
    word    x14, q14, d28, d29
    word    x15, q15, d30, d31
    word    t, q10, d20, d21
    word    spare, q11, d22, d23
.endm
    name_words

table       .req d22

// x rotated left by 8 bits. `table` is 3, 0, 1, 2, 7, 4, 5, 6.
.macro rotate8 x
    vtbl.8      \x\()l, {\x\()l}, table
    vtbl.8      \x\()h, {\x\()h}, table
.endm

// Two quarter rounds. Each line is two cycles' work, and each result waits for at least one other line before it is
// used. As there is one scratch register, the second quarter round lags behind the first, and its last rotation is left
// to the next two, which get it as b_before and c_before. If given, the words in q8 and q9 go to `put` and others come
// from `get`, both addresses.
.macro two_quarters a0, b0, c0, d0, a1, b1, c1, d1, b_before, c_before, put, get
    vadd.i32    \a0, \a0, \b0
    .ifnb \b_before
                                veor        t, \b_before, \c_before
    .endif
    .ifnb \put
    vst1.32     {q8-q9}, [\put :64]
    vld1.32     {q8-q9}, [\get :64]
    .endif
    veor        \d0, \d0, \a0
    .ifnb \b_before
                                vshl.i32    \b_before, t, #7
    .endif
    vrev32.16   \d0, \d0
    .ifnb \b_before
                                vsri.32     \b_before, t, #25
    .endif
    vadd.i32    \c0, \c0, \d0
                                vadd.i32    \a1, \a1, \b1
    veor        t, \b0, \c0
                                veor        \d1, \d1, \a1
    vshl.i32    \b0, t, #12
                                vrev32.16   \d1, \d1
    vsri.32     \b0, t, #20
                                vadd.i32    \c1, \c1, \d1
    vadd.i32    \a0, \a0, \b0
                                veor        t, \b1, \c1
    veor        \d0, \d0, \a0
                                vshl.i32    \b1, t, #12
    rotate8     \d0
                                vsri.32     \b1, t, #20
    vadd.i32    \c0, \c0, \d0
                                vadd.i32    \a1, \a1, \b1
    veor        t, \b0, \c0
                                veor        \d1, \d1, \a1
    vshl.i32    \b0, t, #7
                                rotate8     \d1
    vsri.32     \b0, t, #25
                                vadd.i32    \c1, \c1, \d1
.endm

// The first step, where but for column 0 the results are known: x0, x4, x8 and x12 are there, x0 with x4 added. There
// is nothing to do beside it but to load the other words, two Q registers at a time, from `from`.
.macro column0 from
    veor        x12, x12, x0
                                vld1.32     {q2-q3}, [\from :64]!
    vrev32.16   x12, x12
                                vld1.32     {q6-q7}, [\from :64]!
    vadd.i32    x8, x8, x12
                                vld1.32     {q14-q15}, [\from :64]!
    veor        t, x4, x8
    vshl.i32    x4, t, #12
    vsri.32     x4, t, #20
    vadd.i32    x0, x0, x4
    veor        x12, x12, x0
    rotate8     x12
    vadd.i32    x8, x8, x12
.endm

// `turns` double rounds, `turns` being a core register, words 8 and 9 waiting at c89 and words 10 and 11 at c1011.
// Begins with the second pair of diagonals: the column step and the first pair are to precede it.
.macro double_rounds
    b               2f
1:
    two_quarters    x0, x4, x8, x12, x1, x5, x9, x13, x7, x8
    two_quarters    x2, x6, x10, x14, x3, x7, x11, x15, x5, x9, c89, c1011
    two_quarters    x0, x5, x10, x15, x1, x6, x11, x12, x7, x11
2:
    subs            turns, turns, #1
    two_quarters    x3, x4, x9, x14, x2, x7, x8, x13, x6, x11, c1011, c89
    bne             1b
    veor            t, x7, x8
    vshl.i32        x7, t, #7
    vsri.32         x7, t, #25
.endm
