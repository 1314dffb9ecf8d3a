#ifndef VERITYTOOL_ARCH_X86_KEEP_ORDER_H
#define VERITYTOOL_ARCH_X86_KEEP_ORDER_H

namespace arch {
namespace {

/// Whether empty asm statements hold the compiler to an order of operations. Not under MemorySanitizer, which takes an
/// operand of an asm statement for something that the program's course depends on.
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
constexpr bool kKeepsOrder = false;
#else
constexpr bool kKeepsOrder = true;
#endif
#else
constexpr bool kKeepsOrder = true;
#endif

}  // namespace
}  // namespace arch

#endif
