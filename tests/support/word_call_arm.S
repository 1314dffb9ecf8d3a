.syntax unified
.arm
.arch   armv7-a

// Offsets in WordCall, whose members have the word in their lower halves.
#define FUNCTION    0
#define ARGUMENTS   8

call    .req r12

.text
// extern "C" void word_call(const WordCall* call)
.globl  word_call
.hidden word_call
.type   word_call, %function
word_call:
    push    {r3, lr}                        // r3 for a multiple of 8 bytes
    sub     sp, sp, #16
    mov     call, r0
    .irp n, 4, 5, 6, 7
    ldr     r0, [call, #ARGUMENTS + 8 * \n]
    str     r0, [sp, #4 * (\n - 4)]
    .endr
    .irp n, 0, 1, 2, 3
    ldr     r\n, [call, #ARGUMENTS + 8 * \n]
    .endr
    ldr     r12, [call, #FUNCTION]          // call itself
    blx     r12
    add     sp, sp, #16
    pop     {r3, pc}
.size   word_call, . - word_call

.section .note.GNU-stack, "", %progbits
