#include <gcrypt.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/load_store.h"
#include "ciphers/adiantum.h"
#include "ciphers/aes_xts.h"
#include "ciphers/nhpoly1305.h"
#include "ciphers/stream_cipher.h"
#include "tests/bench/rates.h"
#include "tests/bench/sections.h"

namespace bench {
namespace {

using ciphers::Direction;
using ciphers::StreamCipher;

/// What a call works on: about as much for every size, so that it stays in a second-level cache.
constexpr std::size_t kBytes = 65536;

template <std::size_t size>
std::array<std::uint8_t, size> some_bytes() {
    std::array<std::uint8_t, size> bytes;
    for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
}

/// Messages of one size, one after the other, which everybody encrypts where they stand.
class Messages {
  public:
    explicit Messages(std::size_t size) : size_(size), bytes_(kBytes / size * size) {}

    std::span<std::uint8_t> all() { return bytes_; }
    ciphers::SectorRun sectors() const { return {.size = size_, .first_iv = 0}; }

    /// Calls work(message, nonce) for each message, with a nonce of its own.
    template <std::size_t nonce_size, class Work>
    void each(const Work& work) {
        std::array<std::uint8_t, nonce_size> nonce{};
        for (std::size_t begin = 0; begin < bytes_.size(); begin += size_) {
            arch::store_le64(nonce.data(), begin);
            work(all().subspan(begin, size_), nonce);
        }
    }

  private:
    std::size_t size_;
    std::vector<std::uint8_t> bytes_;
};

// --- the table -------------------------------------------------------------------------------------------------------

void print_heading(const char* title, std::size_t size) {
    std::printf("%s: %zu bytes\n\n%-26s %-20s %8s %8s %8s %8s\n", title, size, "", "against", "GB/s", "GB/s", "ratio",
                "goal");
}

/// A line: ours against theirs, and how many times faster it should be (0: no goal).
void print_comparison(const std::string& ours, const std::vector<double>& our_rates, const std::string& theirs,
                      const std::vector<double>& their_rates, double goal) {
    const double ratio = median_ratio(our_rates, their_rates);
    std::printf("%-26s %-20s %8.2f %8.2f %8.2f", ours.c_str(), theirs.c_str(), median(our_rates) / 1e9,
                median(their_rates) / 1e9, ratio);
    if (goal != 0) std::printf(" %8.2f%s", goal, ratio < goal ? "  missed" : "");
    std::printf("\n");
    std::fflush(stdout);
}

// --- peers -----------------------------------------------------------------------------------------------------------

/// A cipher of OpenSSL's under one key, to which each message has a new initialisation vector of 16 bytes.
class OpenSsl {
  public:
    OpenSsl(const char* cipher, std::span<const std::uint8_t> key, Direction direction = Direction::encrypt)
        : cipher_(EVP_CIPHER_fetch(nullptr, cipher, nullptr), EVP_CIPHER_free),
          context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
        require(cipher_ != nullptr && context_ != nullptr);
        require(EVP_CipherInit_ex2(context_.get(), cipher_.get(), key.data(), nullptr, direction == Direction::encrypt,
                                   nullptr) == 1);
    }

    void crypt(Messages& messages) const {
        messages.each<16>([&](std::span<std::uint8_t> message, const std::array<std::uint8_t, 16>& iv) {
            int length;
            EVP_CipherInit_ex2(context_.get(), nullptr, nullptr, iv.data(), -1, nullptr);
            EVP_CipherUpdate(context_.get(), message.data(), &length, message.data(), static_cast<int>(message.size()));
        });
    }

  private:
    std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> cipher_;
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

/// libgcrypt's Salsa20/12 under one key.
class GcryptSalsa12 {
  public:
    explicit GcryptSalsa12(std::span<const std::uint8_t, 32> key) {
        gcry_check_version(nullptr);
        gcry_cipher_hd_t handle = nullptr;
        require(gcry_cipher_open(&handle, GCRY_CIPHER_SALSA20R12, GCRY_CIPHER_MODE_STREAM, 0) == 0);
        handle_.reset(handle);
        require(gcry_cipher_setkey(handle, key.data(), key.size()) == 0);
    }

    void crypt(Messages& messages) const {
        messages.each<8>([&](std::span<std::uint8_t> message, const std::array<std::uint8_t, 8>& nonce) {
            gcry_cipher_setiv(handle_.get(), nonce.data(), nonce.size());
            gcry_cipher_encrypt(handle_.get(), message.data(), message.size(), nullptr, 0);
        });
    }

