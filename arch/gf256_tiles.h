#ifndef VERITYTOOL_ARCH_GF256_TILES_H
#define VERITYTOOL_ARCH_GF256_TILES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/gf256_core.h"

/// A Gf256MulAdd (arch/gf256_core.h) cut into pieces that fit the first-level cache and tiles that fit registers, for
/// any vector unit.
///
/// In an unnamed namespace: core files include this and are compiled with different instruction sets.

namespace arch {
namespace {

/// `Unit` says how an instruction set multiplies:
///   Vector                   some bytes of a row
///   load(from), store(to, v)
///   Source, prepare(v)       bytes of a source, and what is made of them once for all rows
///   Factor, factor(f)        what multiplies by the byte f, found in a table
///   multiply_add(v, F, S)    v plus the product
///   multiply_add_row(sums, f, sources)  the same for a row of a tile; only if it has a better way of its own
///   kRows, kVectors          the tile whose sums stay in registers while factors and sources go by: rows, a power of
///                            two, and vectors of each
///   kOneSourceVectors        vectors of each row that are worked on together where factors stay in registers instead
template <class Unit>
class Gf256Tiles {
    using Vector = typename Unit::Vector;
    using Source = typename Unit::Source;
    using Factor = typename Unit::Factor;

    static_assert(kGf256SizeUnit % (Unit::kVectors * sizeof(Vector)) == 0);
    static_assert(kGf256SizeUnit % (Unit::kOneSourceVectors * sizeof(Vector)) == 0);

    /// Sources that sums are loaded and stored once for.
    static constexpr size_t kSources = 8;

    /// Bytes of the piece of sums and of kSources sources that is worked on: half of a first-level cache, or less.
    static constexpr size_t kPiece = 16384;

    /// Bytes of a row in a piece of one source, which is only read again.
    static constexpr size_t kOneSourceColumns = 4096;

    struct Operands {
        uint8_t* sums;
        size_t sums_stride;
        const uint8_t* in;
        size_t in_stride;
        size_t sources;
        size_t size;
        const uint8_t* factors;
        size_t factors_stride;  ///< from those of one source to those of the next
    };

    static void multiply_add_row(Vector (&sum)[Unit::kVectors], uint8_t f, const Source (&source)[Unit::kVectors]) {
        if constexpr (requires { Unit::multiply_add_row(sum, f, source); }) {
            Unit::multiply_add_row(sum, f, source);
        } else {
            const Factor factor = Unit::factor(f);
#pragma GCC unroll 8
            for (size_t v = 0; v < Unit::kVectors; v++) sum[v] = Unit::multiply_add(sum[v], factor, source[v]);
        }
    }

    /// Up to kSources sources for kRows rows: tile by tile along the rows.
    template <size_t kRows>
    static void several_sources(const Operands& o) {
        constexpr size_t kVectors = Unit::kVectors;
        for (size_t at = 0; at < o.size; at += kVectors * sizeof(Vector)) {
            Vector sum[kRows][kVectors];
            uint8_t* to = o.sums + at;
#pragma GCC unroll 8
            for (size_t r = 0; r < kRows; r++)
#pragma GCC unroll 8
                for (size_t v = 0; v < kVectors; v++)
                    sum[r][v] = Unit::load(to + r * o.sums_stride + v * sizeof(Vector));
            const uint8_t* in = o.in + at;
            const uint8_t* factors = o.factors;
            for (size_t s = o.sources; s > 0; s--, in += o.in_stride, factors += o.factors_stride) {
                Source source[kVectors];
#pragma GCC unroll 8
                for (size_t v = 0; v < kVectors; v++) source[v] = Unit::prepare(Unit::load(in + v * sizeof(Vector)));
#pragma GCC unroll 8
                for (size_t r = 0; r < kRows; r++) multiply_add_row(sum[r], factors[r], source);
            }
#pragma GCC unroll 8
            for (size_t r = 0; r < kRows; r++)
#pragma GCC unroll 8
                for (size_t v = 0; v < kVectors; v++)
                    Unit::store(to + r * o.sums_stride + v * sizeof(Vector), sum[r][v]);
        }
    }

