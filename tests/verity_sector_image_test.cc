#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "arch/load_store.h"
#include "tests/support/random.h"
#include "tests/support/records.h"
#include "tests/support/scratch_file.h"
#include "veritytool/sector_image.h"

/// Whole images, encrypted and decrypted, against vectors of the kernel's, OpenSSL, and each sector by itself.

namespace verity {
namespace {

using ciphers::Direction;
using test::Bytes;

const SectorAlgorithm& algorithm(std::string_view name) {
    const SectorAlgorithm* found = find_sector_algorithm(name);
    if (found == nullptr) throw std::invalid_argument("no cipher " + std::string(name));
    return *found;
}

class SectorImage : public testing::Test {
  protected:
    std::string path(const std::string& name) const { return folder_.file(name); }

    /// Encrypts or decrypts the file `in` to the file `out`.
    Result<CryptedImage> crypt_file(const CryptRequest& request, const Bytes& key, unsigned threads = 2) {
        const auto in = File::open_for_reading(path("in"));
        if (!in) return in.error();
        const File* const inputs[] = {&*in};
        auto out = ImageOutput::open(path("out"), inputs);
        if (!out) return out.error();
        const SectorCipher cipher(*request.parameters.algorithm, key);
        Control control;
        control.threads = threads;
        auto image = crypt_image(*in, *out, cipher, request, control);
        if (image)
            if (auto ok = out->keep(); !ok) return ok.error();
        return image;
    }

    Bytes crypt(const CryptRequest& request, const Bytes& key, const Bytes& image, unsigned threads = 2) {
        test::write_file(path("in"), image);
        const auto done = crypt_file(request, key, threads);
        EXPECT_TRUE(done) << done.error().message;
        return done ? test::read_file(path("out")) : Bytes();
    }

    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path("")), {}));
    }

    test::Random random_;
    test::ScratchFolder folder_;
};

Bytes counting(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
}

std::string sha256(const Bytes& bytes) {
    Bytes digest(SHA256_DIGEST_LENGTH);
    SHA256(bytes.data(), bytes.size(), digest.data());
    return test::to_hex(digest);
}

TEST_F(SectorImage, AdiantumVectors) {
    int plain = 0, large = 0;
    for (const test::Record& r : test::read_records("cipher_adiantum_sectors.txt")) {
        SCOPED_TRACE(r.where);
        CryptRequest request;
        SectorParameters& p = request.parameters;
        p.algorithm = &algorithm(r.text("cipher"));
        p.sector_size = static_cast<std::uint32_t>(r.size("sector_size"));
        const std::uint64_t iv = r.number("iv"), units = p.sector_size / 512;
        for (const bool iv_large_sectors : {false, true}) {
            p.iv_large_sectors = iv_large_sectors;
            p.iv_offset = iv_large_sectors ? iv * units : iv;
            // Vectors that no offset leads to: between two sectors, or beyond what an offset can be.
            if (iv_large_sectors ? p.iv_offset / units != iv : iv % units != 0) continue;
            (iv_large_sectors ? large : plain)++;
            const Bytes sector = counting(p.sector_size);
            request.direction = Direction::encrypt;
            const Bytes encrypted = crypt(request, r.bytes("key"), sector);
            EXPECT_EQ(sha256(encrypted), r.text("sha256_of_ciphertext"));
            request.direction = Direction::decrypt;
            EXPECT_EQ(crypt(request, r.bytes("key"), encrypted), sector);
        }
    }
    EXPECT_GT(plain, 20);
    EXPECT_GT(large, 20);
}

/// The initialisation vector as drivers/md/dm-crypt.c computes it for the sector at byte `offset` of the device.
std::uint64_t kernel_iv(const SectorParameters& p, std::uint64_t offset) {
    const std::uint64_t sector = offset / 512 + p.iv_offset;
    if (!p.iv_large_sectors) return sector;
    unsigned shift = 0;
    while ((512u << shift) < p.sector_size) shift++;
    return sector >> shift;
}

Bytes openssl_xts(const Bytes& key, std::uint64_t iv, std::span<const std::uint8_t> sector) {
    std::uint8_t tweak[16] = {};
    arch::store_le64(tweak, iv);
    Bytes out(sector.size());
    int size = 0;
    const EVP_CIPHER* const cipher = key.size() == 32 ? EVP_aes_128_xts() : EVP_aes_256_xts();
    const std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    if (EVP_EncryptInit_ex(context.get(), cipher, nullptr, key.data(), tweak) != 1 ||
        EVP_EncryptUpdate(context.get(), out.data(), &size, sector.data(), static_cast<int>(sector.size())) != 1 ||
        static_cast<std::size_t>(size) != out.size())
        throw std::runtime_error("OpenSSL's XTS failed");
    return out;
}

