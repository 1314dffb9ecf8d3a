#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_CASE_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_CASE_H

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "veritytool/commands/bench_algorithm.h"
#include "veritytool/commands/bench_options.h"
#include "veritytool/commands/measurement.h"

/// The single measurements that `bench` is asked for.

namespace commands {

/// One thing to be measured.
struct BenchCase {
    const BenchAlgorithm* algorithm;
    std::optional<std::string_view> core;  ///< none: what the library chooses
    Load load;
    unsigned threads;

    /// The name of the core that does it; "default" where several do.
    std::string_view core_name() const;

    /// Whether the library would do it so.
    bool selected() const;

    std::unique_ptr<Workload> workload() const { return algorithm->workload(load, core); }
};

/// All that the options ask for, in the order of sizes, algorithms, cores and directions. Throws Failure where that
/// needs too much memory, or where an algorithm was named for a size that it does not take.
std::vector<BenchCase> make_cases(const BenchOptions& options);

/// The one case of --count, with the core that the library chooses unless one is named.
BenchCase make_counted_case(const BenchOptions& options);

/// Measures it on its threads, each of which has a workload of its own.
Measurement measure(const BenchCase& c, const CycleCounter& counter);

}  // namespace commands

#endif
