#include "runtime/teardown.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/path.h"

namespace ctr {

namespace {

using Children = std::multimap<pid_t, pid_t>;  // by parent

// Field 4 of /proc/PID/stat, behind the command's name, which may contain anything.
pid_t parent_in(const std::string& stat) {
    const size_t name_end = stat.rfind(')');
    pid_t parent = 0;
    if (name_end != std::string::npos && name_end + 4 < stat.size())
        std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
    return parent;
}

// One look at all processes. /proc/PID/task/TID/children would be more direct, but isn't in every kernel.
Children look_at_processes() {
    Children found;
    // A /proc whose numbers aren't ours (of another pid namespace, or inside an outer ctr's layer) says
    // nothing that could be acted upon. Both end what is left by themselves.
    if (!path::procfs_is_own()) return found;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
    if (!proc) return found;
    while (const dirent* entry = readdir(proc.get())) {
        const std::string_view name(entry->d_name);
        pid_t pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size())
            continue;
        std::ifstream file("/proc/" + std::string(name) + "/stat");
        std::string stat;
        if (std::getline(file, stat, '\0')) found.emplace(parent_in(stat), pid);
    }
    return found;
}

// The look isn't atomic: with numbers that are used again meanwhile, parent links may even form a circle.
std::vector<pid_t> descendants(const std::set<pid_t>& spared) {
    const Children all = look_at_processes();
    std::vector<pid_t> found{getpid()};
    std::set<pid_t> seen{spared};
    seen.insert(getpid());
    for (size_t i = 0; i < found.size(); ++i) {
        const auto [first, last] = all.equal_range(found[i]);
        for (auto child = first; child != last; ++child)
            if (seen.insert(child->second).second) found.push_back(child->second);
    }
    found.erase(found.begin());
    return found;
}

// With children to spare, each is waited for by name: theirs is not our business.
void reap(const std::set<pid_t>& spared, const std::vector<pid_t>& victims) {
    if (spared.empty()) {
        while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
        }
        return;
    }
    for (const pid_t victim : victims) waitpid(victim, nullptr, WNOHANG | __WALL);
}

}  // namespace

std::set<pid_t> own_children() {
    // The quick answer for nearly every caller.
    if (siginfo_t info{}; waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return {};
    return children_of(HostPid(getpid()));
}

std::set<pid_t> children_of(HostPid process) {
    std::set<pid_t> children;
    for (const auto& [parent, child] : look_at_processes())
        if (parent == raw(process)) children.insert(child);
    return children;
}

void end_descendants(const std::set<pid_t>& spared) {
    if (spared.empty()) {
        reap(spared, {});
        if (siginfo_t info{}; waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return;
    }
    // First stopped, until a look finds nobody new, so that a storm of forks can't outrun the killing; then
    // killed. Orphans come to us, so a later look finds those whose parent ended between two looks.
    std::set<pid_t> stopped;
    for (std::vector<pid_t> victims = descendants(spared); !victims.empty(); victims = descendants(spared)) {
        bool newcomers = false;
        for (const pid_t victim : victims)
            if (stopped.insert(victim).second) newcomers = kill(victim, SIGSTOP) == 0 || newcomers;
        if (newcomers) continue;
        for (const pid_t victim : victims) kill(victim, SIGKILL);
        stopped.clear();
        reap(spared, victims);
        poll(nullptr, 0, 1);
        reap(spared, victims);
    }
}

}  // namespace ctr
