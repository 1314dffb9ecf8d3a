#include "veritytool/commands/crypt_options.h"

#include <bit>

#include "veritytool/commands/failure.h"

namespace commands {
namespace {

using verity::kCryptUnit;

// The last byte that a file can have.
constexpr std::uint64_t kMostUnits = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / kCryptUnit;

std::string cipher_names() {
    std::string names;
    for (const verity::SectorAlgorithm& algorithm : verity::sector_algorithms())
        names += (names.empty() ? "" : "; ") + std::string(algorithm.name);
    return names;
}

/// --iv-offset, which is --skip to cryptsetup.
Take iv_offset_value(std::optional<std::uint64_t>& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        if (target) return verity::Error{verity::ErrorKind::usage, "--iv-offset and --skip are the same"};
        return number(target)(value);
    };
}

}  // namespace

void add_cipher_option(CommandLine& line, const verity::SectorAlgorithm*& algorithm) {
    const auto take = [&algorithm](const std::string& value) -> verity::Result<void> {
        algorithm = verity::find_sector_algorithm(value);
        if (algorithm != nullptr) return {};
        return verity::Error{verity::ErrorKind::usage,
                             "unknown cipher " + in_quotes(value) + " (there are: " + cipher_names() + ")"};
    };
    line.option("cipher,c", "NAME", take, "cipher as dm-crypt calls it (default: the first): " + cipher_names());
}

void add_crypt_options(CommandLine& line, CryptOptions& o) {
    add_cipher_option(line, o.parameters.algorithm);
    line.option(
        "sector-size", "BYTES", number(o.parameters.sector_size),
        "what is encrypted as one, 512 to 4096 bytes (default: " + std::to_string(o.parameters.sector_size) + ")");
    line.option("iv-offset", "N", iv_offset_value(o.iv_offset),
                "number of the first sector in units of 512 bytes (default: 0)");
    line.option("skip,p", "N", iv_offset_value(o.iv_offset), "the same, as cryptsetup calls it");
    line.flag("iv-large-sectors", o.parameters.iv_large_sectors, "number sectors by ones, not in units of 512 bytes");
    line.option("offset,o", "N", number<std::uint64_t>(o.offset, 0, kMostUnits),
                "begin so many units of 512 bytes into IN (default: 0)");
    line.option("size,b", "N", number<std::uint64_t>(o.size, 1, kMostUnits),
                "take so many units of 512 bytes (default: all that follow)");
}

void add_key_options(CommandLine& line, KeyOptions& o) {
    line.option("key-file,d", "FILE", text(o.path), "the key: the bytes of FILE, - for standard input");
    line.option("keyfile-offset", "BYTES", number(o.place.offset), "where the key begins in it (default: 0)");
    line.option("keyfile-size", "BYTES", number<std::uint64_t>(o.place.size, 1),
                "what it takes up there (default: all that follows)");
    line.flag("hex", o.place.hex, "the key stands there in hexadecimal digits");
}

void add_key_size_option(CommandLine& line, std::optional<unsigned>& bits) {
    line.option("key-size,s", "BITS", number(bits),
                "size of the key (default: 256, for aes-xts-plain64 512; that takes 256, too)");
}

std::size_t key_size(const std::optional<unsigned>& bits, const verity::SectorAlgorithm& algorithm) {
    if (!bits) return algorithm.key_sizes[0];
    if (*bits % 8 == 0 && algorithm.takes(*bits / 8)) return *bits / 8;
    std::string wanted = std::to_string(algorithm.key_sizes[0] * 8);
    if (algorithm.key_sizes[1] != 0) wanted += " or " + std::to_string(algorithm.key_sizes[1] * 8);
    throw Failure{kUnusable, "--key-size: a key for " + std::string(algorithm.name) + " has " + wanted + " bits, not " +
                                 std::to_string(*bits)};
}

verity::CryptRequest crypt_request(const CryptOptions& o) {
    verity::CryptRequest request;
    request.parameters = o.parameters;
    request.parameters.iv_offset = o.iv_offset.value_or(0);
    or_fail(verity::check_parameters(request.parameters));
    request.offset = o.offset * kCryptUnit;
    if (o.size) request.size = *o.size * kCryptUnit;
    return request;
}

}  // namespace commands
