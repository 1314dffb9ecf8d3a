#include "veritytool/commands/cycles.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace commands {
namespace {

constexpr std::uint64_t kAdditions = 50;

// Register to register: some processors do not execute additions of constants at all, but rename them away.
#if defined(__x86_64__) || defined(__i386__)
constexpr bool kClockKnown = true;
unsigned long add_repeatedly(unsigned long value, unsigned long step) {
    __asm__ volatile(".rept 50\n\tadd %1, %0\n\t.endr" : "+r"(value) : "r"(step));
    return value;
}
#elif defined(__aarch64__) || defined(__arm__)
constexpr bool kClockKnown = true;
unsigned long add_repeatedly(unsigned long value, unsigned long step) {
    __asm__ volatile(".rept 50\n\tadd %0, %0, %1\n\t.endr" : "+r"(value) : "r"(step));
    return value;
}
#else
constexpr bool kClockKnown = false;
unsigned long add_repeatedly(unsigned long value, unsigned long) {
    return value;
}
#endif

}  // namespace

CycleCounter::CycleCounter() {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;  // what an unprivileged user may count
    attributes.exclude_hv = 1;
    descriptor_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

CycleCounter::~CycleCounter() {
    if (available()) close(descriptor_);
}

std::uint64_t CycleCounter::read() const {
    std::uint64_t count = 0;
    return ::read(descriptor_, &count, sizeof count) == sizeof count ? count : 0;
}

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double measured_clock() {
    if (!kClockKnown) return 0;
    constexpr std::uint64_t kTimes = 60'000;  // a millisecond at 3 GHz
    unsigned long value = 0;
    const double begin = processor_seconds();
    for (std::uint64_t i = 0; i < kTimes; i++) value = add_repeatedly(value, static_cast<unsigned long>(i));
    return static_cast<double>(kTimes * kAdditions) / (processor_seconds() - begin);
}

}  // namespace commands
