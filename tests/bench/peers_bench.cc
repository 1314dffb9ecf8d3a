// What the README's x86 table is made with: every usable core against OpenSSL's one-message EVP of the same hash, in
// turn, on one thread.
//
//   peers_bench [MESSAGE_BYTES [SALT_BYTES]]     (4096 and 0)

#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "hashlib/hash.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 15;
constexpr double kSecondsPerSample = 0.02;

/// The name by which OpenSSL knows what is nearest to the hash: it has no 256-bit BLAKE2b, which costs the same.
std::string openssl_name(std::string_view hash) {
    if (hash.starts_with("blake2b")) return "BLAKE2b512";
    if (hash.starts_with("blake2s")) return "BLAKE2s256";
    return std::string(hash);
}

/// Bytes a second of `work`, which processes `bytes`.
template <class Work>
double rate(std::size_t bytes, const Work& work) {
    std::size_t repetitions = 0;
    const auto start = Clock::now();
    double seconds = 0;
    do {
        work();
        repetitions++;
        seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < kSecondsPerSample);
    return static_cast<double>(bytes) * static_cast<double>(repetitions) / seconds;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t size = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 4096;
    const std::size_t salt_size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    if (size == 0 || salt_size > hashlib::kMaxSaltSize) return 1;
    constexpr std::size_t kMessages = 2 * hashlib::kMaxLanes;
    std::vector<std::uint8_t> data(kMessages * size), digests(kMessages * hashlib::kMaxDigestSize);
    for (std::size_t i = 0; i < data.size(); i++) data[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    const std::vector<std::uint8_t> salt(salt_size, 0x5a);

    std::printf("%zu-byte messages, %zu bytes of salt, one thread; medians of %d rounds\n", size, salt_size, kRounds);
    std::printf("%-12s %-22s %8s %8s %8s\n", "hash", "core", "GB/s", "OpenSSL", "ratio");
    for (const hashlib::HashAlgorithm& algorithm : hashlib::hash_algorithms()) {
        if (algorithm.name == "blake2b-512") continue;  // the same cores as blake2b-256
        EVP_MD* md = EVP_MD_fetch(nullptr, openssl_name(algorithm.name).c_str(), nullptr);
        EVP_MD_CTX* context = EVP_MD_CTX_new();
        if (md == nullptr || context == nullptr) return 1;
        const auto theirs = [&] {
            for (std::size_t i = 0; i < kMessages; i++) {
                unsigned length;
                EVP_DigestInit_ex(context, md, nullptr);
                EVP_DigestUpdate(context, salt.data(), salt.size());
                EVP_DigestUpdate(context, &data[i * size], size);
                EVP_DigestFinal_ex(context, digests.data(), &length);
            }
        };
        for (const hashlib::HashCore& core : hashlib::hash_cores()) {
            if (core.family != algorithm.family || !hashlib::usable(core)) continue;
            const hashlib::BlockHasher hasher(algorithm, salt, hashlib::SaltPosition::before, size, &core);
            const auto ours = [&] { hasher.hash(digests, hashlib::kMaxDigestSize, data); };
            std::vector<double> our_rates, their_rates, ratios;
            for (int round = 0; round < kRounds; round++) {
                our_rates.push_back(rate(data.size(), ours));
                their_rates.push_back(rate(data.size(), theirs));
                ratios.push_back(our_rates.back() / their_rates.back());
            }
            std::printf("%-12s %-22s %8.2f %8.2f %8.2f\n", std::string(algorithm.name).c_str(),
                        std::string(core.name).c_str(), median(our_rates) / 1e9, median(their_rates) / 1e9,
                        median(ratios));
        }
        EVP_MD_CTX_free(context);
        EVP_MD_free(md);
    }
    return 0;
}
