#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/random.h"
#include "tests/support/scratch_file.h"
#include "veritytool/hex.h"
#include "veritytool/tree_builder.h"
#include "veritytool/tree_verifier.h"

/// Building and verifying against a tree made as simply as the format's description reads.

namespace verity {
namespace {

using test::Bytes;

Bytes digest(const TreeParameters& p, std::span<const std::uint8_t> block) {
    hashlib::Hasher hasher(*p.hash);
    if (p.format == 1) hasher.update(p.salt);
    hasher.update(block);
    if (p.format == 0) hasher.update(p.salt);
    Bytes out(p.hash->digest_size);
    hasher.finish(out);
    return out;
}

struct PlainTree {
    Bytes levels;  // as on disk, the top first
    Bytes root;
};

PlainTree plain_tree(const TreeParameters& p, const Bytes& data) {
    std::size_t per_block = 1;
    while (per_block * 2 * p.hash->digest_size <= p.hash_block_size) per_block *= 2;
    const std::size_t slot = p.format == 1 ? p.hash_block_size / per_block : p.hash->digest_size;
    PlainTree tree;
    Bytes row = data;
    for (std::size_t block_size = p.data_block_size; row.size() > block_size; block_size = p.hash_block_size) {
        Bytes level;
        for (std::size_t i = 0; i * block_size < row.size(); i++) {
            if (i % per_block == 0) level.resize(i / per_block * p.hash_block_size + p.hash_block_size);
            const Bytes d = digest(p, std::span(row).subspan(i * block_size, block_size));
            std::ranges::copy(d, &level[i / per_block * p.hash_block_size + i % per_block * slot]);
        }
        tree.levels.insert(tree.levels.begin(), level.begin(), level.end());
        row = level;
        if (row.size() == p.hash_block_size) break;
    }
    tree.root = digest(p, row);
    return tree;
}

class TreeTest : public testing::Test {
  protected:
    /// Writes the data, builds its tree and returns what the hash file holds.
    Bytes build(const TreeParameters& p, const Bytes& data, bool superblock, Bytes& root, unsigned threads = 2) {
        test::write_file(data_path(), data);
        auto file = File::open_for_reading(data_path());
        auto output = HashOutput::open(hash_path());
        EXPECT_TRUE(file && output);
        BuildRequest request{p, {}, 0};
        if (superblock) request.uuid = Uuid{};
        auto built = build_tree(*file, *output, request, {threads, {}, nullptr});
        EXPECT_TRUE(built) << built.error().message;
        EXPECT_TRUE(output->keep());
        if (!built) return {};
        root = built->root;
        return test::read_file(hash_path());
    }

    struct Verdict {
        VerifyReport report;
        std::vector<Finding> findings;
    };

    Verdict verify(TreeParameters p, std::uint64_t data_blocks, const Bytes& root, bool superblock) {
        p.data_blocks = data_blocks;
        auto data = File::open_for_reading(data_path());
        auto hash = File::open_for_reading(hash_path());
        EXPECT_TRUE(data && hash);
        Verdict verdict;
        auto report = verify_tree(*data, *hash, {p, superblock, 0, root}, {2, {}, nullptr},
                                  [&](const Finding& f) { verdict.findings.push_back(f); });
        EXPECT_TRUE(report) << report.error().message;
        if (report) verdict.report = *report;
        return verdict;
    }

    std::string data_path() const { return folder_.file("data"); }
    std::string hash_path() const { return folder_.file("hash"); }

