#include "veritytool/commands/cpu_text.h"

namespace commands {

std::vector<std::string> feature_names(arch::CpuFeatures features) {
    std::vector<std::string> names;
    for (const arch::CpuFeatureName* named = arch::kCpuFeatureNames; named->name != nullptr; named++)
        if (features & named->feature) names.emplace_back(named->name);
    return names;
}

std::string joined(const std::vector<std::string>& items, const std::string& separator) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
    return text;
}

}  // namespace commands
