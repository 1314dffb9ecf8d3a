#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "arch/load_store.h"
#include "ciphers/adiantum.h"
#include "ciphers/aes_xts.h"
#include "ciphers/hpolyc.h"
#include "ciphers/stream_cipher.h"
#include "tests/support/cipher_cores.h"

/// What holds for Adiantum, HPolyC and XTS whatever they are computed with.

namespace {

using ciphers::Adiantum;
using ciphers::AesXts;
using ciphers::Cores;
using ciphers::Direction;
using ciphers::SectorRun;
using test::Bytes;

std::span<const std::uint8_t, 32> key_of(const Bytes& bytes) {
    return std::span<const std::uint8_t, 32>(bytes);
}

/// The portable cores alone.
Cores portable() {
    Cores cores;
    cores.use_separate_passes();
    for (const ciphers::CipherCore& core : ciphers::cipher_cores())
        if (core.name.ends_with("_portable")) cores.use(core);
    return cores;
}

Bytes tweak_of(std::uint64_t iv) {
    Bytes tweak(32);
    arch::store_le64(tweak.data(), iv);
    return tweak;
}

constexpr Direction kBoth[] = {Direction::encrypt, Direction::decrypt};

class AdiantumCores : public test::EachCipherCore {
  protected:
    const Bytes key = random.bytes(32);
    const std::size_t rounds = random.coin() ? 12 : 20;
    const Adiantum reference{rounds, key_of(key), portable()};
};

/// Many sectors at once are the same as each by itself: sizes that go in batches and others, numbers that fill them and
/// do not.
TEST_P(AdiantumCores, SectorsAreMessages) {
    const Adiantum adiantum(rounds, key_of(key), cores);
    for (const std::size_t size : {512u, 1024u, 2048u, 4096u, 16u, 17u, 32u, 100u, 528u, 1040u, 4112u, 4128u, 9000u})
        for (const Direction direction : kBoth) {
            const std::size_t count = size == 512 ? 40 : random.between(1, 20);
            const Bytes in = random.bytes(size * count);
            const SectorRun run{size, random.word(), random.coin() ? 8u : 1u};
            Bytes many(in.size()), in_place = in, one(in.size());
            adiantum.crypt_sectors(direction, many, in, run);
            adiantum.crypt_sectors(direction, in_place, in_place, run);
            for (std::size_t i = 0; i < count; i++)
                reference.crypt(direction, std::span(one).subspan(i * size, size),
                                tweak_of(run.first_iv + i * run.iv_step), std::span(in).subspan(i * size, size));
            ASSERT_TRUE(many == one) << size << " bytes, " << count << " sectors";
            ASSERT_TRUE(in_place == one) << size << " bytes, " << count << " sectors, in place";
        }
}

TEST_P(AdiantumCores, AnyLengthAndTweak) {
    const Adiantum adiantum(rounds, key_of(key), cores);
    for (int i = 0; i < 100; i++) {
        const std::size_t size =
            i < 40 ? 16u + static_cast<std::size_t>(i) : random.between(16, 20000 >> random.between(0, 5));
        const Bytes in = random.bytes(size), tweak = random.bytes(random.between(0, 100));
        Bytes out(size), expected(size);
        adiantum.crypt(Direction::encrypt, out, tweak, in);
        reference.crypt(Direction::encrypt, expected, tweak, in);
        ASSERT_TRUE(out == expected) << size << " bytes, tweak of " << tweak.size();
        adiantum.crypt(Direction::decrypt, out, tweak, out);
        ASSERT_TRUE(out == in) << size << " bytes, tweak of " << tweak.size();
    }
}

using enum ciphers::CipherFamily;
INSTANTIATE_TEST_SUITE_P(Cores, AdiantumCores,
                         testing::ValuesIn(test::cipher_cores_of({chacha, hchacha, nh, poly1305, aes, adiantum})),
                         test::cipher_core_name);

/// How many bits of a sector change, for each of its bits and both directions, when the bit does: in all, and as the
/// number of 16-byte blocks that change at all.
template <class Crypt>
void each_flip(std::size_t size, std::size_t step, Crypt crypt, auto check) {
    test::Random random;
    const Bytes in = random.bytes(size);
    for (const Direction direction : kBoth) {
        Bytes before(size), after(size);
        crypt(direction, before, in);
        for (std::size_t bit = 0; bit < 8 * size; bit += step) {
            Bytes flipped = in;
            flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
            crypt(direction, after, flipped);
            std::size_t bits = 0, blocks = 0;
            for (std::size_t at = 0; at < size; at += 16) {
                std::size_t in_block = 0;
                for (std::size_t i = at; i < at + 16; i++)
                    in_block += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(before[i] ^ after[i])));
                bits += in_block;
                blocks += in_block > 0;
            }
            check(bit, bits, blocks);
            if (testing::Test::HasFailure()) return;
        }
    }
}