    test::ScratchFolder folder_;
    test::Random random_;
};

TreeParameters parameters(std::string_view hash, unsigned format, std::uint32_t data_block, std::uint32_t hash_block,
                          Bytes salt) {
    return {hashlib::find_hash(hash), format, data_block, hash_block, 0, std::move(salt)};
}

TEST_F(TreeTest, SameAsThePlainTreeForManySizes) {
    struct Case {
        const char* hash;
        unsigned format;
        std::uint32_t data_block, hash_block;
        std::size_t salt;
    };
    const Case cases[] = {{"blake2b-256", 1, 512, 512, 32}, {"sha1", 0, 512, 512, 20},
                          {"sha512", 1, 512, 512, 0},       {"sha256", 1, 1024, 512, 256},
                          {"sha1", 1, 512, 1024, 1},        {"blake2b-512", 0, 512, 512, 129},
                          {"blake2s-256", 1, 512, 4096, 64}};
    for (const Case& c : cases) {
        const TreeParameters p = parameters(c.hash, c.format, c.data_block, c.hash_block, random_.bytes(c.salt));
        for (std::size_t blocks = 1; blocks <= 300; blocks += blocks < 20 ? 1 : 1 + random_.between(0, 30)) {
            const Bytes data = random_.bytes(blocks * c.data_block);
            const PlainTree plain = plain_tree(p, data);
            Bytes root;
            EXPECT_EQ(build(p, data, false, root), plain.levels) << c.hash << ' ' << blocks << " blocks";
            EXPECT_EQ(root, plain.root) << c.hash << ' ' << blocks << " blocks";
            EXPECT_TRUE(verify(p, blocks, root, false).report.good()) << c.hash << ' ' << blocks << " blocks";
        }
    }
}

TEST_F(TreeTest, SeveralPiecesInAnyNumberOfThreads) {
    const TreeParameters p = parameters("blake2b-256", 1, 4096, 4096, random_.bytes(32));
    const Bytes data = random_.bytes(1027 * 4096);
    const PlainTree plain = plain_tree(p, data);
    for (unsigned threads : {1u, 2u, 3u, 8u}) {
        Bytes root;
        const Bytes hash = build(p, data, true, root, threads);
        EXPECT_EQ(root, plain.root) << threads;
        EXPECT_TRUE(std::ranges::equal(std::span(hash).subspan(4096), plain.levels)) << threads;
    }
}

/// Flips one bit of a file and puts it back with the object.
class Flip {
  public:
    Flip(std::string path, std::size_t byte, unsigned bit) : path_(std::move(path)), bytes_(test::read_file(path_)) {
        Bytes bad = bytes_;
        bad.at(byte) ^= static_cast<std::uint8_t>(1u << bit);
        test::write_file(path_, bad);
    }
    ~Flip() { test::write_file(path_, bytes_); }

  private:
    std::string path_;
    Bytes bytes_;
};

TEST_F(TreeTest, EveryFlippedBitIsNamed) {
    // 16 digests a hash block: 300 data blocks make levels of 19, 2 and 1 blocks.
    const TreeParameters p = parameters("blake2b-256", 1, 512, 512, random_.bytes(32));
    const std::size_t blocks = 300;
    Bytes root;
    const Bytes hash = build(p, random_.bytes(blocks * 512), false, root);
    ASSERT_EQ(hash.size(), 22 * 512u);
    for (int i = 0; i < 60; i++) {
        const std::size_t block = random_.between(0, blocks - 1);
        const Flip flip(data_path(), block * 512 + random_.between(0, 511), static_cast<unsigned>(random_.word() % 8));
        const Verdict v = verify(p, blocks, root, false);
        ASSERT_EQ(v.findings.size(), 1u);
        EXPECT_EQ(v.findings[0].fault, Finding::Fault::digest);
        EXPECT_EQ(v.findings[0].level, Finding::kData);
        EXPECT_EQ(v.findings[0].first, block);
        EXPECT_EQ(v.findings[0].offset, block * 512);
        EXPECT_EQ(v.report.bad_data_blocks, 1u);
    }
    for (std::size_t block = 0; block < 22; block++) {
        const std::size_t byte = block * 512 + random_.between(0, 511);
        const Flip flip(hash_path(), byte, static_cast<unsigned>(random_.word() % 8));
        const Verdict v = verify(p, blocks, root, false);
        ASSERT_FALSE(v.findings.empty());
        EXPECT_EQ(v.findings[0].fault, Finding::Fault::digest);
        EXPECT_EQ(v.findings[0].level, block == 0 ? 2 : block < 3 ? 1 : 0);
        EXPECT_EQ(v.findings[0].offset, block * 512);
        EXPECT_EQ(v.report.bad_hash_blocks, 1u);
        EXPECT_EQ(v.report.bad_data_blocks, 0u);
        const std::uint64_t under = block == 0   ? 300
                                    : block == 1 ? 256
                                    : block == 2 ? 44
                                                 : std::min<std::uint64_t>(16, 300 - (block - 3) * 16);
        EXPECT_EQ(v.report.unverifiable_data_blocks, under) << "hash block " << block;
    }
}

TEST_F(TreeTest, NeighboursMakeOneRangeAcrossPieces) {
    const TreeParameters p = parameters("blake2b-256", 1, 4096, 4096, {});
    Bytes root, data = random_.bytes(600 * 4096);
    build(p, data, true, root);
    for (std::size_t block : {5, 6, 7, 127, 128, 129, 255, 256, 599}) data[block * 4096 + block] ^= 1;
    test::write_file(data_path(), data);
    const Verdict v = verify(p, 600, root, true);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{5, 3}, {127, 3}, {255, 2}, {599, 1}};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const Finding& f : v.findings) {
        ranges.emplace_back(f.first, f.count);
        EXPECT_EQ(f.size, f.count * 4096);
        EXPECT_EQ(f.actual, digest(p, std::span(data).subspan(static_cast<std::size_t>(f.first) * 4096, 4096)));
    }
    EXPECT_EQ(ranges, expected);
    EXPECT_EQ(v.report.bad_data_blocks, 9u);
}

