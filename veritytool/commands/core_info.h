#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CORE_INFO_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CORE_INFO_H

#include <optional>
#include <string_view>

#include "ciphers/registry.h"
#include "hashlib/registry.h"

namespace commands {

/// A core of any kind, as far as users are concerned.
struct CoreInfo {
    std::string_view name;
    unsigned lanes;           ///< what it takes side by side
    arch::CpuFeatures needs;  ///< what the processor must have
    bool usable;              ///< whether this one has it
};

CoreInfo core_info(const hashlib::HashCore& core);
CoreInfo core_info(const ciphers::CipherCore& core);

/// The core called `name` in any of the registries.
std::optional<CoreInfo> find_any_core(std::string_view name);

}  // namespace commands

#endif
