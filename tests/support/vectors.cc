#include "tests/support/vectors.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

std::size_t number(std::string_view text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument("no number: " + std::string(text));
    return value;
}

}  // namespace

std::vector<VectorLine> read_vectors(const std::string& name) {
    std::ifstream file(VERITYTOOL_SOURCE_DIR "/tests/vectors/" + name);
    std::vector<VectorLine> lines;
    std::string text;
    for (std::size_t at = 1; std::getline(file, text); at++) {
        if (text.starts_with('#')) continue;
        VectorLine line{name + ":" + std::to_string(at), {}};
        std::istringstream fields(text);
        for (std::string field; fields >> field;) line.fields.push_back(field);
        if (!line.fields.empty()) lines.push_back(std::move(line));
    }
    if (lines.empty()) throw std::runtime_error("no vectors in " + name);
    return lines;
}

Bytes vector_bytes(std::string_view field) {
    if (field == "-") return {};
    if (field.starts_with("0..")) {
        Bytes bytes(number(field.substr(3)));
        for (std::size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<std::uint8_t>(i);
        return bytes;
    }
    const std::size_t star = field.find('*');
    if (star == std::string_view::npos) return from_hex(field);
    const Bytes piece = from_hex(field.substr(star + 1));
    Bytes bytes;
    for (std::size_t i = number(field.substr(0, star)); i > 0; i--)
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
}

}  // namespace test
