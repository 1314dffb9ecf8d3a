#include "veritytool/commands/commands.h"
#include "veritytool/commands/crypt_run.h"

namespace commands {
namespace {

/// A kind of content by its name.
Take content_value(const verity::ContentType*& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        target = verity::find_content_type(value);
        if (target != nullptr) return {};
        std::string names;
        for (const verity::ContentType& type : verity::content_types())
            names += (names.empty() ? "" : ", ") + std::string(type.name);
        return verity::Error{verity::ErrorKind::usage,
                             "unknown content " + in_quotes(value) + " (there are: " + names + ")"};
    };
}

}  // namespace

void run_decrypt(const std::vector<std::string>& arguments) {
    CryptRun run;
    const verity::ContentType* expected = nullptr;
    CommandLine line({"decrypt",
                      {"IN", "OUT"},
                      "Decrypts IN, which 'veritytool encrypt' or Linux dm-crypt has encrypted, to OUT.\n\n"
                      "  IN   a file, a block device, or - for standard input\n"
                      "  OUT  another file, which is replaced once all went well; a block device or\n"
                      "       pipe, which is written directly; - for standard output\n\n"
                      "A wrong key decrypts to nonsense like a right one to sense: only --expect tells them apart.",
                      "  veritytool decrypt system.crypt system.img --key-file=system.key --expect=ext4\n"});
    add_crypt_run_options(line, run);
    line.option("expect", "NAME", content_value(expected),
                "exit with status 2, and write nothing, unless this comes out: ext4, erofs, squashfs, f2fs, gpt and "
                "others");
    if (!line.parse(arguments)) return;
    take_positionals(line, run);

    verity::CryptRequest request = crypt_request(run.crypt);
    request.direction = ciphers::Direction::decrypt;
    request.expected = expected;
    crypt(run, request);
}

}  // namespace commands
