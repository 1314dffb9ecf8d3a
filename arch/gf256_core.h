#ifndef VERITYTOOL_ARCH_GF256_CORE_H
#define VERITYTOOL_ARCH_GF256_CORE_H

#include <stddef.h>
#include <stdint.h>

/// The interface of a GF(2^8) core: rows of bytes multiplied by factors and added up, which is all that the bulk of
/// Reed-Solomon coding is.
///
/// A byte is a polynomial over GF(2), bit i being the coefficient of x^i, modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), of
/// which x is a primitive root: the field of dm-verity's forward error correction (init_rs(8, 0x11d, 0, 1, ...) in
/// Linux drivers/md/dm-verity-fec.c). Addition is exclusive or.
///
/// This header is plain C in substance, so that core files need no C++ library header.

/// The polynomial.
enum { kGf256Polynomial = 0x11d };

/// The most rows that one call takes: the most parity bytes of a codeword that dm-verity allows.
enum { kGf256MaxRows = 24 };

/// Sizes are multiples of this many bytes.
enum { kGf256SizeUnit = 64 };

extern "C" {

/// What every GF(2^8) core is: adds products of `sources` rows of input to `rows` rows of sums,
///
///   sums[r * sums_stride + b] ^= the sum over s < sources of factors[s * rows + r] * in[s * in_stride + b]
///
/// for all r < rows and b < size.
///
/// sums         in and out; `size` bytes at each multiple of sums_stride, of any alignment; the rows do not overlap one
///              another. Bytes between rows are neither read nor written.
/// sums_stride  bytes from one row to the next; ignored where rows is 1.
/// rows         1 to kGf256MaxRows.
/// in           `size` bytes at each multiple of in_stride, of any alignment; does not overlap sums. Bytes between rows
///              are not read.
/// in_stride    bytes from one source to the next; ignored where sources is 1.
/// sources      at least 1.
/// size         bytes of a row, a positive multiple of kGf256SizeUnit.
/// factors      sources * rows bytes, those of a source together; 0 and 1 are factors like others.
///
/// Rows that begin at multiples of 64 bytes are read and written fastest. Nothing here is secret: time and addresses
/// may depend on factors.
typedef void Gf256MulAdd(uint8_t* sums, size_t sums_stride, size_t rows, const uint8_t* in, size_t in_stride,
                         size_t sources, size_t size, const uint8_t* factors);

}  // extern "C"

#endif
