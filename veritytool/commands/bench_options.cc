#include "veritytool/commands/bench_options.h"

#include <algorithm>
#include <cctype>

#include "veritytool/commands/cpu_text.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/parallel.h"

namespace commands {
namespace {

using ciphers::Direction;

/// Algorithms that can be named together.
struct Group {
    std::string_view name;
    BenchAlgorithms (*algorithms)();
};
constexpr Group kGroups[] = {
    {"hashes", hash_bench_algorithms}, {"ciphers", cipher_bench_algorithms}, {"parity", parity_bench_algorithms}};

verity::Error usage(std::string message) {
    return {verity::ErrorKind::usage, std::move(message)};
}

bool same_in_any_case(std::string_view a, std::string_view b) {
    const auto lower = [](unsigned char c) { return std::tolower(c); };
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const Group& group : kGroups) names.emplace_back(group.name);
    for (const BenchAlgorithm* algorithm : bench_algorithms()) names.emplace_back(algorithm->name());
    return names;
}

Take core_value(std::optional<CoreInfo>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        target = find_any_core(value);
        if (!target) return usage("unknown core " + in_quotes(value) + " ('veritytool cores' lists them)");
        if (!target->usable)
            return usage(value + " cannot be used here: it needs " + joined(feature_names(target->needs), " "));
        return {};
    };
}

Take direction_value(std::optional<Direction>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        if (value != "encrypt" && value != "decrypt")
            return usage(in_quotes(value) + " is neither encrypt nor decrypt");
        target = value == "encrypt" ? Direction::encrypt : Direction::decrypt;
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

/// The algorithms of the group called `name`, or the one of that name; none if there is neither.
BenchAlgorithms find_algorithms(std::string_view name) {
    for (const Group& group : kGroups)
        if (same_in_any_case(group.name, name)) return group.algorithms();
    BenchAlgorithms found = bench_algorithms();
    std::erase_if(found, [&](const BenchAlgorithm* algorithm) { return !same_in_any_case(algorithm->name(), name); });
    return found;
}

bool is_group(std::string_view name) {
    return std::ranges::any_of(kGroups, [&](const Group& group) { return same_in_any_case(group.name, name); });
}

/// What the positional arguments ask for, each once: algorithms and groups, all if there are none.
std::vector<ChosenAlgorithm> chosen_algorithms(const std::vector<std::string>& names) {
    std::vector<ChosenAlgorithm> chosen;
    const auto add = [&chosen](const BenchAlgorithms& algorithms, bool named) {
        for (const BenchAlgorithm* algorithm : algorithms) {
            const auto known = std::ranges::find(chosen, algorithm, &ChosenAlgorithm::algorithm);
            if (known == chosen.end())
                chosen.push_back({algorithm, named});
            else
                known->named |= named;
        }
    };
    for (const std::string& name : names) {
        const BenchAlgorithms found = find_algorithms(name);
        if (found.empty())
            throw Failure{kUnusable,
                          "unknown algorithm " + in_quotes(name) + " (there are: " + joined(all_names(), ", ") + ")"};
        add(found, !is_group(name));
    }
    if (names.empty()) add(bench_algorithms(), false);
    return chosen;
}

/// Why the options have nothing to measure of the algorithm; empty if they have.
std::string objection(const BenchOptions& o, const BenchAlgorithm& algorithm) {
    const std::string name(algorithm.name());
    if (o.core && !algorithm.uses(o.core->name)) return std::string(o.core->name) + " does not compute " + name;
    if (o.direction && !algorithm.has_directions()) return "--direction: " + name + " has only one";
    std::string objection;
    for (std::uint32_t size : o.sizes) {
        const auto taken = algorithm.check_size(size);
        if (taken) return "";
        objection = "--size: " + taken.error().message;
    }
    return objection;
}

/// Takes away what there is nothing to measure of. Throws Failure if that was named, or is all.
void match_options(BenchOptions& o) {
    std::string last_objection;
    std::erase_if(o.algorithms, [&](const ChosenAlgorithm& chosen) {
        std::string why_not = objection(o, *chosen.algorithm);
        if (why_not.empty()) return false;
        if (chosen.named) throw Failure{kUnusable, why_not};
        last_objection = std::move(why_not);
        return true;
    });
    if (o.algorithms.empty()) throw Failure{kUnusable, "nothing to measure: " + last_objection};
}

}  // namespace

bool parse_bench_options(const std::vector<std::string>& arguments, BenchOptions& o) {
    CommandLine line(
        {"bench",
         {"[ALGORITHM...]"},
         "Measures how fast hash functions, ciphers and error-correcting codes are on this processor: all of them, or "
         "those that are named; 'hashes', 'ciphers' and 'parity' name all of a kind. Each is measured in each core "
         "that can be used here, for about a third of a second: hash functions on several messages at a time without "
         "salt, stream ciphers and universal hashes on one message after the other, Adiantum and AES-XTS on the "
         "sectors of a disk, parity on blocks of the same codewords. A * marks the core that is in use for so many "
         "messages. \"default\" are several cores together, as they are in use.",
         "  veritytool bench\n"
         "  veritytool bench hashes aes-256-xts --size=512,4096 --svg=bench.svg\n"
         "  veritytool bench chacha20 --core=chacha_portable --size=1420\n"});
    line.option("core", "NAME", core_value(o.core), "only this core, and what it computes");
    line.option("size", "BYTES[,...]", sizes_value(o.sizes), "bytes of a message, sector or block (default: 4096)");
    line.option("direction", "encrypt|decrypt", direction_value(o.direction),
                "only this direction, and what has directions (default: both)");
    line.option("messages", "M", number(o.messages, std::uint64_t{1}, kMostMessages),
                "messages, sectors or blocks at a time (default: as many as fill a second-level cache)");
    add_threads_option(line, o.threads, "do so on N processors at once (default: 1)");
    line.option("count", "N", number(o.count, std::uint64_t{1}),
                "measure nothing, but go through M messages exactly N times on one thread; the last time between "
                "calls of roi_begin and roi_end, for tools that count instructions (default direction: encrypt)");
    line.option("svg", "FILE", text(o.chart_path), "also draw a bar chart");
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    o.algorithms = chosen_algorithms(line.positionals());
    match_options(o);
    o.threads = verity::usable_threads(o.threads);
    if (o.count && (o.algorithms.size() != 1 || o.sizes.size() != 1 || o.threads != 1 || !o.chart_path.empty()))
        throw Failure{kUnusable, "--count goes with one ALGORITHM, one --size and one thread, and without --svg"};
    return true;
}

}  // namespace commands
