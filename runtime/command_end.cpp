#include "runtime/command_end.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>

namespace ctr {

namespace {

constexpr int none = -1;  // no status: neither of an exit nor of a signal

}  // namespace

Result<CommandEnd> CommandEnd::make() {
    void* memory = mmap(nullptr, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail_call("share a word with init", "mmap");
    CommandEnd end(pidns::Mapping(memory, pidns::Unmap{sizeof none}));
    *end.word() = none;
    return end;
}

std::optional<int> CommandEnd::status() const {
    const int written = std::atomic_ref(*word()).load();
    const bool by_signal = WIFSIGNALED(written) && WTERMSIG(written) <= SIGRTMAX;
    return WIFEXITED(written) || by_signal ? std::optional(written) : std::nullopt;
}

}  // namespace ctr
