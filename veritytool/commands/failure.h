#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_FAILURE_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_FAILURE_H

#include <string>
#include <utility>

#include "veritytool/error.h"

/// How a command ends when it cannot go on: it throws, what it holds is put back, and main() prints the one line.

namespace commands {

enum ExitStatus : int {
    kGood = 0,
    kUnusable = 1,            ///< wrong usage, an I/O error, or input that cannot be used as it is
    kVerificationFailed = 2,  ///< corruption, a wrong root hash, or a wrong key
    kOutOfMemory = 3,
    kNoSuperblock = 4,  ///< no verity superblock there, or one whose fields contradict each other
};

/// `message` is one line without the program's name; nothing is printed if it is empty.
struct Failure {
    ExitStatus status;
    std::string message;
};

/// An error of the library as the end of the command.
Failure failure(const verity::Error& error);

/// The value of a result; throws Failure if there is none.
template <class T>
T or_fail(verity::Result<T> result) {
    if (!result) throw failure(result.error());
    return *std::move(result);
}

inline void or_fail(const verity::Result<void>& result) {
    if (!result) throw failure(result.error());
}

}  // namespace commands

#endif
