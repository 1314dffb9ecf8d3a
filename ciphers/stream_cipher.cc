#include "ciphers/stream_cipher.h"

#include <algorithm>
#include <cassert>

#include "arch/load_store.h"
#include "ciphers/chacha_portable.h"
#include "ciphers/salsa_portable.h"
#include "ciphers/wipe.h"
#include "ciphers/words.h"

namespace ciphers {
namespace {

constexpr std::size_t kBlock = 64;

/// Where the state has what: Salsa20's constants stand on the diagonal, ChaCha's in the first row.
constexpr std::size_t kChaChaKey = 4, kChaChaCounter = 12, kChaChaNonce = 14;
constexpr std::size_t kSalsaKey[2] = {1, 11}, kSalsaNonce = 6, kSalsaCounter = 8;
constexpr std::size_t kSalsaDiagonal[4] = {0, 5, 10, 15};

/// "expand 16-byte k", for keys of 16 bytes; those of 32 have ChaCha's.
constexpr std::array<std::uint32_t, 4> kSalsaConstants16 = {0x61707865, 0x3120646e, 0x79622d36, 0x6b206574};

[[maybe_unused]] bool is_rounds(std::size_t rounds) {
    return rounds == 8 || rounds == 12 || rounds == 20;
}

/// Salsa20's constants and key.
void salsa_setup(std::span<std::uint32_t, 16> state, std::span<const std::uint8_t> key) {
    assert(key.size() == 16 || key.size() == 32);
    const auto& constants = key.size() == 32 ? kChaChaConstants : kSalsaConstants16;
    for (std::size_t i = 0; i < 4; i++) state[kSalsaDiagonal[i]] = constants[i];
    load_words(state.subspan(kSalsaKey[0], 4), key.first(16));
    load_words(state.subspan(kSalsaKey[1], 4), key.last(16));
}

}  // namespace

StreamCipher::StreamCipher(CipherFamily family, std::size_t rounds, const Cores& cores)
    : family_(family), rounds_(rounds), cores_(cores) {
    assert(is_rounds(rounds));
}

StreamCipher::~StreamCipher() {
    wipe(state_.data(), sizeof state_);
}

StreamCipher StreamCipher::chacha(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                  std::span<const std::uint8_t, 8> nonce, const Cores& cores) {
    StreamCipher cipher(CipherFamily::chacha, rounds, cores);
    const std::span state(cipher.state_);
    std::ranges::copy(kChaChaConstants, state.begin());
    load_words(state.subspan(kChaChaKey, 8), key);
    load_words(state.subspan(kChaChaNonce, 2), nonce);
    return cipher;
}

StreamCipher StreamCipher::chacha_ietf(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                       std::span<const std::uint8_t, 12> nonce, const Cores& cores) {
    StreamCipher cipher = chacha(rounds, key, nonce.last<8>(), cores);
    // Where Bernstein has the counter's upper half, which the lower one never carries into here.
    cipher.first_counter_ = std::uint64_t{arch::load_le32(nonce.data())} << 32;
    cipher.set_counter(cipher.first_counter_);
    return cipher;
}

StreamCipher StreamCipher::xchacha(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                   std::span<const std::uint8_t, 24> nonce, const Cores& cores) {
    Wiped<std::array<std::uint8_t, 32>> subkey;
    hchacha(rounds, subkey, key, nonce.first<16>(), cores);
    return chacha(rounds, subkey, nonce.last<8>(), cores);
}

StreamCipher StreamCipher::salsa(std::size_t rounds, std::span<const std::uint8_t> key,
                                 std::span<const std::uint8_t, 8> nonce, const Cores& cores) {
    StreamCipher cipher(CipherFamily::salsa, rounds, cores);
    salsa_setup(cipher.state_, key);
    load_words(std::span(cipher.state_).subspan(kSalsaNonce, 2), nonce);
    return cipher;
}

StreamCipher StreamCipher::xsalsa(std::size_t rounds, std::span<const std::uint8_t, 32> key,
                                  std::span<const std::uint8_t, 24> nonce, const Cores& cores) {
    Wiped<std::array<std::uint8_t, 32>> subkey;
    hsalsa(rounds, subkey, key, nonce.first<16>());
    return salsa(rounds, subkey, nonce.last<8>(), cores);
}

std::uint64_t StreamCipher::counter() const {
    const std::size_t at = family_ == CipherFamily::chacha ? kChaChaCounter : kSalsaCounter;
    return state_[at] | std::uint64_t{state_[at + 1]} << 32;
}

void StreamCipher::set_counter(std::uint64_t counter) {
    const std::size_t at = family_ == CipherFamily::chacha ? kChaChaCounter : kSalsaCounter;
    state_[at] = static_cast<std::uint32_t>(counter);
    state_[at + 1] = static_cast<std::uint32_t>(counter >> 32);
}

void StreamCipher::xor_keystream(std::uint8_t* out, const std::uint8_t* in, std::size_t length) const {
    const std::size_t blocks = (length + kBlock - 1) / kBlock;
    StreamXor* const core = family_ == CipherFamily::chacha ? cores_.function<CipherFamily::chacha>(blocks)
                                                            : cores_.function<CipherFamily::salsa>(blocks);
    core(state_.data(), rounds_, out, in, length);
}

void StreamCipher::seek(std::uint64_t block, std::size_t byte) {
    assert(byte < kBlock);
    set_counter(first_counter_ + block);
    byte_ = byte;
}

void StreamCipher::apply(std::span<std::uint8_t> out, std::span<const std::uint8_t> in) {
    assert(out.size() == in.size());
    if (byte_ > 0 && !in.empty()) {
        // The rest of a block that was begun before: computed again, so that no keystream is kept.
        const std::size_t taken = std::min(in.size(), kBlock - byte_);
        Wiped<std::array<std::uint8_t, kBlock>> block{};
        std::ranges::copy(in.first(taken), block.begin() + static_cast<std::ptrdiff_t>(byte_));
        xor_keystream(block.data(), block.data(), byte_ + taken);
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(byte_), taken, out.begin());
        out = out.subspan(taken);
        in = in.subspan(taken);
        byte_ = (byte_ + taken) % kBlock;
        if (byte_ == 0) set_counter(counter() + 1);
    }
    if (in.empty()) return;
    xor_keystream(out.data(), in.data(), in.size());
    set_counter(counter() + in.size() / kBlock);
    byte_ = in.size() % kBlock;
}

