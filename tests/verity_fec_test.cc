#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "tests/support/random.h"
#include "tests/support/scratch_file.h"
#include "veritytool/fec_encoder.h"
#include "veritytool/fec_header.h"
#include "veritytool/fec_repair.h"
#include "veritytool/gf256.h"
#include "veritytool/tree_builder.h"

/// Parity against an encoder that goes codeword by codeword, and repairs of what was damaged on purpose.

namespace verity {
namespace {

using test::Bytes;

/// Products from a table, for speed where every instruction is emulated.
std::uint8_t times(std::uint8_t a, std::uint8_t b) {
    static const std::vector<Bytes> table = [] {
        std::vector<Bytes> rows(256, Bytes(256));
        for (unsigned i = 0; i < 256; i++)
            for (unsigned j = 0; j < 256; j++)
                rows[i][j] = gf256_multiply(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j));
        return rows;
    }();
    return table[a][b];
}

/// The parity of a message by the definition: of each codeword the remainder, one symbol after the other.
Bytes slow_parity(const Bytes& message, std::size_t block_size, unsigned roots) {
    const std::size_t sources = 255 - roots;
    const std::size_t blocks = message.size() / block_size, rounds = (blocks + sources - 1) / sources;
    const std::size_t columns = rounds * block_size;
    Bytes generator{1};
    for (unsigned i = 0; i < roots; i++) {
        generator.push_back(0);
        for (std::size_t j = generator.size() - 1; j > 0; j--)
            generator[j] ^= gf256_multiply(generator[j - 1], gf256_alpha(i));
    }
    Bytes parity;
    for (std::size_t i = 0; i < columns; i++) {
        Bytes rest(roots);
        for (std::size_t j = 0; j < sources; j++) {
            const std::size_t at = i + j * columns;
            const auto factor = static_cast<std::uint8_t>(rest[0] ^ (at < message.size() ? message[at] : 0));
            rest.erase(rest.begin());
            rest.push_back(0);
            if (factor == 0) continue;
            for (unsigned t = 0; t < roots; t++) rest[t] ^= times(factor, generator[t + 1]);
        }
        parity.insert(parity.end(), rest.begin(), rest.end());
    }
    return parity;
}

class FecTest : public testing::Test {
  protected:
    struct Case {
        std::uint32_t block_size = 512;
        std::size_t blocks = 1;
        unsigned roots = 2;
        bool superblock = true;
        unsigned threads = 2;
    };

    std::string path(const char* name) const { return folder_.file(name); }

    /// Makes random data, its tree and its parity.
    void build(const Case& c) {
        case_ = c;
        data_ = random_.bytes(c.blocks * c.block_size);
        test::write_file(path("data"), data_);
        auto data = File::open_for_reading(path("data"));
        auto hash = HashOutput::open(path("hash"));
        auto parity = FecOutput::open(path("parity"));
        ASSERT_TRUE(data && hash && parity);
        BuildRequest request;
        request.parameters = {hashlib::find_hash("sha256"), 1, c.block_size, c.block_size, 0, {1, 2, 3}};
        if (c.superblock) request.uuid = Uuid{};
        request.fec.roots = c.roots;
        auto built = build_tree(*data, *hash, request, {c.threads, {}, nullptr}, &*parity);
        ASSERT_TRUE(built) << built.error().message;
        ASSERT_TRUE(hash->keep() && parity->keep());
        tree_ = *built;
        hash_ = test::read_file(path("hash"));
        parity_ = test::read_file(path("parity"));
    }

    Bytes message() const {
        Bytes message = data_;
        message.insert(message.end(), hash_.begin() + static_cast<std::ptrdiff_t>(tree_.layout.tree_offset),
                       hash_.end());
        return message;
    }

