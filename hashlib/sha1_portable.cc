#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "arch/hash_core.h"
#include "arch/load_store.h"

/// SHA-1 as FIPS 180-4, section 6.1.2 reads.

namespace hashlib {
namespace {

using Word = std::uint32_t;

/// f_t and K_t of one quarter of the rounds (sections 4.1.1 and 4.2.1).
Word choose(Word x, Word y, Word z) {
    return z ^ (x & (y ^ z));
}
Word parity(Word x, Word y, Word z) {
    return x ^ y ^ z;
}
Word majority(Word x, Word y, Word z) {
    return (x & y) | (z & (x | y));
}

struct Registers {
    Word a, b, c, d, e;
};

template <Word (*Function)(Word, Word, Word)>
void twenty_rounds(Registers& r, const Word* w, Word constant) {
    for (int t = 0; t < 20; t++) {
        const Word next = std::rotl(r.a, 5) + Function(r.b, r.c, r.d) + r.e + constant + w[t];
        r = {next, r.a, std::rotl(r.b, 30), r.c, r.d};
    }
}

void compress(Word* state, const std::uint8_t* block) {
    std::array<Word, 80> w;
    for (std::size_t t = 0; t < 16; t++) w[t] = arch::load_be32(block + 4 * t);
    for (std::size_t t = 16; t < 80; t++) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    Registers r = {state[0], state[1], state[2], state[3], state[4]};
    twenty_rounds<choose>(r, &w[0], 0x5a827999);
    twenty_rounds<parity>(r, &w[20], 0x6ed9eba1);
    twenty_rounds<majority>(r, &w[40], 0x8f1bbcdc);
    twenty_rounds<parity>(r, &w[60], 0xca62c1d6);
    state[0] += r.a;
    state[1] += r.b;
    state[2] += r.c;
    state[3] += r.d;
    state[4] += r.e;
}

}  // namespace
}  // namespace hashlib

extern "C" void sha1_portable(void* state, const uint8_t* const* messages, size_t blocks, uint64_t, uint64_t) {
    for (size_t i = 0; i < blocks; i++) hashlib::compress(static_cast<uint32_t*>(state), messages[0] + 64 * i);
}
