// clang-format off
// AES (FIPS 197) on eight blocks in bit planes, as assembler macros for aes_neon.S and aesxts_neon.S.
//
// Byte j of plane b, a Q register, has bit b of byte j of all eight blocks, one in each bit. The S-box is a circuit, so
// that no address depends on secrets.
//
// Arithmetic bounds the speed. A round of encryption has 111 gates in the S-box, 27 exclusive-ors and 8 half-word swaps
// in MixColumns, 8 exclusive-ors with the round key, and 32 vtbl (D registers) for ShiftRows and the other rotation of
// rows that MixColumns needs; with what the S-box puts aside and fetches it takes about 410 cycles on armcost's
// Cortex-A7 model. A round of decryption has 11 more gates in the S-box and 29 more exclusive-ors and swaps for
// MixColumns.
//
// Files that use this set `tables` to the address of .Laes_tables, keep nine slots of 16 bytes at sp, and call
// `set_slots`.

tables      .req r0
scratch     .req r1
out         .req r2
in          .req r3
next_key    .req r12
rounds      .req lr

// --- Q registers by number -------------------------------------------------------------------------------------------

    .macro quad op, to, x, y
    .altmacro
    quad_ \op, %(\to), %(\x), %(\y)
    .noaltmacro
    .endm

    .macro quad_ op, to, x, y
    \op q\to, q\x, q\y
    .endm

// The same with one source.
    .macro quad1 op, to, x
    .altmacro
    quad1_ \op, %(\to), %(\x)
    .noaltmacro
    .endm

    .macro quad1_ op, to, x
    \op q\to, q\x
    .endm

// Bytes of x as the table in two D registers says, those of all x or those of each half.
    .macro permute_whole to, x, table
    .altmacro
    permute_whole_ %2*(\to), %2*(\to)+1, %2*(\x), %2*(\x)+1, %(\table), %(\table)+1
    .noaltmacro
    .endm

    .macro permute_whole_ low, high, x_low, x_high, t_low, t_high
    vtbl.8 d\low, {d\x_low, d\x_high}, d\t_low
    vtbl.8 d\high, {d\x_low, d\x_high}, d\t_high
    .endm

    .macro permute_halves to, x, table
    .altmacro
    permute_halves_ %2*(\to), %2*(\to)+1, %2*(\x), %2*(\x)+1, %(\table)
    .noaltmacro
    .endm

    .macro permute_halves_ low, high, x_low, x_high, table
    vtbl.8 d\low, {d\x_low}, d\table
    vtbl.8 d\high, {d\x_high}, d\table
    .endm

// --- S-box -----------------------------------------------------------------------------------------------------------

// \name is \op of two named values, and is in the given register.
    .macro gate op, name, register, x, y
    .altmacro
    quad_ \op, %(\register), %(\x), %(\y)
    .noaltmacro
    .set \name, \register
    .endm

// \name is \op of three named values, and takes the first one's register.
    .macro choose op, name, x, y, z
    quad \op, \x, \y, \z
    .set \name, \x
    .endm

    .macro copy name, register, x
    .set \name, \register
    quad1 vmov, \name, \x
    .endm

// Slot 0 is at sp, the others' addresses are in r4 to r11.
    .macro set_slots
    .irp number, 4, 5, 6, 7, 8, 9, 10, 11
    add r\number, sp, #(\number - 3) * 16
    .endr
    .endm

    .macro spill x, slot
    .altmacro
    slot_access vst1.64, %(\x), \slot
    .noaltmacro
    .endm

    .macro fetch name, register, slot
    .set \name, \register
    .altmacro
    slot_access vld1.64, %(\name), \slot
    .noaltmacro
    .endm

    .macro slot_access op, x, slot
    .if \slot
    .altmacro
    slot_access_ \op, \x, %(\slot + 3)
    .noaltmacro
    .else
    \op {q\x}, [sp]
    .endif
    .endm

    .macro slot_access_ op, x, address
    \op {q\x}, [r\address]
    .endm

