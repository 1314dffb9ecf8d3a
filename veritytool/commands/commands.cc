#include "veritytool/commands/commands.h"

namespace commands {
namespace {

constexpr Command kCommands[] = {
    {"format", "make the hash tree of a file or device", run_format},
};

}  // namespace

std::span<const Command> all_commands() {
    return kCommands;
}

}  // namespace commands
