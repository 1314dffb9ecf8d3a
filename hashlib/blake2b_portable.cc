#include "arch/hash_core.h"
#include "arch/load_store.h"
#include "hashlib/blake2_portable.h"
#include "hashlib/initial_values.h"

/// BLAKE2b as RFC 7693 reads.

namespace hashlib {
namespace {

struct Blake2b {
    using Word = std::uint64_t;
    static constexpr std::size_t kRounds = 12;
    static constexpr int kR1 = 32, kR2 = 24, kR3 = 16, kR4 = 63;
    static constexpr auto& kIv = kSha512Initial;
    static Word load(const std::uint8_t* from) { return arch::load_le64(from); }
    /// The counter's upper 64 bits: messages end long before they would be needed.
    static Word high_counter(std::uint64_t) { return 0; }
};

}  // namespace
}  // namespace hashlib

extern "C" void blake2b_portable(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
                                 uint64_t final_mask) {
    for (size_t i = 0; i < blocks; i++)
        hashlib::Blake2Portable<hashlib::Blake2b>::compress(static_cast<uint64_t*>(state), messages[0] + 128 * i,
                                                            counter + 128 * i, final_mask);
}