// SubBytes without its constant 0x63, which the round keys have. In: bits 7 to 0 of all bytes in registers 0 to 7. Out:
// bit b in register out_b, which is one of 8 to 15.
//
// The circuit is that of J. Boyar and R. Peralta, "A new combinational logic minimization technique with applications
// to cryptology", with 115 gates; names are as there, except for the results. Sixteen of them, t25 to t40, are an
// inversion in GF(2^4). Bitwise choices make it eleven and a copy, as t29 is t27 ? t21 : t22, t33 is t31 ? t23 : t24,
// t37 is t23 ^ (t24 ? t27 : t33), and t38 is t24 ? t33 : t27. The order of gates is one that was found, by simulated
// annealing, to need few of the values to be put aside, and to let few gates wait for the one before.
    .macro sub_bytes
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    .set x\number, \number
    .endr
    gate veor, t0, 9, x1, x2
    gate veor, y13, 11, x0, x6
    gate veor, y14, 13, x3, x5
    gate veor, y1, 8, t0, x7
    gate veor, y9, 14, x0, x3
    gate veor, y12, 10, y13, y14
    gate veor, y8, 12, x0, x5
    gate veor, y5, 15, y1, x6
    gate veor, y4, 6, y1, x3
    gate veor, t1, 3, x4, y12
    gate veor, y3, 4, y5, y8
    gate veor, y15, 5, t1, x5
    gate vand, t5, 2, y4, x7
    spill y4, 0
    gate vand, t2, 6, y12, y15
    gate veor, y20, 3, t1, x1
    gate veor, y6, 1, y15, x7
    gate veor, t6, 2, t5, t2
    spill y12, 1
    gate veor, y10, 10, y15, t0
    spill y15, 2
    gate vand, t3, 5, y3, y6
    spill y6, 3
    gate veor, y11, 1, y20, y9
    spill y3, 4
    gate vand, t15, 4, y8, y10
    gate veor, t4, 6, t3, t2
    gate vand, t12, 5, y9, y11
    spill y9, 5
    gate veor, y19, 14, y10, y8
    gate veor, t16, 4, t15, t12
    spill y8, 6
    gate veor, y17, 12, y10, y11
    gate veor, t18, 2, t6, t16
    gate veor, y16, 9, t0, y11
    spill y10, 7
    gate vand, t13, 10, y14, y17
    spill y17, 8
    gate vand, t8, 12, y5, y1
    gate veor, t14, 10, t13, t12
    gate vand, t7, 5, y13, y16
    gate veor, t17, 6, t4, t14
    gate veor, t22, 14, t18, y19
    gate veor, t9, 12, t8, t7
    gate veor, t21, 3, t17, y20
    gate veor, y21, 2, y13, y16
    gate veor, t19, 12, t9, t14
    gate veor, y7, 10, x7, y11
    gate veor, y2, 6, y1, x0
    gate veor, t23, 12, t19, y21
    gate vand, t10, 2, y2, y7
    gate veor, y18, 0, x0, y16
    gate veor, t11, 5, t10, t7
    gate vand, t26, 2, t21, t23
    gate veor, t20, 5, t11, t16
    gate veor, t31, 4, t22, t26
    gate veor, t24, 5, t20, y18
    gate veor, t25, 0, t21, t22
    gate veor, t27, 2, t24, t26
    choose vbsl, t33, t31, t23, t24
    choose vbif, t29, t21, t22, t27
    copy t24_copy, 14, t24
    choose vbsl, t27_or_t33, t24_copy, t27, t33
    choose vbit, t38, t27, t33, t24
    gate vand, z5, 10, t29, y7
    gate vand, z2, 5, t33, x7
    gate vand, t39, 2, t29, t38
    gate veor, t37, 14, t23, t27_or_t33
    gate veor, t42, 12, t29, t33
    gate vand, z14, 7, t29, y2
    gate veor, t40, 6, t25, t39
    fetch y9, 2, 5
    gate vand, z15, 0, t42, y9
    gate veor, t41, 2, t40, t37
    gate vand, z6, 1, t42, y11
    gate vand, z4, 8, t40, y1
    gate veor, t43, 3, t29, t40
    gate veor, t45, 12, t42, t41
    gate vand, z13, 15, t40, y5
    fetch y8, 6, 6
    gate vand, z17, 6, t41, y8
    gate vand, z16, 13, t45, y14
    gate vand, z3, 9, t43, y16
    gate veor, t48, 15, z5, z13
    gate veor, t55, 6, z16, z17
    gate veor, t46, 13, z15, z16
    fetch y17, 0, 8
    gate vand, z7, 12, t45, y17
    gate veor, t51, 10, z2, z5
    gate veor, t54, 1, z6, z7
    gate veor, t44, 0, t33, t37
    gate vand, z12, 11, t43, y13
    fetch y10, 3, 7
    gate vand, z8, 3, t41, y10
    fetch y15, 2, 2
    gate vand, z0, 2, t44, y15
    gate veor, t59, 1, z3, t54
    gate veor, t52, 12, z7, z8
    fetch y12, 3, 1
    gate vand, z9, 3, t44, y12
    gate veor, t50, 5, z2, z12
    gate veor, t53, 2, z0, z3
    gate veor, t56, 11, z12, t48
    fetch y4, 9, 0
    gate vand, z11, 9, t33, y4
    gate veor, t57, 5, t50, t53
    fetch y3, 4, 4
    gate vand, z10, 4, t37, y3
    gate veor, t58, 0, z4, t46
    gate veor, t49, 3, z9, z10
    gate veor, t60, 13, t46, t57
    gate veor, t61, 5, z14, t57
    gate veor, t64, 7, z4, t59
    fetch y6, 8, 3
    gate vand, z1, 14, t37, y6
    gate veor, t62, 12, t52, t58
    gate veor, t47, 8, z10, z11
    gate veor, t63, 9, t49, t58
    gate veor, t65, 3, t61, t62
    gate veor, out_1, 11, t56, t62
    gate veor, t66, 12, z1, t63
    gate veor, out_7, 14, t59, t63
    gate veor, t67, 1, t64, t65
    gate veor, out_3, 9, t51, t66
    gate veor, out_0, 13, t48, t60
    gate veor, out_4, 15, t53, t66
    gate veor, out_2, 8, t47, t65
    gate veor, out_5, 12, t55, t67
    gate veor, out_6, 10, t64, out_4
    .endm

