// The System V ABI for AMD64, section 3.2: rbx, rbp, rsp, r12 to r15, the control bits of mxcsr and the x87 control
// word are kept, the direction flag is clear.

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
#define SP          48
#define MXCSR       56
#define X87         64
#define DIRECTION   72
#define STACK       80

#define MXCSR_CONTROL   0xffc0  /* the other bits are exception flags */
#define DIRECTION_FLAG  0x400

#define frame       %rax

.macro load offset, register
    mov     \offset(frame), \register
.endm

.macro store offset, register
    mov     \register, \offset(frame)
.endm

// The general registers of the slots 0 to 5, from or to the array at \at.
.macro each_kept load_or_store, at
    \load_or_store \at + 0, %rbx
    \load_or_store \at + 8, %rbp
    \load_or_store \at + 16, %r12
    \load_or_store \at + 24, %r13
    \load_or_store \at + 32, %r14
    \load_or_store \at + 40, %r15
.endm

.macro store_control at
    movq    $0, \at + MXCSR(frame)
    stmxcsr \at + MXCSR(frame)
    andl    $MXCSR_CONTROL, \at + MXCSR(frame)
    movq    $0, \at + X87(frame)
    fnstcw  \at + X87(frame)
    pushfq
    pop     %rcx
    and     $DIRECTION_FLAG, %rcx
    mov     %rcx, \at + DIRECTION(frame)
.endm

.bss
.balign 8
// Where the core cannot lose them: the frame, and the stack pointer at the call.
saved_frame:    .skip 8
saved_sp:       .skip 8

.text
// extern "C" void abi_call(AbiFrame* frame)
.globl  abi_call
.hidden abi_call
.type   abi_call, @function
abi_call:
    push    %rbx
    push    %rbp
    push    %r12
    push    %r13
    push    %r14
    push    %r15
    mov     %rdi, frame
    sub     $8, %rsp                        // six registers and the return address are 8 short of 16 bytes
    .irp n, 24, 16, 8, 0
    pushq   BEFORE + STACK + \n(frame)
    .endr
    store_control BEFORE
    mov     %rsp, BEFORE + SP(frame)
    mov     %rsp, saved_sp(%rip)
    mov     frame, saved_frame(%rip)

    each_kept load, BEFORE
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups  SCRATCH(frame), %xmm\n
    .endr
    mov     SCRATCH(frame), %r9
    mov     %r9, %r10
    mov     %r9, %r11
    mov     STATE(frame), %rdi
    mov     MESSAGES(frame), %rsi
    mov     BLOCKS(frame), %rdx
    mov     COUNTER(frame), %rcx
    mov     FINAL_MASK(frame), %r8
    stc
    call    *FUNCTION(frame)

    mov     saved_frame(%rip), frame
    mov     %rsp, AFTER + SP(frame)
    mov     saved_sp(%rip), %rsp
    each_kept store, AFTER
    store_control AFTER
    ldmxcsr BEFORE + MXCSR(frame)
    fldcw   BEFORE + X87(frame)
    cld
    .irp n, 0, 8, 16, 24
    popq    AFTER + STACK + \n(frame)
    .endr
    add     $8, %rsp
    pop     %r15
    pop     %r14
    pop     %r13
    pop     %r12
    pop     %rbp
    pop     %rbx
    ret
.size   abi_call, . - abi_call

.section .note.GNU-stack, "", @progbits
