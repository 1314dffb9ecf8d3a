#ifndef VERITYTOOL_VERITYTOOL_LOCKED_MEMORY_H
#define VERITYTOOL_VERITYTOOL_LOCKED_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace verity {

/// Memory for secrets, in pages of its own: kept out of core dumps and, as far as the system's limits allow, out of
/// swap; overwritten when it goes. Begins on a page boundary, all zeros.
class LockedMemory {
  public:
    /// Throws std::bad_alloc.
    explicit LockedMemory(std::size_t size);
    LockedMemory(LockedMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    LockedMemory& operator=(LockedMemory&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~LockedMemory();

    std::span<std::uint8_t> bytes() { return bytes_; }
    std::span<const std::uint8_t> bytes() const { return bytes_; }

  private:
    std::span<std::uint8_t> bytes_;
};

}  // namespace verity

#endif
