#include <botan/ffi.h>
#include <gcrypt.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "arch/load_store.h"
#include "ciphers/aes.h"
#include "ciphers/aes_xts.h"
#include "ciphers/poly1305.h"
#include "ciphers/stream_cipher.h"
#include "tests/support/cipher_cores.h"

/// Every core against other libraries, with random keys, nonces, counters and lengths.

namespace {

using ciphers::CipherFamily;
using ciphers::Direction;
using ciphers::StreamCipher;
using test::Bytes;
using enum CipherFamily;

void require(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string(what) + " failed");
}

template <std::size_t size>
std::span<const std::uint8_t, size> sized(const Bytes& bytes) {
    return std::span<const std::uint8_t, size>(bytes);
}

Bytes openssl_cipher(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, bool encrypt, const Bytes& in) {
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  EVP_CIPHER_CTX_free);
    Bytes out(in.size() + 64);
    int size = 0;
    require(
        EVP_CipherInit_ex(context.get(), cipher, nullptr, key.data(), iv.empty() ? nullptr : iv.data(), encrypt) == 1,
        "EVP_CipherInit_ex");
    EVP_CIPHER_CTX_set_padding(context.get(), 0);
    require(EVP_CipherUpdate(context.get(), out.data(), &size, in.data(), static_cast<int>(in.size())) == 1,
            "EVP_CipherUpdate");
    out.resize(static_cast<std::size_t>(size));
    return out;
}

Bytes gcrypt_salsa(int algorithm, const Bytes& key, const Bytes& nonce, const Bytes& in) {
    require(gcry_check_version(nullptr) != nullptr, "gcry_check_version");
    gcry_cipher_hd_t handle;
    require(gcry_cipher_open(&handle, algorithm, GCRY_CIPHER_MODE_STREAM, 0) == 0, "gcry_cipher_open");
    Bytes out(in.size());
    require(gcry_cipher_setkey(handle, key.data(), key.size()) == 0, "gcry_cipher_setkey");
    require(gcry_cipher_setiv(handle, nonce.data(), nonce.size()) == 0, "gcry_cipher_setiv");
    require(gcry_cipher_encrypt(handle, out.data(), out.size(), in.data(), in.size()) == 0, "gcry_cipher_encrypt");
    gcry_cipher_close(handle);
    return out;
}

Bytes botan_chacha(std::size_t rounds, const Bytes& key, const Bytes& nonce, const Bytes& in) {
    botan_cipher_t cipher;
    const std::string name = "ChaCha(" + std::to_string(rounds) + ")";
    require(botan_cipher_init(&cipher, name.c_str(), BOTAN_CIPHER_INIT_FLAG_ENCRYPT) == 0, "botan_cipher_init");
    require(botan_cipher_set_key(cipher, key.data(), key.size()) == 0, "botan_cipher_set_key");
    require(botan_cipher_start(cipher, nonce.data(), nonce.size()) == 0, "botan_cipher_start");
    Bytes out(in.size());
    std::size_t written = 0, taken = 0;
    require(botan_cipher_update(cipher, BOTAN_CIPHER_UPDATE_FLAG_FINAL, out.data(), out.size(), &written, in.data(),
                                in.size(), &taken) == 0,
            "botan_cipher_update");
    botan_cipher_destroy(cipher);
    return out;
}

class CipherOracles : public test::EachCipherCore {
  protected:
    static constexpr int kTimes = 60;

    /// A message, mostly short, sometimes of many blocks.
    Bytes message(std::size_t unit = 1) {
        return random.bytes(unit * random.between(1, (3000 >> random.between(0, 4)) / unit));
    }

    static Bytes applied(StreamCipher cipher, std::uint64_t block, const Bytes& in) {
        Bytes out(in.size());
        cipher.seek(block);
        cipher.apply(out, in);
        return out;
    }

    bool is(std::initializer_list<CipherFamily> families) const {
        return std::ranges::find(families, core.family) != families.end();
    }
};

