#ifndef VERITYTOOL_TESTS_SUPPORT_ABI_CALL_H
#define VERITYTOOL_TESTS_SUPPORT_ABI_CALL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "arch/hash_core.h"

/// Calls a hash core with known values in all registers, as no compiler would, and reports what it did to those that
/// the procedure call standard says a function must keep.

namespace test {

/// How many 64-bit slots AbiFrame has for what is to be kept.
inline constexpr std::size_t kAbiSlots = 32;

/// What abi_call takes and returns. The assembly knows the offsets: every member is 64 bits wide on every processor.
struct AbiFrame {
    std::uint64_t function;
    std::uint64_t state;
    std::uint64_t messages;
    std::uint64_t blocks;
    std::uint64_t counter;
    std::uint64_t final_mask;
    std::uint64_t scratch[2];         ///< goes to the registers that a function may change
    std::uint64_t before[kAbiSlots];  ///< goes to the registers that it may not, or is read from them
    std::uint64_t after[kAbiSlots];   ///< what they hold when it has returned
};
static_assert(sizeof(AbiFrame) == (8 + 2 * kAbiSlots) * 8);

/// The names of the slots of AbiFrame::before and ::after that this processor has. The "stack" ones are the caller's
/// memory above the arguments.
#if defined(__x86_64__)
inline constexpr std::array kAbiSlotNames = {"rbx",
                                             "rbp",
                                             "r12",
                                             "r13",
                                             "r14",
                                             "r15",
                                             "rsp",
                                             "mxcsr control bits",
                                             "x87 control word",
                                             "direction flag",
                                             "stack 0",
                                             "stack 1",
                                             "stack 2",
                                             "stack 3"};
#elif defined(__aarch64__)
inline constexpr std::array kAbiSlotNames = {
    "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",  "x27",     "x28",     "x29",     "d8",     "d9",
    "d10", "d11", "d12", "d13", "d14", "d15", "sp",  "fpcr", "stack 0", "stack 1", "stack 2", "stack 3"};
#elif defined(__arm__)
inline constexpr std::array kAbiSlotNames = {"r4",      "r5",      "r6",      "r7",     "r8",  "r9",
                                             "r10",     "r11",     "d8",      "d9",     "d10", "d11",
                                             "d12",     "d13",     "d14",     "d15",    "sp",  "fpscr control bits",
                                             "stack 0", "stack 1", "stack 2", "stack 3"};
#else
inline constexpr std::array<const char*, 0> kAbiSlotNames = {};
#endif
static_assert(kAbiSlotNames.size() <= kAbiSlots);

#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
extern "C" void abi_call(AbiFrame* frame);
#else
/// A plain call, for processors that nobody has written the other for.
inline void abi_call(AbiFrame* frame) {
    reinterpret_cast<HashCompress*>(frame->function)(reinterpret_cast<void*>(frame->state),
                                                     reinterpret_cast<const std::uint8_t* const*>(frame->messages),
                                                     frame->blocks, frame->counter, frame->final_mask);
}
#endif

}  // namespace test

#endif
