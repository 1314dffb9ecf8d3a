#ifndef VERITYTOOL_TESTS_SUPPORT_GUARDED_MEMORY_H
#define VERITYTOOL_TESTS_SUPPORT_GUARDED_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace test {

/// Memory between two pages that can be neither read nor written.
class GuardedMemory {
  public:
    /// Room for at least `size` bytes, in whole pages.
    explicit GuardedMemory(std::size_t size);
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    std::span<std::uint8_t> all() const { return {memory_, size_}; }

    /// `size` bytes whose first is the first behind the lower guard, or `offset` bytes behind that.
    std::span<std::uint8_t> at_begin(std::size_t size, std::size_t offset = 0) const {
        return all().subspan(offset, size);
    }

    /// `size` bytes whose last is the last before the upper guard, or `offset` bytes before that.
    std::span<std::uint8_t> at_end(std::size_t size, std::size_t offset = 0) const {
        return all().subspan(size_ - offset - size, size);
    }

    /// From here on writing to it is a fault, or is allowed again.
    void set_writable(bool writable) const;

  private:
    std::size_t size_;
    std::uint8_t* memory_;
};

/// Runs `action`, which should touch no memory that is not its to touch. Returns an empty string, or what it did
/// wrong ("fault at 0x7f001000"); what its frames held is then lost. One thread at a time.
std::string fault_of(const std::function<void()>& action);

}  // namespace test

#endif
