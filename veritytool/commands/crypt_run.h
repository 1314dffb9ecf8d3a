#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CRYPT_RUN_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CRYPT_RUN_H

#include <string>

#include "veritytool/commands/crypt_options.h"

/// What `encrypt` and `decrypt` have in common: all but their names and what only one of them can be asked for.

namespace commands {

struct CryptRun {
    std::string in_path, out_path;
    CryptOptions crypt;
    KeyOptions key;
    unsigned threads = 0;
    bool no_progress = false;
    Reporting reporting;
};

/// The options of both, in groups.
void add_crypt_run_options(CommandLine& line, CryptRun& run);

/// Takes IN and OUT.
void take_positionals(const CommandLine& line, CryptRun& run);

/// Reads IN, writes OUT and reports. `request` is one of crypt_request(). Throws Failure.
void crypt(const CryptRun& run, const verity::CryptRequest& request);

}  // namespace commands

#endif