// The same for InvSubBytes, of bytes that have been exclusive-ored with 0x63. In: bit b in register 8 - b, and bit 0
// in register 0. The circuit is that of the same authors' "A small depth-16 circuit for the AES S-box", with 127 gates,
// its inversion replaced by the one above.
    .macro inverse_sub_bytes
    .set U7, 0
    .irp number, 0, 1, 2, 3, 4, 5, 6
    .set U\number, \number+1
    .endr
    gate veor, T22, 12, U1, U3
    gate veor, R17, 10, U2, U5
    gate veor, T23, 15, U0, U3
    gate veor, R5, 9, U6, U7
    gate veor, T2, 11, U0, U1
    gate veor, T24, 8, U4, U7
    gate veor, Y5, 14, U0, R17
    gate veor, T6, 13, T22, R17
    gate veor, T13, 10, T2, R5
    gate veor, R18, 1, U5, U6
    gate veor, T8, 6, U1, T23
    gate veor, R13, 7, U1, U6
    gate vand, M1, 2, T13, T6
    spill T13, 0
    gate veor, T10, 10, T2, T24
    spill T6, 1
    gate vand, M2, 13, T23, T8
    spill T23, 2
    gate veor, T4, 15, U4, T8
    gate veor, T1, 4, U3, U4
    spill T8, 3
    gate vand, M14, 6, T2, T10
    spill T2, 4
    gate veor, T14, 11, T10, R18
    gate veor, T27, 1, T1, R18
    gate veor, M3, 11, T14, M1
    gate veor, R19, 5, U2, U4
    gate veor, M16, 11, M3, M2
    gate veor, T15, 13, T10, T27
    spill T10, 5
    gate vand, M12, 10, T4, T27
    gate veor, T16, 5, R13, R19
    spill T4, 6
    gate vand, M11, 15, T1, T15
    spill T27, 7
    gate veor, T3, 1, T1, R5
    gate veor, T19, 9, T22, R5
    gate veor, M13, 10, M12, M11
    gate veor, T20, 7, T24, R13
    spill T15, 8
    gate vand, M4, 13, T19, Y5
    gate veor, T9, 0, U7, T1
    gate veor, M15, 15, M14, M11
    gate veor, M5, 13, M4, M1
    gate vand, M6, 6, T3, T16
    gate veor, T26, 2, T3, T16
    gate veor, M17, 13, M5, T24
    gate vand, M7, 8, T22, T9
    gate veor, M8, 2, T26, M6
    gate veor, M20, 11, M16, M13
    gate veor, M18, 8, M8, M7
    gate veor, T17, 2, U2, T19
    gate veor, M22, 8, M18, M13
    gate vand, M9, 10, T20, T17
    gate veor, M21, 13, M17, M15
    gate veor, M10, 10, M9, M6
    gate veor, T25, 6, U2, T1
    gate veor, M19, 10, M10, M15
    gate vand, M_26, 15, M20, M22
    gate veor, M23, 10, M19, T25
    gate veor, M_31, 3, M21, M_26
    gate veor, M_27, 15, M23, M_26
    choose vbsl, M39, M_31, M22, M23
    gate veor, M_25, 6, M20, M21
    choose vbif, M37, M20, M21, M_27
    copy M23_copy, 13, M23
    choose vbsl, M_27_or_38, M23_copy, M_27, M39
    choose vbit, M_38, M_27, M39, M23
    gate vand, M48, 14, M39, Y5
    gate veor, M42, 10, M37, M39
    gate vand, M57, 9, M39, T19
    gate vand, M_39, 15, M37, M_38
    gate veor, M38, 15, M_25, M_39
    gate vand, M60, 7, M37, T20
    gate vand, M51, 6, M37, T17
    gate veor, M40, 13, M22, M_27_or_38
    gate vand, M50, 8, M38, T9
    gate veor, M43, 11, M37, M38
    gate vand, M59, 12, M38, T22
    fetch T15, 2, 8
    gate vand, M52, 2, M42, T15
    gate vand, M61, 4, M42, T1
    fetch T23, 0, 2
    gate vand, M56, 0, M40, T23
    gate vand, M58, 1, M43, T3
    gate veor, P0, 2, M52, M61
    gate veor, M41, 15, M38, M40
    gate veor, P16, 4, M57, M61
    spill P16, 2
    fetch T8, 4, 3
    gate vand, M47, 4, M40, T8
    gate veor, P4, 0, M48, M56
    gate veor, M44, 13, M39, M40
    gate veor, M45, 10, M42, M41
    gate veor, P3, 3, M47, M50
    gate vand, M49, 11, M43, T16
    fetch T27, 5, 7
    gate vand, M53, 5, M45, T27
    gate veor, P10, 4, M57, P4
    fetch T4, 9, 6
    gate vand, M62, 9, M45, T4
    fetch T10, 10, 5
    gate vand, M54, 10, M41, T10
    gate veor, P6, 7, M49, M60
    gate veor, P8, 8, M50, M53
    gate veor, P2, 5, M54, M62
    gate veor, P15, 10, M54, M59
    gate veor, P1, 12, M58, M59
    gate veor, P14, 9, M49, M62
    gate veor, P20, 0, P4, P6
    gate veor, P17, 1, M58, P2
    gate veor, P13, 11, M49, M51
    gate veor, P29, 0, P15, P20
    fetch T2, 10, 4
    gate vand, M63, 10, M41, T2
    fetch T6, 15, 1
    gate vand, M46, 15, M44, T6
    gate veor, P7, 12, P0, P1
    gate veor, P11, 2, P0, P3
    gate veor, P12, 14, M46, M48
    gate veor, P25, 7, P6, P10
    gate veor, P19, 3, P2, P3
    gate veor, P5, 15, M46, M51
    fetch T13, 6, 0
    gate vand, M55, 13, M44, T13
    gate veor, P23, 8, P7, P8
    gate veor, P22, 6, P2, P7
    gate veor, P24, 5, P5, P7
    gate veor, P18, 15, M63, P5
    gate veor, out_7, 12, P13, P22
    gate veor, P9, 10, M55, M63
    gate veor, out_1, 9, P14, P23
    gate veor, P27, 15, P10, P18
    fetch P16, 13, 2
    gate veor, out_0, 13, P9, P16
    gate veor, P26, 4, P9, P11
    gate veor, out_4, 10, P12, P22
    gate veor, P28, 14, P11, P25
    gate veor, out_3, 8, P23, P27
    gate veor, out_5, 11, P17, P28
    gate veor, out_2, 15, P19, P24
    gate veor, out_6, 14, P26, P29
    .endm

