#include "veritytool/commands/commands.h"
#include "veritytool/commands/crypt_run.h"

namespace commands {

void run_encrypt(const std::vector<std::string>& arguments) {
    CryptRun run;
    bool pad_zero = false;
    CommandLine line({"encrypt",
                      {"IN", "OUT"},
                      "Encrypts IN to OUT, sector by sector, so that Linux dm-crypt opens it: neither the kernel nor "
                      "root is needed for it. 'veritytool crypt-table' tells how to open it.\n\n"
                      "  IN   a file, a block device, or - for standard input\n"
                      "  OUT  another file, which is replaced once all went well; a block device or\n"
                      "       pipe, which is written directly; - for standard output\n\n"
                      "To have an image both encrypted and verified, encrypt it first and make the hash tree of "
                      "what comes out. Encryption alone does not notice a changed image.",
                      "  veritytool keygen system.key\n"
                      "  veritytool encrypt system.img system.crypt --key-file=system.key\n"
                      "  veritytool format system.crypt system.hash\n"});
    add_crypt_run_options(line, run);
    line.flag("pad-zero", pad_zero, "fill up the last sector with zeros if IN does not");
    if (!line.parse(arguments)) return;
    take_positionals(line, run);

    verity::CryptRequest request = crypt_request(run.crypt);
    request.direction = ciphers::Direction::encrypt;
    request.pad_zero = pad_zero;
    crypt(run, request);
}

}  // namespace commands
