#include "veritytool/commands/interruption.h"

#include <csignal>

#include "veritytool/commands/failure.h"

namespace commands {
namespace {

std::atomic<bool> interrupted = false;
volatile std::sig_atomic_t first_signal = 0;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int signal) {
    if (first_signal == 0) first_signal = signal;
    interrupted = true;
}

}  // namespace

void catch_interruptions() {
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = {};
        action.sa_handler = note_signal;  // without SA_RESTART: opening a pipe that nobody writes to must end, too
        sigaction(signal, &action, nullptr);
    }
}

const std::atomic<bool>* interruption_flag() {
    return &interrupted;
}

void check_interruption() {
    if (interrupted) throw Failure{kUnusable, "interrupted"};
}

void die_if_interrupted() {
    if (!interrupted) return;
    const int signal = first_signal;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace commands
