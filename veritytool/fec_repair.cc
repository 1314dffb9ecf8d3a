#include "veritytool/fec_repair.h"

#include <algorithm>
#include <utility>

#include "veritytool/gf256.h"
#include "veritytool/pieces.h"

namespace verity {
namespace {

constexpr std::size_t kExamineSize = 512 * 1024;  // bytes of blocks that are hashed in one go

TreeLayout lay_out_known(const VerifyRequest& request) {
    // It has been laid out before, by verify_tree().
    return *lay_out(request.parameters, request.hash_offset, request.superblock);
}

}  // namespace

/// What a thread needs to solve groups.
class FecRepair::Scratch {
  public:
    Scratch(const ReedSolomon& code, const FecLayout& layout, std::size_t width)
        : sums(code, width),
          parity(width * layout.roots),
          // Rows for the cores, as many as can be erased.
          solved(std::size_t{layout.roots} * layout.block_size) {}

    std::span<std::uint8_t> block(std::size_t i, std::size_t block_size) {
        return std::span(solved).subspan(i * block_size, block_size);
    }

    StripSums sums;                    // residuals of the columns that were loaded
    std::vector<std::uint8_t> parity;  // as stored
    Buffer solved;                     // the erased blocks of one group
    std::vector<Solved> results;
};

FecRepair::FecRepair(const File& data, const File& hash, const VerifyRequest& request, const FecLayout& layout,
                     FecPlace parity, const Control& control)
    : data_(data),
      hash_(hash),
      request_(request),
      tree_(lay_out_known(request)),
      layout_(layout),
      parity_(parity),
      control_(control),
      message_(data, hash, layout),
      code_(layout.roots),
      data_hasher_(data_hasher(request.parameters)),
      tree_hasher_(tree_hasher(request.parameters)),
      top_(static_cast<int>(tree_.levels.size()) - 1),
      states_(layout.message_blocks()) {}

std::uint64_t FecRepair::blocks_in(int level) const {
    return level == Finding::kData ? layout_.data_blocks : tree_.levels[static_cast<std::size_t>(level)].blocks;
}

std::uint64_t FecRepair::message_block(Block block) const {
    if (block.level == Finding::kData) return block.index;
    const std::uint64_t offset = tree_.levels[static_cast<std::size_t>(block.level)].offset;
    return layout_.data_blocks + (offset - tree_.tree_offset) / layout_.block_size + block.index;
}

void FecRepair::note(const Finding& finding) {
    if (finding.fault == Finding::Fault::padding) {
        padding_faults_ += finding.count;
        return;
    }
    const State state = finding.fault == Finding::Fault::digest ? State::bad : State::unknown;
    const std::uint64_t first = message_block({finding.level, finding.first});
    for (std::uint64_t i = 0; i < finding.count; i++) states_.set(first + i, state);
}

void FecRepair::note(const VerifyReport& report) {
    // Either is told without a finding where nothing but the root says so.
    if (report.root != RootState::matches) states_.set(message_block({top_, 0}), State::bad);
}

std::uint64_t FecRepair::parity_size() const {
    const std::uint64_t size = parity_.file.size();
    return size > parity_.offset ? std::min(size - parity_.offset, layout_.parity_size) : 0;
}

bool FecRepair::parity_missing(std::uint64_t round) const {
    return (round + 1) * layout_.block_size * layout_.roots > parity_size();
}

bool FecRepair::is_erased(State state, Erased erased) {
    switch (state) {
    case State::bad:
        return true;
    case State::suspect:
        return erased >= Erased::suspect_too;
    case State::doubtful:
        return erased >= Erased::doubtful_too;
    case State::unknown:
        return erased >= Erased::unknown_too;
    case State::good:
    case State::plausible:
        return false;
    }
    return false;
}

/// The group's erased blocks, by their rows in the message's matrix.
std::vector<unsigned> FecRepair::erased_in(std::uint64_t round, Erased erased) const {
    std::vector<unsigned> sources;
    for (unsigned source = 0; source < layout_.sources(); source++) {
        const std::uint64_t block = source * layout_.rounds + round;
        if (block >= layout_.message_blocks()) break;
        if (is_erased(states_.get(block), erased)) sources.push_back(source);
    }
    return sources;
}

/// Whether a block with this content has the digest that is said of it, by the root or a hash block above.
Result<bool> FecRepair::matches(Block block, std::span<const std::uint8_t> content) const {
    const std::size_t digest_size = request_.parameters.hash->digest_size;
    std::vector<std::uint8_t> expected(digest_size), actual(digest_size);
    if (block.level == top_) {
        expected = request_.root;
    } else {
        const std::uint64_t parent = message_block({block.level + 1, block.index / tree_.digests_per_block});
        const std::size_t slot = static_cast<std::size_t>(block.index % tree_.digests_per_block) * tree_.slot_size;
        const auto repaired = repaired_hash_.find(parent);
        if (repaired != repaired_hash_.end())
            std::copy_n(&repaired->second[slot], digest_size, expected.begin());
        else if (auto ok = hash_.read_at(
                     expected, layout_.hash_offset + (parent - layout_.data_blocks) * layout_.block_size + slot);
                 !ok)
            return ok.error();
    }
    (block.level == Finding::kData ? data_hasher_ : tree_hasher_).hash(actual, digest_size, content);
    return actual == expected;
}

/// Makes the first `rows` residual symbols of these codewords, with erased blocks as zeros.
Result<void> FecRepair::load(Scratch& scratch, Columns columns, unsigned rows, Erased erased) const {
    const std::size_t block_size = layout_.block_size;
    const auto hook = [&](unsigned first_source, unsigned sources, std::span<std::uint8_t> bytes) -> Result<void> {
        for (std::size_t at = 0; at < bytes.size(); at += block_size) {
            const std::uint64_t source = first_source + at / columns.width;
            const std::uint64_t block = source * layout_.rounds + (columns.first + at % columns.width) / block_size;
            if (source >= first_source + sources || block >= layout_.message_blocks()) break;
            const auto content = bytes.subspan(at, block_size);
            if (is_erased(states_.get(block), erased))
                std::ranges::fill(content, std::uint8_t{0});
            else if (const auto repaired = repaired_hash_.find(block);
                     block >= layout_.data_blocks && repaired != repaired_hash_.end())
                std::ranges::copy(repaired->second, content.begin());
        }
        return {};
    };
    scratch.sums.begin(columns, rows);
    if (auto ok = scratch.sums.add(message_, FecMessage::Part::all, hook); !ok) return ok;

    const auto parity = std::span(scratch.parity).first(columns.width * layout_.roots);
    const std::uint64_t at = columns.first * layout_.roots;
    const auto there =
        static_cast<std::size_t>(std::min<std::uint64_t>(parity.size(), std::max(parity_size(), at) - at));
    std::ranges::fill(parity.subspan(there), std::uint8_t{0});
    if (auto ok = parity_.file.read_at(parity.first(there), parity_.offset + at); !ok) return ok;
    scratch.sums.add_codewords(parity);
    return {};
}

/// Solves a loaded group for its erased blocks.
Result<void> FecRepair::solve_erasures(Scratch& scratch, std::uint64_t round, std::span<const unsigned> erased) const {
    const std::size_t block_size = layout_.block_size, n = erased.size();
    const auto out = std::span(scratch.solved).first(n * block_size);
    std::ranges::fill(out, std::uint8_t{0});
    const auto column = static_cast<std::size_t>(round * block_size - scratch.sums.columns().first);
    const std::vector<std::uint8_t> factors = code_.erasure_factors(erased);
    best_gf256_core().function(out.data(), block_size, n, scratch.sums.row(0).data() + column, scratch.sums.stride(), n,
                               block_size, factors.data());
    return {};
}

/// The same for the only group that is loaded, with all its residuals, where other symbols may be wrong as well. False:
/// not so few that they can be found.
bool FecRepair::solve_blindly(Scratch& scratch, std::span<const unsigned> erased) const {
    const std::size_t block_size = layout_.block_size;
    std::ranges::fill(scratch.solved, std::uint8_t{0});
    std::array<std::uint8_t, kMaxFecRoots> residual;
    for (std::size_t column = 0; column < block_size; column++) {
        for (unsigned t = 0; t < layout_.roots; t++) residual[t] = scratch.sums.row(t)[column];
        const auto corrections = code_.decode(std::span(residual).first(layout_.roots), erased);
        if (!corrections) return false;
        for (const auto& [position, value] : corrections->all()) {
            const auto place = std::ranges::find(erased, position);
            if (place != erased.end())
                scratch.block(static_cast<std::size_t>(place - erased.begin()), block_size)[column] = value;
        }
    }
    return true;
}

/// Takes the solved blocks of this level that have the right digest. True: those were all.
Result<bool> FecRepair::take_matching(Scratch& scratch, std::span<const unsigned> erased, std::uint64_t round,
                                      int level, std::vector<Solved>& solved) const {
    const std::uint64_t begin = message_block({level, 0});
    bool all = true;
    for (std::size_t i = 0; i < erased.size(); i++) {
        const std::uint64_t block = erased[i] * layout_.rounds + round;
        if (block < begin || block - begin >= blocks_in(level) || states_.get(block) != State::bad) continue;
        const std::uint64_t index = block - begin;
        const auto content = scratch.block(i, layout_.block_size);
        auto good = matches({level, index}, content);
        if (!good) return good.error();
        all = all && *good;
        const bool known = std::ranges::any_of(solved, [&](const Solved& s) { return s.index == index; });
        if (*good && !known) solved.push_back({index, {content.begin(), content.end()}});
    }
    return all;
}

/// Finds what it can of a group's bad blocks of one level; `erasures_tried`: the simplest way has been tried.
Result<void> FecRepair::solve_group(Scratch& scratch, std::uint64_t round, int level, bool erasures_tried,
                                    std::vector<Solved>& solved) const {
    const std::size_t block_size = layout_.block_size;
    if (parity_missing(round)) return {};
    const Columns columns{round * block_size, block_size};
    std::size_t before = 0;  // blocks that the last attempt took as erased
    for (const Erased erased : {Erased::bad, Erased::suspect_too, Erased::doubtful_too, Erased::unknown_too}) {
        const std::vector<unsigned> sources = erased_in(round, erased);
        if (sources.size() > layout_.roots) break;
        const bool same = sources.size() == std::exchange(before, sources.size());
        if (same || (erased == Erased::bad && erasures_tried)) continue;
        if (auto ok = load(scratch, columns, static_cast<unsigned>(sources.size()), erased); !ok) return ok;
        if (auto ok = solve_erasures(scratch, round, sources); !ok) return ok;
        auto all = take_matching(scratch, sources, round, level, solved);
        if (!all) return all.error();
        if (*all) return {};
    }
    // Errors in the parity, or in blocks that seemed good.
    before = 0;
    for (const Erased erased : {Erased::bad, Erased::suspect_too}) {
        const std::vector<unsigned> sources = erased_in(round, erased);
        if (sources.size() + 2 > layout_.roots) break;
        if (sources.size() == std::exchange(before, sources.size())) continue;
        if (auto ok = load(scratch, columns, layout_.roots, erased); !ok) return ok;
        if (!solve_blindly(scratch, sources)) continue;
        auto all = take_matching(scratch, sources, round, level, solved);
        if (!all) return all.error();
        if (*all) return {};
    }
    return {};
}

/// Repairs bad blocks of one level of the tree; those that were repaired join `trusted`. False: none were.
Result<bool> FecRepair::repair_level(int level, std::vector<std::uint64_t>& trusted) {
    std::vector<std::uint64_t> rounds;
    const std::uint64_t begin = message_block({level, 0});
    for (std::uint64_t i = 0; i < blocks_in(level); i++)
        if (states_.get(begin + i) == State::bad) rounds.push_back((begin + i) % layout_.rounds);
    std::ranges::sort(rounds);
    rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());  // clang 14 cannot do std::ranges::unique
    if (rounds.empty()) return false;

