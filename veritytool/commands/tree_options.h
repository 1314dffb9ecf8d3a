#ifndef VERITYTOOL_COMMANDS_TREE_OPTIONS_H
#define VERITYTOOL_COMMANDS_TREE_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>

#include "veritytool/commands/options.h"
#include "veritytool/file.h"
#include "veritytool/layout.h"
#include "veritytool/superblock.h"

/// The options that say what a tree is and where it stands, under veritysetup's names.

namespace commands {

struct TreeOptions {
    TreeOptions();  ///< with the defaults of `format`

    verity::TreeParameters parameters;  ///< data_blocks 0: not given
    bool salt_given = false;
    bool no_superblock = false;
    std::uint64_t hash_offset = 0;  ///< bytes; a multiple of 512
};

/// --hash, --format, the block sizes, --data-blocks and --salt, whose default `salt_default` names.
void add_parameter_options(CommandLine& line, TreeOptions& options, const std::string& salt_default);

/// --no-superblock; --hash-offset; --threads of a verity::Control; --json.
void add_no_superblock_option(CommandLine& line, TreeOptions& options);
void add_hash_offset_option(CommandLine& line, std::uint64_t& hash_offset);
void add_threads_option(CommandLine& line, unsigned& threads);
void add_json_option(CommandLine& line, bool& json);

/// What --data-blocks and the sizes say before any data is seen: throws Failure where they cannot be laid out.
void check_options(const TreeOptions& options);

/// The superblock of a tree. Throws Failure, with status kNoSuperblock if there is none or no room for one.
verity::Superblock read_superblock(const verity::File& hash, std::uint64_t hash_offset);

/// The parameters of the tree in the file `hash_path`: its superblock's, or with --no-superblock those of the options.
/// data_blocks may be left 0 then, for the caller to fill in.
verity::TreeParameters stored_parameters(const TreeOptions& options, const verity::File& hash);

}  // namespace commands

#endif
