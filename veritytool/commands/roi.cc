#include "veritytool/commands/roi.h"

// A file of their own, so that calls cannot be inlined, and something in them that is not dropped for having no effect.

void roi_begin() {
    __asm__ volatile("" ::: "memory");
}

void roi_end() {
    __asm__ volatile("" ::: "memory");
}
