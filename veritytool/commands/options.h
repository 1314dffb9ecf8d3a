#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_OPTIONS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_OPTIONS_H

#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "veritytool/commands/output.h"
#include "veritytool/error.h"

/// The command line of one command: described once, for parsing and for --help.

namespace commands {

/// What a command says of itself.
struct CommandHelp {
    std::string name;                      ///< "format"
    std::vector<std::string> positionals;  ///< "DATA"; those that may be left out in brackets; "[NAME...]": any number
    std::string description;               ///< paragraphs, wrapped when printed; a line that begins with a space is not
    std::string example;                   ///< lines as they are
};

/// Takes the value of an option. An error's message is printed behind the option's name.
using Take = std::function<verity::Result<void>(const std::string& value)>;

class CommandLine {
  public:
    explicit CommandLine(CommandHelp help);

    /// Starts a new group of options under a heading.
    void group(std::string heading);

    /// An option without a value. `name` is "no-superblock", or "verbose,v" with a short form.
    void flag(const std::string& name, bool& target, std::string help);

    /// An option with a value, which the help calls `parameter`.
    void option(const std::string& name, std::string parameter, Take take, std::string help);

    /// Reads the arguments behind the command's name. False if help or the version was asked for, and has been printed;
    /// the command then has nothing more to do. Throws Failure with one line about the first thing that is wrong.
    bool parse(const std::vector<std::string>& arguments);

    /// The arguments that are not options, at most as many as `positionals` allows.
    const std::vector<std::string>& positionals() const { return given_; }

    /// "veritytool format [OPTION...] DATA HASH"
    std::string usage() const;

  private:
    struct Option {
        std::string name;    // long form
        std::string letter;  // short form, or empty
        std::string parameter;
        Take take;
        std::string help;
        std::string heading;  // of the group that begins with this option, or empty
        bool given = false;
    };

    void add(const std::string& name, std::string parameter, Take take, std::string help);
    void take(const std::string& name, const std::vector<std::string>& values);
    void check_positionals() const;
    std::string help_text() const;

    CommandHelp help_;
    std::vector<Option> options_;
    std::vector<std::string> given_;
    std::string heading_ = "Options";
    bool help_wanted_ = false, version_wanted_ = false;
};

/// The whole number that `text` is, all of it decimal digits.
template <class T>
verity::Result<T> parse_number(std::string_view text, T least, T most) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || stopped != end || error == std::errc::invalid_argument)
        return verity::Error{verity::ErrorKind::usage, in_quotes(text) + " is not a whole number"};
    if (error == std::errc::result_out_of_range || value < least || value > most)
        return verity::Error{verity::ErrorKind::usage,
                             in_quotes(text) + " is not from " + std::to_string(least) + " to " + std::to_string(most)};
    return value;
}

/// Options with a whole number, kept in a T or a std::optional<T>; or with any text but none.
template <class T>
Take number(T& target, T least = 0, T most = std::numeric_limits<T>::max()) {
    return [&target, least, most](const std::string& value) -> verity::Result<void> {
        auto parsed = parse_number(value, least, most);
        if (!parsed) return parsed.error();
        target = *parsed;
        return {};
    };
}
template <class T>
Take number(std::optional<T>& target, T least = 0, T most = std::numeric_limits<T>::max()) {
    return [&target, least, most](const std::string& value) { return number(target.emplace(), least, most)(value); };
}
Take text(std::string& target);

/// How a command that reports is to do it.
struct Reporting {
    bool json = false;
    bool verbose = false;
};
void add_reporting_options(CommandLine& line, Reporting& reporting);

/// What veritysetup says at the end when it is asked to be verbose.
void print_success(const Reporting& reporting);

}  // namespace commands

#endif
