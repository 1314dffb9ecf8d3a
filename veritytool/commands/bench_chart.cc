#include "veritytool/commands/bench_chart.h"

#include <algorithm>
#include <cmath>

namespace commands {
namespace {

// Lengths in pixels.
constexpr int kWidth = 760, kMargin = 16;
constexpr int kTitleHeight = 36, kGroupHeight = 26, kBarPitch = 20, kBarHeight = 14, kNoteHeight = 34;
constexpr int kBarsAt = 190;    // from the left
constexpr int kTextWidth = 90;  // right of the longest bar
constexpr const char* kMarkedColour = "#2b6cb0";
constexpr const char* kColour = "#a9bccf";

std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else
            out += c;
    }
    return out;
}

std::string text_at(int x, int y, const std::string& text, const std::string& attributes = "") {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + attributes + ">" + escaped(text) +
           "</text>\n";
}

std::string bar_at(int y, const Bar& bar, double longest) {
    const int room = kWidth - kMargin - kTextWidth - kBarsAt;
    const int width = std::max(1, static_cast<int>(std::lround(bar.value / longest * room)));
    return text_at(kBarsAt - 8, y + kBarHeight - 3, bar.label, R"( text-anchor="end")") + "<rect x=\"" +
           std::to_string(kBarsAt) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(width) +
           "\" height=\"" + std::to_string(kBarHeight) + "\" fill=\"" + (bar.marked ? kMarkedColour : kColour) +
           "\"/>\n" + text_at(kBarsAt + width + 6, y + kBarHeight - 3, bar.text);
}

}  // namespace

std::string bar_chart(const std::string& title, const std::string& note, std::span<const Bar> bars) {
    double longest = 0;
    for (const Bar& bar : bars) longest = std::max(longest, bar.value);
    std::string body = text_at(kMargin, 24, title, R"( font-size="15" font-weight="bold")");
    int y = kTitleHeight;
    const std::string* group = nullptr;
    for (const Bar& bar : bars) {
        if (group == nullptr || *group != bar.group) {
            body += text_at(kMargin, y + 18, bar.group, R"( font-weight="bold")");
            y += kGroupHeight;
            group = &bar.group;
        }
        body += bar_at(y, bar, longest);
        y += kBarPitch;
    }
    body += text_at(kMargin, y + 20, note, R"( fill="#555")");
    const std::string width = std::to_string(kWidth), height = std::to_string(y + kNoteHeight);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + ' ' + height +
           "\" font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           body + "</svg>\n";
}

}  // namespace commands
