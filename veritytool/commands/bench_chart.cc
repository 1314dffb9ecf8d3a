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

std::string attribute(const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + value + '"';
}

std::string attribute(const char* name, int value) {
    return attribute(name, std::to_string(value));
}

std::string text_at(int x, int y, const std::string& text, const std::string& attributes = "") {
    return "<text" + attribute("x", x) + attribute("y", y) + attributes + ">" + escaped(text) + "</text>\n";
}

std::string rectangle(int x, int y, int width, int height, const char* colour) {
    return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height) +
           attribute("fill", colour) + "/>\n";
}

std::string bar_at(int y, const Bar& bar, double longest) {
    const int room = kWidth - kMargin - kTextWidth - kBarsAt;
    const int width = std::max(1, static_cast<int>(std::lround(bar.value / longest * room)));
    const int text_y = y + kBarHeight - 3;
    return text_at(kBarsAt - 8, text_y, bar.label, attribute("text-anchor", "end")) +
           rectangle(kBarsAt, y, width, kBarHeight, bar.marked ? kMarkedColour : kColour) +
           text_at(kBarsAt + width + 6, text_y, bar.text);
}

}  // namespace

std::string bar_chart(const std::string& title, const std::string& note, std::span<const Bar> bars) {
    double longest = 0;
    for (const Bar& bar : bars) longest = std::max(longest, bar.value);
    std::string body = text_at(kMargin, 24, title, attribute("font-size", 15) + attribute("font-weight", "bold"));
    int y = kTitleHeight;
    const std::string* group = nullptr;
    for (const Bar& bar : bars) {
        if (group == nullptr || *group != bar.group) {
            body += text_at(kMargin, y + 18, bar.group, attribute("font-weight", "bold"));
            y += kGroupHeight;
            group = &bar.group;
        }
        body += bar_at(y, bar, longest);
        y += kBarPitch;
    }
    body += text_at(kMargin, y + 20, note, attribute("fill", "#555"));
    const int height = y + kNoteHeight;
    const std::string view_box = "0 0 " + std::to_string(kWidth) + ' ' + std::to_string(height);
    return "<svg" + attribute("xmlns", "http://www.w3.org/2000/svg") + attribute("width", kWidth) +
           attribute("height", height) + attribute("viewBox", view_box) + attribute("font-family", "sans-serif") +
           attribute("font-size", 12) + ">\n" + rectangle(0, 0, kWidth, height, "white") + body + "</svg>\n";
}

}  // namespace commands
