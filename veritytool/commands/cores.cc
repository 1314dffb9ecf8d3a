#include <nlohmann/json.hpp>
#include <utility>

#include "hashlib/hash.h"
#include "veritytool/commands/bench_algorithm.h"
#include "veritytool/commands/commands.h"
#include "veritytool/commands/core_info.h"
#include "veritytool/commands/cpu_text.h"
#include "veritytool/commands/options.h"
#include "veritytool/commands/output.h"

namespace commands {
namespace {

using ciphers::CipherCore;
using ciphers::CipherFamily;
using hashlib::HashAlgorithm;
using hashlib::HashCore;
using nlohmann::ordered_json;

constexpr std::size_t kNameWidth = 13;

/// A core, and whether it is the one that is taken for a single unit or for very many.
struct ListedCore {
    CoreInfo info;
    bool used_for_one, used_for_many;
};

/// Cores of which one is chosen.
struct CoreGroup {
    std::string name;
    std::vector<std::string> serves;  ///< who computes with them, where the name does not say that
    std::string unit;                 ///< what lanes take; empty: cores have none, and one is in use for all
    ordered_json description;         ///< more about the group for the JSON report
    std::vector<ListedCore> cores;    ///< best first
};

/// All groups of a kind.
struct CoreSection {
    const char* heading;   ///< of the column of names
    const char* json_key;  ///< of the list of groups
    std::vector<CoreGroup> groups;
};

// --- what there is: a function a kind --------------------------------------------------------------------------------

CoreGroup hash_group(const HashAlgorithm& hash) {
    CoreGroup group{
        .name = std::string(hash.name),
        .serves = {},
        .unit = "message",
        .description = {{"digest_size", hash.digest_size}, {"compression_function", hashlib::traits(hash.family).name}},
        .cores = {}};
    const auto used_for = [&](const HashCore& core, std::size_t messages) {
        return &hashlib::best_core(hash.family, messages) == &core;
    };
    for (const HashCore& core : hashlib::hash_cores())
        if (core.family == hash.family)
            group.cores.push_back({core_info(core), used_for(core, 1), used_for(core, hashlib::kMaxLanes)});
    return group;
}

CoreSection hash_section() {
    CoreSection section{"Hash", "hashes", {}};
    for (const HashAlgorithm& hash : hashlib::hash_algorithms()) section.groups.push_back(hash_group(hash));
    return section;
}

/// What arch/cipher_core.h has cores of the family take side by side.
std::string unit(CipherFamily family) {
    switch (family) {
    case CipherFamily::chacha:
    case CipherFamily::salsa:
    case CipherFamily::aes:
    case CipherFamily::aesxts:
        return "block";
    case CipherFamily::hchacha:
        return "nonce";
    case CipherFamily::nh:
        return "chunk";
    case CipherFamily::poly1305:
        return "message";
    case CipherFamily::adiantum:
        return "sector";
    }
    return "unit";
}

std::vector<std::string> algorithms_with(const CipherCore& core) {
    std::vector<std::string> names;
    for (const BenchAlgorithm* algorithm : cipher_bench_algorithms())
        if (algorithm->uses(core.name)) names.emplace_back(algorithm->name());
    return names;
}

CoreGroup cipher_group(CipherFamily family) {
    constexpr std::size_t kMany = 1024;
    CoreGroup group{
        .name = std::string(ciphers::name(family)), .serves = {}, .unit = unit(family), .description = {}, .cores = {}};
    const auto used_for = [&](const CipherCore& core, std::size_t units) {
        return ciphers::best_core(family, units) == &core;
    };
    for (const CipherCore& core : ciphers::cipher_cores()) {
        if (core.family != family) continue;
        if (group.cores.empty()) group.serves = algorithms_with(core);
        group.cores.push_back({core_info(core), used_for(core, 1), used_for(core, kMany)});
    }
    group.description = {{"serves", group.serves}, {"unit", group.unit}};
    return group;
}

CoreSection cipher_section() {
    CoreSection section{"Cipher", "ciphers", {}};
    for (std::size_t family = 0; family < ciphers::kCipherFamilies; family++)
        section.groups.push_back(cipher_group(static_cast<CipherFamily>(family)));
    return section;
}

/// Multiplication in GF(2^8), the work of Reed-Solomon parity.
CoreSection error_correction_section() {
    CoreGroup group{.name = "gf256", .serves = {}, .unit = {}, .description = ordered_json::object(), .cores = {}};
    for (const verity::Gf256Core& core : verity::gf256_cores()) {
        const bool used = &core == &verity::best_gf256_core();
        group.cores.push_back({core_info(core), used, used});
    }
    return {"Parity", "error_correction", {std::move(group)}};
}

/// In the order in which they are listed.
std::vector<CoreSection> all_sections() {
    return {hash_section(), cipher_section(), error_correction_section()};
}

// --- how it is shown -------------------------------------------------------------------------------------------------

std::string use_text(const ListedCore& core, const std::string& unit) {
    if (!core.info.usable) return "not on this processor";
    if (unit.empty()) return core.used_for_many ? "all" : "";
    std::vector<std::string> uses;
    if (core.used_for_one) uses.push_back("one " + unit);
    if (core.used_for_many) uses.push_back("many " + unit + "s");
    return joined(uses, ", ");
}

void print_row(const std::string& name, const std::string& core, const std::string& lanes, const std::string& needs,
               const std::string& use) {
    const std::string row = padded(name, kNameWidth) + padded(core, 22) + padded(lanes, 7) + padded(needs, 16) + use;
    print(row.substr(0, row.find_last_not_of(' ') + 1) + '\n');
}

void print_group(const CoreGroup& group) {
    std::string name = group.name;
    if (!group.serves.empty()) {
        std::string line = padded(std::exchange(name, {}), kNameWidth);
        append_wrapped(line, kNameWidth, kNameWidth, "for " + joined(group.serves, ", "));
        print(line);
    }
    for (const ListedCore& core : group.cores) {
        const std::string needs = joined(feature_names(core.info.needs), " ");
        print_row(std::exchange(name, {}), std::string(core.info.name),
                  group.unit.empty() ? "-" : std::to_string(core.info.lanes), needs.empty() ? "-" : needs,
                  use_text(core, group.unit));
    }
}

void print_text(const std::vector<CoreSection>& sections) {
    print("Processor: " + joined(feature_names(arch::cpu_features()), " ") + '\n');
    for (const CoreSection& section : sections) {
        print("\n");
        print_row(section.heading, "Core", "Lanes", "Needs", "In use for");
        for (const CoreGroup& group : section.groups) print_group(group);
    }
}

ordered_json group_json(const CoreGroup& group) {
    ordered_json cores = ordered_json::array();
    for (const ListedCore& core : group.cores)
        cores.push_back({{"name", core.info.name},
                         {"lanes", core.info.lanes},
                         {"needs", feature_names(core.info.needs)},
                         {"usable", core.info.usable},
                         {"used_for_one", core.used_for_one},
                         {"used_for_many", core.used_for_many}});
    ordered_json json = {{"name", group.name}};
    json.update(group.description);
    json["cores"] = std::move(cores);
    return json;
}

ordered_json sections_json(const std::vector<CoreSection>& sections) {
    ordered_json json;
    json["cpu_features"] = feature_names(arch::cpu_features());
    for (const CoreSection& section : sections) {
        json[section.json_key] = ordered_json::array();
        for (const CoreGroup& group : section.groups) json[section.json_key].push_back(group_json(group));
    }
    return json;
}

}  // namespace

void run_cores(const std::vector<std::string>& arguments) {
    CommandLine line(
        {"cores",
         {},
         "Lists the code that can compute hash functions, ciphers and the parity of error correction, best "
         "first: how many messages or blocks it takes side by side, what it needs of the processor, and "
         "which is in use for one and for many.",
         "  veritytool cores\n"
         "  VERITYTOOL_CPU=-avx512 veritytool cores\n"});
    Reporting reporting;
    add_reporting_options(line, reporting);
    if (!line.parse(arguments)) return;
    reporting.json ? print_json(sections_json(all_sections())) : print_text(all_sections());
    print_success(reporting);
}

}  // namespace commands
