#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_REPORT_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_REPORT_H

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "veritytool/commands/bench_case.h"

/// How `bench` says what it has found.

namespace commands {

/// Where cycles come from, as the JSON report has it: "counter", "clock" or "none".
std::string cycles_source(unsigned threads, const CycleCounter& counter);

/// A line of the table, behind the heading where that is new. `previous` is null for the first line.
void print_result(const BenchCase* previous, const BenchCase& c, const Measurement& m);

/// What stands below the table.
void print_legend(const std::string& source);

nlohmann::ordered_json result_json(const BenchCase& c, const Measurement& m);

/// Writes a bar chart of all results to a file.
void write_chart(const std::string& path, std::span<const BenchCase> cases, std::span<const Measurement> results);

/// What was done, but not measured.
void print_counted(const BenchCase& c, std::uint64_t count);
nlohmann::ordered_json counted_json(const BenchCase& c, std::uint64_t count);

}  // namespace commands

#endif