TEST_F(TreeTest, WrongRootIsNotCorruption) {
    const TreeParameters p = parameters("sha256", 1, 512, 512, random_.bytes(8));
    for (std::size_t blocks : {2, 16, 17, 300}) {
        Bytes root;
        build(p, random_.bytes(blocks * 512), true, root);
        Bytes other = root;
        other[3] ^= 4;
        const Verdict wrong = verify(p, blocks, other, true);
        EXPECT_EQ(wrong.report.root, RootState::wrong) << blocks;
        EXPECT_EQ(wrong.report.actual_root, root);
        EXPECT_TRUE(wrong.findings.empty());
        EXPECT_FALSE(wrong.report.good());

        const Flip flip(hash_path(), 512 + 5, 0);  // a digest in the top block
        EXPECT_EQ(verify(p, blocks, root, true).report.root, RootState::top_block_is_bad) << blocks;
    }
    Bytes root;
    build(p, random_.bytes(512), true, root);
    EXPECT_TRUE(verify(p, 1, root, true).report.good());
    const Flip flip(data_path(), 7, 7);
    EXPECT_EQ(verify(p, 1, root, true).report.root, RootState::either);
}

// A tree that was built over padding that is not zero: every digest is right, and still it is corrupt.
TEST_F(TreeTest, PaddingThatIsHashedButNotZero) {
    const TreeParameters p = parameters("sha1", 1, 512, 512, {});
    Bytes root, hash = build(p, random_.bytes(20 * 512), false, root);
    ASSERT_EQ(hash.size(), 3 * 512u);  // 16 slots of 32 bytes: levels of 2 and 1
    for (const std::size_t byte : {512 + 21, 1024 + 4 * 32, 1024 + 511}) {
        Bytes bad = hash;
        bad[byte] = 1;
        const std::size_t block = byte / 512;
        std::ranges::copy(digest(p, std::span(bad).subspan(block * 512, 512)), &bad[(block - 1) * 32]);
        test::write_file(hash_path(), bad);
        const Verdict v = verify(p, 20, digest(p, std::span(bad).first(512)), false);
        ASSERT_EQ(v.findings.size(), 1u) << byte;
        EXPECT_EQ(v.findings[0].fault, Finding::Fault::padding);
        EXPECT_EQ(v.findings[0].first, block - 1);
        EXPECT_EQ(v.findings[0].padding_offset, byte);
        EXPECT_EQ(v.report.bad_hash_blocks, 1u);
        EXPECT_EQ(v.report.unverifiable_data_blocks, 0u);
    }
    Bytes bad = hash;
    bad[2 * 32] = 1;  // behind the two digests of the top block
    test::write_file(hash_path(), bad);
    const Verdict v = verify(p, 20, digest(p, std::span(bad).first(512)), false);
    ASSERT_EQ(v.findings.size(), 1u);
    EXPECT_EQ(v.findings[0].padding_offset, 64u);
}

TEST_F(TreeTest, FailureLeavesNothingThatLooksValid) {
    const TreeParameters p = parameters("blake2b-256", 1, 4096, 4096, {});
    test::write_file(data_path(), random_.bytes(40 * 4096));
    auto data = File::open_for_reading(data_path());
    ASSERT_TRUE(data);
    const std::atomic<bool> stop = true;
    const Control stopped = {2, {}, &stop};
    {
        auto output = HashOutput::open(hash_path());
        ASSERT_TRUE(output);
        const auto built = build_tree(*data, *output, {p, Uuid{}, 0}, stopped);
        ASSERT_FALSE(built);
        EXPECT_EQ(built.error().kind, ErrorKind::interrupted);
    }
    EXPECT_FALSE(std::filesystem::exists(hash_path()));

    Bytes root;
    build(p, test::read_file(data_path()), true, root);
    const std::uintmax_t size = std::filesystem::file_size(hash_path());
    {
        auto output = HashOutput::open(hash_path());
        ASSERT_TRUE(output);
        EXPECT_FALSE(build_tree(*data, *output, {p, Uuid{}, 0}, stopped));
    }
    EXPECT_EQ(std::filesystem::file_size(hash_path()), size);
    const Bytes left = test::read_file(hash_path());
    EXPECT_FALSE(decode(std::span(left).first<kSuperblockSize>(), "hash"));
}

TEST_F(TreeTest, SecondTreeReplacesALongerOne) {
    const TreeParameters p = parameters("sha256", 1, 512, 512, {});
    Bytes root;
    const Bytes data = random_.bytes(300 * 512);
    build(p, data, true, root);
    const Bytes shorter(data.begin(), data.begin() + 20 * 512);
    const Bytes over = build(p, shorter, true, root);
    std::filesystem::remove(hash_path());
    EXPECT_EQ(over, build(p, shorter, true, root));
}

}  // namespace
}  // namespace verity