Bytes one_sector(const SectorParameters& p, const Bytes& key, std::uint64_t iv, std::span<const std::uint8_t> sector) {
    if (p.algorithm->chacha_rounds == 0) return openssl_xts(key, iv, sector);
    const ciphers::Adiantum adiantum(p.algorithm->chacha_rounds, std::span<const std::uint8_t, 32>(key));
    std::uint8_t tweak[32] = {};
    arch::store_le64(tweak, iv);
    Bytes out(sector.size());
    adiantum.crypt(Direction::encrypt, out, tweak, sector);
    return out;
}

TEST_F(SectorImage, EachSectorByItself) {
    for (const SectorAlgorithm& a : sector_algorithms())
        for (const std::size_t key_size : a.key_sizes)
            for (std::uint32_t sector_size = 512; key_size != 0 && sector_size <= 4096; sector_size *= 2)
                for (const bool large : {false, true})
                    for (const std::uint64_t first :
                         {std::uint64_t{0}, std::uint64_t{8}, (std::uint64_t{1} << 32) - 8, ~std::uint64_t{0} - 1023}) {
                        CryptRequest request;
                        request.parameters = {&a, sector_size, first, large};
                        SCOPED_TRACE(std::string(a.name) + ' ' + std::to_string(sector_size) + ' ' +
                                     std::to_string(first) + (large ? " large" : ""));
                        const Bytes key = random_.bytes(key_size);
                        const Bytes image = random_.bytes(sector_size * random_.between(1, 12));
                        Bytes expected;
                        for (std::size_t at = 0; at < image.size(); at += sector_size) {
                            const Bytes sector = one_sector(request.parameters, key, kernel_iv(request.parameters, at),
                                                            std::span(image).subspan(at, sector_size));
                            expected.insert(expected.end(), sector.begin(), sector.end());
                        }
                        ASSERT_EQ(crypt(request, key, image), expected);
                        request.direction = Direction::decrypt;
                        ASSERT_EQ(crypt(request, key, expected), image);
                    }
}

TEST_F(SectorImage, AnySizeAndNumberOfThreads) {
    constexpr std::size_t kPiece = 256 * 1024;
    const Bytes key = random_.bytes(32);
    for (const std::uint32_t sector_size : {512u, 4096u}) {
        CryptRequest request;
        request.parameters.sector_size = sector_size;
        const Bytes image = random_.bytes(9 * kPiece);
        // Every sector at its place, so that no piece can stand for another.
        const Bytes whole = crypt(request, key, image, 1);
        for (const std::size_t size : {std::size_t{sector_size}, 2 * std::size_t{sector_size}, kPiece - sector_size,
                                       kPiece, kPiece + sector_size, 4 * kPiece, 8 * kPiece + 3 * sector_size})
            for (const unsigned threads : {1u, 2u, 5u}) {
                SCOPED_TRACE(std::to_string(size) + " bytes, " + std::to_string(threads) + " threads");
                request.direction = Direction::encrypt;
                const Bytes part(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
                const Bytes encrypted = crypt(request, key, part, threads);
                ASSERT_TRUE(encrypted.size() == size && std::equal(encrypted.begin(), encrypted.end(), whole.begin()));
                request.direction = Direction::decrypt;
                ASSERT_TRUE(crypt(request, key, encrypted, threads) == part);
            }
    }
}

TEST_F(SectorImage, PartOfTheInput) {
    const Bytes key = random_.bytes(32), image = random_.bytes(600 * 1024);
    CryptRequest request;
    request.parameters.sector_size = 1024;
    request.parameters.iv_offset = 6;
    request.offset = 1536;
    request.size = 400 * 1024;
    const Bytes part(image.begin() + 1536, image.begin() + 1536 + 400 * 1024);
    CryptRequest of_part = request;
    of_part.offset = 0;
    of_part.size.reset();
    EXPECT_EQ(crypt(request, key, image), crypt(of_part, key, part));
    request.size = image.size();
    EXPECT_EQ(crypt_file(request, key).error().kind, ErrorKind::input);
    request.offset = image.size() + 512;
    EXPECT_EQ(crypt_file(request, key).error().kind, ErrorKind::input);
}

TEST_F(SectorImage, Padding) {
    const Bytes key = random_.bytes(32);
    CryptRequest request;
    for (const std::size_t size : {std::size_t{1}, std::size_t{4095}, std::size_t{4097}, std::size_t{256 * 1024 + 1}}) {
        const Bytes image = random_.bytes(size);
        Bytes padded = image;
        padded.resize((size + 4095) / 4096 * 4096);
        request.pad_zero = true;
        const Bytes encrypted = crypt(request, key, image);
        request.pad_zero = false;
        EXPECT_EQ(encrypted, crypt(request, key, padded));
        test::write_file(path("in"), image);
        const auto refused = crypt_file(request, key);
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find('(' + std::to_string(size % 4096) + " left over)"), std::string::npos)
            << refused.error().message;
    }
}

