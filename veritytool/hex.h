#ifndef VERITYTOOL_VERITYTOOL_HEX_H
#define VERITYTOOL_VERITYTOOL_HEX_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verity {

/// Two lowercase digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// The bytes of an even number of hexadecimal digits in either case; nothing if `text` is anything else.
std::optional<std::vector<std::uint8_t>> parse_hex(std::string_view text);

}  // namespace verity

#endif
