#ifndef VERITYTOOL_VERITYTOOL_FEC_OUTPUT_H
#define VERITYTOOL_VERITYTOOL_FEC_OUTPUT_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "veritytool/fec_layout.h"
#include "veritytool/file.h"

namespace verity {

/// How a file or device holds parity.
enum class FecFormat {
    veritysetup,  ///< the parity alone, at an offset
    aosp,         ///< the parity in a file of its own, with a header behind it (fec_header.h)
};

/// What parity is wanted.
struct FecRequest {
    unsigned roots = kMinFecRoots;
    std::uint64_t offset = 0;  ///< bytes from the start of the file; a multiple of 512
    FecFormat format = FecFormat::veritysetup;
};

/// The file that parity is written to, which may be that of the tree, the data, or both. Unless keep() is called, the
/// destructor removes a file that was created, and cuts one that was there before off where the parity begins, so that
/// it cannot pass for parity; a file of tree or data gets its old length back.
class FecOutput {
  public:
    /// Opens or creates `path`. Errors: those of File::open_for_writing.
    static Result<FecOutput> open(const std::string& path);

    FecOutput(FecOutput&& other) noexcept
        : file_(std::move(other.file_)),
          armed_(std::exchange(other.armed_, false)),
          touched_(other.touched_),
          rest_(other.rest_) {}
    FecOutput& operator=(FecOutput&&) = delete;
    ~FecOutput();

    const File& file() const { return file_; }

    /// Says that writing begins: at `offset`, in a file that holds nothing else if `own`.
    void touch(std::uint64_t offset, bool own) {
        touched_ = true;
        rest_ = own ? std::min(offset, file_.size()) : file_.size();
    }

    /// Declares the content good, once all of it is on the disk. Error (io): it could not all be written.
    Result<void> keep();

  private:
    explicit FecOutput(File file) : file_(std::move(file)) {}

    File file_;
    bool armed_ = true;       // the destructor has something to undo
    bool touched_ = false;    // something may have been written
    std::uint64_t rest_ = 0;  // bytes of the file that then remain
};

/// Whether parity can go into `parity` beside what `data` and `hash` hold: it must overlap neither, stand behind the
/// tree where both are in one file, and fit its device; Android's form needs a file of its own. Error (input), (usage).
Result<void> check_parity_room(const File& data, const File& hash, const File& parity, const TreeLayout& tree,
                               const FecLayout& layout, const FecRequest& request);

/// What the size of `hash` will be, in bytes, once a tree of `data` is in it: it is cut, or grows, to the tree's end,
/// unless it is a device or holds the data as well.
std::uint64_t hash_size_to_be(const File& data, const File& hash, const TreeLayout& tree);

/// Where in `hash` the area ends that parity in `parity` protects. `hash_size`: of the hash file in bytes.
std::uint64_t protected_end(const File& hash, std::uint64_t hash_size, const File& parity, std::uint64_t parity_offset);

}  // namespace verity

#endif
