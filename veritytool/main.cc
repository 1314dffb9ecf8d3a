#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "arch/cpu.h"
#include "veritytool/commands/commands.h"
#include "veritytool/commands/cpu_text.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/interruption.h"
#include "veritytool/commands/output.h"

namespace commands {
namespace {

/// Descriptors 0 to 2 must be taken: a file that is opened in place of a closed one would receive what is printed.
/// Each gets something that refuses what it is for, so that its use is reported.
void occupy_standard_descriptors() {
    for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Writing to a closed pipe or past a size limit is an error like any other.
void ignore_write_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

std::string command_names() {
    std::vector<std::string> names;
    for (const Command& command : all_commands()) names.emplace_back(command.name);
    return joined(names, ", ");
}

void print_overview() {
    print(
        "Usage: veritytool COMMAND [OPTION...] ARGUMENTS\n\n"
        "Makes and checks dm-verity hash trees, and encrypts images as dm-crypt does.\n\nCommands:\n");
    for (const Command& command : all_commands())
        print("  " + padded(std::string(command.name), 12) + std::string(command.summary) + '\n');
    print(
        "\n'veritytool COMMAND --help' tells the options of a command.\n\n"
        "Exit status: 0 done and good; 1 wrong usage, an I/O error or unusable input;\n"
        "2 verification failed or wrong key; 3 out of memory; 4 no valid verity superblock.\n\n"
        "VERITYTOOL_CPU=-NAME,... in the environment keeps the program from using what\n"
        "the processor has; 'veritytool cores' shows the names.\n");
}

void check_cpu_mask() {
    const char* bad = arch::cpu_mask_error();
    if (bad == nullptr) return;
    throw Failure{kUnusable, "VERITYTOOL_CPU: unknown item " + in_quotes(bad) + " (known: -" +
                                 joined(feature_names(~arch::CpuFeatures{0}), " -") + ")"};
}

void run(const std::vector<std::string>& arguments) {
    if (arguments.empty()) throw Failure{kUnusable, "a command is missing (there are: " + command_names() + ")"};
    const std::string& name = arguments.front();
    if (name == "help" && arguments.size() > 1) return run({arguments[1], "--help"});
    if (name == "--help" || name == "-?" || name == "help") return print_overview();
    if (name == "--version" || name == "-V") return print("veritytool " VERITYTOOL_VERSION "\n");
    const auto command = std::ranges::find(all_commands(), name, &Command::name);
    if (command == all_commands().end())
        throw Failure{kUnusable, "unknown command " + in_quotes(name) + " (there are: " + command_names() + ")"};
    check_cpu_mask();
    command->run({arguments.begin() + 1, arguments.end()});
}

/// Runs the program and tells what went wrong.
int run_and_report(const std::vector<std::string>& arguments) {
    try {
        run(arguments);
        flush_output();
        return kGood;
    } catch (const Failure& failure) {
        die_if_interrupted();
        if (!failure.message.empty()) print_error(failure.message);
        return failure.status;
    } catch (const std::bad_alloc&) {
        print_error("out of memory");
        return kOutOfMemory;
    } catch (const std::exception& e) {
        print_error(e.what());
        return kUnusable;
    }
}

}  // namespace
}  // namespace commands

int main(int argc, char** argv) {
    commands::occupy_standard_descriptors();
    commands::ignore_write_signals();
    return commands::run_and_report({argv + std::min(argc, 1), argv + argc});
}
