#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/bytes.h"
#include "tests/support/scratch_file.h"
#include "veritytool/file.h"

/// Positions that need more than 31 and 32 bits, on every architecture: 32-bit processors are to handle such images.

namespace verity {
namespace {

using test::Bytes;

/// The first two cross 2^31 and 2^32.
constexpr std::uint64_t kPlaces[] = {0x7fff'fffd, 0xffff'fffd, 0x1'0000'1000, 0x1'4000'0003};

Bytes content(std::uint64_t place) {
    return {static_cast<std::uint8_t>(place >> 24), static_cast<std::uint8_t>(place >> 32), 3, 4, 5};
}

class FarPlaces : public testing::Test {
  protected:
    std::string path() const { return folder_.file("sparse"); }
    test::ScratchFolder folder_;
};

TEST_F(FarPlaces, WrittenAndReadBack) {
    const auto out = File::open_for_writing(path());
    ASSERT_TRUE(out);
    for (std::uint64_t place : kPlaces) ASSERT_TRUE(out->write_at(content(place), place));
    ASSERT_TRUE(out->sync());
    EXPECT_EQ(*out->current_size(), kPlaces[3] + 5);
    EXPECT_EQ(std::filesystem::file_size(path()), kPlaces[3] + 5);

    const auto in = File::open_for_reading(path());
    ASSERT_TRUE(in);
    EXPECT_EQ(in->size(), kPlaces[3] + 5);
    for (std::uint64_t place : kPlaces) {
        Bytes found(5);
        ASSERT_TRUE(in->read_at(found, place));
        EXPECT_EQ(found, content(place)) << place;
        ASSERT_TRUE(in->read_at(found, place - 0x4000'0000));  // what a lost upper half would have met
        EXPECT_NE(found, content(place)) << place;
    }
}

TEST_F(FarPlaces, Resized) {
    const auto file = File::open_for_writing(path());
    ASSERT_TRUE(file);
    for (std::uint64_t place : kPlaces) {
        ASSERT_TRUE(file->resize(place));
        EXPECT_EQ(*file->current_size(), place);
        EXPECT_EQ(std::filesystem::file_size(path()), place);
    }
}

TEST_F(FarPlaces, ReadBeyondTheEnd) {
    const auto file = File::open_for_writing(path());
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->resize(kPlaces[1] + 2));
    Bytes found(5);
    EXPECT_FALSE(file->read_at(found, kPlaces[1]));
    EXPECT_TRUE(file->read_at(std::span(found).first(2), kPlaces[1]));
}

}  // namespace
}  // namespace verity
