#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_FINDINGS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_FINDINGS_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "veritytool/tree_verifier.h"

/// What verifying has found, in words and as JSON. There may be very many findings: none is kept.

namespace commands {

/// What was verified.
struct Subject {
    std::string data_path, hash_path;
    std::uint64_t data_blocks, hash_blocks;
    std::span<const std::uint8_t> root;  ///< as the user has it
};

/// "data blocks 17-18: corrupt at byte 69632 of a.img (8192 bytes): expected ..., found ..."
std::string finding_text(const Subject& subject, const verity::Finding& finding);

/// The same on one line of JSON.
std::string finding_json(const verity::Finding& finding);

/// What was wrong, all in all, in one line. The report is not good.
std::string verdict_text(const Subject& subject, const verity::VerifyReport& report);

/// One JSON object, printed as it comes: its findings, then what is known at the end.
class JsonReport {
  public:
    explicit JsonReport(const Subject& subject) : subject_(subject) {}
    void add(const verity::Finding& finding);
    /// `fec`: what error correction has to say; null if there is none.
    void end(const verity::VerifyReport& report, const nlohmann::ordered_json& fec);

  private:
    void begin_list();

    const Subject& subject_;
    bool begun_ = false;
    bool empty_ = true;
};

}  // namespace commands

#endif
