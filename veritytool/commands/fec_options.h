#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_FEC_OPTIONS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_FEC_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>

#include "veritytool/commands/options.h"
#include "veritytool/fec_encoder.h"
#include "veritytool/fec_header.h"
#include "veritytool/fec_output.h"

/// The options that say where parity stands and what it is, under veritysetup's names where it has them.

namespace commands {

struct FecOptions {
    std::string path;  ///< empty: no error correction
    std::optional<unsigned> roots;
    std::optional<std::uint64_t> offset;
    verity::FecFormat format = verity::FecFormat::veritysetup;
    bool format_given = false;

    bool given() const { return !path.empty(); }
    verity::FecRequest request() const;
};

/// --fec-device, --fec-roots, --fec-offset, --fec-format, as a group.
void add_fec_options(CommandLine& line, FecOptions& options);

/// Throws Failure where the options do not go together.
void check_fec_options_given(const FecOptions& options);

/// The same where they do not go with a tree of these parameters.
void check_fec_options(const FecOptions& options, const verity::TreeParameters& parameters);

/// Existing parity.
struct StoredParity {
    verity::File file;
    std::uint64_t offset;
    verity::FecLayout layout;
    std::optional<verity::AospFecHeader> header;

    verity::FecPlace place() const { return {file, offset}; }
};

/// Opens the parity that the options name, of a tree that stands in `hash`. Throws Failure where what its header says,
/// if it has one, contradicts the options or the tree.
StoredParity open_parity(const FecOptions& options, const verity::TreeParameters& parameters,
                         const verity::TreeLayout& tree, const verity::File& hash);

}  // namespace commands

#endif
