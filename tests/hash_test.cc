#include "hashlib/hash.h"

#include <gcrypt.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

#include "tests/support/hash_cores.h"

/// The list of hash functions, and Hasher, which takes one message in pieces.

namespace {

using hashlib::HashAlgorithm;
using hashlib::Hasher;
using test::Bytes;
using test::to_hex;

TEST(HashAlgorithms, AreFoundByNameInAnyCase) {
    for (const HashAlgorithm& algorithm : hashlib::hash_algorithms()) {
        std::string name(algorithm.name);
        EXPECT_EQ(hashlib::find_hash(name), &algorithm);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
        EXPECT_EQ(hashlib::find_hash(name), &algorithm) << name;
        EXPECT_EQ(hashlib::find_hash(name + " "), nullptr);
        EXPECT_EQ(hashlib::find_hash(name.substr(1)), nullptr);
    }
    EXPECT_EQ(hashlib::find_hash(""), nullptr);
    EXPECT_EQ(hashlib::find_hash("md5"), nullptr);
}

TEST(HashAlgorithms, AreThoseOfTheDocumentation) {
    std::set<std::string_view> names;
    for (const HashAlgorithm& algorithm : hashlib::hash_algorithms()) {
        EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name << " twice";
        EXPECT_LE(algorithm.digest_size, hashlib::kMaxDigestSize);
    }
    EXPECT_EQ(names,
              (std::set<std::string_view>{"blake2b-256", "blake2b-512", "blake2s-256", "sha1", "sha256", "sha512"}));
}

// --- independent libraries -------------------------------------------------------------------------------------------

/// The digest by OpenSSL, where it has the algorithm.
std::optional<Bytes> openssl_hash(std::string_view algorithm, const Bytes& message) {
    std::string name(algorithm);
    if (name == "blake2b-512") name = "blake2b512";
    if (name == "blake2s-256") name = "blake2s256";
    const EVP_MD* md = EVP_get_digestbyname(name.c_str());
    if (md == nullptr) return std::nullopt;
    Bytes digest(EVP_MAX_MD_SIZE);
    unsigned size = 0;
    if (EVP_Digest(message.data(), message.size(), digest.data(), &size, md, nullptr) != 1) return std::nullopt;
    digest.resize(size);
    return digest;
}

/// The digest by libgcrypt, which has all.
Bytes gcrypt_hash(std::string_view algorithm, const Bytes& message) {
    static const char* const version = gcry_check_version(nullptr);  // initialises the library
    EXPECT_NE(version, nullptr);
    std::string name(algorithm);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return c == '-' ? '_' : std::toupper(c); });
    const int id = gcry_md_map_name(name.c_str());
    EXPECT_NE(id, 0) << "libgcrypt knows no " << name;
    Bytes digest(gcry_md_get_algo_dlen(id));
    gcry_md_hash_buffer(id, digest.data(), message.data(), message.size());
    return digest;
}

/// A length of up to 20000 bytes, every other one near a boundary where padding changes.
std::size_t message_size(test::Random& random) {
    if (random.coin()) return random.between(0, 20000);
    return 64 * random.between(1, 300) - 64 + random.between(0, 9) + 55 * random.between(0, 1);
}

class EachHash : public testing::TestWithParam<HashAlgorithm> {
  protected:
    const HashAlgorithm& algorithm = GetParam();
    test::Random random;
};

TEST_P(EachHash, AgreesWithOpenSsl) {
    if (!openssl_hash(algorithm.name, {})) GTEST_SKIP() << "OpenSSL has no " << algorithm.name;
    for (int i = 0; i < 300; i++) {
        const Bytes message = random.bytes(message_size(random));
        ASSERT_EQ(to_hex(test::hash(algorithm, message)), to_hex(*openssl_hash(algorithm.name, message)))
            << message.size() << " bytes";
    }
}

TEST_P(EachHash, AgreesWithLibgcrypt) {
    for (int i = 0; i < 300; i++) {
        const Bytes message = random.bytes(message_size(random));
        ASSERT_EQ(to_hex(test::hash(algorithm, message)), to_hex(gcrypt_hash(algorithm.name, message)))
            << message.size() << " bytes";
    }
}

