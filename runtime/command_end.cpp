#include "runtime/command_end.h"

#include <sys/mman.h>

namespace ctr {

namespace {

constexpr int none = -1;  // no status

}  // namespace

Result<CommandEnd> CommandEnd::make() {
    void* memory = mmap(nullptr, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail_call("share a word with init", "mmap");
    CommandEnd end(pidns::Mapping(memory, pidns::Unmap{sizeof none}));
    *end.word() = none;
    return end;
}

std::optional<int> CommandEnd::status() const {
    return *word() == none ? std::nullopt : std::optional(*word());
}

}  // namespace ctr
