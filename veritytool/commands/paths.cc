#include "veritytool/commands/paths.h"

#include <filesystem>

namespace commands {

bool same_place(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    const auto place = [](const std::string& path) {
        // Relative paths stay relative where nothing of them is there.
        std::error_code failed;
        const auto canonical = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
        return failed ? std::filesystem::path(path) : canonical;
    };
    return place(a) == place(b);
}

}  // namespace commands
