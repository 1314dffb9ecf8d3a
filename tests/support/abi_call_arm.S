// The Procedure Call Standard for the Arm Architecture, sections 6.1 and 6.2 (VFP variant): r4 to r11, sp, d8 to d15
// and the control bits of fpscr are kept.

.syntax unified
.arm
.arch   armv7-a
.fpu    vfpv3-d16

// Offsets in AbiFrame, and of slots in its arrays. Of the 64 bits of a slot that stands for a core register the lower
// half is used.
#define FUNCTION    0
#define STATE       8
#define MESSAGES    16
#define BLOCKS      24
#define COUNTER     32
#define FINAL_MASK  40
#define SCRATCH     48
#define BEFORE      64
#define AFTER       320
#define D8          64
#define SP          128
#define FPSCR       136
#define STACK       144

#define FPSCR_CONTROL   0x07ffff00  /* the other bits are flags, of conditions, saturation and exceptions */
#define ARGUMENTS       16          /* bytes of counter and final_mask, which go on the stack */

frame   .req r0
saved_at .req r12

// The registers of the slots 0 to 15, from or to the array at \at.
.macro each_kept load_or_store, vload_or_vstore, at
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11
    \load_or_store r\n, [frame, #\at + (\n - 4) * 8]
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    \vload_or_vstore d\n, [frame, #\at + D8 + (\n - 8) * 8]
    .endr
.endm

.macro store_control at
    str     sp, [frame, #\at + SP]
    vmrs    r2, fpscr
    ldr     r3, =FPSCR_CONTROL
    and     r2, r2, r3
    str     r2, [frame, #\at + FPSCR]
.endm

.macro address_of_saved
    ldr     saved_at, 2f
1:  add     saved_at, pc, saved_at
    b       3f
2:  .word   saved - (1b + 8)
3:
.endm

.bss
.balign 8
// Where the core cannot lose them: the frame, and the stack pointer at the call.
saved:  .skip 8

.text
// extern "C" void abi_call(AbiFrame* frame)
.globl  abi_call
.hidden abi_call
.type   abi_call, %function
abi_call:
    push    {r3-r11, lr}                    // r3 for a multiple of 8 bytes
    vpush   {d8-d15}
    sub     sp, sp, #ARGUMENTS + 32
    .irp n, 0, 4, 8, 12, 16, 20, 24, 28
    ldr     r2, [frame, #BEFORE + STACK + \n]
    str     r2, [sp, #ARGUMENTS + \n]
    .endr
    ldrd    r2, r3, [frame, #COUNTER]
    strd    r2, r3, [sp]
    ldrd    r2, r3, [frame, #FINAL_MASK]
    strd    r2, r3, [sp, #8]
    store_control BEFORE
    address_of_saved
    str     frame, [saved_at]
    str     sp, [saved_at, #4]

    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    vldr    d\n, [frame, #SCRATCH]
    .endr
    each_kept ldr, vldr, BEFORE
    ldr     r3, [frame, #SCRATCH]
    ldr     r2, [frame, #BLOCKS]
    ldr     r1, [frame, #MESSAGES]
    ldr     r12, [frame, #FUNCTION]
    ldr     r0, [frame, #STATE]
    msr     cpsr_f, r3
    blx     r12

    address_of_saved
    ldr     frame, [saved_at]
    each_kept str, vstr, AFTER
    store_control AFTER
    ldr     r2, [frame, #BEFORE + FPSCR]
    vmsr    fpscr, r2
    ldr     sp, [saved_at, #4]
    .irp n, 0, 4, 8, 12, 16, 20, 24, 28
    ldr     r2, [sp, #ARGUMENTS + \n]
    str     r2, [frame, #AFTER + STACK + \n]
    .endr
    add     sp, sp, #ARGUMENTS + 32
    vpop    {d8-d15}
    pop     {r3-r11, pc}
.size   abi_call, . - abi_call
.ltorg

.section .note.GNU-stack, "", %progbits
