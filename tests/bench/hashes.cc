#include <openssl/evp.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "hashlib/hash.h"
#include "tests/bench/rates.h"
#include "tests/bench/sections.h"

namespace bench {
namespace {

constexpr std::size_t kMessages = 2 * hashlib::kMaxLanes;

/// The name by which OpenSSL knows what is nearest to the hash: it has no 256-bit BLAKE2b, which costs the same.
std::string openssl_name(std::string_view hash) {
    if (hash.starts_with("blake2b")) return "BLAKE2b512";
    if (hash.starts_with("blake2s")) return "BLAKE2s256";
    return std::string(hash);
}

}  // namespace

void hashes(const Options& options) {
    const std::size_t size = options.size != 0 ? options.size : 4096;
    std::vector<std::uint8_t> data(kMessages * size), digests(kMessages * hashlib::kMaxDigestSize);
    for (std::size_t i = 0; i < data.size(); i++) data[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    const std::vector<std::uint8_t> salt(options.salt_size, 0x5a);

    std::printf("Hash functions: messages of %zu bytes, %zu bytes of salt\n\n", size, salt.size());
    std::printf("%-12s %-22s %8s %8s %8s\n", "hash", "core", "GB/s", "OpenSSL", "ratio");
    for (const hashlib::HashAlgorithm& algorithm : hashlib::hash_algorithms()) {
        if (algorithm.name == "blake2b-512") continue;  // the same cores as blake2b-256
        const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> md(
            EVP_MD_fetch(nullptr, openssl_name(algorithm.name).c_str(), nullptr), EVP_MD_free);
        const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
        require(md != nullptr && context != nullptr);
        const auto theirs = [&] {
            for (std::size_t i = 0; i < kMessages; i++) {
                unsigned length;
                EVP_DigestInit_ex(context.get(), md.get(), nullptr);
                EVP_DigestUpdate(context.get(), salt.data(), salt.size());
                EVP_DigestUpdate(context.get(), &data[i * size], size);
                EVP_DigestFinal_ex(context.get(), digests.data(), &length);
            }
        };
        for (const hashlib::HashCore& core : hashlib::hash_cores()) {
            if (core.family != algorithm.family || !hashlib::usable(core)) continue;
            const hashlib::BlockHasher hasher(algorithm, salt, hashlib::SaltPosition::before, size, &core);
            const auto ours = [&] { hasher.hash(digests, hashlib::kMaxDigestSize, data); };
            const Rates rates =
                measure_in_turn({{"ours", data.size(), ours}, {"OpenSSL", data.size(), theirs}}, options.rounds);
            std::printf("%-12s %-22s %8.2f %8.2f %8.2f\n", std::string(algorithm.name).c_str(),
                        std::string(core.name).c_str(), median(rates[0]) / 1e9, median(rates[1]) / 1e9,
                        median_ratio(rates[0], rates[1]));
            std::fflush(stdout);
        }
    }
}

}  // namespace bench
