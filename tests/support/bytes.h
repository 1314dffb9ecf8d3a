#ifndef VERITYTOOL_TESTS_SUPPORT_BYTES_H
#define VERITYTOOL_TESTS_SUPPORT_BYTES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Byte strings and their hexadecimal spelling.

namespace test {

using Bytes = std::vector<std::uint8_t>;

inline std::string to_hex(std::span<const std::uint8_t> bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

/// Throws std::invalid_argument if `text` is not an even number of hexadecimal digits.
inline Bytes from_hex(std::string_view text) {
    if (text.size() % 2 != 0) throw std::invalid_argument("odd number of hexadecimal digits");
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        throw std::invalid_argument(std::string("no hexadecimal digit: ") + c);
    };
    Bytes bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
    return bytes;
}

}  // namespace test

#endif