class OpenSsl : public CipherOracles {};

TEST_P(OpenSsl, Agrees) {
    for (int i = 0; i < kTimes; i++) {
        if (is({chacha})) {
            const Bytes key = random.bytes(32), nonce = random.bytes(12), in = message();
            // Not across 2^32, which RFC 8439 rules out and OpenSSL carries.
            const auto block = static_cast<std::uint32_t>(random.word() >> 34);
            Bytes iv(4);
            arch::store_le32(iv.data(), block);
            iv.insert(iv.end(), nonce.begin(), nonce.end());
            ASSERT_EQ(applied(StreamCipher::chacha_ietf(20, sized<32>(key), sized<12>(nonce), cores), block, in),
                      openssl_cipher(EVP_chacha20(), key, iv, true, in));
        }
        if (is({poly1305})) {
            const Bytes key = random.bytes(32), in = message();
            const ciphers::Poly1305Multiplier multiplier(sized<32>(key).first<16>());
            ciphers::Poly1305 mac(multiplier, cores);
            for (std::size_t at = 0; at < in.size();) {
                const std::size_t taken = random.between(1, in.size() - at);
                mac.update(std::span(in).subspan(at, taken));
                at += taken;
            }
            Bytes tag(16), expected(16);
            mac.finish(std::span<std::uint8_t, 16>(tag), sized<32>(key).last<16>());
            const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> mac_key(
                EVP_PKEY_new_raw_private_key(EVP_PKEY_POLY1305, nullptr, key.data(), key.size()), EVP_PKEY_free);
            const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
            std::size_t size = expected.size();
            require(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, mac_key.get()) == 1 &&
                        EVP_DigestSign(context.get(), expected.data(), &size, in.data(), in.size()) == 1,
                    "EVP_DigestSign");
            ASSERT_EQ(tag, expected) << in.size();
        }
        const bool encrypt = random.coin(), long_key = random.coin();
        const Direction direction = encrypt ? Direction::encrypt : Direction::decrypt;
        if (is({aes})) {
            const Bytes key = random.bytes(long_key ? 32 : 16), in = message(16);
            Bytes out(in.size());
            ciphers::Aes(key, cores).crypt(direction, out, in);
            ASSERT_EQ(out, openssl_cipher(long_key ? EVP_aes_256_ecb() : EVP_aes_128_ecb(), key, {}, encrypt, in));
        }
        if (is({aesxts})) {
            const Bytes key = random.bytes(long_key ? 64 : 32), tweak = random.bytes(16), in = message(16);
            const EVP_CIPHER* const xts = long_key ? EVP_aes_256_xts() : EVP_aes_128_xts();
            const ciphers::AesXts ours(key, cores);
            Bytes out(in.size());
            ours.crypt(direction, out, sized<16>(tweak), in);
            ASSERT_EQ(out, openssl_cipher(xts, key, tweak, encrypt, in)) << in.size();

            const ciphers::SectorRun run{16 * random.between(1, 40), random.word(), random.between(0, 9)};
            const Bytes sectors = random.bytes(run.size * random.between(1, 40));
            out.resize(sectors.size());
            ours.crypt_sectors(direction, out, sectors, run);
            for (std::size_t n = 0; n * run.size < sectors.size(); n++) {
                const auto at = static_cast<std::ptrdiff_t>(n * run.size),
                           end = at + static_cast<std::ptrdiff_t>(run.size);
                Bytes iv(16);
                arch::store_le64(iv.data(), run.first_iv + n * run.iv_step);
                ASSERT_EQ(Bytes(out.begin() + at, out.begin() + end),
                          openssl_cipher(xts, key, iv, encrypt, Bytes(sectors.begin() + at, sectors.begin() + end)))
                    << "sector " << n << " of " << run.size << " bytes";
            }
        }
    }
}

class Sodium : public CipherOracles {};

