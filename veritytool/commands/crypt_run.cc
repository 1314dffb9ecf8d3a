#include "veritytool/commands/crypt_run.h"

#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "veritytool/commands/failure.h"
#include "veritytool/commands/interruption.h"
#include "veritytool/commands/progress.h"
#include "veritytool/commands/tree_options.h"

namespace commands {
namespace {

using ciphers::Direction;
using verity::File;

/// What can be told without opening anything.
void check_run(const CryptRun& run) {
    if (run.key.path.empty()) throw Failure{kUnusable, "--key-file is missing ('veritytool keygen' makes one)"};
    if (run.key.path == "-" && run.in_path == "-")
        throw Failure{kUnusable, "IN and --key-file cannot both be standard input"};
    if (run.out_path != "-") return;
    if (run.reporting.json) throw Failure{kUnusable, "--json: standard output is taken, OUT goes there"};
    if (isatty(STDOUT_FILENO) != 0) throw Failure{kUnusable, "standard output: is a terminal"};
}

void print_report(const CryptRun& run, const verity::CryptRequest& request, const verity::CryptedImage& image) {
    const verity::SectorParameters& p = request.parameters;
    const bool encrypted = request.direction == Direction::encrypt;
    const std::uint64_t sectors = image.size / p.sector_size;
    if (run.reporting.json) {
        print_json({{encrypted ? "encrypted" : "decrypted", run.in_path},
                    {"output", run.out_path},
                    {"cipher", p.algorithm->name},
                    {"sector_size", p.sector_size},
                    {"sectors", sectors},
                    {"iv_offset", p.iv_offset},
                    {"iv_large_sectors", p.iv_large_sectors},
                    {"offset", request.offset},
                    {"size", image.size},
                    {"padding", image.padding}});
        return;
    }
    print((encrypted ? "Encrypted " : "Decrypted ") + printable(run.in_path) + " to " + printable(run.out_path) + '\n');
    print("Cipher:          \t" + std::string(p.algorithm->name) + '\n');
    print("Sector size:     \t" + std::to_string(p.sector_size) + '\n');
    print("Sectors:         \t" + std::to_string(sectors) + '\n');
    print("IV offset:       \t" + std::to_string(p.iv_offset) + (p.iv_large_sectors ? " [large sectors]\n" : "\n"));
    print("Size:            \t" + std::to_string(image.size) + " [bytes]\n");
    if (image.padding != 0) print("Padding:         \t" + std::to_string(image.padding) + " [bytes]\n");
}

verity::CryptedImage crypt_to(const verity::ImageOutput& out, const CryptRun& run, const verity::CryptRequest& request,
                              const File& in, const verity::SectorCipher& cipher, std::uint64_t bytes_to_read) {
    Progress progress(!run.no_progress, bytes_to_read);
    const verity::Control control{run.threads, [&](std::uint64_t bytes) { progress.update(bytes); },
                                  interruption_flag()};
    return or_fail(verity::crypt_image(in, out, cipher, request, control));
}

}  // namespace

void add_crypt_run_options(CommandLine& line, CryptRun& run) {
    line.group("Key");
    add_key_options(line, run.key);
    line.group("Encryption");
    add_crypt_options(line, run.crypt);
    line.group("How it is done");
    add_threads_option(line, run.threads, kThreadsHelp);
    add_no_progress_option(line, run.no_progress);
    add_reporting_options(line, run.reporting);
}

void take_positionals(const CommandLine& line, CryptRun& run) {
    run.in_path = line.positionals()[0];
    run.out_path = line.positionals()[1];
}

void crypt(const CryptRun& run, const verity::CryptRequest& request) {
    check_run(run);
    catch_interruptions();
    const File in = or_fail(File::open_for_reading(run.in_path));
    const std::uint64_t bytes_to_read = or_fail(verity::size_to_crypt(in, request)).value_or(0);
    const File key = or_fail(File::open_for_reading(run.key.path));
    const verity::SectorAlgorithm& algorithm = *request.parameters.algorithm;
    const verity::SectorCipher cipher(
        algorithm, or_fail(verity::read_key(key, run.key.place, algorithm, interruption_flag())).bytes());

    // The key would be gone with what it is to open.
    const std::array<const File*, 2> others{&in, &key};
    verity::ImageOutput out = or_fail(verity::ImageOutput::open(run.out_path, others));
    const auto image = crypt_to(out, run, request, in, cipher, bytes_to_read);
    if (run.out_path != "-") {
        print_report(run, request, image);
        print_success(run.reporting);
        flush_output();
    }
    check_interruption();
    or_fail(out.keep());
}

}  // namespace commands
