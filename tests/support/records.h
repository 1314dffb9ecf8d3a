#ifndef VERITYTOOL_TESTS_SUPPORT_RECORDS_H
#define VERITYTOOL_TESTS_SUPPORT_RECORDS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/bytes.h"

/// The files of tests/vectors that hold records: groups of lines "name = value" with an empty line between them; '#'
/// begins a comment line.

namespace test {

/// One group of lines.
class Record {
  public:
    std::string where;  ///< "cipher_nh.txt:12", its first line

    /// The value of a field. Throws std::runtime_error if the record has no such field.
    const std::string& text(const std::string& field) const;

    /// The same as a decimal number.
    std::uint64_t number(const std::string& field) const;

    std::size_t size(const std::string& field) const { return static_cast<std::size_t>(number(field)); }

    /// The same as hexadecimal bytes, perhaps none.
    Bytes bytes(const std::string& field) const;

    std::map<std::string, std::string> fields;
};

/// The records of tests/vectors/`name`. Throws std::runtime_error if there are none.
std::vector<Record> read_records(const std::string& name);

}  // namespace test

#endif
