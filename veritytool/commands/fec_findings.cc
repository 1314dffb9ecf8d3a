#include "veritytool/commands/fec_findings.h"

#include <nlohmann/json.hpp>

namespace commands {
namespace {

using nlohmann::ordered_json;
using verity::RepairCounts;
using verity::RepairOutcome;

const char* state_name(RepairOutcome::State state, bool done) {
    switch (state) {
    case RepairOutcome::State::repaired:
        return done ? "repaired" : "repairable";
    case RepairOutcome::State::lost:
        return "not-repairable";
    case RepairOutcome::State::unverifiable:
        return "unverifiable";
    }
    return "";
}

/// Why a block is lost.
std::string reason(const RepairOutcome& o, unsigned roots) {
    if (o.parity_missing) return "its parity is missing";
    if (o.bad_in_group > roots)
        return counted(o.bad_in_group, "bad block") + " share its parity, which is for " + std::to_string(roots);
    return "its parity, or what shares it, is damaged too";
}

/// "2 data blocks and 1 hash block"; empty if there are none.
std::string both(std::uint64_t data, std::uint64_t hash) {
    std::string text;
    if (data != 0) text += counted(data, "data block");
    if (hash != 0) text += (text.empty() ? "" : " and ") + counted(hash, "hash block");
    return text;
}

}  // namespace

std::string outcome_text(const RepairOutcome& o, unsigned roots, bool done) {
    const std::string blocks = blocks_text(o.level, o.first, o.count) + ": ";
    switch (o.state) {
    case RepairOutcome::State::repaired:
        return blocks + state_name(o.state, done);
    case RepairOutcome::State::lost:
        return blocks + "not repairable (" + reason(o, roots) + ")";
    case RepairOutcome::State::unverifiable:
        return blocks + "unverifiable (a hash block above is not repairable)";
    }
    return {};
}

ordered_json outcome_json(const RepairOutcome& o, bool done) {
    ordered_json json;
    json["outcome"] = state_name(o.state, done);
    add_blocks(json, o.level, o.first, o.count, o.offset, o.size);
    return json;
}

std::string repaired_text(const RepairCounts& counts) {
    return both(counts.repaired_data, counts.repaired_hash);
}

std::string remaining_text(const RepairCounts& counts) {
    std::string text;
    const auto add = [&](const std::string& blocks, const char* what) {
        if (!blocks.empty()) text += (text.empty() ? "" : ", ") + blocks + what;
    };
    add(both(counts.lost_data, counts.lost_hash), " not repairable");
    add(both(counts.unverifiable_data, counts.unverifiable_hash), " unverifiable");
    add(both(0, counts.padding_faults), " made with padding that is not zero");
    return text;
}

ordered_json counts_json(const RepairCounts& counts, bool done) {
    const std::string repaired = done ? "repaired" : "repairable";
    return {{repaired + "_data_blocks", counts.repaired_data},
            {repaired + "_hash_blocks", counts.repaired_hash},
            {"lost_data_blocks", counts.lost_data},
            {"lost_hash_blocks", counts.lost_hash},
            {"unverifiable_data_blocks", counts.unverifiable_data},
            {"unverifiable_hash_blocks", counts.unverifiable_hash}};
}

std::string parity_text(const verity::FecCheck& check, const StoredParity& parity) {
    std::string text;
    if (check.bad_bytes != 0)
        text = std::to_string(check.bad_bytes) + " of " + std::to_string(parity.layout.parity_size) +
               " bytes do not fit data and tree, the first at byte " + std::to_string(parity.offset + check.first);
    if (check.missing != 0)
        text += (text.empty() ? "" : ", ") + ("the last " + counted(check.missing, "byte")) + " of " +
                std::to_string(parity.layout.parity_size) + " missing";
    return text.empty() ? text : "parity in " + printable(parity.file.path()) + ": corrupt: " + text;
}

}  // namespace commands
