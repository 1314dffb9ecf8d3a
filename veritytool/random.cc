#include "veritytool/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace verity {

Result<void> fill_random(std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error{ErrorKind::io, std::string("getrandom: ") + std::strerror(errno)};
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

}  // namespace verity
