#include "veritytool/reed_solomon.h"

#include <algorithm>
#include <cassert>

#include "veritytool/gf256.h"

namespace verity {
namespace {

/// Logarithms to the base 2 and powers of it, so that decoding many codewords does not multiply bit by bit.
struct Tables {
    std::array<std::uint8_t, 256> log{};
    std::array<std::uint8_t, 2 * kFecCodeword> exp{};
};

constexpr Tables make_tables() {
    Tables tables;
    std::uint8_t power = 1;
    for (unsigned i = 0; i < kFecCodeword; i++) {
        tables.exp[i] = tables.exp[i + kFecCodeword] = power;
        tables.log[power] = static_cast<std::uint8_t>(i);
        power = gf256_multiply(power, 2);
    }
    return tables;
}

constexpr Tables kTables = make_tables();

std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
    return a == 0 || b == 0 ? std::uint8_t{0} : kTables.exp[kTables.log[a] + kTables.log[b]];
}

std::uint8_t divide(std::uint8_t a, std::uint8_t b) {
    return a == 0 ? std::uint8_t{0} : kTables.exp[kTables.log[a] + kFecCodeword - kTables.log[b]];
}

std::uint8_t alpha(unsigned exponent) {
    return kTables.exp[exponent % kFecCodeword];
}

/// Coefficients, the constant one first. Locators have a degree of at most kMaxFecRoots, products twice that.
using Polynomial = std::array<std::uint8_t, 2 * kMaxFecRoots + 2>;

std::uint8_t evaluate(const Polynomial& p, unsigned degree, std::uint8_t x) {
    std::uint8_t value = 0;
    for (unsigned i = degree + 1; i-- > 0;) value = multiply(value, x) ^ p[i];
    return value;
}

/// The product of two polynomials modulo x^terms.
Polynomial multiply(const Polynomial& a, const Polynomial& b, unsigned terms) {
    Polynomial product{};
    for (unsigned i = 0; i < terms; i++)
        for (unsigned j = 0; a[i] != 0 && i + j < terms; j++)
            product[i + j] = static_cast<std::uint8_t>(product[i + j] ^ multiply(a[i], b[j]));
    return product;
}

/// The inverse of a regular n by n matrix in rows, by Gauss and Jordan.
std::vector<std::uint8_t> inverse(std::vector<std::uint8_t> m, std::size_t n) {
    std::vector<std::uint8_t> out(n * n);
    for (std::size_t i = 0; i < n; i++) out[i * n + i] = 1;
    for (std::size_t column = 0; column < n; column++) {
        std::size_t pivot = column;
        while (m[pivot * n + column] == 0) pivot++;
        for (std::size_t i = 0; i < n; i++) {
            std::swap(m[pivot * n + i], m[column * n + i]);
            std::swap(out[pivot * n + i], out[column * n + i]);
        }
        const std::uint8_t scale = gf256_inverse(m[column * n + column]);
        for (std::size_t i = 0; i < n; i++) {
            m[column * n + i] = multiply(m[column * n + i], scale);
            out[column * n + i] = multiply(out[column * n + i], scale);
        }
        for (std::size_t row = 0; row < n; row++) {
            const std::uint8_t factor = m[row * n + column];
            if (row == column || factor == 0) continue;
            for (std::size_t i = 0; i < n; i++) {
                m[row * n + i] = static_cast<std::uint8_t>(m[row * n + i] ^ multiply(factor, m[column * n + i]));
                out[row * n + i] = static_cast<std::uint8_t>(out[row * n + i] ^ multiply(factor, out[column * n + i]));
            }
        }
    }
    return out;
}

}  // namespace

ReedSolomon::ReedSolomon(unsigned roots) : roots_(roots) {
    assert(roots >= kMinFecRoots && roots <= kMaxFecRoots);
    // The generator without its leading 1, highest degree first.
    std::vector<std::uint8_t> generator(roots);
    for (unsigned degree = 0; degree < roots; degree++) {
        // (x^degree + g) (x + a^degree)
        std::uint8_t above = 1;
        for (unsigned i = 0; i <= degree; i++) {
            const std::uint8_t here = i < degree ? generator[i] : std::uint8_t{0};
            generator[i] = static_cast<std::uint8_t>(here ^ multiply(above, alpha(degree)));
            above = here;
        }
    }
    // A 1 at the last data symbol is x^roots, whose remainder is the generator's tail; one symbol before is x times
    // that.
    parity_.resize(std::size_t{sources()} * roots);
    std::vector<std::uint8_t> remainder = generator;
    for (unsigned position = sources(); position-- > 0;) {
        std::ranges::copy(remainder, &parity_[std::size_t{position} * roots]);
        const std::uint8_t carry = remainder[0];
        for (unsigned t = 0; t < roots; t++) {
            const std::uint8_t next = t + 1 < roots ? remainder[t + 1] : std::uint8_t{0};
            remainder[t] = static_cast<std::uint8_t>(next ^ multiply(carry, generator[t]));
        }
    }
}

