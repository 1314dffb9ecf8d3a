#ifndef VERITYTOOL_TESTS_SUPPORT_VECTORS_H
#define VERITYTOOL_TESTS_SUPPORT_VECTORS_H

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/bytes.h"

/// The files of tests/vectors: '#' begins a comment line, other lines hold fields between blanks.

namespace test {

/// One line of a vector file.
struct VectorLine {
    std::string where;  ///< "hash_sha.txt:12"
    std::vector<std::string> fields;
};

/// The lines of tests/vectors/`name`. Throws std::runtime_error if there are none.
std::vector<VectorLine> read_vectors(const std::string& name);

/// The bytes that a field stands for:
///   616263        hexadecimal
///   -             none
///   1000000*61    hexadecimal, repeated
///   0..255        as many bytes as the second number says (255), counting up from 00 and again from 00 after ff
/// Throws std::invalid_argument on anything else.
Bytes vector_bytes(std::string_view field);

}  // namespace test

#endif
