#ifndef VERITYTOOL_VERITYTOOL_BUFFER_H
#define VERITYTOOL_VERITYTOOL_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

/// Memory that files are read into.

namespace verity {

/// Allocates whole pages' beginnings. The kernel copies out of the page cache with REP MOVSB, which on AMD's Zen 3 is
/// three times as slow where the target lies 16 bytes behind the beginning of a page, as the C library's large blocks
/// do (1.4 to 1.8 against 4 to 5.6 GB/s a thread, pread of 256 KiB). A page also begins a cache line, where cores are
/// fastest.
template <class T>
struct PageAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{4096};

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

    template <class U>
    bool operator==(const PageAllocator<U>&) const {
        return true;
    }
};

using Buffer = std::vector<std::uint8_t, PageAllocator<std::uint8_t>>;

}  // namespace verity

#endif
