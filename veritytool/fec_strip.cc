#include "veritytool/fec_strip.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "veritytool/gf256.h"
#include "veritytool/parallel.h"
#include "veritytool/pieces.h"

namespace verity {
namespace {

constexpr std::size_t kSumsSize = 512 * 1024;      // of one strip: half of a second-level cache
constexpr std::size_t kLeastWidth = 16 * 1024;     // below it, reading is all system calls
constexpr std::size_t kMostWidth = 64 * 1024;      // and above it gains nothing
constexpr std::size_t kBatchSize = 512 * 1024;     // of sources in memory
constexpr unsigned kMostBatch = 8;                 // sources after which reading and writing sums costs little
constexpr std::size_t kMemory = 32 * 1024 * 1024;  // of all threads' buffers together
constexpr std::size_t kRowGap = 64;                // so that rows do not compete for the same lines of a cache

unsigned batch(std::size_t width) {
    return static_cast<unsigned>(std::clamp<std::size_t>(kBatchSize / width, 1, kMostBatch));
}

/// The part of [begin, end) that is in [first, last), relative to `begin`.
struct Overlap {
    std::size_t at, size;
};
Overlap overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t low = std::max(begin, first), high = std::min(end, last);
    if (low >= high) return {0, 0};
    return {static_cast<std::size_t>(low - begin), static_cast<std::size_t>(high - low)};
}

}  // namespace

Result<void> FecMessage::read(std::span<std::uint8_t> bytes, std::uint64_t offset, Part part) const {
    const std::uint64_t end = offset + bytes.size(), data_end = layout_.data_size();
    const Overlap data = part == Part::hash ? Overlap{0, 0} : overlap(offset, end, 0, data_end);
    const Overlap hash = part == Part::data ? Overlap{0, 0} : overlap(offset, end, data_end, layout_.message_size());
    if (data.size + hash.size != bytes.size()) std::ranges::fill(bytes, std::uint8_t{0});
    if (data.size != 0)
        if (auto ok = data_.read_at(bytes.subspan(data.at, data.size), offset + data.at); !ok) return ok;
    if (hash.size != 0)
        return hash_.read_at(bytes.subspan(hash.at, hash.size), layout_.hash_offset + (offset + hash.at - data_end));
    return {};
}

FecMessage::Sources FecMessage::sources(Part part) const {
    const auto row = [&](std::uint64_t block) { return static_cast<unsigned>(block / layout_.rounds); };
    const auto row_up = [&](std::uint64_t block) {
        return static_cast<unsigned>((block + layout_.rounds - 1) / layout_.rounds);
    };
    return {part == Part::hash ? row(layout_.data_blocks) : 0,
            row_up(part == Part::data ? layout_.data_blocks : layout_.message_blocks())};
}

StripCut::StripCut(const FecLayout& layout, unsigned wanted_threads, bool whole_blocks) : columns(layout.columns) {
    width = std::clamp(std::bit_floor(kSumsSize / layout.roots), kLeastWidth, kMostWidth);
    if (whole_blocks || layout.block_size <= kMostWidth) width = std::max<std::size_t>(width, layout.block_size);
    const unsigned most = usable_threads(wanted_threads);
    // Small images are spread over the threads, too.
    const std::size_t least = std::max<std::size_t>(kLeastWidth, whole_blocks ? layout.block_size : 0);
    while (width / 2 >= least && columns < std::uint64_t{width} * most) width /= 2;
    const std::size_t per_thread = width * (2 * std::size_t{layout.roots} + batch(width));
    threads = static_cast<unsigned>(std::clamp<std::size_t>(kMemory / per_thread, 1, most));
    count = (columns + width - 1) / width;
}

Columns StripCut::strip(std::uint64_t index) const {
    const std::uint64_t first = index * width;
    return {first, static_cast<std::size_t>(std::min<std::uint64_t>(width, columns - first))};
}