    /// Repairs what the files hold, in place; true: completely. Content that is given out is always right.
    bool repair(RepairCounts* counts = nullptr) {
        auto data = File::open_for_writing(path("data"));
        auto hash = File::open_for_writing(path("hash"));
        auto parity = File::open_for_reading(path("parity"));
        EXPECT_TRUE(data && hash && parity);
        const VerifyRequest request{tree_.parameters, case_.superblock, 0, tree_.root};
        const Control control{case_.threads, {}, nullptr};
        FecRepair repair(*data, *hash, request, *tree_.fec, {*parity, 0}, control);
        auto report = verify_tree(*data, *hash, request, control, [&](const Finding& f) { repair.note(f); });
        EXPECT_TRUE(report) << report.error().message;
        repair.note(*report);
        EXPECT_TRUE(repair.repair_tree());
        const auto sink = [&](std::uint64_t block, std::span<const std::uint8_t> content) {
            EXPECT_TRUE(std::ranges::equal(content, block_of(data_, block))) << "wrong content for block " << block;
            return data->write_at(content, block * case_.block_size);
        };
        auto repaired = repair.repair_data(sink);
        EXPECT_TRUE(repaired) << repaired.error().message;
        EXPECT_TRUE(repair.write_hash_blocks(*hash));
        if (counts != nullptr) *counts = repair.counts();
        if (!repair.counts().complete()) return false;
        EXPECT_TRUE(test::read_file(path("data")) == data_);
        EXPECT_TRUE(test::read_file(path("hash")) == hash_);
        return true;
    }

    std::span<const std::uint8_t> block_of(const Bytes& bytes, std::uint64_t block) const {
        return std::span(bytes).subspan(static_cast<std::size_t>(block) * case_.block_size, case_.block_size);
    }

    /// Overwrites blocks of the message, in whichever file they are, with zeros or other bytes.
    void damage(const std::vector<std::uint64_t>& message_blocks) {
        Bytes data = test::read_file(path("data")), hash = test::read_file(path("hash"));
        for (std::uint64_t block : message_blocks) {
            const bool in_data = block < case_.blocks;
            const std::uint64_t at = in_data ? block * case_.block_size
                                             : tree_.layout.tree_offset + (block - case_.blocks) * case_.block_size;
            const auto place = std::span(in_data ? data : hash).subspan(static_cast<std::size_t>(at), case_.block_size);
            if (random_.coin())
                std::ranges::fill(place, std::uint8_t{0});
            else
                random_.fill(place);
        }
        test::write_file(path("data"), data);
        test::write_file(path("hash"), hash);
    }

    void restore() {
        test::write_file(path("data"), data_);
        test::write_file(path("hash"), hash_);
        test::write_file(path("parity"), parity_);
    }

    /// So many blocks of each group, any.
    std::vector<std::uint64_t> of_each_group(std::size_t count, std::uint64_t below) {
        std::vector<std::uint64_t> chosen;
        for (std::uint64_t round = 0; round < tree_.fec->rounds; round++) {
            std::vector<std::uint64_t> group;
            for (std::uint64_t block = round; block < below; block += tree_.fec->rounds) group.push_back(block);
            for (std::size_t i = 0; i < count && i < group.size(); i++) {
                std::swap(group[i], group[random_.between(i, group.size() - 1)]);
                chosen.push_back(group[i]);
            }
        }
        return chosen;
    }

    test::ScratchFolder folder_;
    test::Random random_;
    Case case_;
    BuiltTree tree_;
    Bytes data_, hash_, parity_;
};

TEST_F(FecTest, ParityIsThatOfTheSlowEncoder) {
    const std::vector<Case> cases = {{512, 1, 2, true, 2},     {512, 1, 24, false, 1},     {512, 230, 24, true, 2},
                                     {512, 231, 24, true, 2},  {512, 232, 24, false, 2},   {512, 252, 3, true, 1},
                                     {512, 253, 2, true, 2},   {512, 254, 2, true, 2},     {512, 506, 2, false, 2},
                                     {512, 2000, 7, true, 2},  {1024, 700, 16, true, 2},   {4096, 300, 5, true, 2},
                                     {4096, 700, 2, false, 2}, {32768, 9, 2, true, 2},     {65536, 5, 2, true, 1},
                                     {131072, 3, 4, true, 2},  {512, 255 * 40, 2, true, 2}};
    for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message() << c.blocks << " blocks of " << c.block_size << ", " << c.roots << " roots");
        build(c);
        if (HasFatalFailure()) return;
        ASSERT_TRUE(parity_ == slow_parity(message(), c.block_size, c.roots));
        std::filesystem::remove(path("hash"));
        std::filesystem::remove(path("parity"));
    }
}

