#include "veritytool/locked_memory.h"

#include <sys/mman.h>

#include <new>

#include "ciphers/wipe.h"

namespace verity {

LockedMemory::LockedMemory(std::size_t size) {
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    bytes_ = {static_cast<std::uint8_t*>(memory), size};
    // RLIMIT_MEMLOCK may forbid it. A key in swap is then what the user's system is set up for.
    (void)::mlock(memory, size);
#if defined(MADV_DONTDUMP)
    (void)::madvise(memory, size, MADV_DONTDUMP);
#endif
}

LockedMemory::~LockedMemory() {
    if (bytes_.empty()) return;
    ciphers::wipe(bytes_.data(), bytes_.size());
    ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace verity
