#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_TREE_OPTIONS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_TREE_OPTIONS_H

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

/// A hash function by its name.
Take hash_value(const hashlib::HashAlgorithm*& target);

/// --hash, --format, the block sizes, --data-blocks and --salt, whose default `salt_default` names.
void add_parameter_options(CommandLine& line, TreeOptions& options, const std::string& salt_default);

/// What says where an existing tree has no superblock to say it: --no-superblock and the parameters, as a group.
void add_stored_tree_options(CommandLine& line, TreeOptions& options);

/// --no-superblock; --hash-offset; --threads of a verity::Control; --no-progress.
void add_no_superblock_option(CommandLine& line, TreeOptions& options);
void add_hash_offset_option(CommandLine& line, std::uint64_t& hash_offset);
void add_threads_option(CommandLine& line, unsigned& threads, const std::string& help);
inline constexpr const char* kThreadsHelp = "work on at most N processors at once (default: all)";
void add_no_progress_option(CommandLine& line, bool& no_progress);

/// What --data-blocks and the sizes say before any data is seen: throws Failure where they cannot be laid out.
void check_options(const TreeOptions& options);

/// The number of data blocks before any is read: --data-blocks, or all that `data` holds. Throws Failure if it holds
/// fewer, or nobody knows.
std::uint64_t blocks_beforehand(const verity::File& data, const verity::TreeParameters& parameters);

/// The superblock of a tree. Throws Failure, with status kNoSuperblock if there is none or no room for one.
verity::Superblock read_superblock(const verity::File& hash, std::uint64_t hash_offset);

/// The parameters of an existing tree: those of its superblock, or with --no-superblock those of the options. Files are
/// opened only where something has to be read from them. Throws Failure.
verity::TreeParameters stored_parameters(const TreeOptions& options, const std::string& data_path,
                                         const std::string& hash_path);

}  // namespace commands

#endif
