#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "arch/load_store.h"
#include "ciphers/adiantum.h"
#include "ciphers/aes_xts.h"
#include "ciphers/hpolyc.h"
#include "ciphers/nhpoly1305.h"
#include "ciphers/stream_cipher.h"
#include "veritytool/commands/bench_algorithm.h"

namespace commands {
namespace {

using ciphers::CipherCore;
using ciphers::CipherFamily;
using ciphers::Cores;

// --- workloads -------------------------------------------------------------------------------------------------------

using Message = std::span<std::uint8_t>;

/// What does not matter to the speed: 0, 1, 2, ...
template <std::size_t size>
std::array<std::uint8_t, size> some_bytes() {
    std::array<std::uint8_t, size> bytes;
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    return bytes;
}

/// The messages of a load, one after the other. Ciphers work on them where they stand, as dm-crypt images are.
class Messages {
  public:
    explicit Messages(const Load& load) : size_(load.size), bytes_(static_cast<std::size_t>(load.bytes())) {
        std::iota(bytes_.begin(), bytes_.end(), std::uint8_t{0});
    }

    Message all() { return bytes_; }

    /// Calls `work` with each message and a nonce, initialisation vector or tweak of its own.
    template <std::size_t nonce_size, class Work>
    void each(const Work& work) {
        std::array<std::uint8_t, nonce_size> nonce{};
        for (std::size_t begin = 0; begin < bytes_.size(); begin += size_) {
            arch::store_le64(nonce.data(), begin);
            work(Message(bytes_).subspan(begin, size_), nonce);
        }
    }

    ciphers::SectorRun sectors() const { return {.size = size_, .first_iv = 0}; }

  private:
    std::size_t size_;
    std::vector<std::uint8_t> bytes_;
};

/// A stream cipher that `start` sets up for each message.
template <auto start, std::size_t rounds, std::size_t nonce_size>
class Stream final : public Workload {
  public:
    Stream(const Load& load, const Cores& cores) : messages_(load), cores_(cores) {}

    void run() override {
        messages_.each<nonce_size>([&](Message message, const std::array<std::uint8_t, nonce_size>& nonce) {
            start(rounds, key_, nonce, cores_).apply(message, message);
        });
    }

  private:
    Messages messages_;
    const std::array<std::uint8_t, 32> key_ = some_bytes<32>();
    Cores cores_;
};

class NhDigests final : public Workload {
  public:
    NhDigests(const Load& load, const Cores& cores)
        : messages_(load),
          whole_(load.size / arch::kNhUnit * arch::kNhUnit),
          digests_((load.size + ciphers::Nh::kChunk - 1) / ciphers::Nh::kChunk * ciphers::Nh::kDigestSize),
          nh_(some_bytes<ciphers::Nh::kKeySize>(), cores) {}

    void run() override {
        messages_.each<8>([&](Message message, const auto&) {
            if (whole_ == message.size())
                nh_.digests(digests_, message);
            else
                nh_.digests(digests_, message.first(whole_), message.subspan(whole_));
        });
    }

  private:
    Messages messages_;
    std::size_t whole_;  // bytes of a message up to the last unit that is not
    std::vector<std::uint8_t> digests_;
    ciphers::Nh nh_;
};

/// Poly1305 as an authenticator, whose key serves one message.
class Poly1305Tags final : public Workload {
  public:
    Poly1305Tags(const Load& load, const Cores& cores) : messages_(load), cores_(cores) {}

    void run() override {
        messages_.each<16>([&](Message message, const std::array<std::uint8_t, 16>& half_key) {
            const ciphers::Poly1305Multiplier multiplier(half_key);
            ciphers::Poly1305 poly1305(multiplier, cores_);
            poly1305.update(message);
            poly1305.finish(tag_, half_key);
        });
    }

  private:
    Messages messages_;
    std::array<std::uint8_t, 16> tag_;
    Cores cores_;
};

class NhPoly1305Hashes final : public Workload {
  public:
    NhPoly1305Hashes(const Load& load, const Cores& cores)
        : messages_(load), hash_(some_bytes<16>(), some_bytes<ciphers::Nh::kKeySize>(), cores) {}

    void run() override {
        messages_.each<8>([&](Message message, const auto&) {
            const ciphers::Uint128 hash = hash_.hash(message);
            low_ = hash.low;
        });
    }

