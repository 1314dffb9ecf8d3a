#ifndef VERITYTOOL_VERITYTOOL_CONTENT_TYPE_H
#define VERITYTOOL_VERITYTOOL_CONTENT_TYPE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// What an image holds, told by its magic number: enough to notice that it was decrypted with a wrong key.

namespace verity {

struct ContentType {
    std::string_view name;   ///< as mount(8) and blkid(8) spell it
    std::size_t offset;      ///< bytes from the beginning of the image
    std::string_view magic;  ///< the bytes that stand there
};

/// No magic number lies beyond so many bytes.
inline constexpr std::size_t kContentHead = 66 * 1024;

std::span<const ContentType> content_types();

/// The one of this name; null if there is none.
const ContentType* find_content_type(std::string_view name);

/// Whether the image that begins with `head`, its first kContentHead bytes or all, has the magic number of `type`.
bool is_content(const ContentType& type, std::span<const std::uint8_t> head);

}  // namespace verity

#endif
