#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CRYPT_OPTIONS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CRYPT_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>

#include "veritytool/commands/options.h"
#include "veritytool/key_file.h"
#include "veritytool/sector_image.h"

/// The options that say how an image is encrypted and where the key is, under cryptsetup's names.

namespace commands {

struct CryptOptions {
    verity::SectorParameters parameters;
    std::optional<std::uint64_t> iv_offset;  ///< of --iv-offset or --skip, in units of 512 bytes
    std::uint64_t offset = 0;                ///< likewise
    std::optional<std::uint64_t> size;       ///< likewise
};

struct KeyOptions {
    std::string path;
    verity::KeyPlace place;
};

/// --cipher.
void add_cipher_option(CommandLine& line, const verity::SectorAlgorithm*& algorithm);

/// --cipher, --sector-size, --iv-offset, --skip, --iv-large-sectors; --offset and --size.
void add_crypt_options(CommandLine& line, CryptOptions& options);

/// --key-file, --keyfile-offset, --keyfile-size, --hex.
void add_key_options(CommandLine& line, KeyOptions& options);

/// --key-size in bits.
void add_key_size_option(CommandLine& line, std::optional<unsigned>& bits);

/// The key size in bytes that --key-size or, without it, the cipher asks for. Throws Failure if they contradict.
std::size_t key_size(const std::optional<unsigned>& bits, const verity::SectorAlgorithm& algorithm);

/// What the options ask to be done. Throws Failure where they do not go together.
verity::CryptRequest crypt_request(const CryptOptions& options);

}  // namespace commands

#endif
