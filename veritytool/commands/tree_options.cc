#include "veritytool/commands/tree_options.h"

#include <utility>
#include <vector>

#include "hashlib/hash.h"
#include "veritytool/commands/failure.h"
#include "veritytool/hex.h"
#include "veritytool/tree_builder.h"

namespace commands {
namespace {

constexpr std::string_view kDefaultHash = "blake2b-256";
constexpr unsigned kMostThreads = 4096;

verity::Error usage(std::string message) {
    return {verity::ErrorKind::usage, std::move(message)};
}

std::string hash_names() {
    std::string names;
    for (const hashlib::HashAlgorithm& hash : hashlib::hash_algorithms())
        names += (names.empty() ? "" : ", ") + std::string(hash.name);
    return names;
}

/// A salt in hexadecimal digits; "-" and nothing at all mean none, as they do to veritysetup.
Take salt_value(TreeOptions& options) {
    return [&options](const std::string& value) -> verity::Result<void> {
        options.salt_given = true;
        options.parameters.salt.clear();
        if (value == "-") return {};
        if (value.size() % 2 != 0)
            return usage(in_quotes(value) + " has an odd number of hexadecimal digits (" +
                         std::to_string(value.size()) + ")");
        auto salt = verity::parse_hex(value);
        if (!salt) return usage(in_quotes(value) + " is not hexadecimal");
        if (salt->size() > hashlib::kMaxSaltSize)
            return usage("a salt of " + std::to_string(salt->size()) + " bytes is longer than " +
                         std::to_string(hashlib::kMaxSaltSize));
        options.parameters.salt = *std::move(salt);
        return {};
    };
}

Take hash_offset_value(std::uint64_t& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        if (auto ok = number(target)(value); !ok) return ok;
        if (target % verity::kSectorSize != 0)
            return usage(in_quotes(value) + " is not a multiple of " + std::to_string(verity::kSectorSize) + " (" +
                         std::to_string(target % verity::kSectorSize) + " left over)");
        return {};
    };
}

}  // namespace

TreeOptions::TreeOptions() {
    parameters.hash = hashlib::find_hash(kDefaultHash);
}

Take hash_value(const hashlib::HashAlgorithm*& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        target = hashlib::find_hash(value);
        if (target == nullptr) return usage("unknown hash " + in_quotes(value) + " (there are: " + hash_names() + ")");
        return {};
    };
}

void add_parameter_options(CommandLine& line, TreeOptions& o, const std::string& salt_default) {
    verity::TreeParameters& p = o.parameters;
    line.option("hash,h", "NAME", hash_value(p.hash),
                "hash function, in any case (default: " + std::string(kDefaultHash) + "): " + hash_names());
    line.option("format", "N", number(p.format, 0u, 1u),
                "1: salt before the block (default); 0: salt behind it, as Chrome OS has it");
    line.option("data-block-size", "BYTES", number(p.data_block_size),
                "block size of the data (default: " + std::to_string(p.data_block_size) + ")");
    line.option("hash-block-size", "BYTES", number(p.hash_block_size),
                "block size of the tree (default: " + std::to_string(p.hash_block_size) + ")");
    line.option("data-blocks", "N", number<std::uint64_t>(p.data_blocks, 1),
                "number of data blocks (default: all that DATA holds)");
    line.option("salt,s", "HEX", salt_value(o),
                "salt of up to " + std::to_string(hashlib::kMaxSaltSize) +
                    " bytes, - for none (default: " + salt_default + ")");
}

void add_stored_tree_options(CommandLine& line, TreeOptions& options) {
    line.group("Of a tree without superblock");
    add_no_superblock_option(line, options);
    add_parameter_options(line, options, "none");
}

void add_no_superblock_option(CommandLine& line, TreeOptions& options) {
    line.flag("no-superblock", options.no_superblock, "the tree has no superblock in front of it");
}

void add_hash_offset_option(CommandLine& line, std::uint64_t& hash_offset) {
    line.option("hash-offset", "BYTES", hash_offset_value(hash_offset),
                "where the hash area begins in HASH (default: 0)");
}

void add_threads_option(CommandLine& line, unsigned& threads, const std::string& help) {
    line.option("threads", "N", number(threads, 1u, kMostThreads), help);
}

void add_no_progress_option(CommandLine& line, bool& no_progress) {
    line.flag("no-progress", no_progress, "show no progress on the terminal");
}

void check_options(const TreeOptions& options) {
    verity::TreeParameters parameters = options.parameters;
    if (parameters.data_blocks == 0) parameters.data_blocks = 1;
    (void)or_fail(verity::lay_out(parameters, options.hash_offset, !options.no_superblock));
}

std::uint64_t blocks_beforehand(const verity::File& data, const verity::TreeParameters& parameters) {
    if (data.kind() != verity::File::Kind::stream) return or_fail(verity::count_data_blocks(data, parameters));
    if (parameters.data_blocks != 0) return parameters.data_blocks;
    throw Failure{kUnusable, data.path() + ": its size is not known before it is read: give --data-blocks"};
}

verity::Superblock read_superblock(const verity::File& hash, std::uint64_t hash_offset) {
    if (hash.kind() == verity::File::Kind::stream)
        throw Failure{kUnusable, hash.path() + ": neither a regular file nor a block device"};
    if (hash.size() < verity::kSuperblockSize || hash.size() - verity::kSuperblockSize < hash_offset)
        throw Failure{kNoSuperblock, hash.path() + ": " + counted(hash.size(), "byte") + " have no room for a " +
                                         std::to_string(verity::kSuperblockSize) + "-byte verity superblock at byte " +
                                         std::to_string(hash_offset)};
    std::array<std::uint8_t, verity::kSuperblockSize> bytes;
    or_fail(hash.read_at(bytes, hash_offset));
    return or_fail(verity::decode(bytes, hash.path()));
}

verity::TreeParameters stored_parameters(const TreeOptions& options, const std::string& data_path,
                                         const std::string& hash_path) {
    if (!options.no_superblock)
        return read_superblock(or_fail(verity::File::open_for_reading(hash_path)), options.hash_offset).parameters;
    verity::TreeParameters parameters = options.parameters;
    if (parameters.data_blocks == 0)
        parameters.data_blocks = blocks_beforehand(or_fail(verity::File::open_for_reading(data_path)), parameters);
    return parameters;
}

}  // namespace commands
