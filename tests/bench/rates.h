#ifndef VERITYTOOL_TESTS_BENCH_RATES_H
#define VERITYTOOL_TESTS_BENCH_RATES_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Speeds of several ways to do one thing, measured in turn so that all see the same machine.

namespace bench {

/// One way of doing it, on `bytes` bytes a call.
struct Contender {
    std::string name;
    std::size_t bytes;
    std::function<void()> work;
};

/// Bytes a second in each round, contender by contender: rates[contender][round].
using Rates = std::vector<std::vector<double>>;

/// Runs all contenders one after the other for 20 ms each, and that `rounds` times.
Rates measure_in_turn(const std::vector<Contender>& contenders, int rounds);

double median(std::vector<double> values);

/// The median over the rounds of how many times faster `ours` was than `theirs`.
double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

}  // namespace bench

#endif