    const StripCut cut(layout_, control_.threads, true);
    std::vector<std::unique_ptr<Scratch>> scratch(cut.threads);
    std::vector<Solved> all;
    const auto work = [&](std::size_t slot, std::uint64_t i) -> Result<void> {
        if (!scratch[slot]) scratch[slot] = std::make_unique<Scratch>(code_, layout_, layout_.block_size);
        scratch[slot]->results.clear();
        return solve_group(*scratch[slot], rounds[static_cast<std::size_t>(i)], level, false, scratch[slot]->results);
    };
    const auto consume = [&](std::size_t slot, std::uint64_t) -> Result<void> {
        std::ranges::move(scratch[slot]->results, std::back_inserter(all));
        return {};
    };
    if (auto ok = for_each_strip(control_, cut.threads, rounds.size(), hash_.path(), work, consume); !ok)
        return ok.error();
    for (Solved& solved : all) {
        const std::uint64_t block = message_block({level, solved.index});
        states_.set(block, State::good);
        repaired_hash_[block] = std::move(solved.content);
        trusted.push_back(solved.index);
    }
    return !all.empty();
}

/// Holds the blocks below hash blocks of `level` against them. Below trusted ones that settles what they are, and the
/// good ones are listed in `good_children`; else they are judged together.
Result<void> FecRepair::examine(int level, const std::vector<std::uint64_t>& parents, bool trusted,
                                std::vector<std::uint64_t>& good_children) {
    const StripCut cut(layout_, control_.threads, true);
    const std::size_t block_size = layout_.block_size, digest_size = request_.parameters.hash->digest_size;
    const std::size_t at_once = std::max<std::size_t>(kExamineSize / block_size, 1);
    const int below = level - 1;
    const std::uint64_t begin = message_block({below, 0});
    const hashlib::BlockHasher& hasher = below == Finding::kData ? data_hasher_ : tree_hasher_;
    struct Buffers {
        std::vector<std::uint8_t> parent, children, digests;
        std::vector<bool> fits;
    };
    std::vector<Buffers> buffers(cut.threads);

    const auto children = [&](std::uint64_t parent) -> BlockRange {
        const std::uint64_t first = parent * tree_.digests_per_block;
        return {first, std::min<std::uint64_t>(tree_.digests_per_block, blocks_in(below) - first)};
    };
    const auto work = [&](std::size_t slot, std::uint64_t i) -> Result<void> {
        Buffers& b = buffers[slot];
        b.parent.resize(block_size);
        b.children.resize(at_once * block_size);
        b.fits.clear();
        const std::uint64_t parent = parents[static_cast<std::size_t>(i)], block = message_block({level, parent});
        const auto repaired = repaired_hash_.find(block);
        if (repaired != repaired_hash_.end())
            b.parent = repaired->second;
        else if (auto ok = message_.read(b.parent, block * block_size, FecMessage::Part::hash); !ok)
            return ok;
        const BlockRange range = children(parent);
        for (std::uint64_t done = 0; done < range.count;) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, range.count - done));
            const auto bytes = std::span(b.children).first(count * block_size);
            const std::uint64_t at = (begin + range.first + done) * block_size;
            if (auto ok = message_.read(bytes, at, FecMessage::Part::all); !ok) return ok;
            b.digests.resize(count * digest_size);
            hasher.hash(b.digests, digest_size, bytes);
            for (std::size_t child = 0; child < count; child++) {
                const auto digest = std::span(b.digests).subspan(child * digest_size, digest_size);
                const std::size_t place = static_cast<std::size_t>(done + child) * tree_.slot_size;
                b.fits.push_back(std::ranges::equal(digest, std::span(b.parent).subspan(place, digest_size)));
            }
            done += count;
        }
        return {};
    };
    const auto consume = [&](std::size_t slot, std::uint64_t i) -> Result<void> {
        const std::uint64_t parent = parents[static_cast<std::size_t>(i)];
        const BlockRange range = children(parent);
        if (!trusted) {
            judge(level, parent, range.first, buffers[slot].fits);
            return {};
        }
        for (std::uint64_t child = 0; child < range.count; child++) {
            const bool fits = buffers[slot].fits[static_cast<std::size_t>(child)];
            states_.set(begin + range.first + child, fits ? State::good : State::bad);
            if (fits) good_children.push_back(range.first + child);
        }
        return {};
    };
    return for_each_strip(control_, cut.threads, parents.size(), hash_.path(), work, consume);
}

