#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_ALGORITHM_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_ALGORITHM_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ciphers/aes.h"
#include "hashlib/hash.h"
#include "veritytool/commands/core_info.h"
#include "veritytool/error.h"

/// What `bench` can measure, one interface for all kinds of algorithms.

namespace commands {

enum class AlgorithmKind : std::uint8_t { hash, cipher, parity };

/// "hash", "cipher", "parity".
std::string_view name(AlgorithmKind kind);

/// What an algorithm is given at a time: messages of one size, or a disk's sectors or blocks.
struct Load {
    std::size_t size;  ///< bytes of a message
    std::uint64_t messages;
    std::optional<ciphers::Direction> direction;  ///< of an algorithm that has directions

    std::uint64_t bytes() const { return messages * size; }
};

/// The limits of a load.
inline constexpr std::uint32_t kLongestMessage = 1u << 30;  ///< bytes
inline constexpr std::uint64_t kMostBytes = 1u << 30;       ///< of all messages at a time
inline constexpr std::uint64_t kMostMessages = kMostBytes / hashlib::kMaxDigestSize;

/// A load in memory and what is to be done with it, ready to be done again and again.
class Workload {
  public:
    virtual ~Workload() = default;

    /// Does it once, as a program that uses the library would: with all that has to be done anew for each message, and
    /// without what is done once for a key.
    virtual void run() = 0;
};

/// A hash function, a cipher or a mode of one, or an error-correcting code, under the name that users give it.
class BenchAlgorithm {
  public:
    virtual ~BenchAlgorithm() = default;

    virtual std::string_view name() const = 0;
    virtual AlgorithmKind kind() const = 0;

    /// Whether encrypting and decrypting are two things to measure.
    virtual bool has_directions() const { return false; }

    /// Errors (usage): messages of `size` bytes are not for this algorithm.
    virtual verity::Result<void> check_size(std::size_t size) const = 0;

    /// The cores to compare with each other, best first, also those that cannot be used here. None where the work is
    /// shared by cores of several families, each as the library chooses it.
    virtual std::vector<CoreInfo> cores() const = 0;

    /// Whether the core called `core` does all of the work or part of it.
    virtual bool uses(std::string_view core) const = 0;

    /// Whether the library chooses the core called `core`, which it uses, for such a load.
    virtual bool in_use(std::string_view core, const Load& load) const = 0;

    /// Does it with the core called `core`, which it uses and this processor can run; with what the library chooses if
    /// none is given.
    virtual std::unique_ptr<Workload> workload(const Load& load, std::optional<std::string_view> core) const = 0;
};

using BenchAlgorithms = std::vector<const BenchAlgorithm*>;

/// All algorithms of a kind, in the order in which they are listed to users.
BenchAlgorithms hash_bench_algorithms();
BenchAlgorithms cipher_bench_algorithms();
BenchAlgorithms parity_bench_algorithms();

/// All of them.
BenchAlgorithms bench_algorithms();

}  // namespace commands

#endif
