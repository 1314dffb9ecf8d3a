#ifndef VERITYTOOL_TESTS_SUPPORT_RANDOM_H
#define VERITYTOOL_TESTS_SUPPORT_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "tests/support/bytes.h"

namespace test {

/// The seed of this run: VERITYTOOL_TEST_SEED where it is set, else a new one. main.cc prints it with every failure.
std::uint64_t run_seed();

/// A stream of random numbers that depends on the run's seed and the running test alone, so that a failing test fails
/// again when it is run by itself.
class Random {
  public:
    Random();

    std::uint64_t word() { return engine_(); }

    /// A number from `low` to `high`, both possible.
    std::size_t between(std::size_t low, std::size_t high) {
        return low + static_cast<std::size_t>(engine_() % (std::uint64_t{high} - low + 1));
    }

    /// A number from 0 to `bound` - 1.
    std::size_t below(std::size_t bound) { return between(0, bound - 1); }

    bool coin() { return (engine_() & 1) != 0; }

    void fill(std::span<std::uint8_t> bytes);

    Bytes bytes(std::size_t size) {
        Bytes bytes(size);
        fill(bytes);
        return bytes;
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace test

#endif