/// Judges a hash block of `level` that is not known to be good, and its children, by which of these fit it.
void FecRepair::judge(int level, std::uint64_t parent, std::uint64_t first_child, const std::vector<bool>& fits) {
    const std::uint64_t block = message_block({level, parent});
    const auto fitting = static_cast<std::size_t>(std::ranges::count(fits, true));
    // A block that is wrong in one place is still right about the rest, which is why one that is not right about all
    // is doubtful, though it is more likely that those below are bad.
    if (states_.get(block) == State::unknown)
        states_.set(block, fitting == fits.size()      ? State::plausible
                           : 2 * fitting > fits.size() ? State::doubtful
                                                       : State::suspect);
    const State verdict = states_.get(block);
    const bool says_something = verdict == State::plausible || verdict == State::doubtful;
    for (std::size_t i = 0; i < fits.size(); i++) {
        const std::uint64_t child = message_block({level - 1, first_child + i});
        if (fits[i])
            states_.set(child, State::plausible);
        else if (says_something && states_.get(child) != State::plausible)
            states_.set(child, State::suspect);
    }
}

/// Judges all that is under bad hash blocks, from the data up.
Result<void> FecRepair::judge_unknown() {
    std::vector<std::uint64_t> none;
    for (int level = 0; level <= top_; level++) {
        std::vector<std::uint64_t> parents;
        const std::uint64_t begin = message_block({level, 0}), below = message_block({level - 1, 0});
        for (std::uint64_t i = 0; i < blocks_in(level); i++) {
            // With a wrong root only the top block is bad, and what is below was found good or bad by it.
            const State child = states_.get(below + i * tree_.digests_per_block);
            if (states_.get(begin + i) != State::good && child != State::good && child != State::bad)
                parents.push_back(i);
        }
        if (auto ok = examine(level, parents, false, none); !ok) return ok;
    }
    return {};
}

