#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "veritytool/commands/commands.h"
#include "veritytool/commands/failure.h"
#include "veritytool/commands/fec_findings.h"
#include "veritytool/commands/fec_options.h"
#include "veritytool/commands/findings.h"
#include "veritytool/commands/interruption.h"
#include "veritytool/commands/paths.h"
#include "veritytool/commands/progress.h"
#include "veritytool/commands/root_hash.h"
#include "veritytool/commands/tree_options.h"
#include "veritytool/fec_repair.h"
#include "veritytool/image_output.h"
#include "veritytool/tree_verifier.h"

namespace commands {
namespace {

using verity::File;

// In place, nothing is written before all is known to be repairable: so much is kept in memory meanwhile, and more is
// computed twice.
constexpr std::uint64_t kMostInMemory = 32 * 1024 * 1024;

struct RepairOptions {
    std::string data_path, hash_path;
    std::string output, output_hash;
    bool in_place = false;
    TreeOptions tree;
    RootArgument root;
    FecOptions fec;
    unsigned threads = 0;
    bool no_progress = false;
    Reporting reporting;
};

bool parse(const std::vector<std::string>& arguments, RepairOptions& o) {
    CommandLine line(
        {"repair",
         {"DATA", "HASH", "[ROOT]"},
         "Repairs corrupt blocks of DATA, and of its hash tree in HASH, by the parity that 'format --fec-device' made. "
         "The tree tells which blocks are bad; every repaired block has the digest that the tree, up to ROOT, says. "
         "Exit status 0 says that everything verifies now. Where not all can be repaired nothing is written: exit "
         "status 2, and a list of what is lost.",
         "  veritytool repair system.img system.hash --root-hash-file=system.root \\\n"
         "    --fec-device=system.fec --output=repaired.img\n"});
    add_root_hash_file_option(line, o.root);
    add_hash_offset_option(line, o.tree.hash_offset);
    line.group("Where it goes");
    line.option("output", "FILE", text(o.output), "write the repaired DATA to FILE");
    line.option("output-hash", "FILE", text(o.output_hash),
                "write the repaired HASH to FILE; needed with --output where hash blocks are corrupt, unless HASH is "
                "DATA");
    line.flag("in-place", o.in_place, "write the repaired blocks, and only these, to DATA and HASH themselves");
    add_fec_options(line, o.fec);
    line.group("How it is done");
    add_threads_option(line, o.threads, kThreadsHelp);
    add_no_progress_option(line, o.no_progress);
    add_reporting_options(line, o.reporting);
    add_stored_tree_options(line, o.tree);
    if (!line.parse(arguments)) return false;
    o.data_path = line.positionals()[0];
    o.hash_path = line.positionals()[1];
    take_root_positional(line, 2, o.root);
    return true;
}

void check(const RepairOptions& o) {
    check_options(o.tree);
    check_fec_options_given(o.fec);
    if (!o.fec.given()) throw Failure{kUnusable, "--fec-device is missing: there is nothing to repair from"};
    if (o.in_place == !o.output.empty())
        throw Failure{kUnusable, o.in_place ? "--in-place and --output exclude each other"
                                            : "neither --output nor --in-place is given"};
    if (!o.output_hash.empty() && o.in_place)
        throw Failure{kUnusable, "--in-place and --output-hash exclude each other"};
    if (o.output == "-" || o.output_hash == "-")
        throw Failure{kUnusable, "standard output cannot take the repaired image: it is not written in order"};
    if (same_place(o.output, o.output_hash))
        throw Failure{kUnusable, "--output and --output-hash name the same file: " + in_quotes(o.output_hash)};
    for (const std::string& output : {o.output, o.output_hash})
        if (same_place(output, o.root.file_path))
            throw Failure{kUnusable, output + ": cannot be written, since the root hash is read from it"};
}

/// The parity does not cover the superblock, so where that is damaged the user has to say what it said.
verity::TreeParameters parameters_of(const RepairOptions& o) {
    try {
        return stored_parameters(o.tree, o.data_path, o.hash_path);
    } catch (Failure& failure) {
        if (failure.status == kNoSuperblock)
            failure.message +=
                "; it is not covered by parity: give what it said by --no-superblock, --hash-offset (of "
                "the tree itself), --hash, --data-blocks, --salt and the block sizes";
        throw;
    }
}

/// One run of the command.
class Repair {
  public:
    explicit Repair(const RepairOptions& o)
        : o_(o),
          request_(verify_request(parameters_of(o), o.tree, o.root)),
          layout_(or_fail(verity::lay_out(request_.parameters, request_.hash_offset, request_.superblock))),
          data_(or_fail(File::open_for_reading(o.data_path))),
          hash_(or_fail(File::open_for_reading(o.hash_path))),
          parity_(open_parity(o.fec, request_.parameters, layout_, hash_)),
          progress_(!o.no_progress, layout_.data_size + layout_.tree_size + parity_.layout.message_size()),
          control_{o.threads, [this](std::uint64_t bytes) { progress_.update(before_ + bytes); }, interruption_flag()},
          repair_(data_, hash_, request_, parity_.layout, parity_.place(), control_) {}