// --- the rest of a round ---------------------------------------------------------------------------------------------

// The tables. Byte j is in row j modulo 4.
    .macro aes_tables
    .align 4
.Laes_tables:
    .byte 0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11      // ShiftRows
    .byte 1, 2, 3, 0, 5, 6, 7, 4, 1, 2, 3, 0, 5, 6, 7, 4            // the next row
    .byte 0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3      // InvShiftRows
    .endm

// ShiftRows and MixColumns. In: plane b in register out_b. Out: plane b in register 7 - b.
//
// With a to d for rows from any one on, MixColumns is 2 (a + b) + b + (c + d): `pairs` is a + b, and c + d is the same
// with its half-words swapped. Planes go from 7 upwards through 0, as plane 7 of `pairs` comes back in planes 0, 1, 3
// and 4. Each takes the register of the plane before for its pairs, and its own for scratch.
    .macro shift_rows_mix_columns
    mov scratch, tables
    vld1.8 {q0-q1}, [scratch :128]
    .set shift_rows, 2 * 0
    .set next_row, 2 * 1 + 1
    .set pairs7, 2
    .set half7, out_7      // of plane 7, all but plane 6 of `pairs`
    permute_whole pairs7, out_7, shift_rows
    permute_whole 3, out_0, shift_rows
    permute_halves half7, pairs7, next_row
    permute_halves 7, 3, next_row
    quad veor, pairs7, pairs7, half7
    quad veor, 3, 3, 7
    quad1 vrev32.16, 4, pairs7
    quad1 vrev32.16, out_0, 3
    quad veor, 7, 7, pairs7
    quad veor, half7, half7, 4
    quad veor, 7, 7, out_0
    mix_column_plane 6, out_0, out_1, 3, 1
    mix_column_plane 5, out_1, out_2, out_0, 0
    mix_column_plane 4, out_2, out_3, out_1, 1
    mix_column_plane 3, out_3, out_4, out_2, 1
    mix_column_plane 2, out_4, out_5, out_3, 0
    mix_column_plane 1, out_5, out_6, out_4, 0
    quad veor, 0, half7, out_5
    .endm

    .macro mix_column_plane to, pairs, plane, pairs_before, with_pairs7
    permute_whole \pairs, \plane, shift_rows
    permute_halves \to, \pairs, next_row
    quad veor, \pairs, \pairs, \to
    .if \with_pairs7
    quad veor, \to, \to, pairs7
    .endif
    quad1 vrev32.16, \plane, \pairs
    quad veor, \to, \to, \pairs_before
    quad veor, \to, \to, \plane
    .endm

