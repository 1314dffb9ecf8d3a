#include <nlohmann/json.hpp>

#include "veritytool/commands/bench_case.h"
#include "veritytool/commands/bench_options.h"
#include "veritytool/commands/bench_report.h"
#include "veritytool/commands/commands.h"
#include "veritytool/commands/roi.h"

namespace commands {
namespace {

using nlohmann::ordered_json;

void measure_all(const BenchOptions& o) {
    const std::vector<BenchCase> cases = make_cases(o);
    const CycleCounter counter;
    const std::string source = cycles_source(o.threads, counter);
    std::vector<Measurement> results;
    ordered_json list = ordered_json::array();
    for (const BenchCase& c : cases) {
        results.push_back(measure(c, counter));
        if (o.reporting.json)
            list.push_back(result_json(c, results.back()));
        else
            print_result(results.size() == 1 ? nullptr : &c - 1, c, results.back());
    }
    if (o.reporting.json)
        print_json({{"cycles_from", source}, {"results", std::move(list)}});
    else
        print_legend(source);
    if (!o.chart_path.empty()) write_chart(o.chart_path, cases, results);
}

/// --count: nothing but the work, so that two counts differ by exactly the repetitions between them.
void repeat(const BenchOptions& o) {
    const BenchCase c = make_counted_case(o);
    const std::unique_ptr<Workload> workload = c.workload();
    for (std::uint64_t i = 1; i < *o.count; i++) workload->run();
    roi_begin();
    workload->run();
    roi_end();
    o.reporting.json ? print_json(counted_json(c, *o.count)) : print_counted(c, *o.count);
}

}  // namespace

void run_bench(const std::vector<std::string>& arguments) {
    BenchOptions options;
    if (!parse_bench_options(arguments, options)) return;
    options.count ? repeat(options) : measure_all(options);
    print_success(options.reporting);
}

}  // namespace commands
