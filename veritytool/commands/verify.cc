#include <nlohmann/json.hpp>
#include <optional>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/fec_findings.h"
#include "veritytool/commands/fec_options.h"
#include "veritytool/commands/findings.h"
#include "veritytool/commands/interruption.h"
#include "veritytool/commands/progress.h"
#include "veritytool/commands/root_hash.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/tree_verifier.h"

namespace commands {
namespace {

using verity::File;

struct VerifyOptions {
    std::string data_path, hash_path;
    TreeOptions tree;
    RootArgument root;
    FecOptions fec;
    unsigned threads = 0;
    bool no_progress = false;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, VerifyOptions& o) {
    CommandLine line({"verify",
                      {"DATA", "HASH", "[ROOT]"},
                      "Checks all of DATA, and of its hash tree in HASH, against the root hash. Every corrupt block is "
                      "named on standard output, in ranges; what stands under a corrupt hash block cannot be verified. "
                      "With --fec-device the parity is checked as well, and of what is corrupt it is said whether "
                      "'veritytool repair' can repair it. "
                      "Exit status 2 says that something was wrong.",
                      "  veritytool verify system.img system.hash --root-hash-file=system.root\n"});
    add_root_hash_file_option(line, o.root);
    add_hash_offset_option(line, o.tree.hash_offset);
    add_threads_option(line, o.threads, kThreadsHelp);
    add_no_progress_option(line, o.no_progress);
    add_reporting_options(line, o.reporting);
    add_fec_options(line, o.fec);
    add_stored_tree_options(line, o.tree);
    if (!line.parse(arguments)) return false;
    o.data_path = line.positionals()[0];
    o.hash_path = line.positionals()[1];
    take_root_positional(line, 2, o.root);
    return true;
}

/// What is known in the end.
struct Verdict {
    verity::VerifyReport report;
    std::optional<verity::RepairCounts> repairable;  ///< of what the report says is corrupt, where there is parity
    std::string parity;                              ///< what is wrong with it; empty: nothing
};

/// Says of everything that is corrupt whether it can be repaired.
verity::RepairCounts tell_repairable(const VerifyOptions& o, verity::FecRepair& repair, const StoredParity& parity,
                                     nlohmann::ordered_json& json) {
    or_fail(repair.repair_tree());
    or_fail(repair.repair_data({}));
    json["outcomes"] = nlohmann::ordered_json::array();
    repair.for_each_outcome([&](const verity::RepairOutcome& outcome) {
        if (o.reporting.json)
            json["outcomes"].push_back(outcome_json(outcome, false));
        else
            print(outcome_text(outcome, parity.layout.roots, false) + '\n');
    });
    const auto counts = repair.counts();
    json.update(counts_json(counts, false));
    return counts;
}

/// Says whether the parity is that of data and tree, which are good.
std::string tell_parity(const VerifyOptions& o, const verity::FecMessage& message, const StoredParity& parity,
                        const verity::Control& control, nlohmann::ordered_json& json) {
    const auto check = or_fail(verity::check_parity(message, parity.place(), control));
    std::string text = parity_text(check, parity);
    bool digest_matches = true;
    if (parity.header && check.good()) {
        digest_matches = or_fail(verity::parity_digest(parity.file, parity.layout.parity_size, control.stop)) ==
                         parity.header->digest;
        if (!digest_matches)
            text = "parity in " + printable(parity.file.path()) + ": good, but not the digest of it in the header";
    }
    json["parity_valid"] = text.empty();
    json["parity_bad_bytes"] = check.bad_bytes;
    json["parity_missing_bytes"] = check.missing;
    if (!text.empty() && !o.reporting.json) print(text + '\n');
    return text;
}

/// Verifies, and prints what is found as it is found.
Verdict verify(const VerifyOptions& o, const verity::VerifyRequest& request, const verity::TreeLayout& layout,
               const Subject& subject) {
    const File data = or_fail(File::open_for_reading(o.data_path));
    const File hash = or_fail(File::open_for_reading(o.hash_path));
    std::optional<StoredParity> parity;
    if (o.fec.given()) parity.emplace(open_parity(o.fec, request.parameters, layout, hash));

    const std::uint64_t tree_bytes = layout.data_size + layout.tree_size;
    Progress progress(!o.no_progress, tree_bytes + (parity ? parity->layout.message_size() : 0));
    std::uint64_t before = 0;
    const verity::Control control{o.threads, [&](std::uint64_t bytes) { progress.update(before + bytes); },
                                  interruption_flag()};
    std::optional<verity::FecRepair> repair;
    if (parity) repair.emplace(data, hash, request, parity->layout, parity->place(), control);
    JsonReport json(subject);
    const auto found = [&](const verity::Finding& finding) {
        progress.hide();
        if (repair) repair->note(finding);
        o.reporting.json ? json.add(finding) : print(finding_text(subject, finding) + '\n');
    };
    Verdict verdict{or_fail(verity::verify_tree(data, hash, request, control, found)), {}, {}};
    nlohmann::ordered_json fec_json;
    if (parity) {
        before = tree_bytes;
        repair->note(verdict.report);
        progress.hide();
        if (verdict.report.good())
            verdict.parity = tell_parity(o, {data, hash, parity->layout}, *parity, control, fec_json);
        else
            verdict.repairable = tell_repairable(o, *repair, *parity, fec_json);
    }
    if (o.reporting.json) json.end(verdict.report, fec_json);
    return verdict;
}

/// What can be repaired, all in all, behind what is wrong.
std::string repairable_text(const verity::RepairCounts& counts) {
    if (counts.complete()) return "; all of it can be repaired";
    const std::string repairable = repaired_text(counts);
    return "; " + remaining_text(counts) + (repairable.empty() ? "" : ", " + repairable + " repairable");
}

}  // namespace

void run_verify(const std::vector<std::string>& arguments) {
    VerifyOptions options;
    if (!parse(arguments, options)) return;
    check_options(options.tree);
    check_fec_options_given(options.fec);
    catch_interruptions();
    const verity::VerifyRequest request = verify_request(
        stored_parameters(options.tree, options.data_path, options.hash_path), options.tree, options.root);
    const auto layout = or_fail(verity::lay_out(request.parameters, request.hash_offset, request.superblock));
    const Subject subject{options.data_path, options.hash_path, request.parameters.data_blocks,
                          layout.tree_size / layout.hash_block_size, request.root};
    const Verdict verdict = verify(options, request, layout, subject);
    flush_output();
    if (!verdict.report.good())
        throw Failure{kVerificationFailed, verdict_text(subject, verdict.report) +
                                               (verdict.repairable ? repairable_text(*verdict.repairable) : "")};
    if (!verdict.parity.empty())
        throw Failure{kVerificationFailed,
                      options.data_path + ": verification failed: data and tree are good, but " + verdict.parity};
    print_success(options.reporting);
}

}  // namespace commands
