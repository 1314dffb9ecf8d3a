#include "veritytool/key_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "veritytool/random.h"
#include "veritytool/text.h"

namespace verity {
namespace {

// More than any key has, so that a wrong file is named as such without being read to its end.
constexpr std::size_t kMost = 4096;

/// Fills `buffer` with what stands in the file from `offset` on, and returns how much of it there was.
Result<std::size_t> read_from(const File& file, std::uint64_t offset, std::span<std::uint8_t> buffer,
                              const std::atomic<bool>* stop) {
    const auto too_short = [&](std::uint64_t there) {
        return Error{ErrorKind::io, file.path() + ": has only " + counted(there, "byte") + ", " +
                                        std::to_string(offset) + " were to be skipped"};
    };
    if (file.kind() == File::Kind::stream) {
        auto skipped = file.skip_next(offset, buffer, stop);
        if (!skipped) return skipped.error();
        if (*skipped < offset) return too_short(*skipped);
        return file.read_next(buffer, stop);
    }
    if (offset > file.size()) return too_short(file.size());
    const auto there = static_cast<std::size_t>(std::min<std::uint64_t>(file.size() - offset, buffer.size()));
    if (auto ok = file.read_at(buffer.first(there), offset); !ok) return ok.error();
    return there;
}

/// All ones if `value` is from `low` to `high`, else zero, without a branch. All are small.
constexpr std::uint32_t within(std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    return (((value - low) | (high - value)) >> 31) - 1;
}

/// Decodes 2 * out.size() digits in time that does not depend on them. False if one is none.
bool decode_hex(std::span<std::uint8_t> out, std::span<const std::uint8_t> digits) {
    std::uint32_t good = ~std::uint32_t{0};
    const auto decode = [&](std::uint32_t c) {
        const std::uint32_t letter = c | 0x20;
        const std::uint32_t is_figure = within(c, '0', '9'), is_letter = within(letter, 'a', 'f');
        good &= is_figure | is_letter;
        return (is_figure & (c - '0')) | (is_letter & (letter - 'a' + 10));
    };
    for (std::size_t i = 0; i < out.size(); i++)
        out[i] = static_cast<std::uint8_t>(decode(digits[2 * i]) << 4 | decode(digits[2 * i + 1]));
    return good != 0;
}

/// The error for a key of `found` bytes or digits, `more` if there are even more.
Error wrong_length(const File& file, const KeyPlace& place, const SectorAlgorithm& algorithm,
                   std::span<const std::uint8_t> found, bool more) {
    const std::size_t unit = place.hex ? 2 : 1;
    std::string wanted = std::to_string(algorithm.key_sizes[0] * unit);
    if (algorithm.key_sizes[1] != 0) wanted += " or " + std::to_string(algorithm.key_sizes[1] * unit);
    std::string message = file.path() + ": a key for " + std::string(algorithm.name) + " has " + wanted +
                          (place.hex ? " hexadecimal digits" : " bytes") + ", but " + (more ? "more than " : "") +
                          counted(found.size(), place.hex ? "character" : "byte");
    message += place.size ? " were to be taken" : found.size() == 1 ? " is there" : " are there";
    // The most usual of all mistakes, with keys made by an editor.
    if (!place.hex && !more && !place.size && !found.empty() && found.back() == '\n')
        message += ", the last of them a newline";
    return {ErrorKind::input, std::move(message)};
}

}  // namespace

Result<LockedMemory> read_key(const File& file, const KeyPlace& place, const SectorAlgorithm& algorithm,
                              const std::atomic<bool>* stop) {
    LockedMemory buffer(kMost);
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(place.size.value_or(kMost), kMost));
    auto got = read_from(file, place.offset, buffer.bytes().first(most), stop);
    if (!got) return got.error();
    if (place.size && *got < most)
        return Error{ErrorKind::io, file.path() + ": ends after " + counted(*got, "byte") + " of a key that takes up " +
                                        std::to_string(*place.size)};
    std::span<const std::uint8_t> found = buffer.bytes().first(*got);
    const bool more = *got == kMost && place.size != kMost;
    if (place.hex)
        while (!found.empty() && (found.back() == '\n' || found.back() == '\r')) found = found.first(found.size() - 1);

    const std::size_t unit = place.hex ? 2 : 1;
    const std::size_t size = found.size() / unit;
    if (more || found.size() % unit != 0 || !algorithm.takes(size))
        return wrong_length(file, place, algorithm, found, more);
    LockedMemory key(size);
    if (!place.hex)
        std::ranges::copy(found, key.bytes().begin());
    else if (!decode_hex(key.bytes(), found))
        return Error{ErrorKind::input, file.path() + ": holds something else than a key in hexadecimal digits"};
    return key;
}

Result<File> make_key_file(const std::string& path, std::size_t size) {
    LockedMemory key(size);
    if (auto ok = fill_random(key.bytes()); !ok) return ok.error();
    constexpr unsigned kOwnerOnly = 0600;
    auto file = File::create(path, kOwnerOnly, path);
    if (!file) return file.error();
    auto done = file->write_at(key.bytes(), 0);
    if (done) done = file->sync();
    if (done) return file;
    file->unlink();
    return done.error();
}

}  // namespace verity
