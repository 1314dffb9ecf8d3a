#ifndef VERITYTOOL_ARCH_LOAD_STORE_H
#define VERITYTOOL_ARCH_LOAD_STORE_H

#include <stdint.h>
#include <string.h>

/// Words in memory of a stated byte order and any alignment. `static`, not `inline`: core files include this and are
/// compiled with different instruction sets (see the note on weak symbols in the README).

namespace arch {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { kBigEndianHost = 1 };
#else
enum { kBigEndianHost = 0 };
#endif

[[maybe_unused]] static uint16_t load_le16(const void* from) {
    uint16_t v;
    memcpy(&v, from, sizeof v);
    return kBigEndianHost ? __builtin_bswap16(v) : v;
}

[[maybe_unused]] static uint32_t load_le32(const void* from) {
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return kBigEndianHost ? __builtin_bswap32(v) : v;
}

[[maybe_unused]] static uint64_t load_le64(const void* from) {
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return kBigEndianHost ? __builtin_bswap64(v) : v;
}

[[maybe_unused]] static uint32_t load_be32(const void* from) {
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return kBigEndianHost ? v : __builtin_bswap32(v);
}

[[maybe_unused]] static uint64_t load_be64(const void* from) {
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return kBigEndianHost ? v : __builtin_bswap64(v);
}

[[maybe_unused]] static void store_le16(void* to, uint16_t v) {
    if (kBigEndianHost) v = __builtin_bswap16(v);
    memcpy(to, &v, sizeof v);
}

[[maybe_unused]] static void store_le32(void* to, uint32_t v) {
    if (kBigEndianHost) v = __builtin_bswap32(v);
    memcpy(to, &v, sizeof v);
}

[[maybe_unused]] static void store_le64(void* to, uint64_t v) {
    if (kBigEndianHost) v = __builtin_bswap64(v);
    memcpy(to, &v, sizeof v);
}

[[maybe_unused]] static void store_be32(void* to, uint32_t v) {
    if (!kBigEndianHost) v = __builtin_bswap32(v);
    memcpy(to, &v, sizeof v);
}

[[maybe_unused]] static void store_be64(void* to, uint64_t v) {
    if (!kBigEndianHost) v = __builtin_bswap64(v);
    memcpy(to, &v, sizeof v);
}

}  // namespace arch

#endif
