#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/random.h"
#include "tests/support/scratch_file.h"
#include "veritytool/key_file.h"

/// Keys are taken as they are, or not at all.

namespace verity {
namespace {

using test::Bytes;

class KeyFile : public testing::Test {
  protected:
    Result<LockedMemory> read(const std::string& content, const KeyPlace& place = {}) {
        test::write_file(path_, Bytes(content.begin(), content.end()));
        const auto file = File::open_for_reading(path_);
        if (!file) return file.error();
        return read_key(*file, place, *algorithm_, nullptr);
    }

    void expect_key(const std::string& content, const KeyPlace& place, const Bytes& key) {
        const auto found = read(content, place);
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_EQ(Bytes(found->bytes().begin(), found->bytes().end()), key);
    }

    /// That the key is refused, with `figures` in the message and nothing of the content.
    void expect_refused(const std::string& content, const KeyPlace& place, std::initializer_list<const char*> figures) {
        const auto found = read(content, place);
        ASSERT_FALSE(found);
        for (const char* figure : figures)
            EXPECT_NE(found.error().message.find(figure), std::string::npos) << found.error().message;
        EXPECT_TRUE(content.size() <= 1 || found.error().message.find(content) == std::string::npos);
    }

    static std::string text(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

    test::Random random_;
    test::ScratchFolder folder_;
    std::string path_ = folder_.file("key");
    const SectorAlgorithm* algorithm_ = find_sector_algorithm("xchacha12,aes-adiantum-plain64");
    const SectorAlgorithm* xts_ = find_sector_algorithm("aes-xts-plain64");
    Bytes key_ = random_.bytes(32);
};

TEST_F(KeyFile, Raw) {
    expect_key(text(key_), {}, key_);
    algorithm_ = xts_;
    expect_key(text(key_), {}, key_);
    const Bytes longer = random_.bytes(64);
    expect_key(text(longer), {}, longer);
}

TEST_F(KeyFile, LengthsAreTold) {
    expect_refused("", {}, {" 32 bytes", " 0 bytes"});
    expect_refused("x", {}, {" 32 bytes", " 1 byte is"});
    expect_refused(std::string(31, 'x'), {}, {" 31 bytes"});
    expect_refused(std::string(33, 'x'), {}, {" 33 bytes"});
    expect_refused(std::string(32, 'x') + '\n', {}, {" 33 bytes", "newline"});
    expect_refused(std::string(64, 'x'), {}, {" 64 bytes"});
    expect_refused(std::string(4095, 'x'), {}, {" 4095 bytes"});
    expect_refused(std::string(100000, 'x'), {}, {"more than 4096 bytes"});
    algorithm_ = xts_;
    expect_refused(std::string(48, 'x'), {}, {" 64 or 32 bytes", " 48 bytes"});
}

TEST_F(KeyFile, PartOfAFile) {
    const std::string content = std::string(5000, 'x') + text(key_) + std::string(5000, 'y');
    expect_key(content, {5000, 32}, key_);
    expect_key(text(key_) + "rest", {0, 32}, key_);
    expect_key("head" + text(key_), {4, {}}, key_);
    expect_refused(content, {5000, 31}, {" 31 bytes"});
    expect_refused(content, {5000, std::uint64_t{1} << 40}, {"more than 4096 bytes"});
    expect_refused(std::string(40, 'x'), {20, 32}, {"20 bytes", " 32"});
    expect_refused(std::string(40, 'x'), {41, {}}, {"40 bytes", " 41"});
    expect_refused(std::string(40, 'x'), {40, {}}, {" 0 bytes"});
}

TEST_F(KeyFile, Hexadecimal) {
    const std::string digits = test::to_hex(key_);
    std::string upper = digits;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    for (const std::string& content : {digits, upper, digits + '\n', digits + "\r\n"})
        expect_key(content, {0, {}, true}, key_);
    expect_key("key=" + digits + ";", {4, 64, true}, key_);
    expect_refused(digits.substr(1), {0, {}, true}, {" 64 hexadecimal digits", " 63 characters"});
    expect_refused(digits + "00", {0, {}, true}, {" 66 characters"});
    expect_refused("", {0, {}, true}, {" 0 characters"});
    // Each character that is none, at either place of a byte.
    for (int c = 0; c < 256; c++)
        for (const std::size_t at : {std::size_t{0}, std::size_t{31}}) {
            std::string content = digits;
            content[at] = static_cast<char>(c);
            EXPECT_EQ(static_cast<bool>(read(content, {0, {}, true})), std::isxdigit(c) != 0) << c;
        }
}

TEST_F(KeyFile, Made) {
    for (const std::size_t size : {std::size_t{32}, std::size_t{64}}) {
        std::filesystem::remove(path_);
        ASSERT_TRUE(make_key_file(path_, size));
        const Bytes first = test::read_file(path_);
        EXPECT_EQ(first.size(), size);
        struct stat status;
        ASSERT_EQ(stat(path_.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, 0600u);
        EXPECT_FALSE(make_key_file(path_, size)) << "over one that is there";
        EXPECT_EQ(test::read_file(path_), first);
        std::filesystem::remove(path_);
        ASSERT_TRUE(make_key_file(path_, size));
        EXPECT_NE(test::read_file(path_), first);
    }
    EXPECT_FALSE(make_key_file(folder_.file("no/key"), 32));
}

}  // namespace
}  // namespace verity