std::vector<std::uint8_t> ReedSolomon::factors(unsigned rows) const {
    std::vector<std::uint8_t> factors;
    factors.reserve(std::size_t{sources()} * rows);
    for (unsigned position = 0; position < sources(); position++)
        for (unsigned t = 0; t < rows; t++) factors.push_back(parity_[std::size_t{position} * roots_ + t]);
    return factors;
}

std::vector<std::uint8_t> ReedSolomon::erasure_factors(std::span<const unsigned> positions) const {
    const std::size_t n = positions.size();
    assert(n <= roots_);
    // residual[t] = sum of parity[position i][t] * erased[i]. Any square part of the parity matrix is regular, since
    // the code has the largest distance there can be.
    std::vector<std::uint8_t> matrix(n * n);
    for (std::size_t t = 0; t < n; t++)
        for (std::size_t i = 0; i < n; i++) matrix[t * n + i] = parity_[std::size_t{positions[i]} * roots_ + t];
    const std::vector<std::uint8_t> solved = inverse(std::move(matrix), n);
    std::vector<std::uint8_t> factors(n * n);
    for (std::size_t t = 0; t < n; t++)
        for (std::size_t i = 0; i < n; i++) factors[t * n + i] = solved[i * n + t];
    return factors;
}

std::optional<ReedSolomon::Corrections> ReedSolomon::decode(std::span<const std::uint8_t> residual,
                                                            std::span<const unsigned> erasures) const {
    Corrections corrections;
    if (std::ranges::all_of(residual, [](std::uint8_t b) { return b == 0; })) return corrections;
    if (erasures.size() > roots_) return std::nullopt;

    // Syndrome i is the received polynomial's value, hence the residual's, at a^i.
    Polynomial syndromes{};
    for (unsigned i = 0; i < roots_; i++) {
        std::uint8_t value = 0;
        for (unsigned t = 0; t < roots_; t++) value = multiply(value, alpha(i)) ^ residual[t];
        syndromes[i] = value;
    }

    // Berlekamp-Massey with the erasures' locator to begin with (Blahut, Algebraic Codes for Data Transmission, section
    // 7.4): `locator` becomes the product of (1 - X x) over all that is wrong, X = a^(254 - position).
    Polynomial locator{1};
    const auto erased = static_cast<unsigned>(erasures.size());
    for (unsigned i = 0; i < erased; i++) {
        const std::uint8_t x = alpha(kFecCodeword - 1 - erasures[i]);
        for (unsigned j = i + 1; j > 0; j--)
            locator[j] = static_cast<std::uint8_t>(locator[j] ^ multiply(locator[j - 1], x));
    }
    Polynomial earlier = locator;
    unsigned length = erased;
    for (unsigned r = erased; r < roots_; r++) {
        std::uint8_t discrepancy = 0;
        for (unsigned i = 0; i <= std::min(r, kMaxFecRoots); i++)
            discrepancy = static_cast<std::uint8_t>(discrepancy ^ multiply(locator[i], syndromes[r - i]));
        std::copy_backward(earlier.begin(), earlier.end() - 1, earlier.end());  // times x
        earlier[0] = 0;
        if (discrepancy == 0) continue;
        Polynomial next = locator;
        for (unsigned i = 0; i < next.size(); i++)
            next[i] = static_cast<std::uint8_t>(next[i] ^ multiply(discrepancy, earlier[i]));
        if (2 * length <= r + erased) {
            for (unsigned i = 0; i < earlier.size(); i++) earlier[i] = divide(locator[i], discrepancy);
            length = r + 1 + erased - length;
        }
        locator = next;
    }
    unsigned degree = 0;
    for (unsigned i = 0; i < locator.size(); i++)
        if (locator[i] != 0) degree = i;
    if (degree != length || degree > roots_ || erased + 2 * (degree - erased) > roots_) return std::nullopt;

    // Forney: with the first root 0 the value at X is X * evaluator(1/X) / locator'(1/X).
    const Polynomial evaluator = multiply(syndromes, locator, roots_);
    Polynomial derivative{};
    for (unsigned i = 1; i <= degree; i += 2) derivative[i - 1] = locator[i];
    for (unsigned position = 0; position < kFecCodeword && corrections.count < degree; position++) {
        const unsigned power = kFecCodeword - 1 - position;
        const std::uint8_t inverse_x = alpha(kFecCodeword - power);
        if (evaluate(locator, degree, inverse_x) != 0) continue;
        const std::uint8_t below = evaluate(derivative, degree, inverse_x);
        if (below == 0) return std::nullopt;
        const std::uint8_t value = multiply(alpha(power), divide(evaluate(evaluator, roots_ - 1, inverse_x), below));
        corrections.list[corrections.count++] = {position, value};
    }
    if (corrections.count != degree) return std::nullopt;
    return corrections;
}

}  // namespace verity
