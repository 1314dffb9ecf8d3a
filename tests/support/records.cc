#include "tests/support/records.h"

#include <fstream>
#include <stdexcept>
#include <utility>

namespace test {

const std::string& Record::text(const std::string& field) const {
    const auto found = fields.find(field);
    if (found == fields.end()) throw std::runtime_error(where + ": no " + field);
    return found->second;
}

std::uint64_t Record::number(const std::string& field) const {
    return std::stoull(text(field));
}

Bytes Record::bytes(const std::string& field) const {
    return from_hex(text(field));
}

std::vector<Record> read_records(const std::string& name) {
    std::ifstream file(VERITYTOOL_SOURCE_DIR "/tests/vectors/" + name);
    std::vector<Record> records;
    Record record;
    const auto end_record = [&] {
        if (!record.fields.empty()) records.push_back(std::exchange(record, {}));
    };
    std::string line;
    for (std::size_t at = 1; std::getline(file, line); at++) {
        if (line.empty()) end_record();
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) throw std::runtime_error(name + ":" + std::to_string(at) + ": no '='");
        if (record.fields.empty()) record.where = name + ":" + std::to_string(at);
        const auto trimmed = [](const std::string& text) {
            const std::size_t first = text.find_first_not_of(' ');
            return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
        };
        record.fields[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
    }
    end_record();
    if (records.empty()) throw std::runtime_error("no records in " + name);
    return records;
}

}  // namespace test
