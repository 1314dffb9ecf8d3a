#include "veritytool/commands/root_hash.h"

#include <string_view>

#include "veritytool/commands/failure.h"
#include "veritytool/hex.h"

namespace commands {
namespace {

/// The digits in a root-hash file. A newline behind them does no harm: people make such files with an editor.
std::string read_file(const std::string& path) {
    const verity::File file = or_fail(verity::File::open_for_reading(path));
    // More than any digest has, so that a wrong file is named as such without being read to its end.
    std::string content(4 * hashlib::kMaxDigestSize, '\0');
    const std::span bytes(reinterpret_cast<std::uint8_t*>(content.data()), content.size());
    content.resize(or_fail(file.read_next(bytes, nullptr)));
    while (content.ends_with('\n') || content.ends_with('\r')) content.pop_back();
    if (content.empty()) throw Failure{kUnusable, path + ": holds no root hash"};
    if (content.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        throw Failure{kUnusable, path + ": holds something else than a root hash in hexadecimal digits"};
    return content;
}

std::vector<std::uint8_t> parse_root(const std::string& text, const std::string& where,
                                     const hashlib::HashAlgorithm& hash) {
    const auto refuse = [&](const std::string& why) {
        return Failure{kUnusable, where + "root hash " + in_quotes(text) + ' ' + why};
    };
    auto root = verity::parse_hex(text);
    if (text.size() != 2 * hash.digest_size)
        throw refuse("has " + counted(text.size(), "character") + ", but one of " + std::string(hash.name) + " has " +
                     std::to_string(2 * hash.digest_size) + " hexadecimal digits");
    if (!root) throw refuse("is not hexadecimal");
    return *std::move(root);
}

}  // namespace

void add_root_hash_file_option(CommandLine& line, RootArgument& root) {
    line.option("root-hash-file", "FILE", text(root.file_path), "read the root hash from FILE instead of ROOT");
}

void take_root_positional(const CommandLine& line, std::size_t before, RootArgument& root) {
    const bool positional = line.positionals().size() > before;
    if (positional) root.text = line.positionals()[before];
    if (positional && !root.file_path.empty())
        throw Failure{kUnusable, "ROOT and --root-hash-file are both given: " + in_quotes(root.text) + " and " +
                                     in_quotes(root.file_path)};
    if (!positional && root.file_path.empty())
        throw Failure{kUnusable, "neither ROOT nor --root-hash-file is given (usage: " + line.usage() + ")"};
}

std::vector<std::uint8_t> read_root(const RootArgument& root, const hashlib::HashAlgorithm& hash) {
    if (root.file_path.empty()) return parse_root(root.text, "", hash);
    return parse_root(read_file(root.file_path), root.file_path + ": ", hash);
}

verity::VerifyRequest verify_request(verity::TreeParameters parameters, const TreeOptions& tree,
                                     const RootArgument& root) {
    std::vector<std::uint8_t> digest = read_root(root, *parameters.hash);
    return {std::move(parameters), !tree.no_superblock, tree.hash_offset, std::move(digest)};
}

RootHashOutput::RootHashOutput(const std::string& path, const verity::File& data, const verity::File& hash,
                               const verity::File* parity)
    : file_(or_fail(verity::File::open_for_writing(path))) {
    if (file_.kind() != verity::File::Kind::regular) throw Failure{kUnusable, path + ": not a regular file"};
    if (file_.same_as(data)) throw Failure{kUnusable, path + ": the root-hash file is DATA itself"};
    if (file_.same_as(hash)) throw Failure{kUnusable, path + ": the root-hash file is HASH itself"};
    if (parity != nullptr && file_.same_as(*parity))
        throw Failure{kUnusable, path + ": the root-hash file is that of the parity"};
}

RootHashOutput::~RootHashOutput() {
    if (!kept_ && file_.created()) file_.unlink();
}

void RootHashOutput::write(std::span<const std::uint8_t> root) {
    const std::string digits = verity::to_hex(root);
    or_fail(file_.write_at(std::span(reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()), 0));
    or_fail(file_.resize(digits.size()));
    or_fail(file_.sync());
}

}  // namespace commands
