// What tests/checks/constant-time.sh runs under a tool that follows undefined bytes: every cipher core that can be used
// there, with keys and messages marked undefined. A branch or an address that depends on one is then reported.
//
//   constant_time          runs them and prints their names
//   constant_time list     prints the names only
//   constant_time branch   depends on a secret in a branch; the tool must find it
//   constant_time index    ... in an address
//
// Exit status: 77 where the program was built for no such tool, 2 for a wrong argument.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ciphers/adiantum.h"
#include "ciphers/aes_xts.h"
#include "ciphers/hpolyc.h"
#include "ciphers/stream_cipher.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define BUILT_FOR_SANITIZER
#endif
#endif

#if defined(BUILT_FOR_SANITIZER)
#include <sanitizer/msan_interface.h>
#define MARK_UNDEFINED(bytes, size) __msan_poison(bytes, size)
#elif __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define MARK_UNDEFINED(bytes, size) VALGRIND_MAKE_MEM_UNDEFINED(bytes, size)
#endif

#if defined(MARK_UNDEFINED)

namespace {

using ciphers::Cores;
using ciphers::Direction;
using ciphers::StreamCipher;
using Bytes = std::vector<std::uint8_t>;

/// Bytes that nobody may look at.
Bytes secret(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<std::uint8_t>(37 * i + 11);
    MARK_UNDEFINED(bytes.data(), bytes.size());
    return bytes;
}

template <std::size_t size>
std::span<const std::uint8_t, size> sized(const Bytes& bytes) {
    return std::span<const std::uint8_t, size>(bytes);
}

/// Lengths that go through all parts of a core: whole passes, tails of every size class.
constexpr std::size_t kLengths[] = {1,   16,  63,   64,   100,  128,  255,  256, 300,
                                    496, 512, 1000, 1024, 1420, 2048, 4080, 4096};

void run_streams(const Cores& cores) {
    const Bytes key = secret(32), short_key = secret(16), nonce(24);
    for (const std::size_t rounds : {8u, 12u, 20u})
        for (const std::size_t length : kLengths) {
            Bytes message = secret(length);
            StreamCipher::xchacha(rounds, sized<32>(key), sized<24>(nonce), cores).apply(message, message);
            StreamCipher::xsalsa(rounds, sized<32>(key), sized<24>(nonce), cores).apply(message, message);
            StreamCipher::salsa(rounds, short_key, sized<24>(nonce).first<8>(), cores).apply(message, message);
        }
}

void run_macs(const Cores& cores) {
    const Bytes key = secret(32);
    const ciphers::Poly1305Multiplier multiplier(sized<32>(key).first<16>());
    for (const std::size_t length : kLengths) {
        ciphers::Poly1305 mac(multiplier, cores);
        mac.update(secret(length));
        Bytes tag(16);
        mac.finish(std::span<std::uint8_t, 16>(tag), sized<32>(key).last<16>());
    }
}

void run_sectors(const Cores& cores) {
    const Bytes key = secret(64), short_key = secret(32), tweak(32);
    const ciphers::AesXts xts(key, cores), xts_short(short_key, cores);
    const ciphers::Adiantum adiantum(12, sized<32>(short_key), cores);
    const ciphers::HPolyC hpolyc(12, sized<32>(short_key), cores);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
        for (const std::size_t count : {1u, 2u, 3u, 5u, 8u, 17u})
            for (const std::size_t size : {512u, 1024u, 4096u}) {
                Bytes sectors = secret(size * count);
                adiantum.crypt_sectors(direction, sectors, sectors, {size, 0});
                xts.crypt_sectors(direction, sectors, sectors, {size, 0});
                xts_short.crypt_sectors(direction, sectors, sectors, {size, 0});
            }
        for (const std::size_t length : {16u, 17u, 100u, 1000u, 9000u}) {
            Bytes message = secret(length);
            adiantum.crypt(direction, message, tweak, message);
            hpolyc.crypt(direction, message, tweak, message);
        }
    }
}

void run_all(const Cores& cores) {
    run_streams(cores);
    run_macs(cores);
    run_sectors(cores);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "run";
    if (what == "branch") {
        if (secret(1)[0] == 3) std::puts("three");
        return 0;
    }
    if (what == "index") {
        static const char kTable[257] = {};
        const char* volatile table = kTable;
        return table[secret(1)[0]];
    }
    if (argc > 2 || (what != "run" && what != "list")) return 2;
    for (const ciphers::CipherCore& core : ciphers::cipher_cores()) {
        if (!usable(core)) continue;
        if (what == "run") {
            run_all(Cores(core));
            if (core.family == ciphers::CipherFamily::chacha || core.family == ciphers::CipherFamily::nh)
                run_all(Cores(core).use_separate_passes());
        }
        std::printf("%.*s\n", static_cast<int>(core.name.size()), core.name.data());
        std::fflush(stdout);
    }
    return 0;
}

#else

int main() {
    return 77;
}

#endif