  private:
    Messages messages_;
    ciphers::NhPoly1305 hash_;
    volatile std::uint64_t low_ = 0;
};

/// A mode that dm-crypt has, on a run of sectors.
template <class Mode>
class Sectors final : public Workload {
  public:
    Sectors(const Load& load, Mode mode)
        : messages_(load), direction_(load.direction.value_or(ciphers::Direction::encrypt)), mode_(std::move(mode)) {}

    void run() override { mode_.crypt_sectors(direction_, messages_.all(), messages_.all(), messages_.sectors()); }

  private:
    Messages messages_;
    ciphers::Direction direction_;
    Mode mode_;
};

/// HPolyC, which is not one of dm-crypt's, with a tweak as long as Adiantum's there.
class HPolyCMessages final : public Workload {
  public:
    HPolyCMessages(const Load& load, const Cores& cores)
        : messages_(load),
          direction_(load.direction.value_or(ciphers::Direction::encrypt)),
          mode_(20, some_bytes<ciphers::HPolyC::kKeySize>(), cores) {}

    void run() override {
        messages_.each<32>([&](Message message, const std::array<std::uint8_t, 32>& tweak) {
            mode_.crypt(direction_, message, tweak, message);
        });
    }

  private:
    Messages messages_;
    ciphers::Direction direction_;
    ciphers::HPolyC mode_;
};

template <class Work>
std::unique_ptr<Workload> make(const Load& load, const Cores& cores) {
    return std::make_unique<Work>(load, cores);
}

template <std::size_t rounds>
std::unique_ptr<Workload> make_adiantum(const Load& load, const Cores& cores) {
    using ciphers::Adiantum;
    return std::make_unique<Sectors<Adiantum>>(load, Adiantum(rounds, some_bytes<Adiantum::kKeySize>(), cores));
}

template <std::size_t key_size>
std::unique_ptr<Workload> make_xts(const Load& load, const Cores& cores) {
    using ciphers::AesXts;
    return std::make_unique<Sectors<AesXts>>(load, AesXts(some_bytes<key_size>(), cores));
}

// --- the table -------------------------------------------------------------------------------------------------------

/// Which sizes of messages there are.
struct Sizes {
    std::size_t least, multiple;
};

/// Whose cores do the work.
using Families = std::vector<CipherFamily>;

struct CipherSpec {
    std::string_view name;
    bool has_directions;
    Sizes sizes;
    Families families;                       ///< the first one's cores are compared, or with no `units` none are
    std::size_t (*units)(const Load& load);  ///< what a call gives to a core of the first family
    std::unique_ptr<Workload> (*make)(const Load& load, const Cores& cores);
};

std::size_t one(const Load&) {
    return 1;
}

std::size_t stream_blocks(const Load& load) {
    return (load.size + 63) / 64;
}

std::size_t nh_chunks(const Load& load) {
    return (load.size + ciphers::Nh::kChunk - 1) / ciphers::Nh::kChunk;
}

std::size_t aes_blocks(const Load& load) {
    return static_cast<std::size_t>(load.bytes()) / ciphers::Aes::kBlock;
}

const std::vector<CipherSpec>& cipher_specs() {
    using enum CipherFamily;
    using ciphers::StreamCipher;
    constexpr auto kChaCha = &StreamCipher::chacha;
    constexpr auto kXChaCha = &StreamCipher::xchacha;
    constexpr auto kSalsa = &StreamCipher::salsa;
    constexpr auto kXSalsa = &StreamCipher::xsalsa;
    constexpr Sizes kAny = {1, 1}, kAes = {16, 16}, kWide = {16, 1};
    const Families xchacha_only = {chacha, hchacha}, xts_only = {aesxts, aes};
    const Families of_adiantum = {adiantum, chacha, hchacha, nh, poly1305, aes};
    const Families of_hpolyc = {chacha, hchacha, poly1305, aes};
    static const std::vector<CipherSpec> specs = {
        {"chacha8", false, kAny, {chacha}, stream_blocks, make<Stream<kChaCha, 8, 8>>},
        {"chacha12", false, kAny, {chacha}, stream_blocks, make<Stream<kChaCha, 12, 8>>},
        {"chacha20", false, kAny, {chacha}, stream_blocks, make<Stream<kChaCha, 20, 8>>},
        {"xchacha12", false, kAny, xchacha_only, stream_blocks, make<Stream<kXChaCha, 12, 24>>},
        {"xchacha20", false, kAny, xchacha_only, stream_blocks, make<Stream<kXChaCha, 20, 24>>},
        {"salsa20-12", false, kAny, {salsa}, stream_blocks, make<Stream<kSalsa, 12, 8>>},
        {"salsa20", false, kAny, {salsa}, stream_blocks, make<Stream<kSalsa, 20, 8>>},
        {"xsalsa20", false, kAny, {salsa}, stream_blocks, make<Stream<kXSalsa, 20, 24>>},
        {"nh", false, kAny, {nh}, nh_chunks, make<NhDigests>},
        {"poly1305", false, kAny, {poly1305}, one, make<Poly1305Tags>},
        {"nhpoly1305", false, kAny, {nh, poly1305}, nh_chunks, make<NhPoly1305Hashes>},
        {"aes-128-xts", true, kAes, xts_only, aes_blocks, make_xts<32>},
        {"aes-256-xts", true, kAes, xts_only, aes_blocks, make_xts<64>},
        {"adiantum-xchacha12", true, kWide, of_adiantum, nullptr, make_adiantum<12>},
        {"adiantum-xchacha20", true, kWide, of_adiantum, nullptr, make_adiantum<20>},
        {"hpolyc", true, kWide, of_hpolyc, nullptr, make<HPolyCMessages>},
    };
    return specs;
}

// --- the algorithms --------------------------------------------------------------------------------------------------

bool chosen_for_any_number(const CipherCore& core) {
    constexpr std::size_t kMany = 1024;
    return ciphers::best_core(core.family, 1) == &core || ciphers::best_core(core.family, kMany) == &core;
}

/// `core` for its family. Adiantum would not use one of these two where one core does the work of both.
Cores with(const CipherCore& core) {
    Cores cores(core);
    if (core.family == CipherFamily::chacha || core.family == CipherFamily::nh) cores.use_separate_passes();
    return cores;
}

class BenchCipher final : public BenchAlgorithm {
  public:
    explicit BenchCipher(const CipherSpec& spec) : spec_(spec) {}