TEST_P(EachHash, EmptyMessage) {
    const std::string expected = to_hex(gcrypt_hash(algorithm.name, {}));
    Bytes digest(algorithm.digest_size);
    Hasher untouched(algorithm);
    untouched.finish(digest);
    EXPECT_EQ(to_hex(digest), expected);
    EXPECT_EQ(to_hex(test::hash(algorithm, {})), expected);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EachHash, testing::ValuesIn(hashlib::hash_algorithms()), test::algorithm_name);

// --- pieces ----------------------------------------------------------------------------------------------------------

class HasherPieces : public test::EachHashCore {
  protected:
    std::string finish(Hasher hasher, const HashAlgorithm& algorithm) {
        Bytes digest(algorithm.digest_size);
        hasher.finish(digest);
        return to_hex(digest);
    }

    /// A piece's length: none, a few bytes, about a compression block, or several.
    std::size_t piece_size() {
        switch (random.between(0, 3)) {
        case 0:
            return random.between(0, 3);
        case 1:
            return random.between(0, 2 * family.block_size);
        case 2:
            return family.block_size * random.between(0, 4);
        default:
            return random.between(0, 1500);
        }
    }
};

TEST_P(HasherPieces, AnySplitGivesTheSameDigest) {
    for (const HashAlgorithm* algorithm : algorithms()) {
        for (int i = 0; i < 150; i++) {
            const Bytes message = random.bytes(piece_size() + piece_size() + piece_size());
            Hasher hasher(*algorithm, &core);
            std::string sizes;
            for (std::span<const std::uint8_t> rest = message; !rest.empty();) {
                const std::size_t size = std::min(piece_size(), rest.size());
                hasher.update(rest.first(size));
                rest = rest.subspan(size);
                sizes += " " + std::to_string(size);
            }
            ASSERT_EQ(finish(hasher, *algorithm),
                      to_hex(test::hash(*algorithm, message, &test::portable_core(core.family))))
                << core.name << ", " << algorithm->name << " in pieces of" << sizes;
        }
    }
}

TEST_P(HasherPieces, EveryTwoPiecesThatEndNearACompressionBlock) {
    const HashAlgorithm& algorithm = *algorithms().front();
    const Bytes message = random.bytes(2 * family.block_size + 1);
    for (const std::size_t blocks : {1u, 2u})
        for (std::size_t size = blocks * family.block_size - 1; size <= blocks * family.block_size + 1; size++) {
            const std::span<const std::uint8_t> whole = std::span(message).first(size);
            const std::string expected = to_hex(test::hash(algorithm, whole, &test::portable_core(core.family)));
            for (std::size_t first = 0; first <= size; first++) {
                Hasher hasher(algorithm, &core);
                hasher.update(whole.first(first));
                hasher.update(whole.subspan(first));
                ASSERT_EQ(finish(hasher, algorithm), expected)
                    << core.name << ", " << first << " of " << size << " bytes first";
            }
        }
}

TEST_P(HasherPieces, ACopyIsAMessageOfItsOwn) {
    const HashAlgorithm& algorithm = *algorithms().front();
    for (int i = 0; i < 50; i++) {
        const Bytes common = random.bytes(piece_size()), one = random.bytes(piece_size()),
                    two = random.bytes(piece_size());
        Hasher hasher(algorithm, &core);
        hasher.update(common);
        Hasher fork = hasher;
        hasher.update(one);
        fork.update(two);
        const auto expected = [&](const Bytes& end) {
            Bytes message = common;
            message.insert(message.end(), end.begin(), end.end());
            return to_hex(test::hash(algorithm, message, &test::portable_core(core.family)));
        };
        ASSERT_EQ(finish(hasher, algorithm), expected(one))
            << core.name << ", " << common.size() << " + " << one.size();
        ASSERT_EQ(finish(fork, algorithm), expected(two)) << core.name << ", " << common.size() << " + " << two.size();
    }
}

TEST_EACH_HASH_CORE(HasherPieces);

}  // namespace
