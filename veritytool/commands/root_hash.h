#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_ROOT_HASH_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_ROOT_HASH_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hashlib/hash.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/file.h"
#include "veritytool/tree_verifier.h"

/// The root hash on the command line or in a file of its own: lowercase hexadecimal digits, no newline.

namespace commands {

/// What the user says of the root hash of an existing tree: either of the two.
struct RootArgument {
    std::string text;       ///< the digits
    std::string file_path;  ///< of --root-hash-file
};
void add_root_hash_file_option(CommandLine& line, RootArgument& root);

/// Takes ROOT from the positional argument behind `before` others, where there is one. Throws Failure unless exactly
/// one of the two is given.
void take_root_positional(const CommandLine& line, std::size_t before, RootArgument& root);

/// The root hash itself. Throws Failure if its file cannot be read, or if it is not one of `hash`.
std::vector<std::uint8_t> read_root(const RootArgument& root, const hashlib::HashAlgorithm& hash);

/// What an existing tree of these parameters is to be verified by. Throws Failure as read_root() does.
verity::VerifyRequest verify_request(verity::TreeParameters parameters, const TreeOptions& tree,
                                     const RootArgument& root);

/// The file that a new root hash goes to. Unless keep() is called, a file that was created is removed.
class RootHashOutput {
  public:
    /// Opens or creates `path`, which must not be `data`, `hash` or `parity` (which may be null) by another name.
    /// Throws Failure.
    RootHashOutput(const std::string& path, const verity::File& data, const verity::File& hash,
                   const verity::File* parity);
    RootHashOutput(const RootHashOutput&) = delete;
    RootHashOutput& operator=(const RootHashOutput&) = delete;
    ~RootHashOutput();

    /// Replaces what the file holds, and closes it. Throws Failure.
    void write(std::span<const std::uint8_t> root);
    void keep() { kept_ = true; }

  private:
    verity::File file_;
    bool kept_ = false;
};

}  // namespace commands

#endif