TEST_F(SectorImage, ExpectedContent) {
    const Bytes key = random_.bytes(32);
    for (const ContentType& type : content_types()) {
        SCOPED_TRACE(type.name);
        Bytes image(kContentHead + 4096 - kContentHead % 4096);
        std::ranges::copy(type.magic, image.begin() + static_cast<std::ptrdiff_t>(type.offset));
        CryptRequest request;
        const Bytes encrypted = crypt(request, key, image);
        request.direction = Direction::decrypt;
        request.expected = &type;
        EXPECT_EQ(crypt(request, key, encrypted), image);
        const auto wrong = crypt_file(request, Bytes(32));
        ASSERT_FALSE(wrong);
        EXPECT_EQ(wrong.error().kind, ErrorKind::content);
        EXPECT_EQ(test::read_file(path("out")), image) << "the file that was there is as it was";
        EXPECT_EQ(files(), 2u);
    }
}

TEST_F(SectorImage, Parameters) {
    SectorParameters p;
    for (const std::uint32_t size : {0u, 1u, 256u, 513u, 3072u, 8192u, 1u << 31}) {
        p.sector_size = size;
        EXPECT_FALSE(check_parameters(p)) << size;
    }
    for (const std::uint32_t size : {512u, 1024u, 2048u, 4096u}) {
        p.sector_size = size;
        for (const std::uint64_t offset :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{8}, ~std::uint64_t{0}}) {
            p.iv_offset = offset;
            EXPECT_EQ(static_cast<bool>(check_parameters(p)), offset % (size / 512) == 0) << size << ' ' << offset;
        }
    }
}

class Output : public SectorImage {
  protected:
    Result<ImageOutput> open(const std::string& name) { return ImageOutput::open(path(name), {}); }
};

TEST_F(Output, GoesUnlessKept) {
    test::write_file(path("old"), counting(10));
    {
        auto fresh = open("fresh"), old = open("old");
        ASSERT_TRUE(fresh && old);
        EXPECT_TRUE(fresh->file().write_at(counting(5), 0) && old->file().write_at(counting(5), 0));
        EXPECT_EQ(files(), 3u);
    }
    EXPECT_EQ(files(), 1u);
    EXPECT_EQ(test::read_file(path("old")), counting(10));
}

TEST_F(Output, ReplacesWhatALinkLeadsToAndKeepsPermissions) {
    test::write_file(path("old"), counting(10));
    ASSERT_EQ(chmod(path("old").c_str(), 0640), 0);
    std::filesystem::create_symlink("old", path("link"));
    {
        auto out = open("link");
        ASSERT_TRUE(out) << out.error().message;
        ASSERT_TRUE(out->file().write_at(counting(3), 0));
        ASSERT_TRUE(out->keep());
    }
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(test::read_file(path("old")), counting(3));
    struct stat status;
    ASSERT_EQ(stat(path("old").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
    EXPECT_EQ(files(), 2u);
}

TEST_F(Output, IsNoneOfTheInputs) {
    test::write_file(path("in"), counting(10));
    std::filesystem::create_symlink("in", path("link"));
    std::filesystem::create_hard_link(path("in"), path("hard"));
    const auto in = File::open_for_reading(path("in"));
    const File* const inputs[] = {&*in};
    for (const char* name : {"in", "link", "hard", "./in"}) {
        const auto out = ImageOutput::open(path(name), inputs);
        ASSERT_FALSE(out) << name;
        EXPECT_EQ(out.error().kind, ErrorKind::input);
    }
    EXPECT_EQ(test::read_file(path("in")), counting(10));
    EXPECT_EQ(files(), 3u);
}

}  // namespace
}  // namespace verity