Result<void> FecRepair::repair_tree() {
    const auto any_bad = [&] {
        for (int level = top_; level >= 0; level--)
            for (std::uint64_t i = 0; i < blocks_in(level); i++)
                if (states_.get(message_block({level, i})) == State::bad) return true;
        return false;
    };
    if (!any_bad()) return {};
    if (auto ok = judge_unknown(); !ok) return ok;
    // What is found out below may help with blocks further up, in another group.
    for (bool progress = true; progress && any_bad();) {
        progress = false;
        std::vector<std::uint64_t> trusted, below;
        for (int level = top_; level >= 0; level--) {
            auto repaired = repair_level(level, trusted);
            if (!repaired) return repaired.error();
            progress = progress || *repaired;
            below.clear();
            if (auto ok = examine(level, trusted, true, below); !ok) return ok;
            std::swap(trusted, below);
        }
    }
    return {};
}

Result<void> FecRepair::repair_data(const Sink& sink) {
    const StripCut cut(layout_, control_.threads, true);
    const std::size_t block_size = layout_.block_size;
    std::vector<std::unique_ptr<Scratch>> scratch(cut.threads);
    std::vector<std::uint64_t> repaired;
    std::uint64_t done = 0;

    /// Groups of a strip with bad data blocks that erasures may repair; the rest is for solve_group(), or lost.
    struct Group {
        std::uint64_t round;
        std::vector<unsigned> bad;
    };
    const auto groups_in = [&](Columns columns) {
        std::vector<Group> groups;
        for (std::size_t at = 0; at < columns.width; at += block_size) {
            const std::uint64_t round = (columns.first + at) / block_size;
            std::vector<unsigned> bad = erased_in(round, Erased::bad);
            const bool data = !bad.empty() && bad.front() * layout_.rounds + round < layout_.data_blocks;
            if (data && bad.size() <= layout_.roots && !parity_missing(round))
                groups.push_back({round, std::move(bad)});
        }
        return groups;
    };
    const auto work = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        if (!scratch[slot]) scratch[slot] = std::make_unique<Scratch>(code_, layout_, cut.width);
        Scratch& s = *scratch[slot];
        s.results.clear();
        const Columns columns = cut.strip(index);
        const std::vector<Group> groups = groups_in(columns);
        if (groups.empty()) return {};
        // All groups of the strip at once, with as many residuals as the worst of them needs.
        std::size_t most = 0;
        for (const Group& group : groups) most = std::max(most, group.bad.size());
        if (auto ok = load(s, columns, static_cast<unsigned>(most), Erased::bad); !ok) return ok;
        std::vector<std::uint64_t> difficult;
        for (const Group& group : groups) {
            if (auto ok = solve_erasures(s, group.round, group.bad); !ok) return ok;
            auto all = take_matching(s, group.bad, group.round, Finding::kData, s.results);
            if (!all) return all.error();
            if (!*all) difficult.push_back(group.round);
        }
        for (std::uint64_t round : difficult)
            if (auto ok = solve_group(s, round, Finding::kData, true, s.results); !ok) return ok;
        return {};
    };
    const auto consume = [&](std::size_t slot, std::uint64_t index) -> Result<void> {
        for (const Solved& solved : scratch[slot]->results) {
            if (sink)
                if (auto ok = sink(solved.index, solved.content); !ok) return ok;
            repaired.push_back(solved.index);
        }
        scratch[slot]->results.clear();
        done += cut.strip(index).width * layout_.sources();
        if (control_.progress) control_.progress(std::min(done, layout_.message_size()));
        return {};
    };
    // States stay as they are until the end: groups are solved side by side, and a second call is to do the same.
    if (auto ok = for_each_strip(control_, cut.threads, cut.count, data_.path(), work, consume); !ok) return ok;
    std::ranges::sort(repaired);
    repaired_data_ = std::move(repaired);
    return {};
}

