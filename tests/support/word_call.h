#ifndef VERITYTOOL_TESTS_SUPPORT_WORD_CALL_H
#define VERITYTOOL_TESTS_SUPPORT_WORD_CALL_H

#include <array>
#include <cstdint>

/// Calls of functions whose arguments are machine words, up to eight of them, such as cipher cores are.

namespace test {

/// The assembly knows the offsets: every member is 64 bits wide on every processor.
struct WordCall {
    std::uint64_t function;
    std::array<std::uint64_t, 8> arguments;
};

#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
/// Makes the call. It keeps no register for its caller beyond what the called function keeps, so that abi_call sees
/// through it.
extern "C" void word_call(const WordCall* call);
#else
inline void word_call(const WordCall* call) {
    const auto word = [call](std::size_t i) { return static_cast<std::uintptr_t>(call->arguments[i]); };
    using Function = void(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                          std::uintptr_t, std::uintptr_t, std::uintptr_t);
    reinterpret_cast<Function*>(call->function)(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7));
}
#endif

}  // namespace test

#endif
