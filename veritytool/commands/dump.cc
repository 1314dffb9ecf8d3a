#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/commands/tree_report.h"

namespace commands {
namespace {

struct DumpOptions {
    std::string hash_path;
    std::uint64_t hash_offset = 0;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, DumpOptions& o) {
    CommandLine line({"dump",
                      {"HASH"},
                      "Prints what the verity superblock in HASH says, as 'veritysetup dump' does.",
                      "  veritytool dump system.hash\n"});
    add_hash_offset_option(line, o.hash_offset);
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    o.hash_path = line.positionals()[0];
    return true;
}

}  // namespace

void run_dump(const std::vector<std::string>& arguments) {
    DumpOptions options;
    if (!parse(arguments, options)) return;
    const verity::File hash = or_fail(verity::File::open_for_reading(options.hash_path));
    const verity::Superblock superblock = read_superblock(hash, options.hash_offset);
    const TreeReport report{options.hash_path,
                            superblock.parameters,
                            or_fail(verity::lay_out(superblock.parameters, options.hash_offset, true)),
                            superblock.uuid,
                            options.hash_offset,
                            {}};
    print_header(report, options.reporting.json);
    print_success(options.reporting);
}

}  // namespace commands
