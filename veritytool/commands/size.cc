#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/commands/tree_report.h"

namespace commands {
namespace {

struct SizeOptions {
    std::string data_path;  // empty: --data-blocks says it all
    TreeOptions tree;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, SizeOptions& o) {
    CommandLine line({"size",
                      {"[DATA]"},
                      "Tells how large the hash tree of DATA, or of as many data blocks as --data-blocks says, will be "
                      "and where its levels will stand, without reading any data. The salt has no influence.",
                      "  veritytool size system.img\n"
                      "  veritytool size --data-blocks=1048576 --hash=sha256\n"});
    add_parameter_options(line, o.tree, "none");
    add_no_superblock_option(line, o.tree);
    add_hash_offset_option(line, o.tree.hash_offset);
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    if (!line.positionals().empty()) o.data_path = line.positionals()[0];
    if (o.data_path.empty() && o.tree.parameters.data_blocks == 0)
        throw Failure{kUnusable, "size: neither DATA nor --data-blocks is given (usage: " + line.usage() + ")"};
    return true;
}

}  // namespace

void run_size(const std::vector<std::string>& arguments) {
    SizeOptions options;
    if (!parse(arguments, options)) return;
    check_options(options.tree);
    const TreeOptions& tree = options.tree;
    TreeReport report{"", tree.parameters, {}, {}, tree.hash_offset, {}};
    if (!options.data_path.empty())
        report.parameters.data_blocks =
            blocks_beforehand(or_fail(verity::File::open_for_reading(options.data_path)), tree.parameters);
    report.layout = or_fail(verity::lay_out(report.parameters, tree.hash_offset, !tree.no_superblock));
    print_sizes(report, options.reporting.json);
    print_success(options.reporting);
}

}  // namespace commands
