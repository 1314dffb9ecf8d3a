#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_TREE_REPORT_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_TREE_REPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "veritytool/fec_output.h"
#include "veritytool/layout.h"
#include "veritytool/superblock.h"

/// What `format`, `dump` and `size` print of a tree.

namespace commands {

struct FecReport {
    std::string path;
    verity::FecLayout layout;
    verity::FecRequest request;
    bool in_hash_file;
};

struct TreeReport {
    std::string hash_path;
    verity::TreeParameters parameters;
    verity::TreeLayout layout;
    std::optional<verity::Uuid> uuid;  ///< none: no superblock
    std::uint64_t hash_offset = 0;
    std::vector<std::uint8_t> root;  ///< empty: not known
    std::optional<FecReport> fec{};
};

/// The header, in text as veritysetup prints it, to the byte.
void print_header(const TreeReport& report, bool json);

/// How many bytes and blocks the parts of the tree have, and where.
void print_sizes(const TreeReport& report, bool json);

}  // namespace commands

#endif