/// Of 4096 bits that are each as likely to change as not, 2048 do, with a standard deviation of 32; ten times that does
/// not happen. A block that does not change at all has a chance of 2^-128.
TEST(WideBlock, EveryBitOfAnAdiantumSectorChangesAllOfIt) {
    test::Random random;
    const Bytes key = random.bytes(32), tweak = tweak_of(7);
    const Adiantum adiantum(12, key_of(key));
    each_flip(
        512, 1, [&](Direction direction, Bytes& out, const Bytes& in) { adiantum.crypt(direction, out, tweak, in); },
        [](std::size_t bit, std::size_t bits, std::size_t blocks) {
            EXPECT_NEAR(static_cast<double>(bits), 2048, 320) << "bit " << bit;
            EXPECT_EQ(blocks, 32u) << "bit " << bit;
        });
}

TEST(WideBlock, EveryBitOfAnHPolyCMessageChangesAllOfIt) {
    test::Random random;
    const Bytes key = random.bytes(32), tweak = tweak_of(7);
    const ciphers::HPolyC hpolyc(12, key_of(key));
    each_flip(
        512, 7, [&](Direction direction, Bytes& out, const Bytes& in) { hpolyc.crypt(direction, out, tweak, in); },
        [](std::size_t bit, std::size_t bits, std::size_t blocks) {
            EXPECT_NEAR(static_cast<double>(bits), 2048, 320) << "bit " << bit;
            EXPECT_EQ(blocks, 32u) << "bit " << bit;
        });
}

TEST(WideBlock, ABitOfAnXtsSectorChangesItsBlockOnly) {
    test::Random random;
    const AesXts xts(random.bytes(64));
    each_flip(
        512, 7,
        [&](Direction direction, Bytes& out, const Bytes& in) {
            xts.crypt_sectors(direction, out, in, {in.size(), 7});
        },
        [](std::size_t bit, std::size_t bits, std::size_t blocks) {
            EXPECT_EQ(blocks, 1u) << "bit " << bit;
            EXPECT_LE(bits, 128u) << "bit " << bit;
        });
}

/// A tweak is part of what is encrypted, and so is its length.
TEST(WideBlock, TweaksDiffer) {
    test::Random random;
    const Bytes key = random.bytes(32), in = random.bytes(512);
    const Adiantum adiantum(12, key_of(key));
    std::vector<Bytes> results;
    for (const Bytes& tweak : {Bytes{}, Bytes(1), Bytes(16), Bytes(17), Bytes(32), tweak_of(1), tweak_of(256)}) {
        results.emplace_back(in.size());
        adiantum.crypt(Direction::encrypt, results.back(), tweak, in);
    }
    std::ranges::sort(results);
    EXPECT_EQ(std::ranges::adjacent_find(results), results.end());
}

/// Whether 8 consecutive bytes of `secret` are anywhere in `memory`.
bool contains_some_of(std::span<const std::uint8_t> memory, std::span<const std::uint8_t> secret) {
    for (std::size_t at = 0; at + 8 <= secret.size(); at += 8)
        if (std::search(memory.begin(), memory.end(), &secret[at], &secret[at] + 8) != memory.end()) return true;
    return false;
}

/// Runs `look` on the bytes of an object, before and after it has gone.
template <class Object, class Make>
void look_before_and_after(Make make, auto look) {
    struct alignas(Object) Storage {
        std::uint8_t bytes[sizeof(Object)];
    };
    const auto storage = std::make_unique<Storage>();
    Object* const object = make(storage->bytes);
    look(std::span<const std::uint8_t>(storage->bytes), true);
    std::destroy_at(object);
    look(std::span<const std::uint8_t>(storage->bytes), false);
}

TEST(Wiping, ObjectsLeaveNoKeys) {
    test::Random random;
    const Bytes key = random.bytes(64), short_key(key.begin(), key.begin() + 32), nonce = random.bytes(8);
    const auto has_key = [&](std::span<const std::uint8_t> memory, bool before) {
        EXPECT_EQ(contains_some_of(memory, short_key), before);
    };
    look_before_and_after<ciphers::Aes>([&](void* at) { return new (at) ciphers::Aes(short_key); }, has_key);
    look_before_and_after<AesXts>([&](void* at) { return new (at) AesXts(key); }, has_key);
    look_before_and_after<Adiantum>([&](void* at) { return new (at) Adiantum(12, key_of(short_key)); }, has_key);
    look_before_and_after<ciphers::HPolyC>([&](void* at) { return new (at) ciphers::HPolyC(12, key_of(short_key)); },
                                           has_key);
    look_before_and_after<ciphers::StreamCipher>(
        [&](void* at) {
            return new (at) ciphers::StreamCipher(
                ciphers::StreamCipher::chacha(20, key_of(short_key), std::span<const std::uint8_t, 8>(nonce)));
        },
        has_key);
}

/// Nothing of what keys are expanded to stays: all that is left of an object is its choice of cores.
TEST(Wiping, ObjectsLeaveNoSubkeys) {
    test::Random random;
    const Bytes key = random.bytes(32);
    std::size_t zeros_before = 0;
    look_before_and_after<Adiantum>([&](void* at) { return new (at) Adiantum(12, key_of(key)); },
                                    [&](std::span<const std::uint8_t> memory, bool before) {
                                        const auto zeros = static_cast<std::size_t>(std::ranges::count(memory, 0));
                                        if (before)
                                            zeros_before = zeros;
                                        else
                                            EXPECT_GT(zeros, memory.size() - 32);
                                    });
    EXPECT_LT(zeros_before, sizeof(Adiantum) * 3 / 4);
}

}  // namespace
