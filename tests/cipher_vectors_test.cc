#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "ciphers/adiantum.h"
#include "ciphers/aes.h"
#include "ciphers/aes_xts.h"
#include "ciphers/hpolyc.h"
#include "ciphers/nh.h"
#include "ciphers/nhpoly1305.h"
#include "ciphers/poly1305.h"
#include "ciphers/stream_cipher.h"
#include "tests/support/cipher_cores.h"
#include "tests/support/records.h"

/// Published vectors and those that the designers' reference code made, with every core.

namespace {

using ciphers::CipherFamily;
using ciphers::Direction;
using ciphers::StreamCipher;
using test::Bytes;
using enum CipherFamily;
using test::Record;
using test::to_hex;

template <std::size_t size>
std::span<const std::uint8_t, size> sized(const Bytes& bytes) {
    if (bytes.size() != size) throw std::invalid_argument("a field of the wrong length");
    return std::span<const std::uint8_t, size>(bytes);
}

Bytes bytes_of(ciphers::Uint128 number) {
    Bytes bytes(16);
    number.store(bytes.data());
    return bytes;
}

class CipherVectors : public test::EachCipherCore {
  protected:
    /// Runs `check` on each record of a file that the core has a part in.
    template <class Check>
    void each(const std::string& file, std::initializer_list<CipherFamily> families, Check check) {
        if (std::ranges::find(families, core.family) == families.end()) return;
        for (const Record& record : test::read_records(file)) {
            SCOPED_TRACE(record.where);
            check(record);
            checked_++;
        }
    }

    StreamCipher stream(const std::string& algorithm, const Record& r) const {
        const Bytes key = r.bytes("key"), nonce = r.bytes("nonce");
        const std::size_t rounds = r.size("rounds");
        StreamCipher cipher =
            algorithm == "chacha_ietf" ? StreamCipher::chacha_ietf(rounds, sized<32>(key), sized<12>(nonce), cores)
            : algorithm == "xchacha"   ? StreamCipher::xchacha(rounds, sized<32>(key), sized<24>(nonce), cores)
            : algorithm == "salsa"     ? StreamCipher::salsa(rounds, key, sized<8>(nonce), cores)
            : algorithm == "xsalsa"    ? StreamCipher::xsalsa(rounds, sized<32>(key), sized<24>(nonce), cores)
                                       : throw std::invalid_argument("no such stream cipher: " + algorithm);
        cipher.seek(r.number("block_counter"));
        return cipher;
    }

    void check_stream(const std::string& algorithm, const Record& r, const Bytes& input, const std::string& output) {
        Bytes out(input.size());
        stream(algorithm, r).apply(out, input);
        EXPECT_EQ(to_hex(out), output);
        stream(algorithm, r).apply(out, out);
        EXPECT_EQ(to_hex(out), to_hex(input)) << "in place";
    }

    void check_keystream(const std::string& algorithm, const Record& r) {
        check_stream(algorithm, r, Bytes(r.text("keystream").size() / 2), r.text("keystream"));
    }

    void check_hchacha(const Record& r, const std::string& subkey) {
        const Bytes key = r.bytes("key"), nonce = r.bytes("nonce");
        Bytes out(32);
        ciphers::hchacha(r.size("rounds"), std::span<std::uint8_t, 32>(out), sized<32>(key), sized<16>(nonce), cores);
        EXPECT_EQ(to_hex(out), subkey);
    }

    void check_poly1305(const Record& r) {
        const Bytes key = r.bytes("key");
        const auto both = sized<32>(key);
        const ciphers::Poly1305Multiplier multiplier(both.first<16>());
        ciphers::Poly1305 mac(multiplier, cores);
        mac.update(r.bytes("input"));
        Bytes tag(16);
        mac.finish(std::span<std::uint8_t, 16>(tag), both.last<16>());
        EXPECT_EQ(to_hex(tag), r.text("output"));
    }

    /// Both directions of a mode, out of place and in place. `crypt` takes direction, out, in.
    template <class Crypt>
    void check_both(const Bytes& plain, const Bytes& cipher, Crypt crypt) {
        for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
            const Bytes& from = direction == Direction::encrypt ? plain : cipher;
            const Bytes& to = direction == Direction::encrypt ? cipher : plain;
            Bytes out(from.size());
            crypt(direction, out, from);
            EXPECT_EQ(to_hex(out), to_hex(to)) << (direction == Direction::encrypt ? "encrypt" : "decrypt");
            out = from;
            crypt(direction, out, out);
            EXPECT_EQ(to_hex(out), to_hex(to)) << "in place";
        }
    }

    int checked_ = 0;
};

class Published : public CipherVectors {};

TEST_P(Published, Agree) {
    const std::map<std::string, std::set<CipherFamily>> parts = {
        {"chacha_ietf", {chacha}}, {"xchacha", {chacha, hchacha}}, {"hchacha", {hchacha}}, {"salsa", {salsa}},
        {"xsalsa", {salsa}},       {"poly1305", {poly1305}},       {"aes", {aes}},         {"xts", {aes, aesxts}}};
    for (const Record& r : test::read_records("cipher_published.txt")) {
        const std::string& algorithm = r.text("algorithm");
        if (!parts.at(algorithm).contains(core.family)) continue;
        SCOPED_TRACE(r.text("source"));
        checked_++;
        if (algorithm == "hchacha") {
            check_hchacha(r, r.text("output"));
        } else if (algorithm == "poly1305") {
            check_poly1305(r);
        } else if (algorithm == "aes") {
            const ciphers::Aes aes(r.bytes("key"), cores);
            check_both(r.bytes("input"), r.bytes("output"),
                       [&](Direction direction, Bytes& out, const Bytes& in) { aes.crypt(direction, out, in); });
        } else if (algorithm == "xts") {
            const ciphers::AesXts xts(r.bytes("key"), cores);
            const Bytes tweak = r.bytes("tweak");
            check_both(r.bytes("input"), r.bytes("output"), [&](Direction direction, Bytes& out, const Bytes& in) {
                xts.crypt(direction, out, sized<16>(tweak), in);
            });
        } else {
            check_stream(algorithm, r, r.bytes("input"), r.text("output"));
        }
    }
    EXPECT_GT(checked_, 0);
}

