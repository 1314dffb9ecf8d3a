#include "arch/hash_core.h"
#include "arch/load_store.h"
#include "hashlib/blake2_portable.h"
#include "hashlib/initial_values.h"

/// BLAKE2s as RFC 7693 reads.

namespace hashlib {
namespace {

struct Blake2s {
    using Word = std::uint32_t;
    static constexpr std::size_t kRounds = 10;
    static constexpr int kR1 = 16, kR2 = 12, kR3 = 8, kR4 = 7;
    static constexpr auto& kIv = kSha256Initial;
    static Word load(const std::uint8_t* from) { return arch::load_le32(from); }
    static Word high_counter(std::uint64_t counter) { return static_cast<Word>(counter >> 32); }
};

}  // namespace
}  // namespace hashlib

extern "C" void blake2s_portable(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
                                 uint64_t final_mask) {
    for (size_t i = 0; i < blocks; i++)
        hashlib::Blake2Portable<hashlib::Blake2s>::compress(static_cast<uint32_t*>(state), messages[0] + 64 * i,
                                                            counter + 64 * i, static_cast<uint32_t>(final_mask));
}
