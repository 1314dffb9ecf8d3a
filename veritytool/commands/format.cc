#include <filesystem>
#include <optional>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/fec_options.h"
#include "veritytool/commands/interruption.h"
#include "veritytool/commands/paths.h"
#include "veritytool/commands/progress.h"
#include "veritytool/commands/root_hash.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/commands/tree_report.h"
#include "veritytool/random.h"
#include "veritytool/tree_builder.h"

namespace commands {
namespace {

using verity::File;

constexpr std::size_t kDefaultSaltSize = 32;
constexpr std::uint32_t kSmallestPageSize = 4096;  // of the architectures that Linux runs on

struct FormatOptions {
    std::string data_path, hash_path;
    TreeOptions tree;
    std::optional<verity::Uuid> uuid;
    std::string root_hash_file;
    FecOptions fec;
    unsigned threads = 0;
    bool no_progress = false, dry_run = false;
    Reporting reporting;
};

Take uuid_value(std::optional<verity::Uuid>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        auto uuid = verity::parse_uuid(value);
        if (!uuid) return uuid.error();
        target = *uuid;
        return {};
    };
}

bool parse(const std::vector<std::string>& arguments, FormatOptions& o) {
    CommandLine line({"format",
                      {"DATA", "HASH"},
                      "Makes the dm-verity hash tree of DATA in HASH and prints its root hash, as 'veritysetup format' "
                      "does.\n\n"
                      "  DATA  a file, a block device, or - for standard input\n"
                      "  HASH  a file, which is made if it is not there, or a block device;\n"
                      "        DATA itself with --hash-offset behind the data\n",
                      "  veritytool format system.img system.hash --root-hash-file=system.root\n"});
    add_parameter_options(line, o.tree, std::to_string(kDefaultSaltSize) + " random bytes");
    line.group("Where it goes");
    add_no_superblock_option(line, o.tree);
    add_hash_offset_option(line, o.tree.hash_offset);
    line.option("uuid", "UUID", uuid_value(o.uuid), "identifier in the superblock (default: random)");
    line.option("root-hash-file", "FILE", text(o.root_hash_file), "also write the root hash to FILE");
    add_fec_options(line, o.fec);
    line.group("How it is done");
    add_threads_option(line, o.threads, kThreadsHelp);
    line.flag("dry-run", o.dry_run, "only print the sizes, without reading the data or touching HASH");
    add_no_progress_option(line, o.no_progress);
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    o.data_path = line.positionals()[0];
    o.hash_path = line.positionals()[1];
    return true;
}

/// What Linux cannot do with such a tree, although veritysetup can verify it.
void print_notes(const verity::TreeParameters& p) {
    // Commits 7f9b0880925f (v5.5) and 2d16803c562e (v6.0) brought it to the kernel's crypto API and removed it.
    if (p.hash->name == "blake2s-256")
        print_note("Linux has had blake2s-256 in 5.5 to 5.19 only: no kernel from 6.0 on can map this tree");
    // verity_ctr in drivers/md/dm-verity-target.c refuses such blocks.
    if (p.data_block_size > kSmallestPageSize)
        print_note("Linux maps data blocks up to its page size only: " + std::to_string(p.data_block_size) +
                   " bytes are too many where that is " + std::to_string(kSmallestPageSize));
}

/// The parity as it will be, as far as that can be told without touching a file.
FecReport fec_beforehand(const FormatOptions& o, const File& data, const std::optional<File>& hash,
                         const TreeReport& tree) {
    std::uint64_t end = hash ? verity::hash_size_to_be(data, *hash, tree.layout) : tree.layout.end;
    std::error_code none;
    const bool shared =
        same_place(o.fec.path, o.hash_path) || std::filesystem::equivalent(o.fec.path, o.hash_path, none);
    if (shared) end = o.fec.request().offset;
    const auto layout = or_fail(verity::lay_out_fec(tree.parameters, tree.layout, o.fec.request().roots, end));
    return {o.fec.path, layout, o.fec.request(), shared};
}

void print_dry_run(const FormatOptions& o, const File& data) {
    TreeReport report{o.hash_path, o.tree.parameters, {}, {}, o.tree.hash_offset, {}};
    report.parameters.data_blocks = blocks_beforehand(data, o.tree.parameters);
    report.layout = or_fail(verity::lay_out(report.parameters, o.tree.hash_offset, !o.tree.no_superblock));
    std::optional<File> hash;
    if (std::filesystem::exists(o.hash_path)) hash.emplace(or_fail(File::open_for_reading(o.hash_path)));
    if (hash) or_fail(verity::check_room(data, *hash, report.layout, o.tree.hash_offset));
    if (o.fec.given()) report.fec = fec_beforehand(o, data, hash, report);
    print_sizes(report, o.reporting.json);
}

/// The bytes that building a tree reads; 0 for a stream, which may have any number.
std::uint64_t bytes_to_read(const FormatOptions& o, const File& data) {
    verity::TreeParameters parameters = o.tree.parameters;
    if (data.kind() == File::Kind::stream && parameters.data_blocks == 0) return 0;
    parameters.data_blocks = blocks_beforehand(data, parameters);
    const auto layout = or_fail(verity::lay_out(parameters, o.tree.hash_offset, !o.tree.no_superblock));
    return layout.data_size + layout.tree_size;
}

verity::BuildRequest build_request(const FormatOptions& o) {
    verity::BuildRequest request{o.tree.parameters, std::nullopt, o.tree.hash_offset, o.fec.request()};
    if (!o.tree.salt_given) {
        request.parameters.salt.resize(kDefaultSaltSize);
        or_fail(verity::fill_random(request.parameters.salt));
    }
    if (!o.tree.no_superblock) request.uuid = o.uuid ? *o.uuid : or_fail(verity::random_uuid());
    return request;
}

verity::BuiltTree build(const FormatOptions& o, const File& data, verity::HashOutput& output,
                        const verity::BuildRequest& request, verity::FecOutput* parity) {
    Progress progress(!o.no_progress, bytes_to_read(o, data));
    const verity::Control control{o.threads, [&](std::uint64_t bytes) { progress.update(bytes); }, interruption_flag()};
    return or_fail(verity::build_tree(data, output, request, control, parity));
}

/// Makes the tree. Everything is kept only once the root hash has safely reached whoever asked for it.
void format(const FormatOptions& o, const File& data) {
    verity::HashOutput output = or_fail(verity::HashOutput::open(o.hash_path));
    std::optional<verity::FecOutput> parity;
    if (o.fec.given()) parity.emplace(or_fail(verity::FecOutput::open(o.fec.path)));
    std::optional<RootHashOutput> root_output;
    if (!o.root_hash_file.empty())
        root_output.emplace(o.root_hash_file, data, output.file(), parity ? &parity->file() : nullptr);

    const verity::BuildRequest request = build_request(o);
    const verity::BuiltTree tree = build(o, data, output, request, parity ? &*parity : nullptr);
    if (root_output) root_output->write(tree.root);
    TreeReport report{o.hash_path, tree.parameters, tree.layout, request.uuid, request.hash_offset, tree.root};
    if (tree.fec) report.fec = FecReport{o.fec.path, *tree.fec, request.fec, parity->file().same_as(output.file())};
    print_header(report, o.reporting.json);
    print_success(o.reporting);
    flush_output();
    check_interruption();
    or_fail(output.keep());
    if (parity) or_fail(parity->keep());
    if (root_output) root_output->keep();
}

}  // namespace

void run_format(const std::vector<std::string>& arguments) {
    FormatOptions options;
    if (!parse(arguments, options)) return;
    check_options(options.tree);
    check_fec_options(options.fec, options.tree.parameters);
    if (options.hash_path == "-")
        throw Failure{kUnusable, "HASH cannot be standard output: it is not written in order"};
    catch_interruptions();
    const File data = or_fail(File::open_for_reading(options.data_path));
    print_notes(options.tree.parameters);
    if (options.dry_run)
        print_dry_run(options, data);
    else
        format(options, data);
}

}  // namespace commands
