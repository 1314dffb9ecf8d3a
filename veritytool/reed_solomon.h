#ifndef VERITYTOOL_VERITYTOOL_REED_SOLOMON_H
#define VERITYTOOL_VERITYTOOL_REED_SOLOMON_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "veritytool/fec_layout.h"

/// The systematic Reed-Solomon code of dm-verity's error correction: 255 symbols of GF(2^8), of which the last `roots`
/// are parity; symbol p is the coefficient of x^(254-p), and every codeword is a multiple of the generator
/// (x - 1)(x - a)...(x - a^(roots-1)) with a = 2. Source: Linux drivers/md/dm-verity-fec.c (init_rs with first root 0
/// and primitive element 1), lib/reed_solomon.
///
/// Parity is linear in the data. Of what was received a decoder needs only the *residual*: received parity plus the
/// parity of the received data. It is zero for a codeword, and depends on the errors alone.

namespace verity {

class ReedSolomon {
  public:
    /// `roots`: kMinFecRoots to kMaxFecRoots.
    explicit ReedSolomon(unsigned roots);

    unsigned roots() const { return roots_; }
    unsigned sources() const { return kFecCodeword - roots_; }  ///< data symbols of a codeword

    /// Factors for Gf256MulAdd with data symbols as sources and the first `rows` parity symbols as rows of sums:
    /// sources() * rows bytes. `rows`: 1 to roots().
    std::vector<std::uint8_t> factors(unsigned rows) const;

    /// What multiplies the first n residual symbols into the data symbols at n erased positions, which were zero where
    /// the residual was made: factors for Gf256MulAdd with residuals as sources and erased symbols as rows. Positions
    /// differ and are below sources(); at most roots() of them.
    std::vector<std::uint8_t> erasure_factors(std::span<const unsigned> positions) const;

    struct Correction {
        unsigned position;   ///< in the codeword; from sources() on in the parity
        std::uint8_t value;  ///< to be added to the symbol
    };
    struct Corrections {
        unsigned count = 0;
        std::array<Correction, kMaxFecRoots> list;
        std::span<const Correction> all() const { return std::span(list).first(count); }
    };

    /// Errors-and-erasures decoding of one codeword from its residual: corrects the erased positions (whatever they
    /// hold) and e errors elsewhere, if erasures + 2e <= roots. Nothing: there are more errors. With too many it may
    /// also find another codeword, so results are to be checked by other means.
    std::optional<Corrections> decode(std::span<const std::uint8_t> residual, std::span<const unsigned> erasures) const;

  private:
    unsigned roots_;
    std::vector<std::uint8_t> parity_;  // [position * roots + t]: parity symbol t of a 1 at that position
};

}  // namespace verity

#endif
