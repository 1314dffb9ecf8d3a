// Offsets in WordCall.
#define FUNCTION    0
#define ARGUMENTS   8

.text
// extern "C" void word_call(const WordCall* call)
.globl  word_call
.hidden word_call
.type   word_call, %function
word_call:
    hint    #34                             // bti c
    str     x30, [sp, #-16]!
    mov     x9, x0
    ldr     x16, [x9, #FUNCTION]
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    ldr     x\n, [x9, #ARGUMENTS + 8 * \n]
    .endr
    blr     x16
    ldr     x30, [sp], #16
    ret
.size   word_call, . - word_call

.section .note.GNU-stack, "", %progbits
