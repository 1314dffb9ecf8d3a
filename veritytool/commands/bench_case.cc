#include "veritytool/commands/bench_case.h"

#include <algorithm>
#include <utility>

#include "veritytool/commands/failure.h"
#include "veritytool/parallel.h"

namespace commands {
namespace {

using ciphers::Direction;

constexpr std::uint64_t kUsualBytes = std::uint64_t{256} * 1024;  // of all messages; a second-level cache holds them
constexpr std::uint64_t kMostUsualMessages = 1024;

/// As many whole rows of the widest hash core's lanes as kUsualBytes hold, but at least one.
std::uint64_t usual_messages(std::uint32_t size) {
    const std::uint64_t rows = kUsualBytes / size / hashlib::kMaxLanes;
    return std::clamp<std::uint64_t>(rows * hashlib::kMaxLanes, hashlib::kMaxLanes, kMostUsualMessages);
}

BenchCase make_case(const BenchOptions& o, const BenchAlgorithm& algorithm, std::uint32_t size) {
    const Load load{size, o.messages.value_or(usual_messages(size)), o.direction};
    if (load.bytes() > kMostBytes)
        throw Failure{kUnusable, std::to_string(load.messages) + " messages of " + counted(size, "byte") +
                                     " are more than " + std::to_string(kMostBytes) + " bytes"};
    return {&algorithm, o.core ? std::optional(o.core->name) : std::nullopt, load, o.threads};
}

/// The cores to measure an algorithm with; nothing stands for what the library chooses.
std::vector<std::optional<std::string_view>> cores_to_measure(const BenchOptions& o, const BenchAlgorithm& algorithm) {
    if (o.core) return {o.core->name};
    std::vector<std::optional<std::string_view>> cores;
    for (const CoreInfo& core : algorithm.cores())
        if (core.usable) cores.emplace_back(core.name);
    if (cores.empty()) cores.emplace_back();
    return cores;
}

std::vector<std::optional<Direction>> directions_to_measure(const BenchOptions& o, const BenchAlgorithm& algorithm) {
    if (o.direction || !algorithm.has_directions()) return {o.direction};
    return {Direction::encrypt, Direction::decrypt};
}

}  // namespace

std::string_view BenchCase::core_name() const {
    if (core) return *core;
    for (const CoreInfo& candidate : algorithm->cores())
        if (candidate.usable && algorithm->in_use(candidate.name, load)) return candidate.name;
    return "default";
}

bool BenchCase::selected() const {
    return !core || algorithm->in_use(*core, load);
}

std::vector<BenchCase> make_cases(const BenchOptions& o) {
    std::vector<BenchCase> cases;
    for (std::uint32_t size : o.sizes)
        for (const auto& [algorithm, named] : o.algorithms) {
            const auto taken = algorithm->check_size(size);
            if (!taken && named) throw Failure{kUnusable, "--size: " + taken.error().message};
            if (!taken) continue;
            BenchCase c = make_case(o, *algorithm, size);
            for (const auto& core : cores_to_measure(o, *algorithm))
                for (const auto direction : directions_to_measure(o, *algorithm)) {
                    c.core = core;
                    c.load.direction = direction;
                    cases.push_back(c);
                }
        }
    return cases;
}

BenchCase make_counted_case(const BenchOptions& o) {
    const BenchAlgorithm& algorithm = *o.algorithms.front().algorithm;
    BenchCase c = make_case(o, algorithm, o.sizes.front());
    c.load.direction = directions_to_measure(o, algorithm).front();
    return c;
}

Measurement measure(const BenchCase& c, const CycleCounter& counter) {
    std::vector<std::unique_ptr<Workload>> workloads;
    for (unsigned i = 0; i < c.threads; i++) workloads.push_back(c.workload());
    if (c.threads == 1) {
        const auto work = [&](std::uint64_t times) {
            for (std::uint64_t i = 0; i < times; i++) workloads[0]->run();
        };
        return measure(Timed{work, c.load.bytes(), 1}, counter);
    }
    const auto work = [&](std::uint64_t times) {
        std::uint64_t left = times * c.threads;
        verity::run({c.threads, workloads.size(), [&](std::size_t) { return left != 0 && left-- != 0; },
                     [&](std::size_t slot) { workloads[slot]->run(); }, [](std::size_t) {}});
    };
    return measure(Timed{work, c.load.bytes() * c.threads, c.threads}, counter);
}

}  // namespace commands
