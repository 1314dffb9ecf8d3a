#ifndef VERITYTOOL_VERITYTOOL_TEXT_H
#define VERITYTOOL_VERITYTOOL_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace verity {

/// "1 block", "2 blocks": `count` and `noun`, which forms its plural with an s.
inline std::string counted(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace verity

#endif