Result<void> FecRepair::write_hash_blocks(const File& to) const {
    for (const auto& [block, content] : repaired_hash_) {
        const std::uint64_t offset = layout_.hash_offset + (block - layout_.data_blocks) * layout_.block_size;
        if (auto ok = to.write_at(content, offset); !ok) return ok;
    }
    return {};
}

std::uint64_t FecRepair::bad_data_blocks() const {
    std::uint64_t bad = 0;
    for (std::uint64_t i = 0; i < layout_.data_blocks; i++) bad += states_.get(i) == State::bad;
    return bad;
}

void FecRepair::for_each_outcome(const std::function<void(const RepairOutcome&)>& tell) const {
    using Outcome = RepairOutcome;
    for (int level = top_; level >= Finding::kData; level--) {
        const std::uint64_t begin = message_block({level, 0});
        const std::uint64_t offset = level == Finding::kData ? 0 : tree_.levels[static_cast<std::size_t>(level)].offset;
        auto repaired = repaired_data_.begin();
        std::optional<Outcome> open;
        for (std::uint64_t i = 0; i < blocks_in(level); i++) {
            const State state = states_.get(begin + i);
            std::optional<Outcome::State> outcome;
            if (state == State::bad) outcome = Outcome::State::lost;
            if (state != State::good && state != State::bad) outcome = Outcome::State::unverifiable;
            if (level != Finding::kData && repaired_hash_.contains(begin + i)) outcome = Outcome::State::repaired;
            if (level == Finding::kData && repaired != repaired_data_.end() && *repaired == i) {
                outcome = Outcome::State::repaired;
                ++repaired;
            }
            if (open && outcome == open->state) {
                open->count++;
                open->size += layout_.block_size;
                continue;
            }
            if (open) tell(*open);
            open.reset();
            if (!outcome) continue;
            const std::uint64_t round = (begin + i) % layout_.rounds;
            open = Outcome{*outcome,
                           level,
                           i,
                           1,
                           offset + i * layout_.block_size,
                           layout_.block_size,
                           static_cast<unsigned>(erased_in(round, Erased::bad).size()),
                           parity_missing(round)};
        }
        if (open) tell(*open);
    }
}

RepairCounts FecRepair::counts() const {
    RepairCounts counts;
    counts.padding_faults = padding_faults_;
    for_each_outcome([&](const RepairOutcome& o) {
        const bool data = o.level == Finding::kData;
        switch (o.state) {
        case RepairOutcome::State::repaired:
            (data ? counts.repaired_data : counts.repaired_hash) += o.count;
            break;
        case RepairOutcome::State::lost:
            (data ? counts.lost_data : counts.lost_hash) += o.count;
            break;
        case RepairOutcome::State::unverifiable:
            (data ? counts.unverifiable_data : counts.unverifiable_hash) += o.count;
            break;
        }
    });
    return counts;
}

}  // namespace verity
