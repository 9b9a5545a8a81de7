// Paths of calls that have two of them, or one in a socket's address.
#include <limits.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/proc_files.h"

namespace ctr::pidns {

namespace {

constexpr size_t head = offsetof(sockaddr_un, sun_path);

// Nothing: another family's, or one without a path. Its text may end with the address's length.
std::optional<std::string> socket_path(HostPid thread, uint64_t address, uint64_t given) {
    sockaddr_un name{};
    const auto length = static_cast<uint32_t>(given);
    if (length <= head || length > sizeof name || !read_bytes(thread, address, &name, length)) return {};
    if (name.sun_family != AF_UNIX || name.sun_path[0] == '\0') return {};
    return std::string(name.sun_path, strnlen(name.sun_path, length - head));
}

// With the zero at its end, if there is room for it. The kernel refuses what is too long.
std::string socket_address(const std::string& path) {
    const sa_family_t family = AF_UNIX;
    std::string bytes(head, 0);
    std::memcpy(bytes.data(), &family, sizeof family);
    bytes += path;
    if (bytes.size() < sizeof(sockaddr_un)) bytes += '\0';
    return bytes;
}

}  // namespace

std::optional<std::string> path_text(const Trap& trap, const Call& call, PathArguments at) {
    if (at.path == PathArguments::none) return std::string();
    const uint64_t address = trap.arguments[at.path];
    return call.way == Way::address ? socket_path(trap.thread, address, trap.arguments[at.path + 1U])
                                    : read_text(trap.thread, address, PATH_MAX - 1);
}

std::optional<ProcFiles::Named> ProcFiles::named(const Trap& trap, const Call& call) const {
    auto first = named_at(trap, call, call.path);
    if (call.way != Way::paths) return first;
    const auto second = named_at(trap, call, call.second_path);
    if (!first && !second) return {};
    Named both = first.value_or(Named{});
    if (second) {
        both.second_base = second->base;
        both.second_path = second->path;
    }
    return both;
}

ProcFiles::Verdict ProcFiles::follow_names(const Trap& trap, const Call& call, const Caller& caller,
                                           const Named& named) {
    const auto changed = [&](const std::string& base, const std::string& path) {
        const auto found = path.empty() ? std::nullopt : paths_.read(caller, base, path);
        return found && found->changed ? found->text : std::string();
    };
    Verdict verdict{.path = changed(named.base, named.path),
                    .second_path = changed(named.second_base, named.second_path)};
    const bool is_changed = !verdict.path.empty() || !verdict.second_path.empty();
    if (!is_changed || !listener_.valid(trap)) return {};
    if (call.way == Way::address) verdict.path = socket_address(verdict.path);
    verdict.next = Next::remake;
    return verdict;
}

}  // namespace ctr::pidns
