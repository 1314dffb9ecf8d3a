#include <gtest/gtest.h>

#include <algorithm>

#include "ciphers/poly1305.h"
#include "ciphers/stream_cipher.h"
#include "tests/support/cipher_cores.h"

/// Messages that arrive in pieces, and places in a keystream.

namespace {

using ciphers::CipherFamily;
using ciphers::StreamCipher;
using test::Bytes;

class Streams : public test::EachCipherCore {
  protected:
    StreamCipher cipher(std::span<const std::uint8_t, 56> key_and_nonce) const {
        const auto key = key_and_nonce.first<32>();
        const auto nonce = key_and_nonce.last<24>();
        return core.family == CipherFamily::salsa ? StreamCipher::xsalsa(12, key, nonce, cores)
                                                  : StreamCipher::xchacha(12, key, nonce, cores);
    }

    std::span<const std::uint8_t> piece_of(std::span<const std::uint8_t> left) {
        return left.first(random.between(0, std::min<std::size_t>(left.size(), random.coin() ? 70 : 700)));
    }
};

TEST_P(Streams, PiecesAreTheWhole) {
    for (int i = 0; i < 40; i++) {
        const Bytes key = random.bytes(56), message = random.bytes(random.between(1, 4000));
        const StreamCipher start = cipher(std::span<const std::uint8_t, 56>(key));
        Bytes whole(message.size()), pieces(message.size());
        StreamCipher(start).apply(whole, message);
        StreamCipher stream = start;
        for (std::size_t done = 0; done < message.size();) {
            const auto piece = piece_of(std::span(message).subspan(done));
            stream.apply(std::span(pieces).subspan(done, piece.size()), piece);
            done += piece.size();
        }
        ASSERT_EQ(pieces, whole);
    }
}

TEST_P(Streams, SeekGoesAnywhere) {
    for (int i = 0; i < 40; i++) {
        const Bytes key = random.bytes(56), zeros(4000);
        StreamCipher stream = cipher(std::span<const std::uint8_t, 56>(key));
        // Where the counter's lower half, or all of it, is about to start again.
        const std::uint64_t block = (random.coin() ? std::uint64_t{1} << 32 : 0) - random.between(0, 40);
        Bytes whole(zeros.size()), part(random.between(1, 600));
        stream.seek(block);
        stream.apply(whole, zeros);
        const std::size_t at = random.between(0, whole.size() - part.size());
        stream.seek(block + at / 64, at % 64);
        stream.apply(part, std::span(zeros).first(part.size()));
        ASSERT_TRUE(std::ranges::equal(part, std::span(whole).subspan(at, part.size()))) << at;
    }
}

INSTANTIATE_TEST_SUITE_P(Cores, Streams,
                         testing::ValuesIn(test::cipher_cores_of({CipherFamily::chacha, CipherFamily::salsa})),
                         test::cipher_core_name);

/// RFC 8439's counter of 32 bits starts at 0 and is apart from the nonce that follows it.
TEST(ChaChaIetf, SeekKeepsTheNonce) {
    test::Random random;
    const Bytes key = random.bytes(32), nonce = random.bytes(12), zeros(64);
    const auto stream = [&] {
        return StreamCipher::chacha_ietf(20, std::span<const std::uint8_t, 32>(key),
                                         std::span<const std::uint8_t, 12>(nonce));
    };
    Bytes first(64), again(64), last(64);
    stream().apply(first, zeros);
    StreamCipher there = stream();
    there.seek(0xffffffff);
    there.apply(last, zeros);
    there.seek(0);
    there.apply(again, zeros);
    EXPECT_EQ(again, first);
    EXPECT_NE(last, first);
}

class Macs : public test::EachCipherCore {};

TEST_P(Macs, PiecesAreTheWhole) {
    for (int i = 0; i < 40; i++) {
        const Bytes r = random.bytes(16), message = random.bytes(random.between(0, 2000));
        const ciphers::Poly1305Multiplier multiplier(std::span<const std::uint8_t, 16>{r});
        ciphers::Poly1305 whole(multiplier, cores), pieces(multiplier, cores);
        whole.update(message);
        for (std::size_t done = 0; done < message.size();) {
            const std::size_t taken = random.between(0, std::min<std::size_t>(message.size() - done, 100));
            pieces.update(std::span(message).subspan(done, taken));
            done += taken;
        }
        const ciphers::Uint128 a = whole.finish(), b = pieces.finish();
        ASSERT_TRUE(a.low == b.low && a.high == b.high) << message.size();
    }
}

INSTANTIATE_TEST_SUITE_P(Cores, Macs, testing::ValuesIn(test::cipher_cores_of({CipherFamily::poly1305})),
                         test::cipher_core_name);

/// Numbers around the multiples of 2^130 - 5, where reducing is done in the end or is not.
TEST(Poly1305, ReducesAroundMultiplesOfThePrime) {
    constexpr std::uint32_t kFull = (1u << 26) - 1;
    for (std::uint32_t multiple = 1; multiple <= 2; multiple++)
        for (std::uint32_t above = 0; above <= 40; above++) {
            const std::uint32_t lowest = (1u << 26) - 5 * multiple;
            arch::Poly1305Sum sum{{lowest + above, kFull, kFull, kFull, kFull + ((multiple - 1) << 26)}};
            const ciphers::Uint128 more = ciphers::reduce(sum);
            EXPECT_TRUE(more.low == above && more.high == 0) << multiple << " p + " << above;

            sum.limb[0] = lowest - above;
            const ciphers::Uint128 less = ciphers::reduce(sum);
            const std::uint64_t low = 0 - std::uint64_t{5} - above;
            EXPECT_TRUE(above == 0 || (less.low == low && less.high == ~std::uint64_t{0}))
                << multiple << " p - " << above;
        }
    const arch::Poly1305Sum largest{{(1u << 27) - 1, (1u << 27) - 1, (1u << 27) - 1, (1u << 27) - 1, (1u << 27) - 1}};
    // 2 (2^130 - 1) + (2^26 + 2^52 + 2^78 + 2^104 + 1), of which 2 (2^130 - 5) goes.
    const ciphers::Uint128 reduced = ciphers::reduce(largest);
    EXPECT_EQ(reduced.low, (std::uint64_t{1} << 26) + (std::uint64_t{1} << 52) + 9);
    EXPECT_EQ(reduced.high, (std::uint64_t{1} << 14) + (std::uint64_t{1} << 40));
}

}  // namespace
