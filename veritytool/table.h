#ifndef VERITYTOOL_VERITYTOOL_TABLE_H
#define VERITYTOOL_VERITYTOOL_TABLE_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "veritytool/layout.h"

namespace verity {

/// `text` as a word of a device-mapper table: blanks and backslashes are escaped as the kernel expects.
std::string table_word(const std::string& text);

/// " N OPTION...", how a table line ends: `options` are the words behind the count, which is theirs in number. Empty if
/// there are none.
std::string table_options(const std::vector<std::string>& options);

/// The device-mapper table line that makes the kernel map verified data:
/// "0 SECTORS verity VERSION DATA HASH DBS HBS DATA_BLOCKS HASH_START_BLOCK ALG ROOT SALT|- [N OPTION...]".
/// Source: Linux Documentation/admin-guide/device-mapper/verity.rst. `options` as for table_options. Blanks and
/// backslashes in paths are escaped as the kernel expects.
std::string device_mapper_table(const TreeParameters& parameters, const TreeLayout& layout,
                                const std::string& data_path, const std::string& hash_path,
                                std::span<const std::uint8_t> root, const std::vector<std::string>& options);

/// `table` as a parameter of the kernel's command line that maps it read-only as /dev/mapper/NAME before the root file
/// system is mounted: dm-mod.create="NAME,,,ro,TABLE". `name` is a device's, without commas. Error (usage): a character
/// in a path that the kernel would take for the end of the table, as it knows no escape for those.
/// Source: Linux Documentation/admin-guide/device-mapper/dm-init.rst, drivers/md/dm-init.c.
Result<std::string> kernel_command_line(const std::string& name, const std::string& table);

}  // namespace verity

#endif
