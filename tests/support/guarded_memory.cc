#include "tests/support/guarded_memory.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <system_error>

namespace test {
namespace {

std::size_t page_size() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

sigjmp_buf before_fault;
volatile sig_atomic_t fault_signal;
void* volatile fault_address;

void on_fault(int signal, siginfo_t* info, void*) {
    fault_signal = signal;
    fault_address = info->si_addr;
    siglongjmp(before_fault, 1);
}

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL};

}  // namespace

GuardedMemory::GuardedMemory(std::size_t size) {
    const std::size_t page = page_size();
    size_ = (size + page - 1) / page * page;
    void* mapped = mmap(nullptr, size_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) fail("mmap");
    memory_ = static_cast<std::uint8_t*>(mapped) + page;
    set_writable(true);
}

GuardedMemory::~GuardedMemory() {
    const std::size_t page = page_size();
    munmap(memory_ - page, size_ + 2 * page);
}

void GuardedMemory::set_writable(bool writable) const {
    if (mprotect(memory_, size_, writable ? PROT_READ | PROT_WRITE : PROT_READ) != 0) fail("mprotect");
}

std::string fault_of(const std::function<void()>& action) {
    // The action may have lost its stack too.
    static std::uint8_t handler_stack[64 * 1024];
    const stack_t stack{handler_stack, 0, sizeof handler_stack};
    stack_t old_stack;
    if (sigaltstack(&stack, &old_stack) != 0) fail("sigaltstack");
    struct sigaction act {};
    act.sa_sigaction = on_fault;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    struct sigaction old[std::size(kFaults)];
    for (std::size_t i = 0; i < std::size(kFaults); i++) sigaction(kFaults[i], &act, &old[i]);
    std::string fault;
    if (sigsetjmp(before_fault, 1) == 0) {
        action();
    } else {
        char text[64];
        std::snprintf(text, sizeof text, "%s at %p", strsignal(fault_signal), fault_address);
        fault = text;
    }
    for (std::size_t i = 0; i < std::size(kFaults); i++) sigaction(kFaults[i], &old[i], nullptr);
    sigaltstack(&old_stack, nullptr);
    return fault;
}

}  // namespace test
