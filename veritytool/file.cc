#include "veritytool/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "veritytool/text.h"

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

namespace verity {
namespace {

Error io(std::string message) {
    return {ErrorKind::io, std::move(message)};
}

Error open_error(const std::string& path, int error) {
    return io(path + ": " + std::strerror(error));
}

}  // namespace

File::File(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

File::File(File&& other) noexcept {
    *this = std::move(other);
}

File& File::operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    kind_ = other.kind_;
    created_ = other.created_;
    stored_ = other.stored_;
    pipe_ = other.pipe_;
    size_ = other.size_;
    device_ = other.device_;
    inode_ = other.inode_;
    return *this;
}

File::~File() {
    if (descriptor_ > STDOUT_FILENO) ::close(descriptor_);
}

Error File::system_error(const char* doing) const {
    return io(path_ + ": " + doing + ": " + std::strerror(errno));
}

Result<File> File::open_for_reading(const std::string& path) {
    if (path == "-") {
        File file("standard input", STDIN_FILENO);
        if (auto ok = file.identify(); !ok) return ok.error();
        file.kind_ = Kind::stream;  // even a regular file: it is read from where it stands
        file.size_ = 0;
        return file;
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return open_error(path, errno);
    File file(path, descriptor);
    if (auto ok = file.identify(); !ok) return ok.error();
    return file;
}

Result<File> File::open_for_writing(const std::string& path) {
    int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    bool created = false;
    if (descriptor < 0 && errno == ENOENT) {
        descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        created = descriptor >= 0;
    }
    if (descriptor < 0) return open_error(path, errno);
    File file(path, descriptor);
    file.created_ = created;
    if (auto ok = file.identify(); !ok) return ok.error();
    if (file.kind_ == Kind::stream)
        return Error{ErrorKind::input, path + ": neither a regular file nor a block device"};
    return file;
}

Result<File> File::create(const std::string& path, unsigned mode, std::string name) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(mode));
    if (descriptor < 0) return open_error(name, errno);
    File file(std::move(name), descriptor);
    file.created_ = true;
    if (auto ok = file.identify(); !ok) return ok.error();
    return file;
}

Result<File> File::open_existing_for_writing(const std::string& path) {
    if (path == "-") {
        File file("standard output", STDOUT_FILENO);
        if (auto ok = file.identify(); !ok) return ok.error();
        file.kind_ = Kind::stream;  // even a regular file: it is written from where it stands
        file.size_ = 0;
        return file;
    }
    // Of a block device O_EXCL asks that nothing else claims it (open(2)); what it does to others is not defined.
    struct stat status;
    const bool device = ::stat(path.c_str(), &status) == 0 && S_ISBLK(status.st_mode);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (device ? O_EXCL : 0));
    if (descriptor < 0) return open_error(path, errno);
    File file(path, descriptor);
    if (auto ok = file.identify(); !ok) return ok.error();
    return file;
}

Result<void> File::identify() {
    struct stat status;
    if (::fstat(descriptor_, &status) != 0) return system_error("stat");
    if (S_ISDIR(status.st_mode)) return Error{ErrorKind::input, path_ + ": is a directory"};
    device_ = status.st_dev;
    inode_ = status.st_ino;
    stored_ = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
    pipe_ = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    if (S_ISREG(status.st_mode)) {
        kind_ = Kind::regular;
        size_ = static_cast<std::uint64_t>(status.st_size);
    } else if (S_ISBLK(status.st_mode)) {
        kind_ = Kind::block_device;
        device_ = status.st_rdev;
        inode_ = 0;
#if defined(__linux__)
        if (::ioctl(descriptor_, BLKGETSIZE64, &size_) != 0) return system_error("device size");
#else
        const off_t end = ::lseek(descriptor_, 0, SEEK_END);
        if (end < 0) return system_error("device size");
        size_ = static_cast<std::uint64_t>(end);
#endif
    }
    return {};
}

