#include <numeric>

#include "hashlib/hash.h"
#include "veritytool/commands/bench_algorithm.h"

namespace commands {
namespace {

using hashlib::HashAlgorithm;
using hashlib::HashCore;

/// Hashing blocks side by side, without salt.
class Blocks final : public Workload {
  public:
    Blocks(const HashAlgorithm& hash, const Load& load, const HashCore* core)
        : hasher_(hash, {}, hashlib::SaltPosition::before, load.size, core),
          blocks_(static_cast<std::size_t>(load.bytes())),
          digests_(static_cast<std::size_t>(load.messages) * hash.digest_size) {
        std::iota(blocks_.begin(), blocks_.end(), std::uint8_t{0});
    }

    void run() override { hasher_.hash(digests_, hasher_.algorithm().digest_size, blocks_); }

  private:
    hashlib::BlockHasher hasher_;
    std::vector<std::uint8_t> blocks_, digests_;
};

class BenchHash final : public BenchAlgorithm {
  public:
    explicit BenchHash(const HashAlgorithm& hash) : hash_(hash) {}

    std::string_view name() const override { return hash_.name; }
    AlgorithmKind kind() const override { return AlgorithmKind::hash; }
    verity::Result<void> check_size(std::size_t) const override { return {}; }

    std::vector<CoreInfo> cores() const override {
        std::vector<CoreInfo> cores;
        for (const HashCore& core : hashlib::hash_cores())
            if (core.family == hash_.family) cores.push_back(core_info(core));
        return cores;
    }

    bool uses(std::string_view core) const override {
        const HashCore* const found = hashlib::find_core(core);
        return found != nullptr && found->family == hash_.family;
    }

    bool in_use(std::string_view core, const Load& load) const override {
        return hashlib::best_core(hash_.family, static_cast<std::size_t>(load.messages)).name == core;
    }

    std::unique_ptr<Workload> workload(const Load& load, std::optional<std::string_view> core) const override {
        return std::make_unique<Blocks>(hash_, load, core ? hashlib::find_core(*core) : nullptr);
    }

  private:
    const HashAlgorithm& hash_;
};

}  // namespace

BenchAlgorithms hash_bench_algorithms() {
    static const std::vector<BenchHash> hashes(hashlib::hash_algorithms().begin(), hashlib::hash_algorithms().end());
    BenchAlgorithms all;
    for (const BenchHash& hash : hashes) all.push_back(&hash);
    return all;
}

}  // namespace commands
