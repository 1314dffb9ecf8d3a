#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_COMMANDS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_COMMANDS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The one table of subcommands.

namespace commands {

/// One subcommand, in a file of its name.
struct Command {
    std::string_view name;
    std::string_view summary;

    /// Runs with the arguments behind the name. Throws Failure unless all went well.
    void (*run)(const std::vector<std::string>& arguments);
};

/// All of them, in the order in which they are listed to users.
std::span<const Command> all_commands();

void run_format(const std::vector<std::string>& arguments);
void run_verify(const std::vector<std::string>& arguments);
void run_repair(const std::vector<std::string>& arguments);
void run_dump(const std::vector<std::string>& arguments);
void run_table(const std::vector<std::string>& arguments);
void run_size(const std::vector<std::string>& arguments);
void run_encrypt(const std::vector<std::string>& arguments);
void run_decrypt(const std::vector<std::string>& arguments);
void run_keygen(const std::vector<std::string>& arguments);
void run_crypt_table(const std::vector<std::string>& arguments);
void run_cores(const std::vector<std::string>& arguments);
void run_bench(const std::vector<std::string>& arguments);

}  // namespace commands

#endif
