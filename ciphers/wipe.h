#ifndef VERITYTOOL_CIPHERS_WIPE_H
#define VERITYTOOL_CIPHERS_WIPE_H

#include <cstddef>
#include <type_traits>

/// Keys and what is computed from them do not stay in memory.

namespace ciphers {

/// Overwrites `size` bytes with zeros, also where the compiler could prove that nothing reads them again.
void wipe(void* memory, std::size_t size);

/// A T that is overwritten when it goes out of scope. What it was copied to is for others to wipe.
template <class T>
struct Wiped : T {
    static_assert(std::is_trivially_copyable_v<T>);
    Wiped() = default;
    Wiped(const Wiped&) = default;
    Wiped& operator=(const Wiped&) = default;
    ~Wiped() { wipe(static_cast<T*>(this), sizeof(T)); }
};

}  // namespace ciphers

#endif
