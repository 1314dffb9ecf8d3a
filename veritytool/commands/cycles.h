#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CYCLES_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CYCLES_H

#include <cstdint>

namespace commands {

/// The processor's own count of its cycles, where the system lets us have it.
class CycleCounter {
  public:
    CycleCounter();
    CycleCounter(const CycleCounter&) = delete;
    CycleCounter& operator=(const CycleCounter&) = delete;
    ~CycleCounter();

    bool available() const { return descriptor_ >= 0; }

    /// Cycles that the thread which made this object has spent in the program itself.
    std::uint64_t read() const;

  private:
    int descriptor_;
};

/// The time that all threads of this process together have had a processor, in seconds.
double processor_seconds();

/// The processor's clock at this moment in Hz, from the time of a chain of additions that take a cycle each; 0 on
/// a processor of which that is not known. Takes about a millisecond.
double measured_clock();

}  // namespace commands

#endif
