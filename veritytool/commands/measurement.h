#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_MEASUREMENT_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_MEASUREMENT_H

#include <cstdint>
#include <functional>

#include "veritytool/commands/cycles.h"

namespace commands {

/// How fast something went in several runs. Bytes per second, and cycles of one processor per byte (0: not known).
struct Measurement {
    double median, slowest, fastest;
    double cycles_per_byte;  ///< median
};

/// Something to be timed: `work(n)` does the same thing n times, on `threads` threads, each time with `bytes` bytes.
struct Timed {
    std::function<void(std::uint64_t times)> work;
    std::uint64_t bytes;
    unsigned threads;
};

/// Runs `timed` for about a third of a second, or what doing it ten times takes. Cycles come from `counter` where it is
/// available and sees all threads, else from the time on processors and the clock measured beside each run.
Measurement measure(const Timed& timed, const CycleCounter& counter);

}  // namespace commands

#endif
