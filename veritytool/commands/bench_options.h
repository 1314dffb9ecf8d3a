#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_OPTIONS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "veritytool/commands/bench_algorithm.h"
#include "veritytool/commands/options.h"

/// The command line of `bench`.

namespace commands {

/// An algorithm to measure: asked for by its name, or as one of a group.
struct ChosenAlgorithm {
    const BenchAlgorithm* algorithm;
    bool named;
};

struct BenchOptions {
    std::vector<ChosenAlgorithm> algorithms;
    std::optional<CoreInfo> core;                 ///< none: all
    std::vector<std::uint32_t> sizes = {4096};    ///< bytes of a message
    std::optional<ciphers::Direction> direction;  ///< none: both
    std::optional<std::uint64_t> messages;        ///< at a time
    std::optional<std::uint64_t> count;           ///< measure nothing, do it so many times
    unsigned threads = 1;
    std::string chart_path;
    Reporting reporting;
};

/// Reads the arguments behind "bench". False if there is nothing to do but what has been printed. Throws Failure where
/// they contradict each other, or where one says nothing to an algorithm that is named; in groups such an algorithm is
/// left out.
bool parse_bench_options(const std::vector<std::string>& arguments, BenchOptions& options);

}  // namespace commands

#endif
