#include "veritytool/commands/tree_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "veritytool/commands/output.h"
#include "veritytool/fec_header.h"
#include "veritytool/hex.h"

namespace commands {
namespace {

std::uint64_t hash_blocks(const TreeReport& report) {
    return report.layout.tree_size / report.layout.hash_block_size;
}

std::string salt_text(const verity::TreeParameters& p) {
    return p.salt.empty() ? "-" : verity::to_hex(p.salt);
}

std::uint64_t fec_blocks(const FecReport& fec) {
    return fec.layout.parity_size / fec.layout.block_size;
}

/// With the header behind the parity, if there is one.
std::uint64_t fec_file_size(const FecReport& fec) {
    const bool aosp = fec.request.format == verity::FecFormat::aosp;
    return fec.request.offset + fec.layout.parity_size + (aosp ? verity::kAospBlockSize : 0);
}

nlohmann::ordered_json fec_json(const FecReport& fec) {
    return {{"file", fec.path},
            {"format", fec.request.format == verity::FecFormat::aosp ? "aosp" : "veritysetup"},
            {"roots", fec.layout.roots},
            {"offset", fec.request.offset},
            {"blocks", fec_blocks(fec)},
            {"size", fec.layout.parity_size},
            {"protected_blocks", fec.layout.message_blocks()}};
}

/// `value` at the right of a column.
std::string aligned(std::uint64_t value, std::size_t width) {
    const std::string digits = std::to_string(value);
    return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

void print_header_text(const TreeReport& report) {
    const verity::TreeParameters& p = report.parameters;
    print("VERITY header information for " + printable(report.hash_path) + "\n");
    print("UUID:            \t" + (report.uuid ? verity::to_text(*report.uuid) : "") + '\n');
    print("Hash type:       \t" + std::to_string(p.format) + '\n');
    print("Data blocks:     \t" + std::to_string(p.data_blocks) + '\n');
    print("Data block size: \t" + std::to_string(p.data_block_size) + '\n');
    print("Hash blocks:     \t" + std::to_string(hash_blocks(report)) + '\n');
    print("Hash block size: \t" + std::to_string(p.hash_block_size) + '\n');
    print("Hash algorithm:  \t" + std::string(p.hash->name) + '\n');
    if (report.fec) {
        print("FEC RS roots:   \t" + std::to_string(report.fec->layout.roots) + '\n');
        print("FEC blocks:     \t" + std::to_string(fec_blocks(*report.fec)) + '\n');
    }
    print("Salt:            \t" + salt_text(p) + '\n');
    if (!report.root.empty()) print("Root hash:      \t" + verity::to_hex(report.root) + '\n');
    // veritysetup leaves these lines out where the area does not begin the file, and counts no gap before the parity.
    const bool shared = report.fec && report.fec->in_hash_file;
    const std::uint64_t hash_size = report.layout.end + (shared ? report.fec->layout.parity_size : 0);
    if (report.hash_offset == 0) print("Hash device size: \t" + std::to_string(hash_size) + " [bytes]\n");
    if (report.fec && report.fec->request.offset == 0)
        print("FEC device size: \t" + std::to_string(fec_file_size(*report.fec)) + " [bytes]\n");
}

nlohmann::ordered_json header_json(const TreeReport& report) {
    const verity::TreeParameters& p = report.parameters;
    nlohmann::ordered_json json;
    json["hash_file"] = report.hash_path;
    json["uuid"] = report.uuid ? nlohmann::ordered_json(verity::to_text(*report.uuid)) : nullptr;
    json["hash_type"] = p.format;
    json["data_blocks"] = p.data_blocks;
    json["data_block_size"] = p.data_block_size;
    json["hash_blocks"] = hash_blocks(report);
    json["hash_block_size"] = p.hash_block_size;
    json["hash_algorithm"] = p.hash->name;
    json["salt"] = verity::to_hex(p.salt);
    if (!report.root.empty()) json["root_hash"] = verity::to_hex(report.root);
    json["hash_offset"] = report.hash_offset;
    json["tree_offset"] = report.layout.tree_offset;
    json["tree_size"] = report.layout.tree_size;
    json["hash_file_size"] = report.layout.end;
    if (report.fec) json["fec"] = fec_json(*report.fec);
    return json;
}

void print_sizes_text(const TreeReport& report) {
    const verity::TreeParameters& p = report.parameters;
    print("Data blocks:     \t" + std::to_string(p.data_blocks) + '\n');
    print("Data block size: \t" + std::to_string(p.data_block_size) + '\n');
    print("Data size:       \t" + std::to_string(report.layout.data_size) + " [bytes]\n");
    print("Hash blocks:     \t" + std::to_string(hash_blocks(report)) + '\n');
    print("Hash block size: \t" + std::to_string(p.hash_block_size) + '\n');
    print("Tree size:       \t" + std::to_string(report.layout.tree_size) + " [bytes]\n");
    print("Hash area end:   \t" + std::to_string(report.layout.end) + " [bytes]\n");
    if (report.fec) print("FEC size:        \t" + std::to_string(report.fec->layout.parity_size) + " [bytes]\n");
    const auto& levels = report.layout.levels;
    if (levels.empty()) {
        print("No levels: the digest of the only data block is the root hash.\n");
        return;
    }
    print("\nLevel                Blocks          Byte offset\n");
    for (std::size_t i = levels.size(); i-- > 0;)
        print(aligned(i, 5) + aligned(levels[i].blocks, 22) + aligned(levels[i].offset, 21) + '\n');
}

nlohmann::ordered_json sizes_json(const TreeReport& report) {
    const verity::TreeParameters& p = report.parameters;
    nlohmann::ordered_json json;
    json["data_blocks"] = p.data_blocks;
    json["data_block_size"] = p.data_block_size;
    json["data_size"] = report.layout.data_size;
    json["hash_blocks"] = hash_blocks(report);
    json["hash_block_size"] = p.hash_block_size;
    json["hash_algorithm"] = p.hash->name;
    json["hash_offset"] = report.hash_offset;
    json["tree_offset"] = report.layout.tree_offset;
    json["tree_size"] = report.layout.tree_size;
    json["hash_file_size"] = report.layout.end;
    if (report.fec) json["fec"] = fec_json(*report.fec);
    json["levels"] = nlohmann::ordered_json::array();
    for (std::size_t i = report.layout.levels.size(); i-- > 0;) {
        const verity::TreeLevel& level = report.layout.levels[i];
        json["levels"].push_back({{"level", i}, {"blocks", level.blocks}, {"offset", level.offset}});
    }
    return json;
}

}  // namespace

void print_header(const TreeReport& report, bool json) {
    json ? print_json(header_json(report)) : print_header_text(report);
}

void print_sizes(const TreeReport& report, bool json) {
    json ? print_json(sizes_json(report)) : print_sizes_text(report);
}

}  // namespace commands
