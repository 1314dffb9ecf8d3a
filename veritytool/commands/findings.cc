#include "veritytool/commands/findings.h"

#include <nlohmann/json.hpp>

#include "veritytool/commands/output.h"
#include "veritytool/hex.h"

namespace commands {
namespace {

using nlohmann::ordered_json;
using verity::Finding;
using verity::RootState;
using verity::to_hex;

bool of_data(const Finding& finding) {
    return finding.level == Finding::kData;
}

const char* fault_name(Finding::Fault fault) {
    switch (fault) {
    case Finding::Fault::digest:
        return "digest";
    case Finding::Fault::padding:
        return "padding";
    case Finding::Fault::unverifiable:
        return "unverifiable";
    }
    return "";
}

const char* root_state_name(RootState state) {
    switch (state) {
    case RootState::matches:
        return "matches";
    case RootState::wrong:
        return "wrong";
    case RootState::top_block_is_bad:
        return "top-block-corrupt";
    case RootState::either:
        return "either";
    }
    return "";
}

/// "2 of 2048 data blocks corrupt, 1 of 17 hash blocks corrupt, 128 data blocks unverifiable"; empty if there are none.
std::string counts_text(const Subject& subject, const verity::VerifyReport& report) {
    std::string text;
    const auto add = [&](std::uint64_t count, std::uint64_t total, const char* area, const char* fault) {
        if (count == 0) return;
        if (!text.empty()) text += ", ";
        text += std::to_string(count) + " of " + counted(total, std::string(area) + " block") + ' ' + fault;
    };
    add(report.bad_data_blocks, subject.data_blocks, "data", "corrupt");
    add(report.bad_hash_blocks, subject.hash_blocks, "hash", "corrupt");
    add(report.unverifiable_data_blocks, subject.data_blocks, "data", "unverifiable");
    add(report.unverifiable_hash_blocks, subject.hash_blocks, "hash", "unverifiable");
    return text;
}

}  // namespace

std::string finding_text(const Subject& subject, const Finding& f) {
    const std::string file = printable(of_data(f) ? subject.data_path : subject.hash_path);
    switch (f.fault) {
    case Finding::Fault::digest:
        return blocks_text(f.level, f.first, f.count) + ": corrupt at byte " + std::to_string(f.offset) + " of " +
               file + " (" + std::to_string(f.size) + " bytes): expected " + to_hex(f.expected) + ", found " +
               to_hex(f.actual);
    case Finding::Fault::padding:
        return blocks_text(f.level, f.first, f.count) + ": padding not zero at byte " +
               std::to_string(f.padding_offset) + " of " + file;
    case Finding::Fault::unverifiable:
        return blocks_text(f.level, f.first, f.count) + ": unverifiable (a hash block above is corrupt)";
    }
    return {};
}

std::string blocks_text(int level, std::uint64_t first, std::uint64_t count) {
    const std::string area = level == Finding::kData ? "data" : "hash level " + std::to_string(level);
    if (count == 1) return area + " block " + std::to_string(first);
    return area + " blocks " + std::to_string(first) + '-' + std::to_string(first + count - 1);
}

void add_blocks(ordered_json& json, int level, std::uint64_t first, std::uint64_t count, std::uint64_t offset,
                std::uint64_t size) {
    const bool data = level == Finding::kData;
    json["area"] = data ? "data" : "hash";
    if (!data) json["level"] = level;
    json["first"] = first;
    json["count"] = count;
    json["offset"] = offset;
    json["size"] = size;
}

ordered_json finding_json(const Finding& f) {
    ordered_json json;
    json["fault"] = fault_name(f.fault);
    add_blocks(json, f.level, f.first, f.count, f.offset, f.size);
    if (f.fault == Finding::Fault::digest) {
        json["expected"] = to_hex(f.expected);
        json["actual"] = to_hex(f.actual);
    }
    if (f.fault == Finding::Fault::padding) json["padding_offset"] = f.padding_offset;
    return json;
}

std::string verdict_text(const Subject& subject, const verity::VerifyReport& report) {
    const std::string counts = counts_text(subject, report);
    switch (report.root) {
    case RootState::either:
        return subject.data_path + ": verification failed: either the data block or the root hash is wrong: expected " +
               to_hex(subject.root) + ", found " + to_hex(report.actual_root);
    case RootState::wrong:
        return to_hex(subject.root) + " is not the root hash of " + subject.hash_path + ": " +
               (counts.empty() ? "the tree is consistent, its root is " : counts + "; the root of the tree is ") +
               to_hex(report.actual_root);
    case RootState::top_block_is_bad:
        return subject.data_path +
               ": verification failed: the top hash block fits neither the root hash nor what is below it: " + counts;
    case RootState::matches:
        return subject.data_path + ": verification failed: " + counts;
    }
    return {};
}

JsonReport::JsonReport(const Subject& subject)
    : subject_(subject), findings_({{"data", subject.data_path}, {"hash", subject.hash_path}}, "findings") {}

void JsonReport::add(const Finding& finding) {
    findings_.add(finding_json(finding));
}

void JsonReport::end(const verity::VerifyReport& report, const ordered_json& fec) {
    ordered_json rest;
    rest["valid"] = report.good();
    rest["root"] = root_state_name(report.root);
    rest["expected_root"] = to_hex(subject_.root);
    rest["actual_root"] = to_hex(report.actual_root);
    rest["data_blocks"] = subject_.data_blocks;
    rest["hash_blocks"] = subject_.hash_blocks;
    rest["bad_data_blocks"] = report.bad_data_blocks;
    rest["bad_hash_blocks"] = report.bad_hash_blocks;
    rest["unverifiable_data_blocks"] = report.unverifiable_data_blocks;
    rest["unverifiable_hash_blocks"] = report.unverifiable_hash_blocks;
    if (!fec.is_null()) rest["fec"] = fec;
    findings_.end(rest);
}

}  // namespace commands
