#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_INTERRUPTION_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_INTERRUPTION_H

#include <atomic>

/// Ending by a signal, but not before what was begun is put back.

namespace commands {

/// From now on SIGINT, SIGTERM and SIGHUP only set the flag that interruption_flag() points to, unless they are
/// ignored (as nohup does it).
void catch_interruptions();

/// Becomes true with the first such signal. For verity::Control::stop.
const std::atomic<bool>* interruption_flag();

/// Throws Failure if there was such a signal.
void check_interruption();

/// If there was such a signal, ends the process by it.
void die_if_interrupted();

}  // namespace commands

#endif
