#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hashlib/hash.h"
#include "hashlib/registry.h"
#include "veritytool/commands/bench_chart.h"
#include "veritytool/commands/commands.h"
#include "veritytool/commands/cpu_text.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/measurement.h"
#include "veritytool/commands/roi.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/parallel.h"

namespace commands {
namespace {

using hashlib::HashAlgorithm;
using hashlib::HashCore;
using nlohmann::ordered_json;

constexpr std::uint32_t kLongestMessage = 1u << 30;  // bytes
constexpr std::uint64_t kMostBytes = 1u << 30;       // of all messages of a call
constexpr std::uint64_t kMostMessages = kMostBytes / hashlib::kMaxDigestSize;
constexpr std::uint64_t kUsualBytes = std::uint64_t{256} * 1024;  // likewise; a second-level cache holds them
constexpr std::uint64_t kMostUsualMessages = 1024;

struct BenchOptions {
    std::vector<const HashAlgorithm*> hashes;
    const HashCore* core = nullptr;  // null: all
    std::vector<std::uint32_t> sizes = {4096};
    std::optional<std::uint64_t> messages, count;
    unsigned threads = 1;
    std::string chart_path;
    Reporting reporting;
};

/// One thing to be measured.
struct Case {
    const HashAlgorithm& hash;
    const HashCore* core;  // null: the best for each number of messages
    std::uint32_t size;    // bytes of a message
    std::uint64_t messages;
    unsigned threads;

    std::uint64_t bytes() const { return messages * size; }
};

verity::Error usage(std::string message) {
    return {verity::ErrorKind::usage, std::move(message)};
}

Take core_value(const HashCore*& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        target = hashlib::find_core(value);
        if (target == nullptr) return usage("unknown core " + in_quotes(value) + " ('veritytool cores' lists them)");
        if (!hashlib::usable(*target))
            return usage(value + " cannot be used here: it needs " + joined(feature_names(target->needs), " "));
        return {};
    };
}

/// Numbers with commas between them.
Take sizes_value(std::vector<std::uint32_t>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        target.clear();
        std::size_t begin = 0;
        while (begin <= value.size()) {
            const std::size_t end = std::min(value.find(',', begin), value.size());
            auto size = parse_number(std::string_view(value).substr(begin, end - begin), 1u, kLongestMessage);
            if (!size) return size.error();
            target.push_back(*size);
            begin = end + 1;
        }
        return {};
    };
}

/// The hash functions that are named, or all.
std::vector<const HashAlgorithm*> chosen_hashes(const std::vector<std::string>& names) {
    std::vector<const HashAlgorithm*> hashes;
    for (const std::string& name : names) {
        const HashAlgorithm* hash = nullptr;
        or_fail(hash_value(hash)(name));
        hashes.push_back(hash);
    }
    if (names.empty())
        for (const HashAlgorithm& hash : hashlib::hash_algorithms()) hashes.push_back(&hash);
    return hashes;
}

/// Takes away the hash functions that the core is not for. Throws Failure if one of them was named.
void match_core(BenchOptions& o, bool named) {
    if (o.core == nullptr) return;
    const auto foreign = [&](const HashAlgorithm* hash) { return hash->family != o.core->family; };
    const auto first = std::ranges::find_if(o.hashes, foreign);
    if (named && first != o.hashes.end())
        throw Failure{kUnusable, std::string(o.core->name) + " does not compute " + std::string((*first)->name)};
    std::erase_if(o.hashes, foreign);
}

bool parse(const std::vector<std::string>& arguments, BenchOptions& o) {
    CommandLine line(
        {"bench",
         {"[ALGORITHM...]"},
         "Measures how fast the hash functions are on this processor, or those that are named: in each core "
         "that can be used here, hashing several messages at a time without salt. A * marks the core that "
         "is in use for so many messages.",
         "  veritytool bench\n"
         "  veritytool bench sha256 blake2b-256 --size=512,4096 --svg=bench.svg\n"});
    line.option("core", "NAME", core_value(o.core), "only this core, and the hash functions it computes");
    line.option("size", "BYTES[,...]", sizes_value(o.sizes), "bytes of a message (default: 4096)");
    line.option("messages", "M", number(o.messages, std::uint64_t{1}, kMostMessages),
                "messages hashed at a time (default: as many as fill a second-level cache)");
    add_threads_option(line, o.threads, "do so on N processors at once (default: 1)");
    line.option("count", "N", number(o.count, std::uint64_t{1}),
                "measure nothing, but hash M messages exactly N times on one thread; the last time between calls of "
                "roi_begin and roi_end, for tools that count instructions");
    line.option("svg", "FILE", text(o.chart_path), "also draw a bar chart");
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    o.hashes = chosen_hashes(line.positionals());
    match_core(o, !line.positionals().empty());
    o.threads = std::min(o.threads, verity::available_threads());
    if (o.count && (o.hashes.size() != 1 || o.sizes.size() != 1 || o.threads != 1 || !o.chart_path.empty()))
        throw Failure{kUnusable, "--count goes with one ALGORITHM, one --size and one thread, and without --svg"};
    return true;
}

