#include "veritytool/content_type.h"

#include <algorithm>

namespace verity {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExt = "\x53\xef"sv;

// Sources: Linux include/uapi/linux/magic.h and the file systems' own headers; UEFI specification, GPT header. ext2 to
// ext4 share their number; that of vfat is a boot sector's.
constexpr ContentType kTypes[] = {
    {"ext4", 1024 + 0x38, kExt},
    {"ext3", 1024 + 0x38, kExt},
    {"ext2", 1024 + 0x38, kExt},
    {"erofs", 1024, "\xe2\xe1\xf5\xe0"sv},
    {"squashfs", 0, "hsqs"sv},
    {"f2fs", 1024, "\x10\x20\xf5\xf2"sv},
    {"btrfs", 65536 + 0x40, "_BHRfS_M"sv},
    {"xfs", 0, "XFSB"sv},
    {"cramfs", 0, "\x45\x3d\xcd\x28"sv},
    {"romfs", 0, "-rom1fs-"sv},
    {"iso9660", 32768, "\1CD001"sv},
    {"ntfs", 3, "NTFS    "sv},
    {"vfat", 510, "\x55\xaa"sv},
    {"swap", 4086, "SWAPSPACE2"sv},
    {"gpt", 512, "EFI PART"sv},
};

static_assert(std::ranges::all_of(kTypes, [](const ContentType& type) {
    return type.offset + type.magic.size() <= kContentHead;
}));

}  // namespace

std::span<const ContentType> content_types() {
    return kTypes;
}

const ContentType* find_content_type(std::string_view name) {
    const auto found = std::ranges::find(kTypes, name, &ContentType::name);
    return found != std::end(kTypes) ? found : nullptr;
}

bool is_content(const ContentType& type, std::span<const std::uint8_t> head) {
    if (head.size() < type.offset + type.magic.size()) return false;
    return std::ranges::equal(head.subspan(type.offset, type.magic.size()), type.magic,
                              [](std::uint8_t byte, char magic) { return byte == static_cast<std::uint8_t>(magic); });
}

}  // namespace verity
