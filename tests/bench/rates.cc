#include "tests/bench/rates.h"

#include <algorithm>
#include <chrono>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSecondsPerSample = 0.02;

double rate(const Contender& contender) {
    std::size_t repetitions = 0;
    const auto start = Clock::now();
    double seconds = 0;
    do {
        contender.work();
        repetitions++;
        seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < kSecondsPerSample);
    return static_cast<double>(contender.bytes) * static_cast<double>(repetitions) / seconds;
}

}  // namespace

Rates measure_in_turn(const std::vector<Contender>& contenders, int rounds) {
    Rates rates(contenders.size());
    for (int round = 0; round < rounds; round++)
        for (std::size_t i = 0; i < contenders.size(); i++) rates[i].push_back(rate(contenders[i]));
    return rates;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); i++) ratios.push_back(ours[i] / theirs[i]);
    return median(std::move(ratios));
}

}  // namespace bench