/// As many whole rows of the widest core's lanes as kUsualBytes hold, but at least one.
std::uint64_t usual_messages(std::uint32_t size) {
    const std::uint64_t rows = kUsualBytes / size / hashlib::kMaxLanes;
    return std::clamp<std::uint64_t>(rows * hashlib::kMaxLanes, hashlib::kMaxLanes, kMostUsualMessages);
}

Case make_case(const BenchOptions& o, const HashAlgorithm& hash, const HashCore* core, std::uint32_t size) {
    const Case c{hash, core, size, o.messages.value_or(usual_messages(size)), o.threads};
    if (c.bytes() > kMostBytes)
        throw Failure{kUnusable, std::to_string(c.messages) + " messages of " + counted(size, "byte") +
                                     " are more than " + std::to_string(kMostBytes) + " bytes"};
    return c;
}

std::vector<Case> make_cases(const BenchOptions& o) {
    std::vector<Case> cases;
    for (std::uint32_t size : o.sizes)
        for (const HashAlgorithm* hash : o.hashes)
            for (const HashCore& core : hashlib::hash_cores())
                if (core.family == hash->family && hashlib::usable(core) && (o.core == nullptr || o.core == &core))
                    cases.push_back(make_case(o, *hash, &core, size));
    return cases;
}

/// The messages of a case, and what hashes them.
class Workload {
  public:
    explicit Workload(const Case& c)
        : hasher_(c.hash, {}, hashlib::SaltPosition::before, c.size, c.core),
          messages_(static_cast<std::size_t>(c.bytes())),
          digests_(static_cast<std::size_t>(c.messages) * c.hash.digest_size) {
        std::iota(messages_.begin(), messages_.end(), std::uint8_t{0});
    }

    void hash() { hasher_.hash(digests_, hasher_.algorithm().digest_size, messages_); }

  private:
    hashlib::BlockHasher hasher_;
    std::vector<std::uint8_t> messages_, digests_;
};

Measurement measure_case(const Case& c, const CycleCounter& counter) {
    std::vector<Workload> workloads(c.threads, Workload(c));
    if (c.threads == 1) {
        const auto work = [&](std::uint64_t times) {
            for (std::uint64_t i = 0; i < times; i++) workloads[0].hash();
        };
        return measure({work, c.bytes(), 1}, counter);
    }
    const auto work = [&](std::uint64_t times) {
        std::uint64_t left = times * c.threads;
        verity::run({c.threads, workloads.size(), [&](std::size_t) { return left != 0 && left-- != 0; },
                     [&](std::size_t slot) { workloads[slot].hash(); }, [](std::size_t) {}});
    };
    return measure({work, c.bytes() * c.threads, c.threads}, counter);
}

const HashCore& selected_core(const Case& c) {
    return hashlib::best_core(c.hash.family, static_cast<std::size_t>(c.messages));
}

bool selected(const Case& c) {
    return &selected_core(c) == c.core;
}

const char* cycles_source(const BenchOptions& o, const CycleCounter& counter) {
    if (counter.available() && o.threads == 1) return "counter";
    return measured_clock() != 0 ? "clock" : "none";
}

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string gigabytes(double bytes) {
    return fixed(bytes / 1e9, bytes < 1e9 ? 3 : 2);
}

std::string heading(const Case& c) {
    return counted(c.messages, "message") + " of " + counted(c.size, "byte") + " at a time, " +
           counted(c.threads, "thread");
}

std::string explanation(const std::string& source) {
    if (source == "counter") return "cycles counted by the processor";
    if (source == "clock")
        return "cycles from the time and a clock of " + fixed(measured_clock() / 1e9, 2) +
               " GHz, measured by a chain of additions";
    return "cycles not known here";
}

