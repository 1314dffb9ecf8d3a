#include "veritytool/commands/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace commands {
namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kUsualColumns = 80;

std::size_t terminal_columns() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    return known ? size.ws_col : kUsualColumns;
}

/// "1.72 GB": three figures in the largest unit of 1000 that leaves one before the point.
std::string size_text(double bytes) {
    constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
        bytes /= 1000;
        unit++;
    }
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %s", decimals, bytes, kUnits[unit]);
    return text;
}

/// "0:07", "12:30", "3:05:00"
std::string time_text(double seconds) {
    const auto s = std::llround(std::clamp(seconds, 0.0, 3.6e6));
    char text[32];
    if (s < 3600)
        std::snprintf(text, sizeof text, "%lld:%02llu", s / 60, s % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    return text;
}

/// "  7%"
std::string percent_text(double fraction) {
    char text[32];
    std::snprintf(text, sizeof text, "%3d%%", static_cast<int>(fraction * 100));
    return text;
}

std::string bar(double fraction) {
    std::string text = "[" + std::string(kBarWidth, ' ') + "]  ";
    const auto full = static_cast<std::size_t>(fraction * static_cast<double>(kBarWidth));
    std::fill_n(text.begin() + 1, full, '=');
    if (full < kBarWidth) text[full + 1] = '>';
    return text;
}

}  // namespace

Progress::Progress(bool wanted, std::uint64_t total)
    : enabled_(wanted && isatty(STDERR_FILENO) != 0),
      total_(total),
      columns_(enabled_ ? terminal_columns() : 0),
      next_(begin_ + kPatience) {}

void Progress::update(std::uint64_t bytes) {
    const Clock::time_point now = Clock::now();
    if (!enabled_ || now < next_) return;
    next_ = now + kInterval;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double done = static_cast<double>(bytes), rate = done / seconds;
    if (total_ == 0) {
        show(size_text(done) + "  " + size_text(rate) + "/s");
        return;
    }
    // What is read twice, for a closer look, is not in the total.
    const double total = static_cast<double>(total_), fraction = std::min(done / total, 1.0);
    const std::string figures = percent_text(fraction) + "  " + size_text(done) + " of " + size_text(total) + "  " +
                                size_text(rate) + "/s  " + time_text((total - std::min(done, total)) / rate) + " left";
    const std::string graph = bar(fraction);
    show(graph.size() + figures.size() < columns_ ? graph + figures : figures);
}

void Progress::show(std::string_view line) {
    // A line as wide as the terminal would wrap, and then could not be taken back.
    std::string text(line.substr(0, columns_ - 1));
    const std::size_t width = text.size();
    if (width < shown_) text.append(shown_ - width, ' ');
    std::fprintf(stderr, "\r%s", text.c_str());
    std::fflush(stderr);
    shown_ = width;
}

void Progress::hide() {
    if (shown_ == 0) return;
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(shown_), "");
    std::fflush(stderr);
    shown_ = 0;
}

}  // namespace commands
