#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_FEC_FINDINGS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_FEC_FINDINGS_H

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "veritytool/commands/fec_options.h"
#include "veritytool/commands/findings.h"
#include "veritytool/fec_repair.h"

/// What error correction can do, or has done, in words and as JSON.

namespace commands {

/// "data blocks 17-18: repairable"; with `done` "repaired".
std::string outcome_text(const verity::RepairOutcome& outcome, unsigned roots, bool done);
nlohmann::ordered_json outcome_json(const verity::RepairOutcome& outcome, bool done);

/// "2 data blocks and 1 hash block"
std::string repaired_text(const verity::RepairCounts& counts);

/// What is left, for the end of a verdict: "3 data blocks not repairable"; empty if nothing is.
std::string remaining_text(const verity::RepairCounts& counts);

nlohmann::ordered_json counts_json(const verity::RepairCounts& counts, bool done);

/// "parity of f: 2 of 8192 bytes are wrong, the first at byte 17"; empty if it is good.
std::string parity_text(const verity::FecCheck& check, const StoredParity& parity);

}  // namespace commands

#endif
