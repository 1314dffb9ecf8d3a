#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "arch/gf256_tables.h"
#include "tests/support/abi_call.h"
#include "tests/support/guarded_memory.h"
#include "tests/support/random.h"
#include "tests/support/word_call.h"
#include "veritytool/gf256.h"

/// Arithmetic in GF(2^8), and every core of it called directly, as arch/gf256_core.h describes the call.

namespace verity {

static void PrintTo(const Gf256Core& core, std::ostream* out) {
    *out << core.name;
}

}  // namespace verity

namespace {

using test::Bytes;
using test::GuardedMemory;
using test::Random;
using verity::Gf256Core;

/// The product by its definition: all of the carry-less product, then divided by the polynomial.
std::uint8_t slow_product(unsigned a, unsigned b) {
    unsigned product = 0;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++) product ^= (a >> i & b >> j & 1) << (i + j);
    for (unsigned bit = 14; bit >= 8; bit--)
        if ((product >> bit & 1) != 0) product ^= 0x11du << (bit - 8);
    return static_cast<std::uint8_t>(product);
}

std::uint8_t byte(unsigned value) {
    return static_cast<std::uint8_t>(value);
}

TEST(Gf256, MultipliesAsDefined) {
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            ASSERT_EQ(verity::gf256_multiply(byte(a), byte(b)), slow_product(a, b)) << a << " * " << b;
}

TEST(Gf256, DividesByAllButZero) {
    for (unsigned b = 1; b < 256; b++) {
        EXPECT_EQ(slow_product(b, verity::gf256_inverse(byte(b))), 1) << b;
        for (unsigned a = 0; a < 256; a++)
            ASSERT_EQ(slow_product(verity::gf256_divide(byte(a), byte(b)), b), a) << a << " / " << b;
    }
}