  private:
    std::unique_ptr<gcry_cipher_handle, decltype(&gcry_cipher_close)> handle_{nullptr, gcry_cipher_close};
};

/// One of libsodium's functions for a whole message.
template <std::size_t nonce_size, class Function>
auto libsodium(Messages& messages, const std::array<std::uint8_t, 32>& key, const Function& function) {
    return [&messages, &key, function] {
        messages.each<nonce_size>([&](std::span<std::uint8_t> message, const auto& nonce) {
            function(message.data(), message.data(), message.size(), nonce.data(), key.data());
        });
    };
}

/// One of ours, set up for each message.
template <std::size_t nonce_size, class Start>
auto stream(Messages& messages, const std::array<std::uint8_t, 32>& key, const Start& start, std::size_t rounds) {
    return [&messages, &key, start, rounds] {
        messages.each<nonce_size>([&](std::span<std::uint8_t> message, const auto& nonce) {
            start(rounds, key, nonce, ciphers::Cores()).apply(message, message);
        });
    };
}

void streams_of(std::size_t size, int rounds) {
    Messages messages(size);
    const std::array<std::uint8_t, 32> key = some_bytes<32>();
    const OpenSsl openssl("ChaCha20", key);
    const GcryptSalsa12 gcrypt(key);
    const std::size_t bytes = messages.all().size();
    enum { openssl_chacha20, sodium_xchacha20, sodium_salsa20, sodium_xsalsa20, gcrypt_salsa12, first_of_ours };
    const std::vector<Contender> contenders = {
        {"OpenSSL ChaCha20", bytes, [&] { openssl.crypt(messages); }},
        {"libsodium XChaCha20", bytes, libsodium<24>(messages, key, crypto_stream_xchacha20_xor)},
        {"libsodium Salsa20", bytes, libsodium<8>(messages, key, crypto_stream_salsa20_xor)},
        {"libsodium XSalsa20", bytes, libsodium<24>(messages, key, crypto_stream_xsalsa20_xor)},
        {"libgcrypt Salsa20/12", bytes, [&] { gcrypt.crypt(messages); }},
        {"ChaCha8", bytes, stream<8>(messages, key, StreamCipher::chacha, 8)},
        {"ChaCha12", bytes, stream<8>(messages, key, StreamCipher::chacha, 12)},
        {"ChaCha20", bytes, stream<8>(messages, key, StreamCipher::chacha, 20)},
        {"XChaCha12", bytes, stream<24>(messages, key, StreamCipher::xchacha, 12)},
        {"XChaCha20", bytes, stream<24>(messages, key, StreamCipher::xchacha, 20)},
        {"Salsa20", bytes, stream<8>(messages, key, StreamCipher::salsa, 20)},
        {"Salsa20/12", bytes, stream<8>(messages, key, StreamCipher::salsa, 12)},
        {"XSalsa20", bytes, stream<24>(messages, key, StreamCipher::xsalsa, 20)},
    };
    struct Comparison {
        const char* ours;
        std::size_t theirs;
        double goal;  // at 4096 bytes
    };
    constexpr Comparison kComparisons[] = {
        {"ChaCha8", openssl_chacha20, 0},     {"ChaCha12", openssl_chacha20, 0},   {"ChaCha20", openssl_chacha20, 1.0},
        {"XChaCha12", openssl_chacha20, 1.2}, {"XChaCha20", openssl_chacha20, 0},  {"XChaCha20", sodium_xchacha20, 0},
        {"Salsa20", sodium_salsa20, 1.2},     {"Salsa20/12", gcrypt_salsa12, 2.5}, {"XSalsa20", sodium_xsalsa20, 0},
    };
    const Rates rates = measure_in_turn(contenders, rounds);
    print_heading("Stream ciphers, each message under a nonce of its own", size);
    for (const auto& [ours, theirs, goal] : kComparisons) {
        std::size_t i = first_of_ours;
        while (contenders[i].name != ours) i++;
        print_comparison(ours, rates[i], contenders[theirs].name, rates[theirs], size == 4096 ? goal : 0);
    }
}

// --- sectors ---------------------------------------------------------------------------------------------------------

/// Measurements of one size of sectors.
struct SectorRates {
    std::size_t size;
    Rates rates;
};

enum SectorContender : std::size_t {
    openssl_chacha20,
    openssl_xts_encrypt,
    openssl_xts_decrypt,
    adiantum12_encrypt,
    adiantum12_decrypt,
    adiantum20_encrypt,
    adiantum20_decrypt,
    xts_encrypt,
    xts_decrypt,
};
constexpr const char* kSectorContenders[] = {
    "OpenSSL ChaCha20",           "OpenSSL AES-256-XTS",        "OpenSSL AES-256-XTS",
    "Adiantum-XChaCha12 encrypt", "Adiantum-XChaCha12 decrypt", "Adiantum-XChaCha20 encrypt",
    "Adiantum-XChaCha20 decrypt", "AES-256-XTS encrypt",        "AES-256-XTS decrypt",
};

SectorRates measure_sectors(std::size_t size, int rounds) {
    Messages messages(size);
    const std::size_t bytes = messages.all().size();
    const auto key = some_bytes<64>();  // its halves must differ for OpenSSL
    const OpenSsl chacha("ChaCha20", std::span(key).first<32>());
    const OpenSsl their_encrypt("AES-256-XTS", key), their_decrypt("AES-256-XTS", key, Direction::decrypt);
    const ciphers::Adiantum adiantum12(12, std::span(key).first<32>()), adiantum20(20, std::span(key).first<32>());
    const ciphers::AesXts xts(key);
    std::vector<Contender> contenders;
    const auto add = [&](std::function<void()> work) {
        contenders.push_back({kSectorContenders[contenders.size()], bytes, std::move(work)});
    };
    const auto add_ours = [&](const auto& mode) {
        for (const Direction direction : {Direction::encrypt, Direction::decrypt})
            add([&messages, &mode, direction] {
                mode.crypt_sectors(direction, messages.all(), messages.all(), messages.sectors());
            });
    };
    add([&] { chacha.crypt(messages); });
    add([&] { their_encrypt.crypt(messages); });
    add([&] { their_decrypt.crypt(messages); });
    add_ours(adiantum12);
    add_ours(adiantum20);
    add_ours(xts);
    return {size, measure_in_turn(contenders, rounds)};
}

void print_sectors(const SectorRates& measured) {
    struct Comparison {
        SectorContender ours, theirs;
        double goal;  // at 4096 bytes
    };
    constexpr Comparison kComparisons[] = {
        {adiantum12_encrypt, openssl_chacha20, 0.65},
        {adiantum12_decrypt, adiantum12_encrypt, 0.97},
        {adiantum20_encrypt, openssl_chacha20, 0.5},
        {adiantum20_decrypt, adiantum20_encrypt, 0.97},
        {xts_encrypt, openssl_xts_encrypt, 1.5},
        {xts_decrypt, openssl_xts_decrypt, 1.5},
        {xts_decrypt, xts_encrypt, 0},
    };
    print_heading("Sectors, many a call", measured.size);
    for (const auto& [ours, theirs, goal] : kComparisons)
        print_comparison(kSectorContenders[ours], measured.rates[ours], kSectorContenders[theirs],
                         measured.rates[theirs], measured.size == 4096 ? goal : 0);
}

}  // namespace

void streams(const Options& options) {
    require(sodium_init() >= 0);
    const std::vector<std::size_t> sizes =
        options.size != 0 ? std::vector{options.size} : std::vector<std::size_t>{4096, 1420, 512};
    for (std::size_t i = 0; i < sizes.size(); i++) {
        if (i != 0) std::printf("\n");
        streams_of(sizes[i], options.rounds);
    }
}

void universal_hashes(const Options& options) {
    const std::size_t size = options.size != 0 ? options.size : 4096;
    Messages messages(size);
    const std::size_t whole = size / arch::kNhUnit * arch::kNhUnit, bytes = kBytes / size * whole;
    std::vector<std::uint8_t> digests((size + ciphers::Nh::kChunk - 1) / ciphers::Nh::kChunk *
                                      ciphers::Nh::kDigestSize);
    const auto key = some_bytes<ciphers::Nh::kKeySize>();
    const ciphers::Nh nh(key);
    const ciphers::NhPoly1305 nhpoly1305(some_bytes<16>(), key);
    volatile std::uint64_t low = 0;
    const auto nh_work = [&] {
        messages.each<8>([&](auto message, const auto&) { nh.digests(digests, message.first(whole)); });
    };
    const auto nhpoly1305_work = [&] {
        messages.each<8>([&](auto message, const auto&) { low = nhpoly1305.hash(message.first(whole)).low; });
    };
    const Rates rates =
        measure_in_turn({{"NH", bytes, nh_work}, {"NHPoly1305", bytes, nhpoly1305_work}}, options.rounds);
    std::printf("Universal hashes: messages of %zu bytes\n\n", whole);
    const double nh_rate = median(rates[0]) / 1e9;
    std::printf("%-26s %8.2f GB/s%s\n", "NH", nh_rate, size == 4096 && nh_rate < 21 ? "  (goal 21: missed)" : "");
    std::printf("%-26s %8.2f GB/s\n", "NHPoly1305", median(rates[1]) / 1e9);
}

void sectors(const Options& options) {
    const std::vector<std::size_t> sizes =
        options.size != 0 ? std::vector{options.size} : std::vector<std::size_t>{4096, 512};
    std::vector<SectorRates> measured;
    for (std::size_t size : sizes) {
        measured.push_back(measure_sectors(size, options.rounds));
        print_sectors(measured.back());
        std::printf("\n");
    }
    if (measured.size() < 2) return;
    std::printf("Time for a byte of a sector of %zu bytes over one of %zu\n\n", sizes[1], sizes[0]);
    for (std::size_t i = adiantum12_encrypt; i <= xts_decrypt; i++)
        std::printf("%-26s %8.2f\n", kSectorContenders[i], median(measured[0].rates[i]) / median(measured[1].rates[i]));
}

}  // namespace bench
