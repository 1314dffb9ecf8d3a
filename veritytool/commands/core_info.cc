#include "veritytool/commands/core_info.h"

namespace commands {

CoreInfo core_info(const hashlib::HashCore& core) {
    return {core.name, core.lanes, core.needs, hashlib::usable(core)};
}

CoreInfo core_info(const ciphers::CipherCore& core) {
    return {core.name, core.lanes, core.needs, ciphers::usable(core)};
}

CoreInfo core_info(const verity::Gf256Core& core) {
    return {core.name, 1, core.needs, verity::usable(core)};
}

std::optional<CoreInfo> find_any_core(std::string_view name) {
    if (const auto* core = hashlib::find_core(name)) return core_info(*core);
    if (const auto* core = ciphers::find_core(name)) return core_info(*core);
    if (const auto* core = verity::find_gf256_core(name)) return core_info(*core);
    return {};
}

}  // namespace commands
