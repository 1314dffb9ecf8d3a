#ifndef VERITYTOOL_VERITYTOOL_IMAGE_OUTPUT_H
#define VERITYTOOL_VERITYTOOL_IMAGE_OUTPUT_H

#include <span>
#include <string>
#include <utility>

#include "veritytool/file.h"

namespace verity {

/// A whole new image. A regular file comes about under a temporary name beside the one that it will have, which it gets
/// with keep(): until then whatever had that name is there unchanged, and if keep() is never called the destructor
/// leaves nothing. Block devices, pipes and the like are written directly, and neither renamed over nor removed.
class ImageOutput {
  public:
    /// Opens or creates `path`; "-" is standard output. Where that follows symbolic links, so does this. Errors (io):
    /// what the system says; (input): a directory, a link to nothing, one of `others`.
    static Result<ImageOutput> open(const std::string& path, std::span<const File* const> others);

    ImageOutput(ImageOutput&& other) noexcept
        : file_(std::move(other.file_)),
          temporary_(std::exchange(other.temporary_, {})),
          target_(std::move(other.target_)) {}
    ImageOutput& operator=(ImageOutput&&) = delete;
    ~ImageOutput();

    const File& file() const { return file_; }

    /// What has been written so far, opened for reading. Error (io): what the system says.
    Result<File> reopen() const;

    /// Declares the content good and complete, once all of it is on the disk. Error (io): it could not all be written.
    Result<void> keep();

  private:
    ImageOutput(File file, std::string temporary, std::string target)
        : file_(std::move(file)), temporary_(std::move(temporary)), target_(std::move(target)) {}

    File file_;
    std::string temporary_, target_;  // paths; empty where nothing is to be renamed
};

}  // namespace verity

#endif