class Reference : public CipherVectors {};

TEST_P(Reference, Agree) {
    each("cipher_hchacha.txt", {hchacha}, [&](const Record& r) { check_hchacha(r, r.text("subkey")); });
    each("cipher_xchacha.txt", {chacha, hchacha}, [&](const Record& r) { check_keystream("xchacha", r); });
    each("cipher_salsa20.txt", {salsa}, [&](const Record& r) { check_keystream("salsa", r); });
    each("cipher_xsalsa20.txt", {salsa}, [&](const Record& r) { check_keystream("xsalsa", r); });
    each("cipher_nh.txt", {nh}, [&](const Record& r) {
        const Bytes key = r.bytes("key");
        Bytes memory(ciphers::Nh::kDigestSize + 8);
        for (std::size_t offset = 0; offset < 8; offset++) {
            const auto digest = std::span(memory).subspan(offset, ciphers::Nh::kDigestSize);
            ciphers::Nh(sized<ciphers::Nh::kKeySize>(key), cores).digests(digest, r.bytes("message"));
            EXPECT_EQ(to_hex(digest), r.text("hash"));
        }
    });
    each("cipher_nhpoly1305.txt", {nh, poly1305}, [&](const Record& r) {
        const Bytes key = r.bytes("key");
        const auto both = sized<16 + ciphers::Nh::kKeySize>(key);
        const ciphers::NhPoly1305 hash(both.first<16>(), both.last<ciphers::Nh::kKeySize>(), cores);
        EXPECT_EQ(to_hex(bytes_of(hash.hash(r.bytes("message")))), r.text("hash"));
    });
    const auto check_mode = [&]<class Mode>(const Record& r, std::type_identity<Mode>) {
        const Bytes key = r.bytes("key"), tweak = r.bytes("tweak");
        const Mode mode(r.size("rounds"), sized<32>(key), cores);
        check_both(r.bytes("plaintext"), r.bytes("ciphertext"),
                   [&](Direction direction, Bytes& out, const Bytes& in) { mode.crypt(direction, out, tweak, in); });
    };
    each("cipher_hpolyc.txt", {chacha, hchacha, poly1305, aes},
         [&](const Record& r) { check_mode(r, std::type_identity<ciphers::HPolyC>()); });
    each("cipher_adiantum.txt", {chacha, hchacha, nh, poly1305, aes, adiantum},
         [&](const Record& r) { check_mode(r, std::type_identity<ciphers::Adiantum>()); });
    EXPECT_GT(checked_, 0);
}

Bytes sha256(const Bytes& data) {
    Bytes digest(32);
    SHA256(data.data(), data.size(), digest.data());
    return digest;
}

class DmCryptSectors : public CipherVectors {};

TEST_P(DmCryptSectors, Agree) {
    each("cipher_adiantum_sectors.txt", {chacha, hchacha, nh, poly1305, aes, adiantum}, [&](const Record& r) {
        const Bytes key = r.bytes("key");
        const std::size_t rounds = r.text("cipher") == "xchacha12,aes-adiantum-plain64" ? 12 : 20;
        EXPECT_EQ(r.text("cipher"), "xchacha" + std::to_string(rounds) + ",aes-adiantum-plain64");
        const ciphers::Adiantum mode(rounds, sized<32>(key), cores);
        Bytes plain(r.size("sector_size"));
        for (std::size_t i = 0; i < plain.size(); i++) plain[i] = static_cast<std::uint8_t>(i);
        const ciphers::SectorRun run{plain.size(), r.number("iv"), 1};
        Bytes cipher(plain.size());
        mode.crypt_sectors(Direction::encrypt, cipher, plain, run);
        EXPECT_EQ(to_hex(std::span(cipher).first(32)), r.text("ciphertext_head"));
        EXPECT_EQ(to_hex(std::span(cipher).last(32)), r.text("ciphertext_tail"));
        EXPECT_EQ(to_hex(sha256(cipher)), r.text("sha256_of_ciphertext"));
        mode.crypt_sectors(Direction::decrypt, cipher, cipher, run);
        EXPECT_EQ(to_hex(cipher), to_hex(plain));
    });
    EXPECT_GT(checked_, 0);
}

INSTANTIATE_TEST_SUITE_P(Cores, Published,
                         testing::ValuesIn(test::cipher_cores_of({chacha, salsa, hchacha, poly1305, aes, aesxts})),
                         test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(
    Cores, Reference, testing::ValuesIn(test::cipher_cores_of({chacha, salsa, hchacha, nh, poly1305, aes, adiantum})),
    test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(Cores, DmCryptSectors,
                         testing::ValuesIn(test::cipher_cores_of({chacha, hchacha, nh, poly1305, aes, adiantum})),
                         test::cipher_core_name);

}  // namespace
