#ifndef VERITYTOOL_VERITYTOOL_KEY_FILE_H
#define VERITYTOOL_VERITYTOOL_KEY_FILE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "veritytool/error.h"
#include "veritytool/file.h"
#include "veritytool/locked_memory.h"
#include "veritytool/sector_cipher.h"

/// Keys in files: the bytes as they are, or in hexadecimal digits.

namespace verity {

/// Where in a file the key stands.
struct KeyPlace {
    std::uint64_t offset = 0;           ///< bytes in front of it
    std::optional<std::uint64_t> size;  ///< bytes that it takes up; all that follow, if not given
    bool hex = false;                   ///< two hexadecimal digits a byte, perhaps with a newline behind them
};

/// Reads the key for `algorithm`. Errors: (input) it has another length, which is told, or is not hexadecimal; (io)
/// reading fails or the file ends before; (interrupted) once *stop is true, which may be null. None has any of the
/// file's content in its message.
Result<LockedMemory> read_key(const File& file, const KeyPlace& place, const SectorAlgorithm& algorithm,
                              const std::atomic<bool>* stop);

/// Makes a file of `size` random bytes that only its owner can read. Error (io): what the system says, also that there
/// is a file of this name; none is left then that was not there.
Result<File> make_key_file(const std::string& path, std::size_t size);

}  // namespace verity

#endif