TEST_F(FecTest, ParityOfAStreamIsTheSame) {
    build({512, 3000, 6, true, 2});
    auto parity = File::open_for_writing(path("again"));
    auto hash = File::open_for_reading(path("hash"));
    ASSERT_TRUE(parity && hash);
    FecEncoder encoder(*tree_.fec, {*parity, 0}, 2);
    for (std::size_t at = 0; at < data_.size();) {
        const std::size_t size = std::min<std::size_t>(512 * random_.between(1, 400), data_.size() - at);
        ASSERT_TRUE(encoder.add_data(at, std::span(data_).subspan(at, size)));
        at += size;
    }
    ASSERT_TRUE(encoder.finish(*hash, {2, {}, nullptr}));
    EXPECT_TRUE(test::read_file(path("again")) == parity_);
}

TEST_F(FecTest, CheckFindsWhatIsWrongWithTheParity) {
    build({512, 1000, 3, true, 2});
    const auto check = [&] {
        auto data = File::open_for_reading(path("data"));
        auto hash = File::open_for_reading(path("hash"));
        auto parity = File::open_for_reading(path("parity"));
        EXPECT_TRUE(data && hash && parity);
        return *check_parity({*data, *hash, *tree_.fec}, {*parity, 0}, {2, {}, nullptr});
    };
    EXPECT_TRUE(check().good());
    Bytes bad = parity_;
    bad[1234] ^= 1;
    bad[bad.size() - 1] ^= 0x80;
    test::write_file(path("parity"), bad);
    EXPECT_EQ(check().bad_bytes, 2u);
    EXPECT_EQ(check().first, 1234u);
    bad = parity_;
    bad.resize(bad.size() - 700);
    test::write_file(path("parity"), bad);
    EXPECT_EQ(check().missing, 700u);
    EXPECT_EQ(check().bad_bytes, 0u);
    test::write_file(path("parity"), {});
    EXPECT_EQ(check().missing, parity_.size());
}

TEST_F(FecTest, AsManyBlocksOfAGroupAsThereAreRootsAreRepaired) {
    for (const unsigned roots : {2u, 3u, 8u, 24u}) {
        build({512, 1500, roots, true, 2});
        for (int run = 0; run < 3; run++) {
            damage(of_each_group(roots, case_.blocks));
            RepairCounts counts;
            EXPECT_TRUE(repair(&counts)) << roots << " roots";
            EXPECT_GT(counts.repaired_data, roots);
            restore();
        }
    }
}

TEST_F(FecTest, OneBlockMoreIsLost) {
    for (const unsigned roots : {2u, 5u, 24u}) {
        build({512, 1500, roots, true, 2});
        damage(of_each_group(roots + 1, case_.blocks));
        RepairCounts counts;
        EXPECT_FALSE(repair(&counts));
        EXPECT_EQ(counts.repaired_data, 0u);
        EXPECT_EQ(counts.lost_data, tree_.fec->rounds * (roots + 1));
        restore();
    }
}

TEST_F(FecTest, OnlyTheGroupThatHasTooManyIsLost) {
    build({512, 1500, 4, true, 2});
    auto blocks = of_each_group(4, case_.blocks);
    const std::uint64_t rounds = tree_.fec->rounds;
    for (std::uint64_t block = 0; block < case_.blocks; block += rounds)  // group 0
        if (std::ranges::find(blocks, block) == blocks.end()) {
            blocks.push_back(block);
            break;
        }
    damage(blocks);
    RepairCounts counts;
    EXPECT_FALSE(repair(&counts));
    EXPECT_EQ(counts.lost_data, 5u);
    EXPECT_EQ(counts.repaired_data, 4 * (rounds - 1));
}

