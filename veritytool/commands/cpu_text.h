#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_CPU_TEXT_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_CPU_TEXT_H

#include <string>
#include <vector>

#include "arch/cpu.h"

namespace commands {

/// The features as users name them.
std::vector<std::string> feature_names(arch::CpuFeatures features);

/// `items` with `separator` between them.
std::string joined(const std::vector<std::string>& items, const std::string& separator);

}  // namespace commands

#endif