TEST(Gf256, PowersAreRepeatedProducts) {
    for (unsigned base = 0; base < 256; base++) {
        std::uint8_t power = 1;
        for (unsigned exponent = 0; exponent < 520; exponent++, power = slow_product(power, base))
            ASSERT_EQ(verity::gf256_power(byte(base), exponent), power) << base << " to the power of " << exponent;
    }
    EXPECT_EQ(verity::gf256_power(3, 255'000'000'000 + 7), verity::gf256_power(3, 7));
}

TEST(Gf256, AlphaGeneratesTheField) {
    std::set<std::uint8_t> powers;
    for (unsigned exponent = 0; exponent < 255; exponent++) powers.insert(verity::gf256_alpha(exponent));
    EXPECT_EQ(powers.size(), 255u);
    EXPECT_FALSE(powers.contains(0));
    EXPECT_EQ(verity::gf256_alpha(1), 2);
    EXPECT_EQ(verity::gf256_alpha(8), 0x1d) << "x^8 is what is left of the polynomial";
    EXPECT_EQ(verity::gf256_alpha(255), 1);
}

TEST(Gf256, IsConstantExpression) {
    static_assert(verity::gf256_divide(verity::gf256_multiply(0x53, 0xca), 0xca) == 0x53);
    static_assert(verity::gf256_alpha(254) == verity::gf256_inverse(2));
}

/// GF2P8AFFINEQB with a zero constant, as Intel SDM volume 2A has it.
std::uint8_t affine(std::uint64_t matrix, unsigned x) {
    unsigned result = 0;
    for (unsigned i = 0; i < 8; i++)
        result |= static_cast<unsigned>(std::popcount(matrix >> (8 * (7 - i)) & 0xff & x) & 1) << i;
    return byte(result);
}

TEST(Gf256Tables, MultiplyByEachFactor) {
    for (unsigned f = 0; f < 256; f++)
        for (unsigned b = 0; b < 256; b++) {
            const arch::Gf256Nibbles& nibbles = arch::kGf256Nibbles[f];
            ASSERT_EQ(nibbles.low[b & 15] ^ nibbles.high[b >> 4], slow_product(f, b)) << f << " * " << b;
            ASSERT_EQ(affine(arch::kGf256Matrices[f], b), slow_product(f, b)) << f << " * " << b;
        }
}

TEST(Gf256Registry, NamesDifferAndThePortableCoreIsLast) {
    std::set<std::string_view> names;
    for (const Gf256Core& core : verity::gf256_cores()) {
        EXPECT_TRUE(names.insert(core.name).second) << core.name;
        EXPECT_TRUE(core.name.starts_with("gf256_")) << core.name;
        EXPECT_EQ(verity::find_gf256_core(core.name), &core);
        EXPECT_EQ(verity::usable(core), (core.needs & ~arch::cpu_features()) == 0) << core.name;
    }
    EXPECT_EQ(verity::gf256_cores().back().name, "gf256_portable");
    EXPECT_EQ(verity::gf256_cores().back().needs, 0u);
    EXPECT_EQ(verity::find_gf256_core("gf256"), nullptr);
    EXPECT_EQ(verity::find_gf256_core(""), nullptr);
}

TEST(Gf256Registry, TheBestCoreIsTheFirstThatIsUsable) {
    const Gf256Core& best = verity::best_gf256_core();
    EXPECT_TRUE(verity::usable(best));
    for (const Gf256Core& core : verity::gf256_cores()) {
        if (&core == &best) break;
        EXPECT_FALSE(verity::usable(core)) << core.name;
    }
}

/// A core file that no line lists would be built and never used.
TEST(Gf256Registry, EveryCoreFileOfThisArchitectureIsListed) {
#if defined(__x86_64__)
    const std::string folder = "x86";
#elif defined(__aarch64__)
    const std::string folder = "arm64";
#elif defined(__arm__)
    const std::string folder = "arm";
#else
    GTEST_SKIP() << "no cores for this architecture";
    const std::string folder;
#endif
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(VERITYTOOL_SOURCE_DIR "/arch/" + folder)) {
        const std::string name = entry.path().stem();
        const bool is_source = entry.path().extension() == ".S" || entry.path().extension() == ".cc";
        if (!is_source || !name.starts_with("gf256_")) continue;
        found++;
        EXPECT_NE(verity::find_gf256_core(name), nullptr) << entry.path();
    }
    EXPECT_EQ(found + 1, verity::gf256_cores().size());
}

/// The numbers of a call; strides are in bytes, offsets those of the first rows from the edge of their memory.
struct Shape {
    std::size_t rows, sources, size;
    std::size_t sums_gap, in_gap;  ///< between rows
    std::size_t sums_offset, in_offset;

    std::size_t sums_stride() const { return size + sums_gap; }
    std::size_t in_stride() const { return size + in_gap; }
    std::size_t sums_span() const { return (rows - 1) * sums_stride() + size; }
    std::size_t in_span() const { return (sources - 1) * in_stride() + size; }

    std::string describe(const Gf256Core& core) const {
        return std::string(core.name) + ": rows " + std::to_string(rows) + ", sources " + std::to_string(sources) +
               ", size " + std::to_string(size) + ", gaps " + std::to_string(sums_gap) + " and " +
               std::to_string(in_gap) + ", offsets " + std::to_string(sums_offset) + " and " +
               std::to_string(in_offset);
    }
};

class EachGf256Core : public testing::TestWithParam<Gf256Core> {
  protected:
    void SetUp() override {
        if (!verity::usable(core)) GTEST_SKIP() << "this processor cannot run " << core.name;
        for (unsigned a = 0; a < 256; a++)
            for (unsigned b = 0; b < 256; b++) products_[a][b] = slow_product(a, b);
    }

    /// What `sums` should hold after the call: bytes between rows are as they were.
    Bytes expected(Bytes sums, const Bytes& in, const Bytes& factors, const Shape& shape) const {
        for (std::size_t s = 0; s < shape.sources; s++)
            for (std::size_t r = 0; r < shape.rows; r++) {
                const std::uint8_t* const product = products_[factors[s * shape.rows + r]];
                for (std::size_t b = 0; b < shape.size; b++)
                    sums[r * shape.sums_stride() + b] ^= product[in[s * shape.in_stride() + b]];
            }
        return sums;
    }

    Shape random_shape() {
        Shape shape{};
        shape.rows = random.between(1, kGf256MaxRows);
        // Now and then as many bytes as go through several of a core's pieces.
        shape.size = kGf256SizeUnit * random.between(1, random.below(4) == 0 ? 150 : 20);
        shape.sources = random.between(1, random.coin() ? 3 : 40);
        shape.sums_gap = random.coin() ? 0 : random.between(0, 130);
        shape.in_gap = random.coin() ? 0 : random.between(0, 130);
        shape.sums_offset = random.coin() ? 0 : random.between(0, 64);
        shape.in_offset = random.coin() ? 0 : random.between(0, 64);
        return shape;
    }

    const Gf256Core core = GetParam();
    Random random;

  private:
    std::uint8_t products_[256][256];
};
INSTANTIATE_TEST_SUITE_P(Cores, EachGf256Core, testing::ValuesIn(verity::gf256_cores()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EachGf256Core, MultipliesAllBytesByAllFactors) {
    Bytes in(256);
    for (unsigned b = 0; b < 256; b++) in[b] = byte(b);
    // In every row of every number of rows, with one source and with two.
    for (std::size_t rows = 1; rows <= kGf256MaxRows; rows++)
        for (unsigned first = 0; first < 256; first++) {
            const Shape one{rows, 1, 256, 0, 0, 0, 0};
            Bytes factors(rows);
            for (std::size_t r = 0; r < rows; r++) factors[r] = byte(first + static_cast<unsigned>(r));
            Bytes sums(one.sums_span());
            const Bytes sums_of_one = expected(sums, in, factors, one);
            core.function(sums.data(), 256, rows, in.data(), 256, 1, 256, factors.data());
            ASSERT_EQ(sums, sums_of_one) << one.describe(core) << ", factors from " << first;

            const Shape two{rows, 2, 256, 0, 0, 0, 0};
            Bytes ins = in;
            ins.insert(ins.end(), in.rbegin(), in.rend());
            factors.insert(factors.end(), factors.rbegin(), factors.rend());
            const Bytes sums_of_two = expected(sums, ins, factors, two);
            core.function(sums.data(), 256, rows, ins.data(), 256, 2, 256, factors.data());
            ASSERT_EQ(sums, sums_of_two) << two.describe(core) << ", factors from " << first;
        }
}

TEST_P(EachGf256Core, TouchesItsRowsAlone) {
    constexpr std::size_t kMost = 40 * (kGf256SizeUnit * 150 + 130) + 64;
    const GuardedMemory sums_memory(kMost), in_memory(kMost), factors_memory(kGf256MaxRows * 40);
    for (int i = 0; i < 300; i++) {
        const Shape shape = random_shape();
        const bool at_end = random.coin();
        const auto place = [at_end](const GuardedMemory& memory, std::size_t size, std::size_t offset) {
            return at_end ? memory.at_end(size, offset) : memory.at_begin(size, offset);
        };
        // Written to everywhere, so that what is changed beside the rows shows.
        const auto sums = place(sums_memory, shape.sums_span(), shape.sums_offset);
        const auto around = place(sums_memory, shape.sums_span() + shape.sums_offset + 64, 0);
        const auto in = place(in_memory, shape.in_span(), shape.in_offset);
        const auto factors = place(factors_memory, shape.rows * shape.sources, 0);
        random.fill(around);
        in_memory.set_writable(true);
        factors_memory.set_writable(true);
        random.fill(in);
        random.fill(factors);
        in_memory.set_writable(false);
        factors_memory.set_writable(false);

        Bytes after(around.begin(), around.end());
        const std::size_t begin = static_cast<std::size_t>(sums.data() - around.data());
        const Bytes rows = expected(Bytes(sums.begin(), sums.end()), Bytes(in.begin(), in.end()),
                                    Bytes(factors.begin(), factors.end()), shape);
        std::ranges::copy(rows, after.begin() + static_cast<std::ptrdiff_t>(begin));

        const std::string fault = test::fault_of([&] {
            core.function(sums.data(), shape.sums_stride(), shape.rows, in.data(), shape.in_stride(), shape.sources,
                          shape.size, factors.data());
        });
        ASSERT_EQ(fault, "") << shape.describe(core) << (at_end ? ", before a guard" : ", behind a guard");
        ASSERT_TRUE(std::ranges::equal(around, after))
            << shape.describe(core) << (at_end ? ", before a guard" : ", behind a guard");
    }
}

TEST_P(EachGf256Core, TakesACodewordsWorthOfSources) {
    for (const std::size_t rows : {std::size_t{2}, std::size_t{24}}) {
        const Shape shape{rows, 255 - rows, 4096, 0, 0, 0, 0};
        Bytes sums = random.bytes(shape.sums_span());
        const Bytes in = random.bytes(shape.in_span()), factors = random.bytes(rows * shape.sources);
        const Bytes after = expected(sums, in, factors, shape);
        core.function(sums.data(), shape.sums_stride(), rows, in.data(), shape.in_stride(), shape.sources, shape.size,
                      factors.data());
        EXPECT_EQ(sums, after) << shape.describe(core);
    }
}

TEST_P(EachGf256Core, IgnoresTheStrideOfOneRowAndOneSource) {
    const Shape shape{1, 1, 640, 0, 0, 0, 0};
    Bytes sums = random.bytes(640);
    const Bytes in = random.bytes(640), factors = random.bytes(1);
    const Bytes after = expected(sums, in, factors, shape);
    core.function(sums.data(), 0, 1, in.data(), 0, 1, 640, factors.data());
    EXPECT_EQ(sums, after) << shape.describe(core);
}

TEST_P(EachGf256Core, KeepsRegisters) {
    for (int i = 0; i < 50; i++) {
        const Shape shape = random_shape();
        Bytes sums = random.bytes(shape.sums_span());
        const Bytes in = random.bytes(shape.in_span()), factors = random.bytes(shape.rows * shape.sources);
        const auto address = [](auto* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
        test::WordCall words{address(core.function),
                             {address(sums.data()), shape.sums_stride(), shape.rows, address(in.data()),
                              shape.in_stride(), shape.sources, shape.size, address(factors.data())}};
        test::AbiFrame frame{};
        frame.function = address(&test::word_call);
        frame.state = address(&words);
        for (std::uint64_t& word : frame.scratch) word = random.word();
        for (std::uint64_t& word : frame.before) word = random.word();
        std::ranges::copy(frame.before, frame.after);
        test::abi_call(&frame);
        for (std::size_t slot = 0; slot < test::kAbiSlotNames.size(); slot++)
            EXPECT_EQ(frame.after[slot], frame.before[slot])
                << shape.describe(core) << " changes " << test::kAbiSlotNames[slot];
    }
}

}  // namespace