TEST_P(Sodium, Agrees) {
    require(sodium_init() >= 0, "sodium_init");
    for (int i = 0; i < kTimes; i++) {
        const Bytes key = random.bytes(32), nonce = random.bytes(24), in = message();
        const std::uint64_t block = random.coin() ? random.word() : (std::uint64_t{1} << 32) - random.between(0, 30);
        Bytes expected(in.size());
        if (is({chacha, hchacha})) {
            crypto_stream_xchacha20_xor_ic(expected.data(), in.data(), in.size(), nonce.data(), block, key.data());
            ASSERT_EQ(applied(StreamCipher::xchacha(20, sized<32>(key), sized<24>(nonce), cores), block, in), expected);
            crypto_stream_chacha20_xor_ic(expected.data(), in.data(), in.size(), nonce.data(), block, key.data());
            ASSERT_EQ(applied(StreamCipher::chacha(20, sized<32>(key), sized<24>(nonce).first<8>(), cores), block, in),
                      expected);
            continue;
        }
        const auto short_nonce = sized<24>(nonce).first<8>();
        crypto_stream_xsalsa20_xor_ic(expected.data(), in.data(), in.size(), nonce.data(), block, key.data());
        ASSERT_EQ(applied(StreamCipher::xsalsa(20, sized<32>(key), sized<24>(nonce), cores), block, in), expected);
        crypto_stream_salsa20_xor_ic(expected.data(), in.data(), in.size(), nonce.data(), block, key.data());
        ASSERT_EQ(applied(StreamCipher::salsa(20, key, short_nonce, cores), block, in), expected);
        crypto_stream_salsa2012_xor(expected.data(), in.data(), in.size(), nonce.data(), key.data());
        ASSERT_EQ(applied(StreamCipher::salsa(12, key, short_nonce, cores), 0, in), expected);
    }
}

class Gcrypt : public CipherOracles {};

TEST_P(Gcrypt, Agrees) {
    for (int i = 0; i < kTimes; i++) {
        const Bytes key = random.bytes(random.coin() ? 32 : 16), nonce = random.bytes(8), in = message();
        ASSERT_EQ(applied(StreamCipher::salsa(20, key, sized<8>(nonce), cores), 0, in),
                  gcrypt_salsa(GCRY_CIPHER_SALSA20, key, nonce, in));
        ASSERT_EQ(applied(StreamCipher::salsa(12, key, sized<8>(nonce), cores), 0, in),
                  gcrypt_salsa(GCRY_CIPHER_SALSA20R12, key, nonce, in));
    }
}

class Botan : public CipherOracles {};

TEST_P(Botan, Agrees) {
    for (int i = 0; i < kTimes; i++)
        for (const std::size_t rounds : {8u, 12u, 20u}) {
            const Bytes key = random.bytes(32), nonce = random.bytes(24), in = message();
            const auto short_nonce = sized<24>(nonce).first<8>();
            ASSERT_EQ(applied(StreamCipher::xchacha(rounds, sized<32>(key), sized<24>(nonce), cores), 0, in),
                      botan_chacha(rounds, key, nonce, in));
            ASSERT_EQ(applied(StreamCipher::chacha(rounds, sized<32>(key), short_nonce, cores), 0, in),
                      botan_chacha(rounds, key, Bytes(short_nonce.begin(), short_nonce.end()), in));
        }
}

INSTANTIATE_TEST_SUITE_P(Cores, OpenSsl, testing::ValuesIn(test::cipher_cores_of({chacha, poly1305, aes, aesxts})),
                         test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(Cores, Sodium, testing::ValuesIn(test::cipher_cores_of({chacha, hchacha, salsa})),
                         test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(Cores, Gcrypt, testing::ValuesIn(test::cipher_cores_of({salsa})), test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(Cores, Botan, testing::ValuesIn(test::cipher_cores_of({chacha, hchacha})),
                         test::cipher_core_name);

}  // namespace