    /// One source: the factors, not the sums, stay in registers.
    template <size_t kRows>
    static void one_source(const Operands& o) {
        Factor factor[kRows];
#pragma GCC unroll 8
        for (size_t r = 0; r < kRows; r++) factor[r] = Unit::factor(o.factors[r]);
        constexpr size_t kVectors = Unit::kOneSourceVectors;
        for (size_t at = 0; at < o.size; at += kVectors * sizeof(Vector)) {
            Source source[kVectors];
#pragma GCC unroll 8
            for (size_t v = 0; v < kVectors; v++) source[v] = Unit::prepare(Unit::load(o.in + at + v * sizeof(Vector)));
#pragma GCC unroll 8
            for (size_t r = 0; r < kRows; r++) {
                uint8_t* const to = o.sums + r * o.sums_stride + at;
                Vector sum[kVectors];
#pragma GCC unroll 8
                for (size_t v = 0; v < kVectors; v++)
                    sum[v] = Unit::multiply_add(Unit::load(to + v * sizeof(Vector)), factor[r], source[v]);
#pragma GCC unroll 8
                for (size_t v = 0; v < kVectors; v++) Unit::store(to + v * sizeof(Vector), sum[v]);
            }
        }
    }

    /// `rows` rows, kRows at a time while there are as many, then fewer.
    template <size_t kRows>
    static void all_rows(Operands o, size_t rows) {
        for (; rows >= kRows; rows -= kRows, o.sums += kRows * o.sums_stride, o.factors += kRows) {
            if (o.sources == 1)
                one_source<kRows>(o);
            else
                several_sources<kRows>(o);
        }
        if constexpr (kRows > 1)
            if (rows > 0) all_rows<kRows / 2>(o, rows);
    }

    static size_t smaller(size_t a, size_t b) {
        return a < b ? a : b;
    }

    static void copy_rows(uint8_t* to, size_t to_stride, const uint8_t* from, size_t from_stride, size_t rows,
                          size_t size) {
        for (size_t r = 0; r < rows; r++) memcpy(to + r * to_stride, from + r * from_stride, size);
    }

    /// Asks for what is worked on next: runs of a source are too short for the processor to foresee it. Measured on
    /// Zen 3, 253 sources that lie in memory: +10 % for 8 rows, +25 % for 24; for 2 rows, where there is little time to
    /// wait in, -20 %.
    static void prefetch_rows(const uint8_t* from, size_t from_stride, size_t rows, size_t size) {
        for (size_t r = 0; r < rows; r++)
            for (size_t at = 0; at < size; at += 64) __builtin_prefetch(from + r * from_stride + at);
    }

    /// One piece of rows. What will be read several times is copied together first: rows are often a power of two
    /// apart, and then get in one another's way in the cache.
    static void piece(Operands o, size_t rows) {
        alignas(64) uint8_t sums[kPiece];
        const bool copies_sums = o.sources > kSources, copies_sources = o.sources > 1 && rows > Unit::kRows;
        uint8_t* const sources = sums + rows * o.size;

        Operands group = o;
        if (copies_sums) {
            copy_rows(sums, o.size, o.sums, o.sums_stride, rows, o.size);
            group.sums = sums;
            group.sums_stride = o.size;
        }
        for (size_t s = 0; s < o.sources; s += kSources) {
            group.sources = smaller(kSources, o.sources - s);
            group.factors = o.factors + s * rows;
            group.in = o.in + s * o.in_stride;
            if (copies_sources) {
                copy_rows(sources, o.size, group.in, o.in_stride, group.sources, o.size);
                group.in = sources;
                group.in_stride = o.size;
                if (const size_t next = s + kSources; next < o.sources)
                    prefetch_rows(o.in + next * o.in_stride, o.in_stride, smaller(kSources, o.sources - next), o.size);
            }
            all_rows<Unit::kRows>(group, rows);
        }
        if (copies_sums) copy_rows(o.sums, o.sums_stride, sums, o.size, rows, o.size);
    }

  public:
    static void mul_add(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                        size_t sources, size_t size, const uint8_t* factors) {
        const size_t columns =
            sources == 1 ? kOneSourceColumns : kPiece / (rows + kSources) / kGf256SizeUnit * kGf256SizeUnit;
        for (size_t at = 0; at < size; at += columns)
            piece({sums + at, sums_stride, in + at, in_stride, sources, smaller(columns, size - at), factors, rows},
                  rows);
    }
};

}  // namespace
}  // namespace arch

#endif
