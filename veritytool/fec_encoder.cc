#include "veritytool/fec_encoder.h"

#include <algorithm>

namespace verity {
namespace {

constexpr std::uint64_t kMostInMemory = 32 * 1024 * 1024;  // of sums kept between the passes

std::vector<StripSums> make_sums(const ReedSolomon& code, const StripCut& cut) {
    std::vector<StripSums> sums;
    sums.reserve(cut.threads);
    for (unsigned i = 0; i < cut.threads; i++) sums.emplace_back(code, cut.width);
    return sums;
}

}  // namespace

FecEncoder::FecEncoder(const FecLayout& layout, FecPlace place, unsigned threads)
    : layout_(layout), place_(place), code_(layout.roots), cut_(layout, threads, false), sums_(make_sums(code_, cut_)) {
    if (layout.parity_size <= kMostInMemory) kept_.resize(static_cast<std::size_t>(layout.parity_size));
}

/// A strip's sums are kept where its parity will stand, row after row.
Result<void> FecEncoder::keep(StripSums& sums) {
    const Columns columns = sums.columns();
    std::uint64_t at = columns.first * layout_.roots;
    for (unsigned t = 0; t < layout_.roots; t++, at += columns.width) {
        if (in_memory())
            std::ranges::copy(sums.row(t), kept_.begin() + static_cast<std::ptrdiff_t>(at));
        else if (auto ok = place_.file.write_at(sums.row(t), place_.offset + at); !ok)
            return ok;
    }
    return {};
}

/// The opposite, for sums that have begun the same strip.
Result<void> FecEncoder::fetch(StripSums& sums) {
    const Columns columns = sums.columns();
    std::uint64_t at = columns.first * layout_.roots;
    for (unsigned t = 0; t < layout_.roots; t++, at += columns.width) {
        if (in_memory())
            std::ranges::copy(std::span(kept_).subspan(static_cast<std::size_t>(at), columns.width),
                              sums.row(t).begin());
        else if (auto ok = place_.file.read_at(sums.row(t), place_.offset + at); !ok)
            return ok;
    }
    return {};
}

Result<void> FecEncoder::pass_over_data(const File& data, const Control& control, const Observer& observer,
                                        const std::function<void(std::uint64_t)>& progress) {
    const FecMessage message(data, data, layout_);  // of which only the data is read
    std::vector<std::vector<BlockRange>> ranges(cut_.threads);
    std::vector<std::uint64_t> bytes(cut_.threads);
    const auto work = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        StripSums& sums = sums_[slot];
        const Columns columns = cut_.strip(index);
        sums.begin(columns);
        bytes[slot] = 0;
        const auto hook = [&](unsigned first_source, unsigned sources, std::span<std::uint8_t> read) -> Result<void> {
            ranges[slot].clear();
            std::uint64_t blocks = 0;
            for (unsigned i = 0; i < sources; i++) {
                const std::uint64_t first = (first_source + i) * layout_.rounds + columns.first / layout_.block_size;
                if (first >= layout_.data_blocks) break;
                const std::uint64_t count =
                    std::min<std::uint64_t>(columns.width / layout_.block_size, layout_.data_blocks - first);
                ranges[slot].push_back({first, count});
                blocks += count;
            }
            if (blocks == 0) return {};
            const auto size = static_cast<std::size_t>(blocks * layout_.block_size);
            bytes[slot] += size;
            return observer(slot, ranges[slot], read.first(size));
        };
        if (auto ok = sums.add(message, FecMessage::Part::data, observer ? hook : StripSums::Hook()); !ok) return ok;
        return keep(sums);
    };
    const auto consume = [&](std::size_t slot, std::uint64_t) -> Result<void> {
        progress(bytes[slot]);
        return {};
    };
    return for_each_strip(control, cut_.threads, cut_.count, data.path(), work, consume);
}

Result<void> FecEncoder::add_data(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    StripSums& sums = sums_.front();
    if (!begun_) {
        for (std::uint64_t i = 0; i < cut_.count; i++) {
            sums.begin(cut_.strip(i));
            if (auto ok = keep(sums); !ok) return ok;
        }
        begun_ = true;
    }
    while (!bytes.empty()) {
        const auto source = static_cast<unsigned>(offset / layout_.columns);
        const std::uint64_t column = offset % layout_.columns;
        const Columns strip = cut_.strip(column / cut_.width);
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), strip.first + strip.width - column));
        sums.begin(strip);
        if (auto ok = fetch(sums); !ok) return ok;
        sums.add_source(source, column, bytes.first(size));
        if (auto ok = keep(sums); !ok) return ok;
        bytes = bytes.subspan(size);
        offset += size;
    }
    return {};
}

Result<void> FecEncoder::finish(const File& hash, const Control& control) {
    const FecMessage message(hash, hash, layout_);  // of which only the hash blocks are read
    const auto work = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        StripSums& sums = sums_[slot];
        sums.begin(cut_.strip(index));
        if (auto ok = fetch(sums); !ok) return ok;
        if (auto ok = sums.add(message, FecMessage::Part::hash, {}); !ok) return ok;
        return place_.file.write_at(sums.by_codewords(), place_.offset + sums.columns().first * layout_.roots);
    };
    const auto consume = [](std::size_t, std::uint64_t) -> Result<void> { return {}; };
    return for_each_strip(control, cut_.threads, cut_.count, place_.file.path(), work, consume);
}

Result<FecCheck> check_parity(const FecMessage& message, FecPlace place, const Control& control) {
    const FecLayout& layout = message.layout();
    const ReedSolomon code(layout.roots);
    const StripCut cut(layout, control.threads, false);
    std::vector<StripSums> sums = make_sums(code, cut);
    std::vector<std::vector<std::uint8_t>> stored(cut.threads, std::vector<std::uint8_t>(cut.width * layout.roots));
    std::vector<FecCheck> found(cut.threads);
    const std::uint64_t size = place.file.size() > place.offset ? place.file.size() - place.offset : 0;

    FecCheck check;
    if (size < layout.parity_size) check.missing = layout.parity_size - size;
    std::uint64_t done = 0;
    const auto work = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        sums[slot].begin(cut.strip(index));
        const std::uint64_t at = sums[slot].columns().first * layout.roots;
        found[slot] = {};
        if (at >= size) return {};
        if (auto ok = sums[slot].add(message, FecMessage::Part::all, {}); !ok) return ok;
        const auto expected = sums[slot].by_codewords();
        const auto actual = std::span(stored[slot])
                                .first(static_cast<std::size_t>(std::min<std::uint64_t>(expected.size(), size - at)));
        if (auto ok = place.file.read_at(actual, place.offset + at); !ok) return ok;
        for (std::size_t i = 0; i < actual.size(); i++)
            if (actual[i] != expected[i] && found[slot].bad_bytes++ == 0) found[slot].first = at + i;
        return {};
    };
    const auto consume = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        if (check.bad_bytes == 0) check.first = found[slot].first;
        check.bad_bytes += found[slot].bad_bytes;
        done += cut.strip(index).width * layout.sources();
        if (control.progress) control.progress(std::min(done, layout.message_size()));
        return {};
    };
    if (auto ok = for_each_strip(control, cut.threads, cut.count, place.file.path(), work, consume); !ok)
        return ok.error();
    return check;
}

}  // namespace verity
