#include <nlohmann/json.hpp>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/crypt_options.h"
#include "veritytool/commands/failure.h"

namespace commands {

void run_keygen(const std::vector<std::string>& arguments) {
    const verity::SectorAlgorithm* algorithm = verity::SectorParameters().algorithm;
    std::optional<unsigned> bits;
    Reporting reporting;
    CommandLine line({"keygen",
                      {"FILE"},
                      "Makes FILE, which must not be there yet, with a random key in it. Only its owner can read it.",
                      "  veritytool keygen system.key\n"});
    add_cipher_option(line, algorithm);
    add_key_size_option(line, bits);
    add_reporting_options(line, reporting);
    if (!line.parse(arguments)) return;
    const std::string& path = line.positionals()[0];
    if (path == "-") throw Failure{kUnusable, "FILE cannot be standard output: keys are not printed"};

    const std::size_t size = key_size(bits, *algorithm);
    const verity::File file = or_fail(verity::make_key_file(path, size));
    try {
        if (reporting.json) print_json({{"key_file", path}, {"key_size", size * 8}});
        print_success(reporting);
        flush_output();
    } catch (const Failure&) {
        file.unlink();
        throw;
    }
}

}  // namespace commands
