#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CORE_INFO_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CORE_INFO_H

#include <optional>
#include <string_view>

#include "ciphers/registry.h"
#include "hashlib/registry.h"
#include "veritytool/gf256.h"

namespace commands {

/// A core of any kind, as far as users are concerned.
struct CoreInfo {
    std::string_view name;
    unsigned lanes;           ///< units that it takes side by side; 1 where it takes bytes
    arch::CpuFeatures needs;  ///< what the processor must have
    bool usable;              ///< whether this one has it
};

CoreInfo core_info(const hashlib::HashCore& core);
CoreInfo core_info(const ciphers::CipherCore& core);
CoreInfo core_info(const verity::Gf256Core& core);

/// The core called `name` in any of the registries.
std::optional<CoreInfo> find_any_core(std::string_view name);

}  // namespace commands

#endif
