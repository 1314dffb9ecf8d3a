#ifndef VERITYTOOL_TESTS_BENCH_SECTIONS_H
#define VERITYTOOL_TESTS_BENCH_SECTIONS_H

#include <cstddef>
#include <cstdlib>

/// The parts of peers_bench, each of which prints a table.

namespace bench {

struct Options {
    std::size_t size = 0;       ///< bytes of a message or sector; 0: those that the section finds interesting
    std::size_t salt_size = 0;  ///< bytes of salt, for hash functions
    int rounds = 15;            ///< odd, so that one of them is the median
};

/// Ends the program when a peer cannot do what it is measured for.
inline void require(bool done) {
    if (!done) std::abort();
}

/// Every usable core of each hash function against OpenSSL's one-message EVP.
void hashes(const Options& options);

/// Stream ciphers, set up for each message, against OpenSSL, libsodium and libgcrypt.
void streams(const Options& options);

/// NH and NHPoly1305, which no peer has.
void universal_hashes(const Options& options);

/// Adiantum and AES-256-XTS on sectors against OpenSSL's ChaCha20 and AES-256-XTS, and each of them against itself:
/// decryption against encryption, short sectors against long ones.
void sectors(const Options& options);

}  // namespace bench

#endif
