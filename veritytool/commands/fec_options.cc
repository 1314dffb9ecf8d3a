#include "veritytool/commands/fec_options.h"

#include "veritytool/commands/failure.h"

namespace commands {
namespace {

using verity::FecFormat;

verity::Error usage(std::string message) {
    return {verity::ErrorKind::usage, std::move(message)};
}

Take fec_offset_value(std::optional<std::uint64_t>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        if (auto ok = number(target)(value); !ok) return ok;
        if (*target % verity::kSectorSize != 0)
            return usage(in_quotes(value) + " is not a multiple of " + std::to_string(verity::kSectorSize) + " (" +
                         std::to_string(*target % verity::kSectorSize) + " left over)");
        return {};
    };
}

Take fec_format_value(FecOptions& options) {
    return [&options](const std::string& value) -> verity::Result<void> {
        if (value != "veritysetup" && value != "aosp")
            return usage("unknown form " + in_quotes(value) + " (there are: veritysetup, aosp)");
        options.format = value == "aosp" ? FecFormat::aosp : FecFormat::veritysetup;
        options.format_given = true;
        return {};
    };
}

/// What a header says instead of options.
StoredParity open_aosp(const FecOptions& o, const verity::TreeParameters& p, const verity::TreeLayout& tree,
                       const verity::File& hash, verity::File file) {
    const auto header = or_fail(verity::read_aosp_header(file));
    const auto contradiction = [&](const std::string& what) { return Failure{kUnusable, file.path() + ": " + what}; };
    if (o.roots && *o.roots != header.roots)
        throw contradiction("has " + std::to_string(header.roots) + " roots, not " + std::to_string(*o.roots));
    const auto layout =
        or_fail(verity::lay_out_fec_blocks(p, tree, header.roots, header.message_size / p.data_block_size));
    const std::uint64_t end = layout.hash_offset + layout.hash_blocks * p.hash_block_size;
    if (layout.hash_blocks != 0 && hash.size() < end)
        throw contradiction("protects " + hash.path() + " up to byte " + std::to_string(end) + ", which ends at " +
                            std::to_string(hash.size()));
    return {std::move(file), 0, layout, header};
}

}  // namespace

verity::FecRequest FecOptions::request() const {
    return {roots.value_or(verity::kMinFecRoots), offset.value_or(0), format};
}

void add_fec_options(CommandLine& line, FecOptions& o) {
    line.group("Forward error correction");
    line.option("fec-device", "FILE", text(o.path),
                "file or device of the parity; may be HASH or DATA, behind the rest");
    line.option("fec-roots", "N", number(o.roots, verity::kMinFecRoots, verity::kMaxFecRoots),
                "parity bytes of a codeword of 255, " + std::to_string(verity::kMinFecRoots) + " to " +
                    std::to_string(verity::kMaxFecRoots) + " (default: " + std::to_string(verity::kMinFecRoots) + ")");
    line.option("fec-offset", "BYTES", fec_offset_value(o.offset), "where the parity begins in FILE (default: 0)");
    line.option("fec-format", "NAME", fec_format_value(o),
                "veritysetup: parity alone (default); aosp: with Android's header behind it");
}

void check_fec_options_given(const FecOptions& o) {
    if (!o.given()) {
        if (o.roots || o.offset || o.format_given)
            throw Failure{kUnusable, "--fec-roots, --fec-offset and --fec-format need --fec-device"};
        return;
    }
    if (o.path == "-") throw Failure{kUnusable, "--fec-device cannot be standard input or output"};
    if (o.format == FecFormat::aosp && o.offset.value_or(0) != 0)
        throw Failure{kUnusable, "--fec-format=aosp begins its file: --fec-offset must be 0"};
}

void check_fec_options(const FecOptions& o, const verity::TreeParameters& p) {
    check_fec_options_given(o);
    if (!o.given()) return;
    verity::TreeParameters parameters = p;
    if (parameters.data_blocks == 0) parameters.data_blocks = 1;
    const auto tree = or_fail(verity::lay_out(parameters, 0, false));
    const auto layout = or_fail(verity::lay_out_fec(parameters, tree, o.request().roots, tree.end));
    if (o.format == FecFormat::aosp && layout.block_size != verity::kAospBlockSize)
        throw Failure{kUnusable, "--fec-format=aosp is for blocks of " + std::to_string(verity::kAospBlockSize) +
                                     " bytes only, not " + std::to_string(layout.block_size)};
}

StoredParity open_parity(const FecOptions& o, const verity::TreeParameters& p, const verity::TreeLayout& tree,
                         const verity::File& hash) {
    check_fec_options(o, p);
    auto file = or_fail(verity::File::open_for_reading(o.path));
    if (file.kind() == verity::File::Kind::stream)
        throw Failure{kUnusable, o.path + ": neither a regular file nor a block device"};
    if (o.format == FecFormat::aosp) return open_aosp(o, p, tree, hash, std::move(file));
    const verity::FecRequest request = o.request();
    if (file.same_as(hash) && request.offset > hash.size())
        throw Failure{kUnusable, o.path + ": the parity at byte " + std::to_string(request.offset) +
                                     " would begin behind the end of the file at byte " + std::to_string(hash.size())};
    const std::uint64_t end = verity::protected_end(hash, hash.size(), file, request.offset);
    const auto layout = or_fail(verity::lay_out_fec(p, tree, request.roots, end));
    return {std::move(file), request.offset, layout, std::nullopt};
}

}  // namespace commands
