#ifndef VERITYTOOL_TESTS_SUPPORT_CHILD_PROCESS_H
#define VERITYTOOL_TESTS_SUPPORT_CHILD_PROCESS_H

#include <functional>

namespace test {

/// Runs `body` in a copy of this process, with GoogleTest's EXPECT_ and ASSERT_, whose messages are printed as usual.
/// Returns whether it came to its end and all held.
bool passes_in_child(const std::function<void()>& body);

}  // namespace test

#endif
