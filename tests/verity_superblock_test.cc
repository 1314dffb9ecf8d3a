#include <gtest/gtest.h>

#include "tests/support/random.h"
#include "veritytool/hex.h"
#include "veritytool/superblock.h"

namespace verity {
namespace {

using Bytes512 = std::array<std::uint8_t, kSuperblockSize>;

Superblock sample(std::size_t salt_size = 32) {
    Superblock s;
    for (std::size_t i = 0; i < 16; i++) s.uuid[i] = static_cast<std::uint8_t>(0x10 + i);
    s.parameters = {hashlib::find_hash("blake2b-256"), 1, 4096, 1024, 0x123456789, {}};
    s.parameters.salt.assign(salt_size, 0xa5);
    return s;
}

std::string refusal(const Bytes512& bytes) {
    auto decoded = decode(bytes, "a.hash");
    if (decoded) return "";
    EXPECT_EQ(decoded.error().kind, ErrorKind::superblock);
    EXPECT_TRUE(decoded.error().message.starts_with("a.hash: ")) << decoded.error().message;
    return decoded.error().message;
}

TEST(Superblock, FieldsStandWhereVeritysetupHasThem) {
    const Bytes512 bytes = encode(sample(3));
    EXPECT_EQ(to_hex(std::span(bytes).first(96)),
              "7665726974790000"                                                  // signature
              "0100000001000000"                                                  // version, hash type
              "101112131415161718191a1b1c1d1e1f"                                  // UUID
              "626c616b6532622d323536000000000000000000000000000000000000000000"  // algorithm
              "0010000000040000"                                                  // data and hash block size
              "8967452301000000"                                                  // data blocks
              "0300000000000000"                                                  // salt size
              "a5a5a50000000000");
}

TEST(Superblock, RoundTrip) {
    for (std::size_t salt_size : {0, 1, 32, 255, 256}) {
        for (const auto& algorithm : hashlib::hash_algorithms()) {
            Superblock s = sample(salt_size);
            s.parameters.hash = &algorithm;
            s.parameters.format = salt_size % 2;
            const auto back = decode(encode(s), "a.hash");
            ASSERT_TRUE(back) << back.error().message;
            EXPECT_EQ(back->uuid, s.uuid);
            EXPECT_EQ(back->parameters.hash, &algorithm);
            EXPECT_EQ(back->parameters.format, s.parameters.format);
            EXPECT_EQ(back->parameters.data_block_size, 4096u);
            EXPECT_EQ(back->parameters.hash_block_size, 1024u);
            EXPECT_EQ(back->parameters.data_blocks, 0x123456789u);
            EXPECT_EQ(back->parameters.salt, s.parameters.salt);
        }
    }
}

TEST(Superblock, EachFieldIsChecked) {
    struct Case {
        std::size_t at;
        std::uint8_t value;
        const char* says;
    };
    const Case cases[] = {
        {0, 'V', "no verity superblock"},
        {7, 1, "no verity superblock"},
        {8, 2, "version 2"},
        {12, 2, "hash type 2"},
        {32, 'x', "'xlake2b-256'"},
        {32, 'B', "lower case"},
        {50, 'x', "zeros behind it"},
        {63, 1, "zeros behind it"},
        {65, 0x11, "data block size 4352"},
        {65, 0, "data block size 0"},
        {69, 0x05, "hash block size"},
        {72 + 7, 0xff, "past the largest"},
        {81, 2, "salt size 544"},
        {80, 31, "behind its 31 bytes"},
        {82, 1, "reserved"},
        {87, 0x80, "reserved"},
        {88 + 32, 1, "behind its 32"},
        {343, 1, "behind its 32"},
        {344, 1, "reserved"},
        {511, 0x80, "reserved"},
    };
    for (const Case& c : cases) {
        Bytes512 bytes = encode(sample());
        bytes[c.at] = c.value;
        EXPECT_NE(refusal(bytes).find(c.says), std::string::npos)
            << "byte " << c.at << " = " << int{c.value} << ": " << refusal(bytes);
    }
    Bytes512 none = encode(sample());
    std::fill_n(&none[72], 8, std::uint8_t{0});
    EXPECT_NE(refusal(none).find("no data blocks"), std::string::npos);
    EXPECT_NE(refusal({}).find("no verity superblock"), std::string::npos);
}

// A flip of any bit is refused or changes what is decoded: no byte goes unread.
TEST(Superblock, EveryBitCounts) {
    const Bytes512 good = encode(sample());
    for (std::size_t bit = 0; bit < kSuperblockSize * 8; bit++) {
        Bytes512 bad = good;
        bad[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        const auto decoded = decode(bad, "a.hash");
        if (decoded) {
            EXPECT_EQ(encode(*decoded), bad) << "bit " << bit;
        }
    }
}

TEST(Superblock, RandomBytesNeverDecodeToNonsense) {
    test::Random random;
    for (int i = 0; i < 20000; i++) {
        Bytes512 bytes = encode(sample());
        for (int n = 0; n < 3; n++)
            bytes[random.between(0, kSuperblockSize - 1)] = static_cast<std::uint8_t>(random.word());
        const auto decoded = decode(bytes, "a.hash");
        if (decoded) {
            ASSERT_EQ(encode(*decoded), bytes);
        }
    }
}

TEST(Uuid, TextAndBack) {
    const char* text = "6a29e7ad-5a6c-4b0e-8f2c-0123456789ab";
    const auto uuid = parse_uuid(text);
    ASSERT_TRUE(uuid);
    EXPECT_EQ(to_text(*uuid), text);
    EXPECT_TRUE(parse_uuid("6A29E7AD-5A6C-4B0E-8F2C-0123456789AB"));
    for (const char* bad : {"", "6a29e7ad", "6a29e7ad5a6c4b0e8f2c0123456789ab", "6a29e7ad-5a6c-4b0e-8f2c-0123456789a",
                            "6a29e7ad-5a6c-4b0e-8f2c-0123456789abc", "6a29e7ad-5a6c-4b0e-8f2c-0123456789ag",
                            "6a29e7ad-5a6c-4b0e-8f2c00123456789ab", "------------------------------------"})
        EXPECT_FALSE(parse_uuid(bad)) << bad;
    const auto random = random_uuid();
    ASSERT_TRUE(random);
    EXPECT_EQ((*random)[6] >> 4, 4);
}

TEST(Hex, OnlyWholeBytesOfDigits) {
    EXPECT_EQ(to_hex(std::vector<std::uint8_t>{0x00, 0x9f, 0xff}), "009fff");
    EXPECT_EQ(parse_hex("009fFF"), (std::vector<std::uint8_t>{0x00, 0x9f, 0xff}));
    EXPECT_EQ(parse_hex(""), std::vector<std::uint8_t>{});
    for (const char* bad : {"0", "0g", "g0", " 00", "00 ", "0x00", "-1"}) EXPECT_FALSE(parse_hex(bad)) << bad;
}

}  // namespace
}  // namespace verity
