#include "veritytool/commands/measurement.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace commands {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRuns = 9;  // odd, so that one of them is the median
constexpr double kRunSeconds = 0.03;

double seconds_of(const Timed& timed, std::uint64_t times) {
    const auto begin = Clock::now();
    timed.work(times);
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// How often to do it for a run to last kRunSeconds. Warms up the processor as well.
std::uint64_t times_per_run(const Timed& timed) {
    std::uint64_t times = 1;
    for (;;) {
        const double seconds = std::max(seconds_of(timed, times), 1e-9);
        if (seconds >= kRunSeconds) return times;
        const double wanted = kRunSeconds / seconds * 1.1;
        times = static_cast<std::uint64_t>(static_cast<double>(times) * std::min(wanted, 100.0)) + 1;
    }
}

double median(std::array<double, kRuns> values) {
    std::ranges::nth_element(values, values.begin() + kRuns / 2);
    return values[kRuns / 2];
}

}  // namespace

Measurement measure(const Timed& timed, const CycleCounter& counter) {
    const bool counted = counter.available() && timed.threads == 1;
    const std::uint64_t times = times_per_run(timed);
    const double bytes = static_cast<double>(timed.bytes) * static_cast<double>(times);
    std::array<double, kRuns> rates, costs;
    for (std::size_t i = 0; i < kRuns; i++) {
        const std::uint64_t counter_before = counted ? counter.read() : 0;
        const double used_before = processor_seconds();
        const double seconds = seconds_of(timed, times);
        const double used = processor_seconds() - used_before;  // without the time that others had the processor
        const double cycles = counted ? static_cast<double>(counter.read() - counter_before) : used * measured_clock();
        rates[i] = bytes / seconds;
        costs[i] = cycles / bytes;
    }
    const auto [slowest, fastest] = std::ranges::minmax(rates);
    return {median(rates), slowest, fastest, median(costs)};
}

}  // namespace commands
