#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
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
    unsigned threads = 0;
    bool no_progress = false;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, VerifyOptions& o) {
    CommandLine line({"verify",
                      {"DATA", "HASH", "[ROOT]"},
                      "Checks all of DATA, and of its hash tree in HASH, against the root hash. Every corrupt block is "
                      "named on standard output, in ranges; what stands under a corrupt hash block cannot be verified. "
                      "Exit status 2 says that something was wrong.",
                      "  veritytool verify system.img system.hash --root-hash-file=system.root\n"});
    add_root_hash_file_option(line, o.root);
    add_hash_offset_option(line, o.tree.hash_offset);
    add_threads_option(line, o.threads, kThreadsHelp);
    add_no_progress_option(line, o.no_progress);
    add_reporting_options(line, o.reporting);
    add_stored_tree_options(line, o.tree);
    if (!line.parse(arguments)) return false;
    o.data_path = line.positionals()[0];
    o.hash_path = line.positionals()[1];
    take_root_positional(line, 2, o.root);
    return true;
}

verity::VerifyRequest verify_request(const VerifyOptions& o) {
    verity::VerifyRequest request;
    request.parameters = stored_parameters(o.tree, o.data_path, o.hash_path);
    request.superblock = !o.tree.no_superblock;
    request.hash_offset = o.tree.hash_offset;
    request.root = read_root(o.root, *request.parameters.hash);
    return request;
}

/// Verifies, and prints what is found as it is found.
verity::VerifyReport verify(const VerifyOptions& o, const verity::VerifyRequest& request, const Subject& subject,
                            std::uint64_t bytes_to_read) {
    const File data = or_fail(File::open_for_reading(o.data_path));
    const File hash = or_fail(File::open_for_reading(o.hash_path));
    Progress progress(!o.no_progress, bytes_to_read);
    JsonReport json(subject);
    const auto found = [&](const verity::Finding& finding) {
        progress.hide();
        o.reporting.json ? json.add(finding) : print(finding_text(subject, finding) + '\n');
    };
    const verity::Control control{o.threads, [&](std::uint64_t bytes) { progress.update(bytes); }, interruption_flag()};
    auto report = or_fail(verity::verify_tree(data, hash, request, control, found));
    if (o.reporting.json) json.end(report);
    return report;
}

}  // namespace

void run_verify(const std::vector<std::string>& arguments) {
    VerifyOptions options;
    if (!parse(arguments, options)) return;
    check_options(options.tree);
    catch_interruptions();
    const verity::VerifyRequest request = verify_request(options);
    const auto layout = or_fail(verity::lay_out(request.parameters, request.hash_offset, request.superblock));
    const Subject subject{options.data_path, options.hash_path, request.parameters.data_blocks,
                          layout.tree_size / layout.hash_block_size, request.root};
    const auto report = verify(options, request, subject, layout.data_size + layout.tree_size);
    flush_output();
    if (!report.good()) throw Failure{kVerificationFailed, verdict_text(subject, report)};
    print_success(options.reporting);
}

}  // namespace commands