void hchacha(std::size_t rounds, std::span<std::uint8_t, 32> subkey, std::span<const std::uint8_t, 32> key,
             std::span<const std::uint8_t, 16> nonce, const Cores& cores) {
    assert(is_rounds(rounds));
    struct Operands {
        alignas(64) std::array<std::uint32_t, 8> key;
        alignas(64) std::array<std::uint32_t, 8> subkey;
        alignas(16) std::array<std::uint8_t, 16> nonce;
    };
    Wiped<Operands> o;
    load_words(o.key, key);
    std::ranges::copy(nonce, o.nonce.begin());
    cores.function<CipherFamily::hchacha>(1)(o.key.data(), rounds, o.subkey.data(), o.nonce.data(), 1);
    store_words(subkey, o.subkey);
}

void hsalsa(std::size_t rounds, std::span<std::uint8_t, 32> subkey, std::span<const std::uint8_t, 32> key,
            std::span<const std::uint8_t, 16> nonce) {
    assert(is_rounds(rounds));
    Wiped<SalsaWords> words;
    salsa_setup(words, key);
    load_words(std::span(words).subspan(kSalsaNonce, 4), nonce);
    salsa_permute(words, rounds);
    for (std::size_t i = 0; i < 4; i++) arch::store_le32(&subkey[4 * i], words[kSalsaDiagonal[i]]);
    store_words(subkey.last<16>(), std::span(words).subspan(kSalsaNonce, 4));
}

}  // namespace ciphers
