#include "veritytool/commands/device_name.h"

namespace commands {

namespace {

constexpr std::size_t kLongestName = 127;  // DM_NAME_LEN of Linux include/uapi/linux/dm-ioctl.h, with the last zero
constexpr const char* kAllowed = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#+-.:=@_";

}  // namespace

Take device_name_value(std::string& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        const auto refuse = [&](const std::string& why) {
            return verity::Error{verity::ErrorKind::usage, in_quotes(value) + why};
        };
        if (value.empty() || value.find_first_not_of(kAllowed) != std::string::npos || value == "." || value == "..")
            return refuse(" is no name: letters, digits and #+-.:=@_ make one");
        if (value.size() > kLongestName) return refuse(" is longer than " + std::to_string(kLongestName));
        target = value;
        return {};
    };
}

}  // namespace commands
