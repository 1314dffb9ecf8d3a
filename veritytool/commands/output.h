#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_OUTPUT_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_OUTPUT_H

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "veritytool/text.h"

/// Standard output, where reports go, and standard error, where remarks go.

namespace commands {

/// Writes `text` to standard output. Throws Failure when that is closed, full or broken.
void print(std::string_view text);

/// Writes `value` and a newline, indented for people. Bytes that are not UTF-8 (in file names) are replaced.
void print_json(const nlohmann::ordered_json& value);

/// A JSON object with a list in it that may be long, printed as it comes, indented for people.
class JsonList {
  public:
    /// `before`: the members in front of the list, at least one. `name`: of the list.
    JsonList(const nlohmann::ordered_json& before, const std::string& name);

    void add(const nlohmann::ordered_json& element);

    /// `behind`: the members behind the list, at least one.
    void end(const nlohmann::ordered_json& behind);

  private:
    std::string beginning_;  // until it is printed
    bool empty_ = true;
};

/// Hands over what print() has buffered. Throws Failure as print() does.
void flush_output();

/// "veritytool: TEXT" on standard error.
void print_error(std::string_view text);

/// "veritytool: note: TEXT" on standard error: what the user should know although nothing is wrong.
void print_note(std::string_view text);

/// `text` with control characters replaced, so that it stays on one line and leaves the terminal alone.
std::string printable(std::string_view text);

/// `text` in quotes for a message, cut if it is long.
std::string in_quotes(std::string_view text);

/// `text`, filled up with spaces behind it to a column of at least `width`.
std::string padded(std::string text, std::size_t width);

/// Appends `text` to `out`, where `column` characters stand in the line already, broken between words so that it
/// continues at `indent`.
void append_wrapped(std::string& out, std::size_t column, std::size_t indent, std::string_view text);

using verity::counted;

}  // namespace commands

#endif
