#include "veritytool/commands/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <utility>

#include "veritytool/commands/failure.h"

namespace commands {
namespace {

namespace po = boost::program_options;

Failure usage_failure(std::string message) {
    return {kUnusable, std::move(message)};
}

void append_paragraphs(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with(' '))
            out += std::string(line) + '\n';
        else
            append_wrapped(out, 0, 0, line);
    }
}

/// The two forms of a long option that Boost gets wrong: "--name=", which it refuses and veritysetup takes as an empty
/// value, and "--=...", whose value it takes for an argument that is no option.
std::vector<po::option> parse_odd_option(std::vector<std::string>& arguments) {
    const std::string& first = arguments.front();
    if (first.starts_with("--=")) throw po::unknown_option(first);
    if (!first.starts_with("--") || first.find('=') != first.size() - 1) return {};
    po::option option;
    option.string_key = first.substr(2, first.size() - 3);
    option.value = {""};
    option.original_tokens = {first};
    arguments.erase(arguments.begin());
    return {option};
}

/// Cuts the arguments of `command` into options and others.
std::vector<po::option> split(const std::string& command, const std::vector<std::string>& arguments,
                              const po::options_description& description) {
    namespace style = po::command_line_style;
    constexpr int kStyle = style::allow_long | style::long_allow_adjacent | style::long_allow_next |
                           style::allow_short | style::allow_dash_for_short | style::short_allow_adjacent |
                           style::short_allow_next | style::allow_sticky;
    try {
        return po::command_line_parser(arguments)
            .options(description)
            .style(kStyle)
            .extra_style_parser(parse_odd_option)
            .run()
            .options;
    } catch (const po::unknown_option& e) {
        const std::string option = e.get_option_name();
        throw usage_failure(command + ": unknown option " + in_quotes(option.substr(0, option.find('=', 3))) +
                            " ('veritytool " + command + " --help' lists those there are)");
    } catch (const po::invalid_command_line_syntax& e) {
        const bool missing = e.kind() == po::invalid_command_line_syntax::missing_parameter;
        throw usage_failure(e.get_option_name() + (missing ? " needs a value" : " takes no value"));
    } catch (const po::error& e) {
        throw usage_failure(e.what());
    }
}

}  // namespace

CommandLine::CommandLine(CommandHelp help) : help_(std::move(help)) {}

void CommandLine::group(std::string heading) {
    heading_ = std::move(heading);
}

void CommandLine::flag(const std::string& name, bool& target, std::string help) {
    const auto set = [&target](const std::string&) {
        target = true;
        return verity::Result<void>();
    };
    add(name, "", set, std::move(help));
}

void CommandLine::option(const std::string& name, std::string parameter, Take take, std::string help) {
    add(name, std::move(parameter), std::move(take), std::move(help));
}

void CommandLine::add(const std::string& name, std::string parameter, Take take, std::string help) {
    const std::size_t comma = std::min(name.find(','), name.size());
    options_.push_back({name.substr(0, comma), name.substr(std::min(comma + 1, name.size())), std::move(parameter),
                        std::move(take), std::move(help), std::exchange(heading_, {})});
}

bool CommandLine::parse(const std::vector<std::string>& arguments) {
    group("Help");
    flag("help,?", help_wanted_, "show this text");
    flag("version,V", version_wanted_, "show the version");

    po::options_description description;
    for (const Option& o : options_) {
        const std::string names = o.letter.empty() ? o.name : o.name + ',' + o.letter;
        if (o.parameter.empty())
            description.add_options()(names.c_str(), "");
        else
            description.add_options()(names.c_str(), po::value<std::string>(), "");
    }
    for (const po::option& found : split(help_.name, arguments, description)) {
        if (found.string_key.empty())
            given_.insert(given_.end(), found.value.begin(), found.value.end());
        else
            take(found.string_key, found.value);
    }
    if (help_wanted_) print(help_text());
    if (version_wanted_) print("veritytool " VERITYTOOL_VERSION "\n");
    if (help_wanted_ || version_wanted_) return false;
    check_positionals();
    return true;
}

void CommandLine::take(const std::string& name, const std::vector<std::string>& values) {
    Option& option = *std::ranges::find(options_, name, &Option::name);
    // A flag may be repeated; of two values one would go unheard.
    if (std::exchange(option.given, true) && !option.parameter.empty())
        throw usage_failure("--" + name + " is given twice");
    auto ok = option.take(values.empty() ? std::string() : values.front());
    if (!ok) throw usage_failure("--" + name + ": " + ok.error().message);
}

void CommandLine::check_positionals() const {
    const auto& names = help_.positionals;
    const auto required = static_cast<std::size_t>(
        std::ranges::count_if(names, [](const std::string& name) { return !name.starts_with('['); }));
    const bool any_number = !names.empty() && names.back().ends_with("...]");
    if (given_.size() < required)
        throw usage_failure(help_.name + ": " + names[given_.size()] + " is missing (usage: " + usage() + ")");
    if (given_.size() > names.size() && !any_number)
        throw usage_failure(help_.name + ": " + in_quotes(given_[names.size()]) +
                            " is one argument too many (usage: " + usage() + ")");
    for (std::size_t i = 0; i < given_.size(); i++)
        if (given_[i].empty())
            throw usage_failure(help_.name + ": " + names[std::min(i, names.size() - 1)] + " is empty");
}

std::string CommandLine::usage() const {
    std::string text = "veritytool " + help_.name + " [OPTION...]";
    for (const std::string& name : help_.positionals) text += ' ' + name;
    return text;
}

std::string CommandLine::help_text() const {
    const auto left = [](const Option& o) {
        return (o.letter.empty() ? "      --" : "  -" + o.letter + ", --") + o.name +
               (o.parameter.empty() ? "" : "=" + o.parameter);
    };
    std::size_t widest = 0;
    for (const Option& o : options_) widest = std::max(widest, left(o).size());

    std::string text = "Usage: " + usage() + "\n\n";
    append_paragraphs(text, help_.description);
    for (const Option& o : options_) {
        if (!o.heading.empty()) text += '\n' + o.heading + ":\n";
        std::string names = left(o);
        names.resize(widest + 2, ' ');
        text += names;
        append_wrapped(text, names.size(), names.size(), o.help);
    }
    return text + "\nExample:\n" + help_.example;
}

Take text(std::string& target) {
    return [&target](const std::string& value) -> verity::Result<void> {
        if (value.empty()) return verity::Error{verity::ErrorKind::usage, "is empty"};
        target = value;
        return {};
    };
}

void add_reporting_options(CommandLine& line, Reporting& reporting) {
    line.flag("json", reporting.json, "print the report as JSON");
    line.flag("verbose,v", reporting.verbose, "say so when all went well");
    line.flag("debug", reporting.verbose, "the same as --verbose");
}

void print_success(const Reporting& reporting) {
    if (reporting.verbose && !reporting.json) print("Command successful.\n");
}

}  // namespace commands