    void run();

  private:
    bool one_file() const { return data_.same_as(hash_); }
    void find_faults();
    void repair_to_output();
    void repair_in_place();
    void copy(const File& from, const verity::ImageOutput& to);
    void check_complete();
    void check_result(const File& data, const File& hash, const std::string& name);
    void report(bool done);

    const RepairOptions& o_;
    const verity::VerifyRequest request_;
    const verity::TreeLayout layout_;
    const File data_, hash_;
    const StoredParity parity_;
    Progress progress_;
    std::uint64_t before_ = 0;  // bytes read in earlier passes
    verity::Control control_;
    verity::FecRepair repair_;
    verity::VerifyReport verified_;
};

void Repair::run() {
    find_faults();
    if (o_.in_place)
        repair_in_place();
    else
        repair_to_output();
}

/// Finds what is corrupt, and all that can be told of the tree.
void Repair::find_faults() {
    const auto found = [&](const verity::Finding& finding) { repair_.note(finding); };
    verified_ = or_fail(verity::verify_tree(data_, hash_, request_, control_, found));
    repair_.note(verified_);
    or_fail(repair_.repair_tree());
    before_ = layout_.data_size + layout_.tree_size;
}

/// Says what is lost, and ends, if anything is.
void Repair::check_complete() {
    const auto counts = repair_.counts();
    if (counts.complete()) return;
    report(false);
    flush_output();
    std::string message = o_.data_path + ": cannot be repaired, nothing was written: " + remaining_text(counts);
    if (verified_.root == verity::RootState::wrong)
        message += "; the tree itself is consistent, so the root hash may be wrong";
    throw Failure{kVerificationFailed, message};
}

/// Copies the whole of a file, in pieces.
void Repair::copy(const File& from, const verity::ImageOutput& to) {
    constexpr std::size_t kPieceSize = 1024 * 1024;
    const std::uint64_t size = from.size(), pieces = (size + kPieceSize - 1) / kPieceSize;
    const unsigned threads = verity::StripCut(parity_.layout, o_.threads, true).threads;
    std::vector<verity::Buffer> buffers(threads, verity::Buffer(kPieceSize));
    const auto work = [&](std::size_t slot, std::uint64_t piece) -> verity::Result<void> {
        const std::uint64_t offset = piece * kPieceSize;
        const auto bytes = std::span(buffers[slot])
                               .first(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceSize, size - offset)));
        if (auto ok = from.read_at(bytes, offset); !ok) return ok;
        return to.file().write_at(bytes, offset);
    };
    const auto consume = [](std::size_t, std::uint64_t) -> verity::Result<void> { return {}; };
    or_fail(verity::for_each_strip(control_, threads, pieces, from.path(), work, consume));
}

void Repair::check_result(const File& data, const File& hash, const std::string& name) {
    const verity::Control control{o_.threads, {}, interruption_flag()};
    const auto after = or_fail(verity::verify_tree(data, hash, request_, control, [](const verity::Finding&) {}));
    if (!after.good()) throw Failure{kVerificationFailed, name + ": does not verify after it was repaired"};
}

