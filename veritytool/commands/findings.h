#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_FINDINGS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_FINDINGS_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "veritytool/commands/output.h"
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

nlohmann::ordered_json finding_json(const verity::Finding& finding);

/// "data blocks 17-18", "hash level 0 block 3": blocks of a level, or of the data, as in Finding.
std::string blocks_text(int level, std::uint64_t first, std::uint64_t count);

/// The same as members of a JSON object, `offset` and `size` in bytes.
void add_blocks(nlohmann::ordered_json& json, int level, std::uint64_t first, std::uint64_t count, std::uint64_t offset,
                std::uint64_t size);

/// What was wrong, all in all, in one line. The report is not good.
std::string verdict_text(const Subject& subject, const verity::VerifyReport& report);

/// One JSON object, printed as it comes: its findings, then what is known at the end.
class JsonReport {
  public:
    explicit JsonReport(const Subject& subject);
    void add(const verity::Finding& finding);
    /// `fec`: what error correction has to say; null if there is none.
    void end(const verity::VerifyReport& report, const nlohmann::ordered_json& fec);

  private:
    const Subject& subject_;
    JsonList findings_;
};

}  // namespace commands

#endif
