#include "veritytool/commands/bench_report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "veritytool/commands/bench_chart.h"
#include "veritytool/commands/failure.h"
#include "veritytool/file.h"

namespace commands {
namespace {

using ciphers::Direction;
using nlohmann::ordered_json;

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string gigabytes(double bytes) {
    return fixed(bytes / 1e9, bytes < 1e9 ? 3 : 2);
}

/// "encrypt", "decrypt", or nothing.
std::string direction_of(const BenchCase& c) {
    if (!c.load.direction) return "";
    return *c.load.direction == Direction::encrypt ? "encrypt" : "decrypt";
}

std::string label(const BenchCase& c) {
    const std::string direction = direction_of(c);
    return std::string(c.algorithm->name()) + (direction.empty() ? "" : ", " + direction);
}

std::string heading(const BenchCase& c) {
    return counted(c.load.messages, "message") + " of " + counted(c.load.size, "byte") + " at a time, " +
           counted(c.threads, "thread");
}

void print_row(const std::string& algorithm, const std::string& direction, const std::string& core,
               const std::string& median, const std::string& slowest, const std::string& fastest,
               const std::string& cycles) {
    const auto right = [](const std::string& s) { return std::string(s.size() < 9 ? 9 - s.size() : 0, ' ') + s; };
    print(padded(algorithm, 19) + padded(direction, 4) + padded(core, 21) + right(median) + right(slowest) +
          right(fastest) + right(cycles) + '\n');
}

/// What tells a case from others of one size and one algorithm.
ordered_json case_json(const BenchCase& c) {
    ordered_json json;
    // Scripts knew the field before there was anything but hash functions.
    if (c.algorithm->kind() == AlgorithmKind::hash) json["hash"] = c.algorithm->name();
    json["algorithm"] = c.algorithm->name();
    json["kind"] = name(c.algorithm->kind());
    if (c.load.direction) json["direction"] = direction_of(c);
    json["core"] = c.core_name();
    return json;
}

}  // namespace

std::string cycles_source(unsigned threads, const CycleCounter& counter) {
    if (counter.available() && threads == 1) return "counter";
    return measured_clock() != 0 ? "clock" : "none";
}

void print_result(const BenchCase* previous, const BenchCase& c, const Measurement& m) {
    const bool new_table = previous == nullptr || previous->load.size != c.load.size;
    if (new_table) {
        print((previous == nullptr ? "" : "\n") + heading(c) + "; median of several runs\n\n");
        print_row("Algorithm", "", "Core", "GB/s", "slowest", "fastest", "cycles/B");
    }
    const bool new_algorithm = new_table || previous->algorithm != c.algorithm;
    print_row(new_algorithm ? std::string(c.algorithm->name()) : "", direction_of(c).substr(0, 3),
              std::string(c.core_name()) + (c.selected() ? " *" : ""), gigabytes(m.median), gigabytes(m.slowest),
              gigabytes(m.fastest), m.cycles_per_byte == 0 ? "-" : fixed(m.cycles_per_byte, 2));
    flush_output();  // each takes a while
}

void print_legend(const std::string& source) {
    std::string cycles = "cycles not known here";
    if (source == "counter") cycles = "cycles counted by the processor";
    if (source == "clock")
        cycles = "cycles from the time and a clock of " + fixed(measured_clock() / 1e9, 2) +
                 " GHz, measured by a chain of additions";
    print("\n* in use; " + cycles + '\n');
}

ordered_json result_json(const BenchCase& c, const Measurement& m) {
    ordered_json json = case_json(c);
    json["selected"] = c.selected();
    json["size"] = c.load.size;
    json["messages"] = c.load.messages;
    json["threads"] = c.threads;
    json["bytes_per_second"] = std::llround(m.median);
    json["slowest"] = std::llround(m.slowest);
    json["fastest"] = std::llround(m.fastest);
    json["cycles_per_byte"] = m.cycles_per_byte == 0 ? ordered_json() : ordered_json(m.cycles_per_byte);
    return json;
}

void write_chart(const std::string& path, std::span<const BenchCase> cases, std::span<const Measurement> results) {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < cases.size(); i++) {
        const BenchCase& c = cases[i];
        const std::string direction = direction_of(c);
        bars.push_back({std::string(c.algorithm->name()) + ", " + heading(c),
                        std::string(c.core_name()) + (direction.empty() ? "" : ", " + direction), results[i].median,
                        gigabytes(results[i].median) + " GB/s", c.selected()});
    }
    const std::string chart = bar_chart("Speed", "Dark: the core in use. Median of several runs.", bars);
    verity::File file = or_fail(verity::File::open_for_writing(path));
    or_fail(file.write_at(std::span(reinterpret_cast<const std::uint8_t*>(chart.data()), chart.size()), 0));
    if (file.kind() == verity::File::Kind::regular) or_fail(file.resize(chart.size()));
    or_fail(file.sync());
}

void print_counted(const BenchCase& c, std::uint64_t count) {
    print(label(c) + " in " + std::string(c.core_name()) + ": " + counted(c.load.messages, "message") + " of " +
          counted(c.load.size, "byte") + ", " + counted(count, "time") + '\n');
}

ordered_json counted_json(const BenchCase& c, std::uint64_t count) {
    ordered_json json = case_json(c);
    json["size"] = c.load.size;
    json["messages"] = c.load.messages;
    json["count"] = count;
    return json;
}

}  // namespace commands
