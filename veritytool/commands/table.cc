#include "veritytool/table.h"

#include <array>
#include <nlohmann/json.hpp>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/device_name.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/root_hash.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/fec_layout.h"

namespace commands {
namespace {

/// Of the words that answer the same question the kernel takes one.
enum class Question { none, corruption, io_error };

/// A word of the table without a value, as a flag of ours.
struct WordFlag {
    const char* flag;
    const char* word;
    Question answers;
    const char* help;
};

// Source: Linux Documentation/admin-guide/device-mapper/verity.rst; the flags are veritysetup's where it has one.
constexpr WordFlag kWordFlags[] = {
    {"ignore-corruption", "ignore_corruption", Question::corruption, "only log corrupt blocks"},
    {"restart-on-corruption", "restart_on_corruption", Question::corruption, "restart the machine at a corrupt block"},
    {"panic-on-corruption", "panic_on_corruption", Question::corruption, "panic at a corrupt block"},
    {"restart-on-error", "restart_on_error", Question::io_error, "restart the machine at an I/O error"},
    {"panic-on-error", "panic_on_error", Question::io_error, "panic at an I/O error"},
    {"ignore-zero-blocks", "ignore_zero_blocks", Question::none, "do not read blocks that must be all zeros"},
    {"check-at-most-once", "check_at_most_once", Question::none, "verify a data block only when it is first read"},
    {"use-tasklets", "try_verify_in_tasklet", Question::none, "verify in tasklets where the hashes are in memory"},
};

struct TableOptions {
    std::string data_path, hash_path;
    TreeOptions tree;
    RootArgument root;
    std::string kernel_name;  ///< of the device for the kernel's command line; empty: the bare table
    std::array<bool, std::size(kWordFlags)> flags{};
    std::string signature_key;
    std::string fec_device;
    std::optional<unsigned> fec_roots;
    std::optional<std::uint64_t> fec_blocks, fec_start;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, TableOptions& o) {
    CommandLine line(
        {"table",
         {"DATA", "HASH", "[ROOT]"},
         "Prints the device-mapper table with which Linux maps DATA and verifies it by HASH: for 'dmsetup create', or "
         "as a parameter for the kernel's command line. The paths stand in it as they are given.",
         "  dmsetup create --readonly system --table \\\n"
         "    \"$(veritytool table /dev/sda2 /dev/sda3 --root-hash-file=system.root)\"\n"
         "  veritytool table --kernel-cmdline=system /dev/sda2 /dev/sda3 \\\n"
         "    --root-hash-file=system.root\n"});
    add_root_hash_file_option(line, o.root);
    add_hash_offset_option(line, o.tree.hash_offset);
    line.option("kernel-cmdline", "NAME", device_name_value(o.kernel_name),
                "print it as dm-mod.create=, with which a kernel that has CONFIG_DM_INIT maps /dev/mapper/NAME itself");
    add_reporting_options(line, o.reporting);
    line.group("What the kernel is to do");
    for (std::size_t i = 0; i < std::size(kWordFlags); i++)
        line.flag(kWordFlags[i].flag, o.flags[i], kWordFlags[i].help);
    line.option("root-hash-sig-key-desc", "NAME", text(o.signature_key),
                "demand a signature of the root hash: the key of this description in the kernel's keyring");
    line.option("fec-device", "PATH", text(o.fec_device), "correct errors with the parity on this device");
    line.option("fec-blocks", "N", number(o.fec_blocks, std::uint64_t{1}), "number of blocks that the parity covers");
    line.option("fec-roots", "N", number(o.fec_roots, verity::kMinFecRoots, verity::kMaxFecRoots),
                "parity bytes of a codeword (default: " + std::to_string(verity::kMinFecRoots) + ")");
    line.option("fec-start", "N", number(o.fec_start), "block of that device where the parity begins (default: 0)");
    add_stored_tree_options(line, o.tree);
    if (!line.parse(arguments)) return false;
    o.data_path = line.positionals()[0];
    o.hash_path = line.positionals()[1];
    take_root_positional(line, 2, o.root);
    return true;
}

void append_flags(std::vector<std::string>& words, const TableOptions& o) {
    const WordFlag* earlier = nullptr;
    for (std::size_t i = 0; i < std::size(kWordFlags); i++) {
        const WordFlag& flag = kWordFlags[i];
        if (!o.flags[i]) continue;
        words.emplace_back(flag.word);
        if (flag.answers == Question::none) continue;
        if (earlier != nullptr && earlier->answers == flag.answers)
            throw Failure{kUnusable, std::string("--") + earlier->flag + " and --" + flag.flag + " exclude each other"};
        earlier = &flag;
    }
}

void append_error_correction(std::vector<std::string>& words, const TableOptions& o) {
    if (o.fec_device.empty()) {
        if (o.fec_blocks || o.fec_roots || o.fec_start)
            throw Failure{kUnusable, "--fec-blocks, --fec-roots and --fec-start need --fec-device"};
        return;
    }
    if (!o.fec_blocks) throw Failure{kUnusable, "--fec-device needs --fec-blocks"};
    words.insert(words.end(), {"use_fec_from_device", o.fec_device});
    words.insert(words.end(), {"fec_roots", std::to_string(o.fec_roots.value_or(verity::kMinFecRoots))});
    words.insert(words.end(), {"fec_blocks", std::to_string(*o.fec_blocks)});
    words.insert(words.end(), {"fec_start", std::to_string(o.fec_start.value_or(0))});
}

/// The optional words of the table, in the order of the kernel's documentation. Throws Failure where they do not go
/// together.
std::vector<std::string> optional_words(const TableOptions& o) {
    std::vector<std::string> words;
    append_flags(words, o);
    append_error_correction(words, o);
    if (!o.signature_key.empty()) words.insert(words.end(), {"root_hash_sig_key_desc", o.signature_key});
    return words;
}

}  // namespace

void run_table(const std::vector<std::string>& arguments) {
    TableOptions options;
    if (!parse(arguments, options)) return;
    check_options(options.tree);
    const std::vector<std::string> words = optional_words(options);
    const auto parameters = stored_parameters(options.tree, options.data_path, options.hash_path);
    const auto layout = or_fail(verity::lay_out(parameters, options.tree.hash_offset, !options.tree.no_superblock));
    const auto root = read_root(options.root, *parameters.hash);
    const std::string table =
        verity::device_mapper_table(parameters, layout, options.data_path, options.hash_path, root, words);
    const bool for_command_line = !options.kernel_name.empty();
    const std::string parameter =
        for_command_line ? or_fail(verity::kernel_command_line(options.kernel_name, table)) : std::string();
    if (options.reporting.json) {
        nlohmann::ordered_json json = {{"table", table}, {"sectors", layout.data_size / verity::kSectorSize}};
        if (for_command_line) json["kernel_cmdline"] = parameter;
        print_json(json);
    } else {
        print((for_command_line ? parameter : table) + '\n');
    }
    print_success(options.reporting);
}

}  // namespace commands
