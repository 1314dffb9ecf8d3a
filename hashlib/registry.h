#ifndef VERITYTOOL_HASHLIB_REGISTRY_H
#define VERITYTOOL_HASHLIB_REGISTRY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/cpu.h"
#include "arch/hash_core.h"

/// The one table of hash cores. Selection, `veritytool cores`, `--core`, tests and benchmarks all walk it.

namespace hashlib {

using arch::HashFamily;

/// The number of families and the sizes that a family fixes; see arch/hash_core.h.
inline constexpr std::size_t kHashFamilies = 5;
struct HashFamilyTraits {
    std::string_view name;
    std::size_t word_size;     ///< bytes
    std::size_t state_words;   ///< words of the chaining value
    std::size_t block_size;    ///< bytes of one compression block
    std::size_t length_field;  ///< bytes of the message length in the padding (FIPS 180-4, section 5.1); 0: BLAKE2
    bool big_endian;           ///< byte order of words in messages and digests
};
const HashFamilyTraits& traits(HashFamily family);

/// The most messages that a core takes side by side.
inline constexpr std::size_t kMaxLanes = 32;

/// One implementation of one family's compression function.
struct HashCore {
    std::string_view name;  ///< "blake2b_avx512"; also its file and symbol
    HashFamily family;
    arch::CpuFeatures needs;  ///< what the processor must have
    unsigned lanes;           ///< messages taken side by side
    unsigned pass_cost;       ///< time of a pass over all lanes where pass_cost() knows no better (arch/*/cores.def)
    HashCompress* compress;
};

/// All cores in this build, the architecture's own before the portable ones.
std::span<const HashCore> hash_cores();

/// Whether this processor, less what VERITYTOOL_CPU takes away, can run `core`.
bool usable(const HashCore& core);

/// The time of a pass of `core` over all its lanes on this processor, comparable within its family.
unsigned pass_cost(const HashCore& core);

/// The core called `name`; null if this build has none.
const HashCore* find_core(std::string_view name);

/// The usable core of `family` to take the first of `messages` (1 or more) messages of equal length with, so that all
/// of them are done soonest. Decided once.
const HashCore& best_core(HashFamily family, std::size_t messages);

}  // namespace hashlib

#endif