void print_row(const std::string& hash, const std::string& core, const std::string& median, const std::string& slowest,
               const std::string& fastest, const std::string& cycles) {
    const auto right = [](const std::string& s) { return std::string(s.size() < 10 ? 10 - s.size() : 0, ' ') + s; };
    print(padded(hash, 13) + padded(core, 24) + right(median) + right(slowest) + right(fastest) + right(cycles) + '\n');
}

/// A line of the table, behind the heading where that is new. `previous` is null for the first line.
void print_result(const Case* previous, const Case& c, const Measurement& m) {
    const bool new_table = previous == nullptr || previous->size != c.size;
    if (new_table) {
        print((previous == nullptr ? "" : "\n") + heading(c) + "; median of several runs\n\n");
        print_row("Hash", "Core", "GB/s", "slowest", "fastest", "cycles/B");
    }
    const bool new_hash = new_table || &previous->hash != &c.hash;
    print_row(new_hash ? std::string(c.hash.name) : "", std::string(c.core->name) + (selected(c) ? " *" : ""),
              gigabytes(m.median), gigabytes(m.slowest), gigabytes(m.fastest),
              m.cycles_per_byte == 0 ? "-" : fixed(m.cycles_per_byte, 2));
    flush_output();  // each takes a while
}

ordered_json result_json(const Case& c, const Measurement& m) {
    return {{"hash", c.hash.name},
            {"core", c.core->name},
            {"selected", selected(c)},
            {"size", c.size},
            {"messages", c.messages},
            {"threads", c.threads},
            {"bytes_per_second", std::llround(m.median)},
            {"slowest", std::llround(m.slowest)},
            {"fastest", std::llround(m.fastest)},
            {"cycles_per_byte", m.cycles_per_byte == 0 ? ordered_json() : ordered_json(m.cycles_per_byte)}};
}

void write_chart(const std::string& path, std::span<const Case> cases, std::span<const Measurement> results) {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < cases.size(); i++)
        bars.push_back({std::string(cases[i].hash.name) + ", " + heading(cases[i]), std::string(cases[i].core->name),
                        results[i].median, gigabytes(results[i].median) + " GB/s", selected(cases[i])});
    const std::string chart = bar_chart("Hashing speed", "Dark: the core in use. Median of several runs.", bars);
    verity::File file = or_fail(verity::File::open_for_writing(path));
    or_fail(file.write_at(std::span(reinterpret_cast<const std::uint8_t*>(chart.data()), chart.size()), 0));
    if (file.kind() == verity::File::Kind::regular) or_fail(file.resize(chart.size()));
    or_fail(file.sync());
}

void measure_all(const BenchOptions& o) {
    const std::vector<Case> cases = make_cases(o);
    const CycleCounter counter;
    const std::string source = cycles_source(o, counter);
    std::vector<Measurement> results;
    ordered_json list = ordered_json::array();
    for (const Case& c : cases) {
        results.push_back(measure_case(c, counter));
        if (o.reporting.json)
            list.push_back(result_json(c, results.back()));
        else
            print_result(results.size() == 1 ? nullptr : &c - 1, c, results.back());
    }
    if (o.reporting.json)
        print_json({{"cycles_from", source}, {"results", std::move(list)}});
    else
        print("\n* in use; " + explanation(source) + '\n');
    if (!o.chart_path.empty()) write_chart(o.chart_path, cases, results);
}

/// --count: nothing but the hashing, so that two counts differ by exactly the repetitions between them.
void repeat(const BenchOptions& o) {
    const Case c = make_case(o, *o.hashes.front(), o.core, o.sizes.front());
    Workload workload(c);
    for (std::uint64_t i = 1; i < *o.count; i++) workload.hash();
    roi_begin();
    workload.hash();
    roi_end();
    const std::string core((c.core != nullptr ? *c.core : selected_core(c)).name);
    if (o.reporting.json)
        print_json(
            {{"hash", c.hash.name}, {"core", core}, {"size", c.size}, {"messages", c.messages}, {"count", *o.count}});
    else
        print(std::string(c.hash.name) + " in " + core + ": " + counted(c.messages, "message") + " of " +
              counted(c.size, "byte") + ", " + counted(*o.count, "time") + '\n');
}

}  // namespace

void run_bench(const std::vector<std::string>& arguments) {
    BenchOptions options;
    if (!parse(arguments, options)) return;
    options.count ? repeat(options) : measure_all(options);
    print_success(options.reporting);
}

}  // namespace commands
