#include "veritytool/table.h"

#include "veritytool/hex.h"

namespace verity {

// Blanks separate words for the kernel unless a backslash stands before them (drivers/md/dm-table.c, dm_split_args).
std::string table_word(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string table_options(const std::vector<std::string>& options) {
    if (options.empty()) return "";
    std::string text = ' ' + std::to_string(options.size());
    for (const std::string& option : options) text += ' ' + table_word(option);
    return text;
}

std::string device_mapper_table(const TreeParameters& p, const TreeLayout& layout, const std::string& data_path,
                                const std::string& hash_path, std::span<const std::uint8_t> root,
                                const std::vector<std::string>& options) {
    const std::string line = "0 " + std::to_string(layout.data_size / kSectorSize) + " verity " +
                             std::to_string(p.format) + ' ' + table_word(data_path) + ' ' + table_word(hash_path) +
                             ' ' + std::to_string(p.data_block_size) + ' ' + std::to_string(p.hash_block_size) + ' ' +
                             std::to_string(p.data_blocks) + ' ' +
                             std::to_string(layout.tree_offset / p.hash_block_size) + ' ' + std::string(p.hash->name) +
                             ' ' + to_hex(root) + ' ' + (p.salt.empty() ? "-" : to_hex(p.salt));
    return line + table_options(options);
}

Result<std::string> kernel_command_line(const std::string& name, const std::string& table) {
    if (const std::size_t at = table.find_first_of(",;\"\n"); at != std::string::npos)
        return Error{ErrorKind::usage,
                     table[at] == '\n'
                         ? "the kernel's command line cannot have a line break in a path"
                         : std::string("the kernel's command line cannot have a ") + table[at] + " in a path"};
    return "dm-mod.create=\"" + name + ",,,ro," + table + '"';
}

}  // namespace verity
