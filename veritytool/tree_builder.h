#ifndef VERITYTOOL_VERITYTOOL_TREE_BUILDER_H
#define VERITYTOOL_VERITYTOOL_TREE_BUILDER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "veritytool/control.h"
#include "veritytool/fec_output.h"
#include "veritytool/file.h"
#include "veritytool/layout.h"
#include "veritytool/superblock.h"

/// Making a hash tree: the data is read once, the levels are built bottom-up.

namespace verity {

struct BuildRequest {
    TreeParameters parameters;      ///< data_blocks 0: all of the data
    std::optional<Uuid> uuid;       ///< of the superblock; without one there is no superblock
    std::uint64_t hash_offset = 0;  ///< bytes from the start of the hash file
    FecRequest fec{};               ///< for the parity, where there is an output for it
};

struct BuiltTree {
    TreeParameters parameters;  ///< with data_blocks as found
    TreeLayout layout;
    std::vector<std::uint8_t> root;
    std::optional<FecLayout> fec;  ///< of the parity, if there is any
};

/// The hash file while its content is not yet known to be good. Unless keep() is called, the destructor leaves nothing
/// that looks valid: a file that was created is removed; in one that was there before, the superblock is wiped and the
/// old length restored; a device is left without a superblock. What the caller opened for reading stays as it was
/// below the hash offset.
class HashOutput {
  public:
    /// Opens or creates `path`. Errors: those of File::open_for_writing.
    static Result<HashOutput> open(const std::string& path);

    HashOutput(HashOutput&&) noexcept = default;
    HashOutput& operator=(HashOutput&&) = delete;
    ~HashOutput();

    const File& file() const { return file_; }

    /// Declares the content good, once all of it is on the disk. Error (io): it could not all be written.
    Result<void> keep();

  private:
    friend class TreeBuilder;
    explicit HashOutput(File file) : file_(std::move(file)), armed_(true) {}

    File file_;
    bool armed_;                               // the destructor has something to undo
    std::optional<std::uint64_t> superblock_;  // where one is wiped on failure, in bytes
    bool touched_ = false;                     // something may have been written
};

/// Whether a hash area of this layout can go into `hash`: it must not overlap `data` where both are one file, nor be
/// longer than its device. Error (input).
Result<void> check_room(const File& data, const File& hash, const TreeLayout& layout, std::uint64_t hash_offset);

/// Builds the tree of `data` into `output`, superblock last. Errors: (usage) those of lay_out; (input) data that is
/// empty, shorter than data_blocks or not a whole number of blocks, a hash area that overlaps data in the same file or
/// is longer than its device; (io) reading or writing fails, or the data's size changes meanwhile; (interrupted).
///
/// With `parity`, that of data and tree is written there, in the same pass over the data; a stream then needs
/// data_blocks. More errors: those of lay_out_fec and check_parity_room.
Result<BuiltTree> build_tree(const File& data, HashOutput& output, const BuildRequest& request, const Control& control,
                             FecOutput* parity = nullptr);

/// The number of data blocks that `data` holds, or parameters.data_blocks if that is not 0 and they are there. Errors
/// (input): see build_tree.
Result<std::uint64_t> count_data_blocks(const File& data, const TreeParameters& parameters);

}  // namespace verity

#endif