TEST_F(FecTest, TheTreeIsRepairedToo) {
    build({512, 3000, 4, true, 2});
    ASSERT_GE(tree_.layout.levels.size(), 3u);
    const std::uint64_t first = case_.blocks, end = tree_.fec->message_blocks();
    // Each block by itself: the top one, which leaves nothing that is known to be good, among them.
    for (std::uint64_t block = first; block < end; block += block < first + 20 ? 1 : 17) {
        damage({block});
        RepairCounts counts;
        ASSERT_TRUE(repair(&counts)) << "hash block " << block - first;
        ASSERT_EQ(counts.repaired_hash, 1u);
        restore();
    }
    // All of it, which is in as many groups as there are.
    std::vector<std::uint64_t> all;
    for (std::uint64_t block = first; block < end && all.size() < 4 * tree_.fec->rounds; block++) all.push_back(block);
    damage(all);
    RepairCounts counts;
    EXPECT_TRUE(repair(&counts));
    EXPECT_EQ(counts.repaired_hash, all.size());
}

TEST_F(FecTest, TreeAndDataTogether) {
    build({512, 6000, 8, false, 2});
    const std::uint64_t rounds = tree_.fec->rounds;
    for (int run = 0; run < 10; run++) {
        // The top block, one below it, and in each group up to three more, wherever they are.
        std::vector<std::uint64_t> blocks = of_each_group(random_.below(4), tree_.fec->message_blocks());
        blocks.push_back(case_.blocks);
        blocks.push_back(case_.blocks + 1 + random_.below(20));
        damage(blocks);
        EXPECT_TRUE(repair()) << "run " << run << ", " << rounds << " groups";
        restore();
    }
}

TEST_F(FecTest, RunsOfBlocksAreRepaired) {
    build({512, 3000, 2, true, 2});
    const std::uint64_t rounds = tree_.fec->rounds;
    for (int run = 0; run < 10; run++) {
        const std::uint64_t first = random_.below(static_cast<std::size_t>(case_.blocks - 2 * rounds));
        std::vector<std::uint64_t> blocks;
        for (std::uint64_t i = 0; i < 2 * rounds; i++) blocks.push_back(first + i);
        damage(blocks);
        EXPECT_TRUE(repair());
        restore();
    }
}

TEST_F(FecTest, DamagedParityIsWorkedAround) {
    build({512, 1500, 8, true, 2});
    // Two bad blocks a group leave three errors a codeword that may be anywhere in the parity.
    damage(of_each_group(2, case_.blocks));
    Bytes bad = parity_;
    for (std::size_t codeword = 0; codeword < bad.size() / 8; codeword++)
        for (std::size_t i = random_.below(4); i > 0; i--) bad[codeword * 8 + random_.below(8)] ^= 0x55;
    test::write_file(path("parity"), bad);
    EXPECT_TRUE(repair());
}

TEST_F(FecTest, ParityThatIsAllWrongRepairsNothing) {
    build({512, 1500, 4, true, 2});
    damage(of_each_group(2, tree_.fec->message_blocks()));
    test::write_file(path("parity"), random_.bytes(parity_.size()));
    RepairCounts counts;
    EXPECT_FALSE(repair(&counts));
    EXPECT_EQ(counts.repaired_data + counts.repaired_hash, 0u);
}

TEST_F(FecTest, TruncatedParityRepairsWhatItCovers) {
    build({512, 1500, 4, true, 2});
    damage(of_each_group(4, case_.blocks));
    Bytes cut = parity_;
    cut.resize(cut.size() - 1);  // the last group lacks a byte
    test::write_file(path("parity"), cut);
    RepairCounts counts;
    EXPECT_FALSE(repair(&counts));
    EXPECT_EQ(counts.lost_data, 4u);
    EXPECT_EQ(counts.repaired_data, 4 * (tree_.fec->rounds - 1));
    restore();
    damage(of_each_group(4, case_.blocks));
    test::write_file(path("parity"), {});
    EXPECT_FALSE(repair());
}

TEST_F(FecTest, ASingleBlockIsRepaired) {
    build({4096, 1, 2, true, 2});
    damage({0});
    EXPECT_TRUE(repair());
}

TEST_F(FecTest, LargeBlocks) {
    build({131072, 40, 3, true, 2});
    damage({0, 7, 39});
    EXPECT_TRUE(repair());
}

