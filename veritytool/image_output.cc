#include "veritytool/image_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "veritytool/hex.h"
#include "veritytool/random.h"

namespace verity {
namespace {

constexpr mode_t kPermissions = 0777;

Error system_error(const std::string& path, const std::string& doing = "") {
    return {ErrorKind::io, path + ": " + doing + std::strerror(errno)};
}

/// The folder that `path` is in, with a slash behind it; empty for the working directory.
std::string folder(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

/// What an existing `path` leads to, by links of any number.
Result<std::string> resolve(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> target(::realpath(path.c_str(), nullptr), std::free);
    if (target == nullptr) return system_error(path);
    return std::string(target.get());
}

/// A name in the same folder that nothing has. Short, since those beside it may be as long as names can be.
Result<std::string> temporary_name(const std::string& target) {
    std::array<std::uint8_t, 8> random;
    if (auto ok = fill_random(random); !ok) return ok.error();
    return folder(target) + ".veritytool-" + to_hex(random);
}

/// Makes a new name last. Where a folder cannot be synced, there is no better to be had.
void sync_folder(const std::string& path) {
    const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

Result<ImageOutput> ImageOutput::open(const std::string& path, std::span<const File* const> others) {
    struct stat status;
    std::string target = path;
    const bool there = path == "-" || ::stat(path.c_str(), &status) == 0;
    if (there) {
        auto old = File::open_existing_for_writing(path);
        if (!old) return old.error();
        for (const File* other : others)
            if (old->same_as(*other))
                return Error{ErrorKind::input, old->path() + ": cannot be written, since it is read as well" +
                                                   (other->path() != old->path() ? ", as " + other->path() : "")};
        if (old->kind() != File::Kind::regular) return ImageOutput(*std::move(old), "", "");
        auto resolved = resolve(path);
        if (!resolved) return resolved.error();
        target = *std::move(resolved);
    } else if (errno != ENOENT) {
        return system_error(path);
    } else if (::lstat(path.c_str(), &status) == 0) {
        return Error{ErrorKind::input, path + ": is a link to nothing"};
    } else if (path.ends_with('/')) {
        return Error{ErrorKind::input, path + ": is no name of a file"};
    }

    auto temporary = temporary_name(target);
    if (!temporary) return temporary.error();
    auto file = File::create(*temporary, 0666, path);
    if (!file) return file.error();
    ImageOutput output(*std::move(file), *std::move(temporary), std::move(target));
    if (there && ::chmod(output.temporary_.c_str(), status.st_mode & kPermissions) != 0)
        return system_error(path, "set permissions: ");
    return output;
}

ImageOutput::~ImageOutput() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<File> ImageOutput::reopen() const {
    return File::open_for_reading(temporary_.empty() ? file_.path() : temporary_);
}

Result<void> ImageOutput::keep() {
    if (auto ok = file_.sync(); !ok) return ok;
    if (temporary_.empty()) return {};
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return system_error(file_.path(), "rename: ");
    temporary_.clear();
    sync_folder(folder(target_));
    return {};
}

}  // namespace verity
