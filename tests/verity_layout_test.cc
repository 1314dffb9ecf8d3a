#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "veritytool/layout.h"

namespace verity {
namespace {

TreeParameters parameters(std::string_view hash, std::uint64_t data_blocks, std::uint32_t data_block_size = 4096,
                          std::uint32_t hash_block_size = 4096, unsigned format = 1) {
    return {hashlib::find_hash(hash), format, data_block_size, hash_block_size, data_blocks, {}};
}

TreeLayout laid_out(const TreeParameters& p, std::uint64_t hash_offset = 0, bool superblock = true) {
    auto layout = lay_out(p, hash_offset, superblock);
    EXPECT_TRUE(layout) << layout.error().message;
    return *layout;
}

// The figures of veritysetup for 32-byte digests in 4096-byte blocks.
TEST(Layout, TreeBlocksAsVeritysetupHasThem) {
    const std::pair<std::uint64_t, std::uint64_t> known[] = {{1, 0},   {2, 1},       {127, 1},     {128, 1},
                                                             {129, 3}, {16384, 129}, {16385, 132}, {1048576, 8257}};
    for (const auto& [data_blocks, tree_blocks] : known)
        EXPECT_EQ(laid_out(parameters("sha256", data_blocks)).tree_size, tree_blocks * 4096) << data_blocks;
}

TEST(Layout, TopLevelComesFirst) {
    const TreeLayout layout = laid_out(parameters("blake2b-256", 16385));
    ASSERT_EQ(layout.levels.size(), 3u);
    EXPECT_EQ(layout.levels[2].offset, 4096u);
    EXPECT_EQ(layout.levels[2].blocks, 1u);
    EXPECT_EQ(layout.levels[1].offset, 2 * 4096u);
    EXPECT_EQ(layout.levels[1].blocks, 2u);
    EXPECT_EQ(layout.levels[0].offset, 4 * 4096u);
    EXPECT_EQ(layout.levels[0].blocks, 129u);
    EXPECT_EQ(layout.end, (1 + 132) * 4096u);
}

TEST(Layout, SlotsOfEitherFormat) {
    const TreeLayout padded = laid_out(parameters("sha1", 1000));
    EXPECT_EQ(padded.digests_per_block, 128u);
    EXPECT_EQ(padded.slot_size, 32u);
    EXPECT_EQ(padded.slot_offset(129), 4096u + 32u);
    const TreeLayout packed = laid_out(parameters("sha1", 1000, 4096, 4096, 0));
    EXPECT_EQ(packed.digests_per_block, 128u);
    EXPECT_EQ(packed.slot_size, 20u);
    EXPECT_EQ(packed.slot_offset(129), 4096u + 20u);
}

TEST(Layout, TreeBeginsBehindTheSuperblock) {
    const auto p = parameters("sha256", 1000, 4096, 1024);
    EXPECT_EQ(laid_out(p, 0).tree_offset, 1024u);
    EXPECT_EQ(laid_out(p, 512).tree_offset, 1024u);
    EXPECT_EQ(laid_out(p, 1024).tree_offset, 2048u);
    EXPECT_EQ(laid_out(p, 0, false).tree_offset, 0u);
    EXPECT_EQ(laid_out(p, 5 * 1024, false).tree_offset, 5 * 1024u);
}

TEST(Layout, OneDataBlockHasNoTree) {
    const auto p = parameters("sha256", 1);
    const TreeLayout with = laid_out(p), without = laid_out(p, 0, false);
    EXPECT_TRUE(with.levels.empty());
    EXPECT_EQ(with.end, 4096u);
    EXPECT_EQ(without.end, 0u);
}

TEST(Layout, RefusesOffsetsOutOfStep) {
    const auto p = parameters("sha256", 1000);
    EXPECT_FALSE(lay_out(p, 100, true));
    EXPECT_FALSE(lay_out(p, 512, false));
    EXPECT_TRUE(lay_out(p, 512, true));
}

TEST(Layout, RefusesBadParameters) {
    for (std::uint32_t size : {0u, 1u, 256u, 513u, 4095u, 1u << 20, 0x80000000u}) {
        EXPECT_FALSE(check_parameters(parameters("sha256", 1, size, 4096))) << size;
        EXPECT_FALSE(check_parameters(parameters("sha256", 1, 4096, size))) << size;
    }
    EXPECT_FALSE(check_parameters(parameters("sha256", 1, 4096, 4096, 2)));
    auto p = parameters("sha256", 1);
    p.salt.resize(257);
    EXPECT_FALSE(check_parameters(p));
    EXPECT_FALSE(lay_out(parameters("sha256", 0), 0, true));
}

// Every sum and product that leaves 2^63 - 1 is an error, never a small number.
TEST(Layout, HugeSizes) {
    const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_FALSE(lay_out(parameters("sha256", ~std::uint64_t{0}, 512, 512), 0, true));
    EXPECT_FALSE(lay_out(parameters("sha256", most / 512 + 1, 512, 512), 0, true));
    EXPECT_FALSE(lay_out(parameters("sha512", most / 512, 512, 524288), most / 512 * 512, true));
    EXPECT_FALSE(lay_out(parameters("sha256", 2), ~std::uint64_t{511}, true));
    EXPECT_FALSE(lay_out(parameters("sha256", 2), most / 512 * 512, true));
    const TreeLayout layout = laid_out(parameters("sha256", (std::uint64_t{1} << 40) + 1));
    EXPECT_EQ(layout.data_size, (std::uint64_t{1} << 52) + 4096);
    EXPECT_EQ(layout.levels.back().blocks, 1u);
}

}  // namespace
}  // namespace verity
