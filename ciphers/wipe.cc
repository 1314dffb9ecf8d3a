#include "ciphers/wipe.h"

#include <cstring>

namespace ciphers {

void wipe(void* memory, std::size_t size) {
    std::memset(memory, 0, size);
    // The compiler must assume that this reads what has just been written.
    __asm__ volatile("" : : "r"(memory) : "memory");
}

}  // namespace ciphers