TEST_F(FecTest, AnotherRootIsNotRepairedTo) {
    build({512, 1500, 4, true, 2});
    tree_.root[5] ^= 1;
    RepairCounts counts;
    EXPECT_FALSE(repair(&counts));
    EXPECT_EQ(counts.repaired_data + counts.repaired_hash, 0u);
    EXPECT_TRUE(test::read_file(path("data")) == data_);
}

TEST(FecLayout, SizesAndErrors) {
    const auto parameters = [](std::uint64_t blocks, std::uint32_t data_block, std::uint32_t hash_block) {
        return TreeParameters{hashlib::find_hash("sha256"), 1, data_block, hash_block, blocks, {}};
    };
    TreeParameters p = parameters(300, 4096, 4096);
    const TreeLayout tree = *lay_out(p, 0, true);  // 1 + 4 blocks
    const auto layout = lay_out_fec(p, tree, 3, tree.end);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->message_blocks(), 304u);
    EXPECT_EQ(layout->rounds, 2u);
    EXPECT_EQ(layout->parity_size, 6u * 4096);
    EXPECT_EQ(lay_out_fec(p, tree, 3, tree.end + 4096 + 512)->message_blocks(), 305u);  // whole blocks only
    EXPECT_FALSE(lay_out_fec(p, tree, 3, tree.end - 1));
    EXPECT_FALSE(lay_out_fec(p, tree, 1, tree.end));
    EXPECT_FALSE(lay_out_fec(p, tree, 25, tree.end));
    EXPECT_FALSE(lay_out_fec_blocks(p, tree, 2, 303));
    EXPECT_TRUE(lay_out_fec_blocks(p, tree, 2, 304));
    p = parameters(300, 512, 4096);
    EXPECT_FALSE(lay_out_fec(p, *lay_out(p, 0, true), 2, 1 << 20));
    p = parameters(std::uint64_t{1} << 50, 4096, 4096);
    const TreeLayout large = *lay_out(p, 0, true);
    EXPECT_TRUE(lay_out_fec(p, large, 24, large.end));
    EXPECT_FALSE(lay_out_fec_blocks(p, large, 2, std::numeric_limits<std::uint64_t>::max()));
    EXPECT_FALSE(lay_out_fec_blocks(p, large, 2, std::uint64_t{1} << 51));  // 2^63 bytes
}

TEST(FecHeader, IsReadFromEitherPlace) {
    const test::ScratchFolder folder;
    test::Random random;
    AospFecHeader header{7, 7 * 4096, 123 * 4096, {}};
    random.fill(header.digest);
    const auto block = encode(header);
    Bytes file = random.bytes(7 * 4096);
    file.insert(file.end(), block.begin(), block.end());
    const auto read = [&](const Bytes& content) {
        test::write_file(folder.file("f"), content);
        return read_aosp_header(*File::open_for_reading(folder.file("f")));
    };
    const auto same = [&](const Result<AospFecHeader>& h) {
        return h && h->roots == 7 && h->parity_size == 7 * 4096 && h->message_size == 123 * 4096 &&
               h->digest == header.digest;
    };
    EXPECT_TRUE(same(read(file)));
    // Source of the bytes: AOSP libfec, struct fec_header, little-endian and packed.
    EXPECT_EQ(test::to_hex(std::span(block).first(28)), "feeccffe000000003c000000070000000070000000b0070000000000");
    for (const std::size_t at : {file.size() - 4096, file.size() - 60}) {
        Bytes damaged = file;
        damaged[at] ^= 1;
        EXPECT_TRUE(same(read(damaged)));
        damaged[file.size() - 4096 + file.size() - 60 - at] ^= 1;
        EXPECT_FALSE(read(damaged));
    }
    for (std::size_t field = 0; field < 28; field += 4) {  // up to the digest, each field's lowest bit
        Bytes damaged = file;
        damaged[file.size() - 60 + field] ^= 1;
        EXPECT_TRUE(same(read(damaged))) << field;
    }
    Bytes longer = file;
    longer.resize(longer.size() + 4096);
    EXPECT_FALSE(read(longer));
    EXPECT_FALSE(read({}));
    EXPECT_FALSE(read(Bytes(4095)));
    EXPECT_FALSE(read(Bytes(4096)));
}

}  // namespace
}  // namespace verity
