#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_CHART_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_BENCH_CHART_H

#include <span>
#include <string>

namespace commands {

/// One bar.
struct Bar {
    std::string group;  ///< bars of the same group stand together under it
    std::string label;
    double value;
    std::string text;  ///< the value in words
    bool marked;       ///< stands out
};

/// A horizontal bar chart as an SVG document, one bar below the other, with `title` above and `note` below.
std::string bar_chart(const std::string& title, const std::string& note, std::span<const Bar> bars);

}  // namespace commands

#endif