bool File::same_as(const File& other) const {
    return stored_ && other.stored_ && device_ == other.device_ && inode_ == other.inode_;
}

Result<void> File::read_at(std::span<std::uint8_t> bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
        const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            Error error = system_error("read");
            error.message += " (at byte " + std::to_string(offset) + ")";
            return error;
        }
        if (got == 0)
            return io(path_ + ": ends at byte " + std::to_string(offset) + ", where " + std::to_string(bytes.size()) +
                      " more were to be read");
        bytes = bytes.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

/// Waits until a stream can be read or written. Signals may reach any thread, so a call that waits by itself would not
/// notice them: hence in short steps, between which it looks at *stop.
Result<void> File::wait_for(short events, const std::atomic<bool>* stop) const {
    constexpr int kStepMilliseconds = 100;
    while (true) {
        pollfd waiting{descriptor_, events, 0};
        const int ready = ::poll(&waiting, 1, kStepMilliseconds);
        if (stop != nullptr && *stop) return Error{ErrorKind::interrupted, path_ + ": interrupted"};
        if (ready > 0) return {};
        if (ready < 0 && errno != EINTR) return system_error("poll");
    }
}

Result<std::size_t> File::read_next(std::span<std::uint8_t> bytes, const std::atomic<bool>* stop) const {
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        if (auto ok = wait_for(POLLIN, stop); !ok) return ok.error();
        const ssize_t got = ::read(descriptor_, bytes.data() + filled, bytes.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("read");
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

Result<std::uint64_t> File::skip_next(std::uint64_t count, std::span<std::uint8_t> buffer,
                                      const std::atomic<bool>* stop) const {
    std::uint64_t skipped = 0;
    while (skipped < count) {
        const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), count - skipped));
        auto got = read_next(buffer.first(step), stop);
        if (!got) return got.error();
        skipped += *got;
        if (*got < step) break;
    }
    return skipped;
}

Result<void> File::write_at(std::span<const std::uint8_t> bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return system_error("write");
        if (put == 0) return io(path_ + ": write: no room at byte " + std::to_string(offset));
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

Result<void> File::write_next(std::span<const std::uint8_t> bytes, const std::atomic<bool>* stop) const {
    // A pipe that poll calls writable takes so much without waiting, and no more is certain.
    constexpr std::size_t kCertain = PIPE_BUF;
    while (!bytes.empty()) {
        if (auto ok = wait_for(POLLOUT, stop); !ok) return ok;
        const std::size_t some = pipe_ ? std::min(bytes.size(), kCertain) : bytes.size();
        const ssize_t put = ::write(descriptor_, bytes.data(), some);
        if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (put < 0) return system_error("write");
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> File::resize(std::uint64_t size) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return system_error("set length");
    return {};
}

Result<std::uint64_t> File::current_size() const {
    struct stat status;
    if (::fstat(descriptor_, &status) != 0) return system_error("stat");
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> File::check_size_unchanged() const {
    if (kind_ != Kind::regular) return {};
    auto now = current_size();
    if (!now) return now.error();
    if (*now == size_) return {};
    return io(path_ + ": its length changed from " + counted(size_, "byte") + " to " + std::to_string(*now) +
              " while it was read");
}

void File::unlink() const {
    // What the path leads to, so that a symbolic link stays and only its target goes.
    char* const target = ::realpath(path_.c_str(), nullptr);
    struct stat status;
    if (target != nullptr && ::stat(target, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_)
        ::unlink(target);
    std::free(target);
}

Result<void> File::sync() const {
    // EINVAL: a file system that has nothing to sync, says fsync(2).
    if (::fsync(descriptor_) != 0 && errno != EINVAL) return system_error("sync");
    // What network file systems have put off until closing, closing a duplicate brings out as well.
    const int duplicate = ::dup(descriptor_);
    if (duplicate < 0) return system_error("dup");
    if (::close(duplicate) != 0) return system_error("close");
    return {};
}

}  // namespace verity