void Repair::repair_to_output() {
    if (one_file() && !o_.output_hash.empty())
        throw Failure{kUnusable, "--output-hash: HASH is DATA, and goes to --output with it"};
    const bool hash_apart = !one_file();
    if (hash_apart && repair_.hash_blocks_repaired() && o_.output_hash.empty())
        throw Failure{kUnusable, o_.hash_path + ": hash blocks have to be repaired, too: give --output-hash"};
    if (repair_.counts().lost_hash != 0) {
        // What is under a lost hash block stays unverifiable: only the list is missing.
        or_fail(repair_.repair_data({}));
        check_complete();
    }
    const std::vector<const File*> inputs{&data_, &hash_, &parity_.file};
    verity::ImageOutput out = or_fail(verity::ImageOutput::open(o_.output, inputs));
    std::optional<verity::ImageOutput> out_hash;
    if (!o_.output_hash.empty()) {
        const File written = or_fail(out.reopen());
        std::vector<const File*> others = inputs;
        others.push_back(&written);
        out_hash.emplace(or_fail(verity::ImageOutput::open(o_.output_hash, others)));
    }
    // A device is written directly, and would keep half a repair: there all has to be found out beforehand.
    if (out.file().kind() != File::Kind::regular || (out_hash && out_hash->file().kind() != File::Kind::regular)) {
        or_fail(repair_.repair_data({}));
        check_complete();
    }
    copy(data_, out);
    const auto sink = [&](std::uint64_t block, std::span<const std::uint8_t> content) {
        return out.file().write_at(content, block * parity_.layout.block_size);
    };
    or_fail(repair_.repair_data(sink));
    check_complete();

    if (out_hash) copy(hash_, *out_hash);
    or_fail(repair_.write_hash_blocks(out_hash ? out_hash->file() : out.file()));
    const File new_data = or_fail(out.reopen());
    std::optional<File> new_hash;
    if (out_hash) new_hash.emplace(or_fail(out_hash->reopen()));
    check_result(new_data, new_hash ? *new_hash : one_file() ? new_data : hash_, o_.output);

    report(true);
    flush_output();
    check_interruption();
    if (out_hash) or_fail(out_hash->keep());
    or_fail(out.keep());
}

void Repair::repair_in_place() {
    const bool in_memory = repair_.bad_data_blocks() * parity_.layout.block_size <= kMostInMemory;
    std::map<std::uint64_t, std::vector<std::uint8_t>> blocks;
    const auto keep = [&](std::uint64_t block, std::span<const std::uint8_t> content) -> verity::Result<void> {
        if (in_memory) blocks.emplace(block, std::vector<std::uint8_t>(content.begin(), content.end()));
        return {};
    };
    or_fail(repair_.repair_data(keep));
    check_complete();
    const auto counts = repair_.counts();
    check_interruption();

    // Both before either is written: a file that may not be written must not leave the other one changed. One device
    // cannot be opened twice.
    std::optional<File> data, hash;
    if (counts.repaired_data != 0 || (one_file() && counts.repaired_hash != 0))
        data.emplace(or_fail(File::open_existing_for_writing(o_.data_path)));
    if (counts.repaired_hash != 0 && !one_file()) hash.emplace(or_fail(File::open_existing_for_writing(o_.hash_path)));

    // From here on it is written to the end, whatever signals say: what is written is good, block by block.
    control_.stop = nullptr;
    if (data) {
        const auto write = [&](std::uint64_t block, std::span<const std::uint8_t> content) {
            return data->write_at(content, block * parity_.layout.block_size);
        };
        if (!in_memory) or_fail(repair_.repair_data(write));
        for (const auto& [block, content] : blocks) or_fail(write(block, content));
        or_fail(data->sync());
    }
    if (counts.repaired_hash != 0) {
        const File& file = hash ? *hash : *data;
        or_fail(repair_.write_hash_blocks(file));
        or_fail(file.sync());
    }
    if (!verified_.good()) check_result(data_, hash_, o_.data_path);
    report(true);
    flush_output();
}

/// What became of everything that was corrupt.
void Repair::report(bool done) {
    progress_.hide();
    const auto counts = repair_.counts();
    const auto file_of = [&](int level) { return level == verity::Finding::kData ? o_.data_path : o_.hash_path; };
    if (o_.reporting.json) {
        JsonList list({{"data", o_.data_path}, {"hash", o_.hash_path}}, "outcomes");
        repair_.for_each_outcome([&](const verity::RepairOutcome& o) { list.add(outcome_json(o, done)); });
        nlohmann::ordered_json rest{{"complete", counts.complete()}};
        rest.update(counts_json(counts, done));
        list.end(rest);
        return;
    }
    repair_.for_each_outcome([&](const verity::RepairOutcome& outcome) {
        print(outcome_text(outcome, parity_.layout.roots, done) + " (byte " + std::to_string(outcome.offset) + " of " +
              printable(file_of(outcome.level)) + ", " + std::to_string(outcome.size) + " bytes)\n");
    });
    if (!done) return;
    const std::string repaired = repaired_text(counts);
    print(repaired.empty() ? "Nothing was corrupt.\n" : "Repaired " + repaired + ".\n");
    print_success(o_.reporting);
}

}  // namespace

void run_repair(const std::vector<std::string>& arguments) {
    RepairOptions options;
    if (!parse(arguments, options)) return;
    check(options);
    catch_interruptions();
    Repair(options).run();
}

}  // namespace commands
