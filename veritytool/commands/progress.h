#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_PROGRESS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commands {

/// A line on standard error that tells how far long work is. It appears after a second, and only on a terminal.
class Progress {
  public:
    /// `total` bytes are to be read; 0: nobody knows.
    Progress(bool wanted, std::uint64_t total);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { hide(); }

    /// `bytes` have been read since the beginning. From one thread at a time.
    void update(std::uint64_t bytes);

    /// Takes the line away until the next update, for other output.
    void hide();

  private:
    using Clock = std::chrono::steady_clock;

    void show(std::string_view line);

    bool enabled_;
    std::uint64_t total_;
    std::size_t columns_;  // of the terminal
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_;
    std::size_t shown_ = 0;  // characters
};

}  // namespace commands

#endif