// ShiftRows alone, or its inverse. \planes is the registers of planes 0 to 7; plane b goes to register 7 - b.
    .macro shift_rows inverse, p0, p1, p2, p3, p4, p5, p6, p7
    add scratch, tables, #\inverse * 32
    vld1.8 {q0}, [scratch :128]
    permute_whole 7, \p0, 0
    permute_whole 6, \p1, 0
    permute_whole 5, \p2, 0
    permute_whole 4, \p3, 0
    permute_whole 3, \p4, 0
    permute_whole 2, \p5, 0
    permute_whole 1, \p6, 0
    permute_whole 0, \p7, 0
    .endm

// Adds the round key at next_key to planes 0 to 7. Changes registers 8 to 15.
    .macro add_round_key p0, p1, p2, p3, p4, p5, p6, p7
    vld1.8 {q8-q9}, [next_key :128]!
    vld1.8 {q10-q11}, [next_key :128]!
    vld1.8 {q12-q13}, [next_key :128]!
    vld1.8 {q14-q15}, [next_key :128]!
    quad veor, \p0, \p0, 8
    quad veor, \p1, \p1, 9
    quad veor, \p2, \p2, 10
    quad veor, \p3, \p3, 11
    quad veor, \p4, \p4, 12
    quad veor, \p5, \p5, 13
    quad veor, \p6, \p6, 14
    quad veor, \p7, \p7, 15
    .endm

