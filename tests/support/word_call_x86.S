// Offsets in WordCall.
#define FUNCTION    0
#define ARGUMENTS   8

.text
// extern "C" void word_call(const WordCall* call)
.globl  word_call
.hidden word_call
.type   word_call, @function
word_call:
    sub     $8, %rsp
    pushq   ARGUMENTS + 56(%rdi)
    pushq   ARGUMENTS + 48(%rdi)
    mov     FUNCTION(%rdi), %rax
    mov     ARGUMENTS + 8(%rdi), %rsi
    mov     ARGUMENTS + 16(%rdi), %rdx
    mov     ARGUMENTS + 24(%rdi), %rcx
    mov     ARGUMENTS + 32(%rdi), %r8
    mov     ARGUMENTS + 40(%rdi), %r9
    mov     ARGUMENTS + 0(%rdi), %rdi
    call    *%rax
    add     $24, %rsp
    ret
.size   word_call, . - word_call

.section .note.GNU-stack, "", @progbits
