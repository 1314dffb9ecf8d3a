// The rounds of SHA-256 and SHA-512 (FIPS 180-4, sections 6.2 and 6.4) in NEON registers, as assembler macros for
// sha256_neon.S and sha512_neon.S. A D register holds one word of SHA-512, or the same word of two messages of SHA-256:
// the two differ in nothing but the width of the words, the amounts of the rotations and the number of rounds.
//
// Bound by arithmetic: 24 operations on D registers a round, and a schedule that costs a little over half of that
// again. All sixteen schedule words stay in registers. Operations on Q registers cost less than two on D registers, so
// rounds go in pairs: what the second round need not wait for, the schedule and the sums h + W + K, runs in Q
// registers. And no value is copied: taking a pair's sum h + W + K early frees the registers of h and g, and Ch is made
// in that of g.
//
// Before including this, a file defines
//     VADD VSHL VSHR VSRI    the instructions with the type of a word
//     WIDTH                  the bits in a word
//     SUM0_1 ... SIGMA1_3    the amounts of sections 4.1.2 and 4.1.3, all rotations but for SIGMA0_3 and SIGMA1_3
// and afterwards names, by `pair`, registers each of which holds the words of an even-numbered round and of the next:
//     w0..w4    the working variables. Rounds 2n and 2n + 1 make a pair of a and one of e; two of each are alive, and
//               in the fifth register the next pair of a grows from the sum h + W + K.
//     m0..m7    the schedule: m0 is W[t] : W[t+1] for t = 0 modulo 16, and so on
//     t0        q5, scratch together with t1 and t2
// and `table`, a core register with the address of the constants for the pair of rounds after the next.

// \name is \both, \name\()e the half of it that is \even, and \name\()o the other.
.macro pair name, both, even, odd
\name       .req \both
\name\()e   .req \even
\name\()o   .req \odd
.endm

t0l      .req d10
t0h      .req d11
t1       .req q6
t1l      .req d12
t1h      .req d13
t2       .req q7
t2l      .req d14
t2h      .req d15

// One round. On entry \sum is h + W + K; on exit it is the new a, \d is the new e, and \g is used up.
.macro one_round a, b, c, d, e, f, g, sum
    VSHL        t0l, \e, #(WIDTH - SUM1_1)
    VSHL        t0h, \e, #(WIDTH - SUM1_2)
    VSHL        t1l, \e, #(WIDTH - SUM1_3)
    vbit        \g, \f, \e
    VSRI        t0l, \e, #SUM1_1
    VSRI        t0h, \e, #SUM1_2
    VSRI        t1l, \e, #SUM1_3
    VADD        \sum, \sum, \g
    VSHL        t1h, \a, #(WIDTH - SUM0_1)
    veor        t0l, t0l, t0h
    VSHL        t2l, \a, #(WIDTH - SUM0_2)
    VSHL        t2h, \a, #(WIDTH - SUM0_3)
    VSRI        t1h, \a, #SUM0_1
    veor        t0l, t0l, t1l
    VSRI        t2l, \a, #SUM0_2
    VSRI        t2h, \a, #SUM0_3
    veor        t0h, \a, \b
    VADD        \sum, \sum, t0l
    veor        t1h, t1h, t2l
    vbsl        t0h, \c, \b
    VADD        \d, \d, \sum
    veor        t1h, t1h, t2h
    VADD        \sum, \sum, t0h
    VADD        \sum, \sum, t1h
.endm

// Turns the schedule words \m0 into those sixteen rounds later. sigma0 and the word seven rounds back stand one word
// apart from the pairs: their sums are made for \m0's odd word and the even one of \m1, and \m0's even word has had its
// own already.
.macro expand m0, m1, m5, m7
    VSHL        t0, \m1, #(WIDTH - SIGMA0_1)
    VSHL        t1, \m1, #(WIDTH - SIGMA0_2)
    VSHL        t2, \m7, #(WIDTH - SIGMA1_1)
    VSRI        t0, \m1, #SIGMA0_1
    VSRI        t1, \m1, #SIGMA0_2
    VSRI        t2, \m7, #SIGMA1_1
    veor        t0, t0, t1
    VSHR        t1, \m1, #SIGMA0_3
    veor        t0, t0, t1
    VSHL        t1, \m7, #(WIDTH - SIGMA1_2)
    VADD        t0, t0, \m5
    VSRI        t1, \m7, #SIGMA1_2
    veor        t2, t2, t1
    VADD        \m0\()o, \m0\()o, t0e
    VADD        \m1\()e, \m1\()e, t0o
    VSHR        t1, \m7, #SIGMA1_3
    veor        t2, t2, t1
    VADD        \m0, \m0, t2
.endm

// Two rounds. \sum is on entry h + W + K for both; then it holds the new pair of a, \a2 that of e, and, if \more, \e2
// is the next two rounds' h + W + K: the next rounds' \sum, \a1, \a2, \e1, \e2 are this one's \e2, \sum, \a1, \a2, \e1.
.macro two_rounds sum, a1, a2, e1, e2, m0, m1, m5, m7, expand=0, more=1
    one_round   \a1\()o, \a1\()e, \a2\()o, \a2\()e, \e1\()o, \e1\()e, \e2\()o, \sum\()e
    .if \more
    vld1.64     {\e2}, [table :128]!
    VADD        \e2, \e2, \m1
    VADD        \e2, \e2, \e1
    .endif
    .if \expand
    expand      \m0, \m1, \m5, \m7
    .endif
    .if \more
    one_round   \sum\()e, \a1\()o, \a1\()e, \a2\()o, \a2\()e, \e1\()o, \e1\()e, \sum\()o
    .else
    // This g is the last h, not used up.
    vmov        t2l, \e1\()e
    one_round   \sum\()e, \a1\()o, \a1\()e, \a2\()o, \a2\()e, \e1\()o, t2l, \sum\()o
    .endif
.endm

// From the first schedule words and the chaining value, what two_rounds and expand want to find the first time.
.macro begin_rounds sum, e2, m0, m4
    vld1.64     {\sum}, [table :128]!
    VSHL        t0l, \m0\()o, #(WIDTH - SIGMA0_1)
    VSHL        t0h, \m0\()o, #(WIDTH - SIGMA0_2)
    VSHR        t1l, \m0\()o, #SIGMA0_3
    VADD        \sum, \sum, \m0
    VSRI        t0l, \m0\()o, #SIGMA0_1
    VSRI        t0h, \m0\()o, #SIGMA0_2
    VADD        \sum, \sum, \e2
    VADD        \m0\()e, \m0\()e, \m4\()o
    veor        t0l, t0l, t1l
    veor        t0l, t0l, t0h
    VADD        \m0\()e, \m0\()e, t0l
.endm