StripSums::StripSums(const ReedSolomon& code, std::size_t width)
    : code_(code),
      rows_(code.roots()),
      stride_(width + kRowGap),
      batch_(batch(width)),
      factors_(code.roots() + 1),
      sums_(code.roots() * stride_),
      sources_(batch_ * width),
      codewords_(code.roots() * width) {}

void StripSums::begin(Columns columns, unsigned rows) {
    columns_ = columns;
    rows_ = rows != 0 ? rows : code_.roots();
    if (factors_[rows_].empty()) factors_[rows_] = code_.factors(rows_);
    for (unsigned t = 0; t < rows_; t++) std::ranges::fill(row(t), std::uint8_t{0});
}

Result<void> StripSums::add(const FecMessage& message, FecMessage::Part part, const Hook& hook) {
    Gf256MulAdd* const multiply_add = best_gf256_core().function;
    const FecMessage::Sources range = message.sources(part);
    for (unsigned source = range.first; source < range.end; source += batch_) {
        const unsigned count = std::min(batch_, range.end - source);
        const auto bytes = std::span(sources_).first(count * columns_.width);
        for (unsigned i = 0; i < count; i++) {
            const std::uint64_t offset = (source + i) * message.layout().columns + columns_.first;
            if (auto ok = message.read(bytes.subspan(i * columns_.width, columns_.width), offset, part); !ok) return ok;
        }
        if (hook)
            if (auto ok = hook(source, count, bytes); !ok) return ok;
        multiply_add(sums_.data(), stride_, rows_, bytes.data(), columns_.width, count, columns_.width,
                     &factors_[rows_][std::size_t{source} * rows_]);
    }
    return {};
}

void StripSums::add_source(unsigned source, std::uint64_t first, std::span<const std::uint8_t> bytes) {
    // Whole units straight from where they are; the cores take nothing smaller, and blocks are never smaller either.
    best_gf256_core().function(sums_.data() + (first - columns_.first), stride_, rows_, bytes.data(), bytes.size(), 1,
                               bytes.size(), &factors_[rows_][std::size_t{source} * rows_]);
}

std::span<std::uint8_t> StripSums::by_codewords() {
    const std::size_t width = columns_.width;
    std::uint8_t* out = codewords_.data();
    const std::uint8_t* const sums = sums_.data();
    for (std::size_t column = 0; column < width; column++)
        for (unsigned t = 0; t < rows_; t++) *out++ = sums[t * stride_ + column];
    return std::span(codewords_).first(rows_ * width);
}

void StripSums::add_codewords(std::span<const std::uint8_t> parity) {
    // The parity may have more symbols of each codeword than there are rows here.
    const std::size_t symbols = parity.size() / columns_.width;
    for (unsigned t = 0; t < rows_; t++) {
        std::uint8_t* const sums = row(t).data();
        for (std::size_t column = 0; column < columns_.width; column++)
            sums[column] = static_cast<std::uint8_t>(sums[column] ^ parity[column * symbols + t]);
    }
}

Result<void> for_each_strip(const Control& control, unsigned threads, std::uint64_t count, const std::string& name,
                            const std::function<Result<void>(std::size_t, std::uint64_t)>& work,
                            const std::function<Result<void>(std::size_t, std::uint64_t)>& consume) {
    std::vector<std::uint64_t> strip(threads);
    std::vector<std::optional<Error>> errors(threads);
    std::uint64_t next = 0;
    FirstError failure;
    const auto produce = [&](std::size_t slot) {
        if (next == count || failure) return false;
        strip[slot] = next++;
        return true;
    };
    const auto do_work = [&](std::size_t slot) {
        if (auto ok = work(slot, strip[slot]); !ok) errors[slot] = ok.error();
    };
    const auto do_consume = [&](std::size_t slot) {
        if (errors[slot]) failure.set(*errors[slot]);
        if (control.stopped()) failure.set({ErrorKind::interrupted, name + ": interrupted"});
        if (failure) return;
        if (auto ok = consume(slot, strip[slot]); !ok) failure.set(ok.error());
    };
    run({threads, threads, produce, do_work, do_consume});
    return failure.result();
}

}  // namespace verity