// InvMixColumns. In: plane b in register 7 - b. Out: in register 8 - b, and plane 0 in register 0.
//
// It is MixColumns of a + 4 (a + c) in each row.
    .macro inverse_mix_columns
    vldr d30, [tables, #16]
    .set next_row, 30
    .irp number, 0, 1, 2, 3, 4, 5, 6
    quad1 vrev32.16, 8+\number, \number
    .endr
    .irp number, 0, 1, 2, 3, 4, 5, 6
    quad veor, 8+\number, 8+\number, \number
    .endr
    // Here register 7 - b has plane b, and 15 - b its a + c, but for plane 0.
    quad veor, 2, 2, 12             // plane 5 += plane 3 of a + c
    quad veor, 1, 1, 11             // 6 += 4
    quad veor, 0, 0, 10             // 7 += 5
    quad veor, 2, 2, 8              // 5 += 7
    quad veor, 5, 5, 8              // 2 += 7
    quad veor, 4, 4, 9              // 3 += 6
    quad veor, 4, 4, 14             // 3 += 1
    quad1 vrev32.16, 10, 7
    quad veor, 8, 8, 9              // 6 + 7
    quad veor, 10, 10, 7            // plane 0
    quad veor, 3, 3, 13             // 4 += 2
    quad veor, 7, 7, 9              // 0 += 6
    quad veor, 5, 5, 10             // 2 += 0
    quad veor, 6, 6, 8              // 1 += 6 + 7
    quad veor, 3, 3, 8              // 4 += 6 + 7

    // MixColumns as in shift_rows_mix_columns, in place: each plane goes where the `pairs` of the one before were.
    permute_halves 8, 0, next_row
    permute_halves 9, 7, next_row
    quad veor, 0, 0, 8              // plane 7 of `pairs`
    quad veor, 7, 7, 9
    quad1 vrev32.16, 10, 0
    quad1 vrev32.16, 11, 7
    quad veor, 8, 8, 10             // plane 7, but for plane 6 of `pairs`
    quad veor, 9, 9, 11             // plane 0, but for plane 7 of `pairs`
    .irp number, 6, 5, 4, 3, 2, 1
    permute_halves 10, \number, next_row
    quad veor, \number, \number, 10
    .if \number == 6 || \number == 4 || \number == 3
    quad veor, 10, 10, 0
    .endif
    quad1 vrev32.16, 11, \number
    quad veor, \number+1, \number+1, 10
    quad veor, \number+1, \number+1, 11
    .endr
    quad veor, 1, 1, 8
    quad veor, 0, 0, 9
    .endm

// --- eight blocks ----------------------------------------------------------------------------------------------------

// Transposes bits of registers, which are q0 to q7 in some order: bit i of register r becomes bit r of register i.
    .macro transpose_bits r0_, r1_, r2_, r3_, r4_, r5_, r6_, r7_
    vmov.i8 q14, #0x55
    vmov.i8 q15, #0x33
    swap_bits 1, q14, \r0_, \r1_, \r2_, \r3_
    swap_bits 1, q14, \r4_, \r5_, \r6_, \r7_
    swap_bits 2, q15, \r0_, \r2_, \r1_, \r3_
    swap_bits 2, q15, \r4_, \r6_, \r5_, \r7_
    swap_nibbles \r0_, \r4_, \r1_, \r5_
    swap_nibbles \r2_, \r6_, \r3_, \r7_
    .endm

// Between a and b, and between c and d, exchanges bits that are in a outside of `mask` with those in b inside of it.
    .macro swap_bits distance, mask, a, b, c, d
    vshl.i8 q8, \b, #\distance
    vshr.u8 q9, \a, #\distance
    vshl.i8 q10, \d, #\distance
    vshr.u8 q11, \c, #\distance
    vbif \a, q8, \mask
    vbit \b, q9, \mask
    vbif \c, q10, \mask
    vbit \d, q11, \mask
    .endm

    .macro swap_nibbles a, b, c, d
    vmov q8, \a
    vmov q9, \c
    vsli.8 \a, \b, #4
    vsli.8 \c, \d, #4
    vsri.8 \b, q8, #4
    vsri.8 \d, q9, #4
    .endm

// Encrypts the blocks in q0 to q7. `rounds` is their number and next_key the sliced round keys' address.
    .macro encrypt_eight
    transpose_bits q7, q6, q5, q4, q3, q2, q1, q0
    add_round_key 7, 6, 5, 4, 3, 2, 1, 0
1:
    sub_bytes
    subs rounds, rounds, #1
    beq 2f
    shift_rows_mix_columns
    add_round_key 7, 6, 5, 4, 3, 2, 1, 0
    b 1b
2:
    shift_rows 0, out_0, out_1, out_2, out_3, out_4, out_5, out_6, out_7
    add_round_key 7, 6, 5, 4, 3, 2, 1, 0
    transpose_bits q7, q6, q5, q4, q3, q2, q1, q0
    .endm

// Decrypts those in q1 to q7 and q0, in this order, to q0 to q7: planes move by one register in inverse_mix_columns,
// and so are first in other registers than at the end. next_key is the last sliced round key's address.
    .macro decrypt_eight
    transpose_bits q0, q7, q6, q5, q4, q3, q2, q1
    add_round_key 0, 7, 6, 5, 4, 3, 2, 1
    b 2f
1:
    inverse_mix_columns
2:
    sub next_key, next_key, #2 * 128
    inverse_sub_bytes
    shift_rows 1, out_0, out_1, out_2, out_3, out_4, out_5, out_6, out_7
    add_round_key 7, 6, 5, 4, 3, 2, 1, 0
    subs rounds, rounds, #1
    bne 1b
    transpose_bits q7, q6, q5, q4, q3, q2, q1, q0
    .endm
