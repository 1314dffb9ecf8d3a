#include <algorithm>
#include <numeric>
#include <string>

#include "veritytool/commands/bench_algorithm.h"
#include "veritytool/gf256.h"
#include "veritytool/reed_solomon.h"

namespace commands {
namespace {

using verity::Gf256Core;

/// Making the parity of blocks that have their codewords in common, as much of it as there are blocks. Once a codeword
/// has all its symbols the next one begins.
class Codewords final : public Workload {
  public:
    Codewords(unsigned roots, const Load& load, const Gf256Core& core)
        : roots_(roots),
          core_(core),
          size_(load.size),
          sources_(verity::ReedSolomon(roots).sources()),
          factors_(verity::ReedSolomon(roots).factors(roots)),
          blocks_(static_cast<std::size_t>(load.bytes())),
          sums_(roots * load.size) {
        std::iota(blocks_.begin(), blocks_.end(), std::uint8_t{0});
    }

    void run() override {
        const std::size_t count = blocks_.size() / size_;
        for (std::size_t first = 0; first < count; first += sources_)
            core_.function(sums_.data(), size_, roots_, &blocks_[first * size_], size_,
                           std::min(sources_, count - first), size_, factors_.data());
    }

  private:
    std::size_t roots_;
    const Gf256Core& core_;
    std::size_t size_, sources_;
    std::vector<std::uint8_t> factors_, blocks_, sums_;
};

class BenchParity final : public BenchAlgorithm {
  public:
    explicit BenchParity(unsigned roots) : roots_(roots), name_("fec-" + std::to_string(roots)) {}

    std::string_view name() const override { return name_; }
    AlgorithmKind kind() const override { return AlgorithmKind::parity; }

    verity::Result<void> check_size(std::size_t size) const override {
        if (size % kGf256SizeUnit == 0) return {};
        return verity::Error{verity::ErrorKind::usage, name_ + " takes a multiple of " +
                                                           std::to_string(kGf256SizeUnit) + " bytes at a time, not " +
                                                           std::to_string(size)};
    }

    std::vector<CoreInfo> cores() const override {
        std::vector<CoreInfo> cores;
        for (const Gf256Core& core : verity::gf256_cores()) cores.push_back(core_info(core));
        return cores;
    }

    bool uses(std::string_view core) const override { return verity::find_gf256_core(core) != nullptr; }

    bool in_use(std::string_view core, const Load&) const override { return verity::best_gf256_core().name == core; }

    std::unique_ptr<Workload> workload(const Load& load, std::optional<std::string_view> core) const override {
        return std::make_unique<Codewords>(roots_, load,
                                           core ? *verity::find_gf256_core(*core) : verity::best_gf256_core());
    }

  private:
    unsigned roots_;
    std::string name_;
};

}  // namespace

BenchAlgorithms parity_bench_algorithms() {
    static const std::vector<BenchParity> codes = {BenchParity(2), BenchParity(8), BenchParity(24)};
    BenchAlgorithms all;
    for (const BenchParity& code : codes) all.push_back(&code);
    return all;
}

}  // namespace commands
