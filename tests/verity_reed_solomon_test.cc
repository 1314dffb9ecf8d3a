#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/random.h"
#include "veritytool/gf256.h"
#include "veritytool/reed_solomon.h"

/// The code against a division of polynomials as simple as the definition reads.

namespace verity {
namespace {

using test::Bytes;

/// The remainder of data * x^roots by the generator, symbol by symbol.
Bytes slow_parity(std::span<const std::uint8_t> data, unsigned roots) {
    Bytes generator{1};
    for (unsigned i = 0; i < roots; i++) {  // times (x - a^i)
        Bytes next(generator.size() + 1);
        for (std::size_t j = 0; j < generator.size(); j++) {
            next[j] ^= generator[j];
            next[j + 1] ^= gf256_multiply(generator[j], gf256_alpha(i));
        }
        generator = next;
    }
    Bytes rest(data.begin(), data.end());
    rest.resize(data.size() + roots);
    for (std::size_t i = 0; i < data.size(); i++) {
        const std::uint8_t factor = rest[i];
        for (std::size_t j = 0; j < generator.size(); j++) rest[i + j] ^= gf256_multiply(factor, generator[j]);
    }
    return {rest.end() - roots, rest.end()};
}

/// As the encoder makes it, from the factors.
Bytes parity_by_factors(const ReedSolomon& code, std::span<const std::uint8_t> data) {
    const Bytes factors = code.factors(code.roots());
    Bytes parity(code.roots());
    for (std::size_t i = 0; i < data.size(); i++)
        for (unsigned t = 0; t < code.roots(); t++) parity[t] ^= gf256_multiply(factors[i * code.roots() + t], data[i]);
    return parity;
}

class ReedSolomonTest : public testing::TestWithParam<unsigned> {
  protected:
    ReedSolomonTest() : code_(GetParam()), codeword_(random_.bytes(code_.sources())) {
        const Bytes parity = slow_parity(codeword_, code_.roots());
        codeword_.insert(codeword_.end(), parity.begin(), parity.end());
    }

    Bytes residual(const Bytes& received) const {
        Bytes residual = slow_parity(std::span(received).first(code_.sources()), code_.roots());
        for (unsigned t = 0; t < code_.roots(); t++) residual[t] ^= received[code_.sources() + t];
        return residual;
    }

    /// Different positions below `bound`.
    std::vector<unsigned> positions(std::size_t count, unsigned bound) {
        std::vector<unsigned> all(bound);
        std::iota(all.begin(), all.end(), 0u);
        for (std::size_t i = 0; i < count; i++) std::swap(all[i], all[random_.between(i, bound - 1)]);
        all.resize(count);
        return all;
    }

    test::Random random_;
    ReedSolomon code_;
    Bytes codeword_;
};

TEST_P(ReedSolomonTest, ParityIsTheRemainder) {
    const auto data = std::span(codeword_).first(code_.sources());
    EXPECT_EQ(parity_by_factors(code_, data), slow_parity(data, code_.roots()));
}

TEST_P(ReedSolomonTest, FewerRowsAreTheFirstOnes) {
    const Bytes all = code_.factors(code_.roots());
    for (unsigned rows = 1; rows < code_.roots(); rows++) {
        const Bytes some = code_.factors(rows);
        ASSERT_EQ(some.size(), std::size_t{rows} * code_.sources());
        for (unsigned i = 0; i < code_.sources(); i++)
            for (unsigned t = 0; t < rows; t++) ASSERT_EQ(some[i * rows + t], all[i * code_.roots() + t]);
    }
}

TEST_P(ReedSolomonTest, ErasuresUpToTheLimitAreSolved) {
    for (unsigned erased = 1; erased <= code_.roots(); erased++) {
        const auto where = positions(erased, code_.sources());
        Bytes received = codeword_;
        for (unsigned position : where) received[position] = 0;
        const Bytes rest = residual(received);
        const Bytes factors = code_.erasure_factors(where);
        for (unsigned i = 0; i < erased; i++) {
            std::uint8_t value = 0;
            for (unsigned t = 0; t < erased; t++) value ^= gf256_multiply(factors[t * erased + i], rest[t]);
            ASSERT_EQ(value, codeword_[where[i]]) << erased << " erasures";
        }
    }
}

TEST_P(ReedSolomonTest, ErrorsAndErasuresUpToTheLimitAreDecoded) {
    for (unsigned erased = 0; erased <= code_.roots(); erased++) {
        for (unsigned errors = 0; erased + 2 * errors <= code_.roots(); errors++) {
            auto where = positions(erased + errors, kFecCodeword);
            Bytes received = codeword_;
            for (unsigned i = 0; i < where.size(); i++)
                received[where[i]] ^=
                    static_cast<std::uint8_t>(i < erased ? random_.below(256) : random_.between(1, 255));
            where.resize(erased);
            const auto corrections = code_.decode(residual(received), where);
            ASSERT_TRUE(corrections) << erased << " erasures, " << errors << " errors";
            for (const auto& [position, value] : corrections->all()) received[position] ^= value;
            ASSERT_EQ(received, codeword_) << erased << " erasures, " << errors << " errors";
        }
    }
}

TEST_P(ReedSolomonTest, TooManyErrorsNeverLeaveSomethingThatIsNoCodeword) {
    unsigned refused = 0;
    constexpr unsigned kRuns = 200;
    for (unsigned run = 0; run < kRuns; run++) {
        Bytes received = codeword_;
        for (unsigned position : positions(code_.roots() / 2 + 1 + random_.below(8), kFecCodeword))
            received[position] ^= static_cast<std::uint8_t>(random_.between(1, 255));
        const auto corrections = code_.decode(residual(received), {});
        refused += !corrections;
        if (!corrections) continue;
        ASSERT_LE(corrections->count, code_.roots() / 2);
        for (const auto& [position, value] : corrections->all()) received[position] ^= value;
        ASSERT_EQ(residual(received), Bytes(code_.roots()));
    }
    // Of all residuals about one in t! is that of t = roots / 2 errors.
    if (code_.roots() > 5) {
        EXPECT_GT(refused, kRuns / 2);
    }
}

TEST_P(ReedSolomonTest, NothingWrongNeedsNoCorrection) {
    const auto corrections = code_.decode(Bytes(code_.roots()), {});
    ASSERT_TRUE(corrections);
    EXPECT_EQ(corrections->count, 0u);
}

INSTANTIATE_TEST_SUITE_P(Roots, ReedSolomonTest, testing::Range(kMinFecRoots, kMaxFecRoots + 1));

}  // namespace
}  // namespace verity
