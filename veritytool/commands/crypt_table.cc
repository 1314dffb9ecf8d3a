#include "veritytool/crypt_table.h"

#include <nlohmann/json.hpp>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/crypt_options.h"
#include "veritytool/commands/device_name.h"
#include "veritytool/commands/failure.h"

namespace commands {
namespace {

struct CryptTableOptions {
    std::string in_path;
    std::string name;
    std::string key_path = "KEYFILE";
    std::string key_description;
    std::optional<unsigned> key_bits;
    CryptOptions crypt;
    Reporting reporting;
};

/// The description of a logon key, which must have a prefix; blanks would end it in the table.
Take description_value(std::string& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        const std::size_t colon = value.find(':');
        if (colon == 0 || colon >= value.size() - 1 || value.find_first_of(" \t\n\\") != std::string::npos)
            return verity::Error{verity::ErrorKind::usage, in_quotes(value) + " is not of the form PREFIX:REST"};
        target = value;
        return {};
    };
}

bool parse(const std::vector<std::string>& arguments, CryptTableOptions& o) {
    CommandLine line(
        {"crypt-table",
         {"IN"},
         "Prints the commands with which Linux opens IN, an encrypted device or image, as "
         "/dev/mapper/NAME: 'dmsetup create' with the table that dm-crypt takes and the key in the kernel's "
         "keyring, or 'cryptsetup open'. IN is only asked for its size, the key is not read.",
         "  veritytool crypt-table /dev/sda2 --name=system --key-file=system.key\n"});
    line.option("name", "NAME", device_name_value(o.name), "what the opened device is to be called");
    line.option("key-file,d", "FILE", text(o.key_path),
                "where the key will be, for the commands (default: " + o.key_path + ")");
    add_key_size_option(line, o.key_bits);
    line.option("key-description", "TEXT", description_value(o.key_description),
                "how the kernel's keyring calls the key (default: veritytool:NAME)");
    add_crypt_options(line, o.crypt);
    add_reporting_options(line, o.reporting);
    if (!line.parse(arguments)) return false;
    o.in_path = line.positionals()[0];
    if (o.key_path == "-") throw Failure{kUnusable, "--key-file: the commands cannot both read standard input"};
    if (o.name.empty()) throw Failure{kUnusable, "--name is missing"};
    if (o.key_description.empty()) o.key_description = "veritytool:" + o.name;
    return true;
}

verity::CryptMapping mapping(const CryptTableOptions& o) {
    const verity::CryptRequest request = crypt_request(o.crypt);
    const verity::File in = or_fail(verity::File::open_for_reading(o.in_path));
    const auto size = or_fail(verity::size_to_crypt(in, request));
    if (!size) throw Failure{kUnusable, in.path() + ": its size is not known: give --size"};
    return {request.parameters, key_size(o.key_bits, *request.parameters.algorithm),
            o.key_description,  o.in_path,
            o.crypt.offset,     *size / verity::kCryptUnit};
}

/// `word` for a shell, in quotes where it needs them.
std::string quoted(const std::string& word) {
    constexpr const char* kPlain = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz%+,-./:=@_";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (char c : word) c == '\'' ? text += "'\\''" : text += c;
    return text + '\'';
}

/// Into the user's keyring, which the kernel searches with any session or with none, as in an initramfs; a session's
/// own would go with the keyctl that made it.
std::string keyctl_command(const CryptTableOptions& o) {
    return "keyctl padd logon " + quoted(o.key_description) + " @u <" + quoted(o.key_path);
}

std::string dmsetup_command(const CryptTableOptions& o, const std::string& table) {
    return "dmsetup create " + quoted(o.name) + " --table " + quoted(table);
}

std::string cryptsetup_command(const CryptTableOptions& o, const verity::CryptMapping& m) {
    const verity::SectorParameters& p = m.parameters;
    std::string command = "cryptsetup open --type plain --cipher " + std::string(p.algorithm->name) + " --key-size " +
                          std::to_string(m.key_size * 8) + " --key-file " + quoted(o.key_path) + " --sector-size " +
                          std::to_string(p.sector_size);
    if (p.iv_large_sectors) command += " --iv-large-sectors";
    if (p.iv_offset != 0) command += " --skip " + std::to_string(p.iv_offset);
    if (m.offset != 0) command += " --offset " + std::to_string(m.offset);
    if (o.crypt.size) command += " --size " + std::to_string(m.size);
    return command + ' ' + quoted(o.in_path) + ' ' + quoted(o.name);
}

}  // namespace

void run_crypt_table(const std::vector<std::string>& arguments) {
    CryptTableOptions options;
    if (!parse(arguments, options)) return;
    const verity::CryptMapping crypt = mapping(options);
    const std::string table = verity::device_mapper_table(crypt);
    const std::string keyctl = keyctl_command(options), dmsetup = dmsetup_command(options, table),
                      cryptsetup = cryptsetup_command(options, crypt);
    if (options.reporting.json)
        print_json({{"table", table},
                    {"sectors", crypt.size},
                    {"keyctl", keyctl},
                    {"dmsetup", dmsetup},
                    {"cryptsetup", cryptsetup}});
    else
        print("# With dmsetup, the key in the kernel's keyring:\n" + keyctl + '\n' + dmsetup +
              "\n# Or with cryptsetup:\n" + cryptsetup + '\n');
    print_success(options.reporting);
}

}  // namespace commands
