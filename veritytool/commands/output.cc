#include "veritytool/commands/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "veritytool/commands/failure.h"

namespace commands {
namespace {

constexpr std::size_t kWidth = 80;  // characters of a line that is broken between words

constexpr auto kReplaceInvalid = nlohmann::ordered_json::error_handler_t::replace;

std::string indented(const nlohmann::ordered_json& value) {
    return value.dump(2, ' ', false, kReplaceInvalid);
}

Failure output_failure() {
    return {kUnusable, std::string("standard output: ") + std::strerror(errno)};
}

}  // namespace

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw output_failure();
}

void print_json(const nlohmann::ordered_json& value) {
    print(indented(value) + '\n');
}

JsonList::JsonList(const nlohmann::ordered_json& before, const std::string& name) : beginning_(indented(before)) {
    beginning_.resize(beginning_.size() - 2);  // its closing brace stands on a line of its own
    beginning_ += ",\n  \"" + name + "\": [";
}

void JsonList::add(const nlohmann::ordered_json& element) {
    print(std::exchange(beginning_, {}) + (empty_ ? "\n    " : ",\n    ") +
          element.dump(-1, ' ', false, kReplaceInvalid));
    empty_ = false;
}

void JsonList::end(const nlohmann::ordered_json& behind) {
    // Without its opening brace.
    print(std::exchange(beginning_, {}) + (empty_ ? "],\n  " : "\n  ],\n  ") + indented(behind).substr(4) + '\n');
}

void flush_output() {
    if (std::fflush(stdout) != 0) throw output_failure();
}

void print_error(std::string_view text) {
    std::fprintf(stderr, "veritytool: %s\n", printable(text).c_str());
}

void print_note(std::string_view text) {
    print_error("note: " + std::string(text));
}

std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return shown;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kLongest = 160;
    const bool cut = text.size() > kLongest;
    return "'" + std::string(text.substr(0, kLongest)) + (cut ? "...'" : "'");
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

void append_wrapped(std::string& out, std::size_t column, std::size_t indent, std::string_view text) {
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (column > indent && column + 1 + word.size() > kWidth) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            column++;
        }
        out += word;
        column += word.size();
    }
    out += '\n';
}

}  // namespace commands
