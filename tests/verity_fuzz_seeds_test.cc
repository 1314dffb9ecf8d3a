#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fuzz/superblock_target.h"
#include "tests/support/random.h"
#include "tests/support/scratch_file.h"

/// The fuzzer's seeds through the fuzzer's target, as they are and with bytes changed.

namespace verity {
namespace {

TEST(FuzzSeeds, Superblock) {
    test::Random random;
    int seeds = 0, accepted = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(VERITYTOOL_SOURCE_DIR "/tests/fuzz/superblock_seeds")) {
        SCOPED_TRACE(entry.path().filename());
        seeds++;
        test::Bytes bytes = test::read_file(entry.path());
        check_superblock(bytes);
        const bool good = entry.path().filename().string().starts_with("good");
        if (bytes.size() == kSuperblockSize) {
            const bool valid{decode(std::span(bytes).first<kSuperblockSize>(), "seed")};
            EXPECT_EQ(valid, good);
            accepted += valid;
        }
        for (int i = 0; i < 500 && !bytes.empty(); i++) {
            test::Bytes changed = bytes;
            for (std::size_t n = random.between(1, 4); n > 0; n--)
                changed[random.between(0, changed.size() - 1)] = static_cast<std::uint8_t>(random.word());
            check_superblock(changed);
        }
    }
    EXPECT_GE(seeds, 30);
    EXPECT_EQ(accepted, 5);
}

}  // namespace
}  // namespace verity
