#ifndef VERITYTOOL_VERITYTOOL_FILE_H
#define VERITYTOOL_VERITYTOOL_FILE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "veritytool/error.h"

/// Files and block devices, read and written at 64-bit positions. Never mapped: a file that shrinks or a bad sector is
/// an error, not a signal, and a 32-bit processor can read an image larger than its address space.

namespace verity {

/// An open file, closed with the object. Reading and writing through a const object is safe from many threads.
class File {
  public:
    enum class Kind { regular, block_device, stream };

    /// Opens `path` for reading; "-" is standard input. Errors (io): what the system says; (input): a directory.
    static Result<File> open_for_reading(const std::string& path);

    /// Opens `path` for reading and writing, creating it if it is not there. Errors as above; (input): neither
    /// a regular file nor a block device.
    static Result<File> open_for_writing(const std::string& path);

    /// Creates the regular file `path`, which must not be there yet, for reading and writing by those whom `mode` and
    /// the umask let. Messages call it `name`. Error (io): what the system says.
    static Result<File> create(const std::string& path, unsigned mode, std::string name);

    /// Opens `path`, which must be there, for writing alone; "-" is standard output. Nothing is truncated, and a block
    /// device must not be in use (mounted). Errors (io): what the system says; (input): a directory.
    static Result<File> open_existing_for_writing(const std::string& path);

    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    ~File();

    const std::string& path() const { return path_; }  ///< as given; for messages
    Kind kind() const { return kind_; }
    bool created() const { return created_; }     ///< by open_for_writing
    std::uint64_t size() const { return size_; }  ///< bytes, when it was opened; 0 for a stream

    /// Whether both are the same regular file or block device, whatever their names, standard input and output among
    /// them.
    bool same_as(const File& other) const;

    /// Fills `bytes` from `offset` on. Errors (io): what the system says; the file has ended before.
    Result<void> read_at(std::span<std::uint8_t> bytes, std::uint64_t offset) const;

    /// Reads the next bytes of a stream until `bytes` is full or the stream ends, and returns how many there were.
    /// Once *stop is true (it may be null) it ends soon, even while nothing arrives: error (interrupted).
    Result<std::size_t> read_next(std::span<std::uint8_t> bytes, const std::atomic<bool>* stop) const;

    /// Passes over the next `count` bytes of a stream, which go through `buffer`, and returns how many there were.
    /// Errors: those of read_next.
    Result<std::uint64_t> skip_next(std::uint64_t count, std::span<std::uint8_t> buffer,
                                    const std::atomic<bool>* stop) const;

    /// Writes all of `bytes` at `offset`. Error (io): what the system says.
    Result<void> write_at(std::span<const std::uint8_t> bytes, std::uint64_t offset) const;

    /// Writes all of `bytes` to a stream. Error (io): what the system says. Once *stop is true (it may be null) it ends
    /// soon, even while nobody reads: error (interrupted).
    Result<void> write_next(std::span<const std::uint8_t> bytes, const std::atomic<bool>* stop) const;

    /// Sets the length of a regular file. Error (io): what the system says.
    Result<void> resize(std::uint64_t size) const;

    /// The present length of a regular file in bytes. Error (io): what the system says.
    Result<std::uint64_t> current_size() const;

    /// Whether a regular file still has the length that it was opened with. Others always do. Error (io): it has not.
    Result<void> check_size_unchanged() const;

    /// Removes the file, if its path still leads to it.
    void unlink() const;

    /// Makes what was written last. Error (io): it could not all be kept.
    Result<void> sync() const;

  private:
    File(std::string path, int descriptor);
    Result<void> identify();
    Error system_error(const char* doing) const;
    Result<void> wait_for(short events, const std::atomic<bool>* stop) const;

    std::string path_;
    int descriptor_ = -1;
    Kind kind_ = Kind::stream;
    bool created_ = false;
    std::uint64_t size_ = 0;
    bool stored_ = false;                   // in a regular file or on a block device, also where kind_ is stream
    bool pipe_ = false;                     // that, or a socket: writing waits for a reader
    std::uint64_t device_ = 0, inode_ = 0;  // st_dev and st_ino; of a block device st_rdev and 0
};

}  // namespace verity

#endif
