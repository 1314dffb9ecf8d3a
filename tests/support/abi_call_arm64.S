// The Procedure Call Standard for the Arm 64-bit Architecture, sections 6.1 and 6.2: x19 to x29, sp, the lower halves
// of v8 to v15 and fpcr are kept.

// Offsets in AbiFrame, and of slots in its arrays.
#define FUNCTION    0
#define STATE       8
#define MESSAGES    16
#define BLOCKS      24
#define COUNTER     32
#define FINAL_MASK  40
#define SCRATCH     48
#define BEFORE      64
#define AFTER       320
#define D8          88
#define SP          152
#define FPCR        160
#define STACK       168

frame   .req x9

// The registers of the slots 0 to 18, from or to the array at \at; \load_or_store is ldr or str.
.macro each_kept load_or_store, at
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    \load_or_store x\n, [frame, #\at + (\n - 19) * 8]
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    \load_or_store d\n, [frame, #\at + D8 + (\n - 8) * 8]
    .endr
.endm

.macro store_control at
    mov     x11, sp
    str     x11, [frame, #\at + SP]
    mrs     x11, fpcr
    str     x11, [frame, #\at + FPCR]
.endm

.bss
.balign 16
// Where the core cannot lose them: the frame, and the stack pointer at the call.
saved:  .skip 16

.text
// extern "C" void abi_call(AbiFrame* frame)
.globl  abi_call
.hidden abi_call
.type   abi_call, %function
abi_call:
    hint    #34                             // bti c
    stp     x29, x30, [sp, #-160]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]
    mov     frame, x0
    sub     sp, sp, #32
    .irp n, 0, 8, 16, 24
    ldr     x10, [frame, #BEFORE + STACK + \n]
    str     x10, [sp, #\n]
    .endr
    store_control BEFORE
    mov     x11, sp
    adrp    x10, saved
    add     x10, x10, :lo12:saved
    stp     frame, x11, [x10]

    // The upper halves of v8 to v15 are the function's to change, so they get the scratch value too.
    ldr     q0, [frame, #SCRATCH]
    .irp n, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mov     v\n\().16b, v0.16b
    .endr
    each_kept ldr, BEFORE
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    ins     v\n\().d[1], v0.d[1]
    .endr
    // x18 is left alone: some systems reserve it.
    ldr     x5, [frame, #SCRATCH]
    .irp n, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17
    mov     x\n, x5
    .endr
    msr     nzcv, x5
    ldr     x0, [frame, #STATE]
    ldr     x1, [frame, #MESSAGES]
    ldr     x2, [frame, #BLOCKS]
    ldr     x3, [frame, #COUNTER]
    ldr     x4, [frame, #FINAL_MASK]
    ldr     x16, [frame, #FUNCTION]
    mov     x9, x5                          // the frame's own register
    blr     x16

    adrp    x10, saved
    add     x10, x10, :lo12:saved
    ldr     frame, [x10]
    each_kept str, AFTER
    store_control AFTER
    ldr     x11, [frame, #BEFORE + FPCR]
    msr     fpcr, x11
    ldr     x10, [x10, #8]
    mov     sp, x10
    .irp n, 0, 8, 16, 24
    ldr     x10, [sp, #\n]
    str     x10, [frame, #AFTER + STACK + \n]
    .endr
    add     sp, sp, #32
    ldp     d14, d15, [sp, #144]
    ldp     d12, d13, [sp, #128]
    ldp     d10, d11, [sp, #112]
    ldp     d8, d9, [sp, #96]
    ldp     x27, x28, [sp, #80]
    ldp     x25, x26, [sp, #64]
    ldp     x23, x24, [sp, #48]
    ldp     x21, x22, [sp, #32]
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #160
    ret
.size   abi_call, . - abi_call

.section .note.GNU-stack, "", %progbits
