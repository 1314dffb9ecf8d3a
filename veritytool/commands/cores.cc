#include <nlohmann/json.hpp>

#include "hashlib/hash.h"
#include "hashlib/registry.h"
#include "veritytool/commands/commands.h"
#include "veritytool/commands/cpu_text.h"
#include "veritytool/commands/options.h"
#include "veritytool/commands/output.h"

namespace commands {
namespace {

using hashlib::HashAlgorithm;
using hashlib::HashCore;
using nlohmann::ordered_json;

bool parse(const std::vector<std::string>& arguments, Reporting& reporting) {
    CommandLine line({"cores",
                      {},
                      "Lists every hash function and the code that can compute it, best first: how many messages it "
                      "takes side by side, what it needs of the processor, and which is in use for one message and for "
                      "many.",
                      "  veritytool cores\n"
                      "  VERITYTOOL_CPU=-avx512 veritytool cores\n"});
    add_reporting_options(line, reporting);
    return line.parse(arguments);
}

bool used_for(const HashCore& core, std::size_t messages) {
    return &hashlib::best_core(core.family, messages) == &core;
}

std::string use_text(const HashCore& core) {
    if (!hashlib::usable(core)) return "not on this processor";
    std::vector<std::string> uses;
    if (used_for(core, 1)) uses.emplace_back("one message");
    if (used_for(core, hashlib::kMaxLanes)) uses.emplace_back("many messages");
    return joined(uses, ", ");
}

void print_row(const std::string& hash, const std::string& core, const std::string& lanes, const std::string& needs,
               const std::string& use) {
    const std::string row = padded(hash, 13) + padded(core, 22) + padded(lanes, 7) + padded(needs, 16) + use;
    print(row.substr(0, row.find_last_not_of(' ') + 1) + '\n');
}

void print_text() {
    print("Processor: " + joined(feature_names(arch::cpu_features()), " ") + "\n\n");
    print_row("Hash", "Core", "Lanes", "Needs", "In use for");
    for (const HashAlgorithm& hash : hashlib::hash_algorithms()) {
        std::string name(hash.name);
        for (const HashCore& core : hashlib::hash_cores()) {
            if (core.family != hash.family) continue;
            const std::string needs = joined(feature_names(core.needs), " ");
            print_row(std::exchange(name, {}), std::string(core.name), std::to_string(core.lanes),
                      needs.empty() ? "-" : needs, use_text(core));
        }
    }
}

ordered_json core_json(const HashCore& core) {
    return {{"name", core.name},
            {"lanes", core.lanes},
            {"needs", feature_names(core.needs)},
            {"usable", hashlib::usable(core)},
            {"used_for_one", used_for(core, 1)},
            {"used_for_many", used_for(core, hashlib::kMaxLanes)}};
}

void print_as_json() {
    ordered_json json;
    json["cpu_features"] = feature_names(arch::cpu_features());
    json["hashes"] = ordered_json::array();
    for (const HashAlgorithm& hash : hashlib::hash_algorithms()) {
        ordered_json cores = ordered_json::array();
        for (const HashCore& core : hashlib::hash_cores())
            if (core.family == hash.family) cores.push_back(core_json(core));
        json["hashes"].push_back({{"name", hash.name},
                                  {"digest_size", hash.digest_size},
                                  {"compression_function", hashlib::traits(hash.family).name},
                                  {"cores", std::move(cores)}});
    }
    print_json(json);
}

}  // namespace

void run_cores(const std::vector<std::string>& arguments) {
    Reporting reporting;
    if (!parse(arguments, reporting)) return;
    reporting.json ? print_as_json() : print_text();
    print_success(reporting);
}

}  // namespace commands