    std::string_view name() const override { return spec_.name; }
    AlgorithmKind kind() const override { return AlgorithmKind::cipher; }
    bool has_directions() const override { return spec_.has_directions; }

    verity::Result<void> check_size(std::size_t size) const override {
        const auto [least, multiple] = spec_.sizes;
        if (size >= least && size % multiple == 0) return {};
        const std::string wanted = multiple == 1 ? std::to_string(least) + " bytes or more"
                                                 : "a multiple of " + std::to_string(multiple) + " bytes";
        return verity::Error{verity::ErrorKind::usage,
                             std::string(name()) + " takes " + wanted + " at a time, not " + std::to_string(size)};
    }

    std::vector<CoreInfo> cores() const override {
        std::vector<CoreInfo> cores;
        if (spec_.units == nullptr) return cores;
        for (const CipherCore& core : ciphers::cipher_cores())
            if (core.family == spec_.families.front()) cores.push_back(core_info(core));
        return cores;
    }

    bool uses(std::string_view core) const override {
        const CipherCore* const found = ciphers::find_core(core);
        return found != nullptr && std::ranges::find(spec_.families, found->family) != spec_.families.end();
    }

    bool in_use(std::string_view core, const Load& load) const override {
        const CipherCore& found = *ciphers::find_core(core);
        if (spec_.units == nullptr || found.family != spec_.families.front()) return chosen_for_any_number(found);
        return ciphers::best_core(found.family, spec_.units(load)) == &found;
    }

    std::unique_ptr<Workload> workload(const Load& load, std::optional<std::string_view> core) const override {
        return spec_.make(load, core ? with(*ciphers::find_core(*core)) : Cores());
    }

  private:
    const CipherSpec& spec_;
};

}  // namespace

BenchAlgorithms cipher_bench_algorithms() {
    static const std::vector<BenchCipher> ciphers(cipher_specs().begin(), cipher_specs().end());
    BenchAlgorithms all;
    for (const BenchCipher& cipher : ciphers) all.push_back(&cipher);
    return all;
}

}  // namespace commands
