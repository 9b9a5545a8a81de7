#include "pidns/monitor/proc_mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr std::chrono::seconds kept{1};
constexpr size_t most_tables = 64;

// Blanks, tabs, newlines and backslashes are written in octal there.
std::string unescape(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 3 < text.size();
        if (!escaped) {
            plain += text[i];
            continue;
        }
        const auto digit = [&](size_t at) { return static_cast<unsigned>(text[i + at] - '0') & 7U; };
        plain += static_cast<char>(digit(1) << 6U | digit(2) << 3U | digit(3));
        i += 3;
    }
    return plain;
}

std::string read_all(int fd) {
    std::string text;
    std::array<char, 16384> part;
    for (ssize_t got = 0; (got = read(fd, part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<size_t>(got));
    return text;
}

bool has_changed(int mountinfo) {
    pollfd event{mountinfo, POLLPRI, 0};
    return poll(&event, 1, 0) == 1 && (event.revents & (POLLERR | POLLPRI)) != 0;
}

}  // namespace

Components components_of(std::string_view text) {
    Components parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('/', at), text.size());
        if (end > at) parts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::string join(const Components& components) {
    std::string text;
    for (const std::string& part : components) text += '/' + part;
    return text.empty() ? "/" : text;
}

Components ProcMounts::root_of(HostPid thread) {
    return components_of(link_text(proc_file(thread, "root")));
}

Components ProcMounts::below_root(const Components& root, std::string_view named) {
    Components parts = components_of(named);
    if (parts.size() >= root.size() && std::equal(root.begin(), root.end(), parts.begin()))
        parts.erase(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(root.size()));
    return parts;
}

ProcMounts::Mounts ProcMounts::parse(const std::string& mountinfo) {
    Mounts mounts;
    std::set<int> on_procfs;  // mounts of type proc, and what is mounted over parts of them
    std::istringstream lines(mountinfo);
    for (std::string line; std::getline(lines, line);) {
        // Behind the dash: type, source, options. Before it no field can hold a blank.
        const size_t dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream rest(line.substr(dash + 3));
        std::string type;
        rest >> type;
        std::istringstream fields(line.substr(0, dash));
        int id = 0;
        int parent = 0;
        std::string device;
        std::string root;
        std::string point;
        if (!(fields >> id >> parent >> device >> root >> point)) continue;
        const bool is_proc = type == "proc";
        if (is_proc || on_procfs.contains(parent)) {
            on_procfs.insert(id);
            mounts.procs.push_back({components_of(unescape(point)),
                                    is_proc ? components_of(unescape(root)) : Components{}, !is_proc});
        }
        if (type == "cgroup" || type == "cgroup2")
            mounts.cgroups.push_back(
                {id, device, type == "cgroup2", components_of(unescape(point)), unescape(root)});
    }
    return mounts;
}

const ProcMounts::Mounts& ProcMounts::all_of(HostPid thread) {
    // A program can make mount namespaces faster than forget_unused() comes round.
    if (tables_.size() >= most_tables) tables_.clear();
    Table& table = tables_[{link_text(proc_file(thread, "ns/mnt")), link_text(proc_file(thread, "root"))}];
    table.used = std::chrono::steady_clock::now();
    if (table.file && !has_changed(table.file.get())) return table.mounts;
    // Anew: an open one goes on showing what is below the root that it was opened with, which pivot_root may
    // have replaced by one of the same name.
    table.file.reset(open(proc_file(thread, "mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
    table.mounts = parse(read_all(table.file.get()));
    return table.mounts;
}

std::optional<std::string> ProcMounts::whole_of(HostPid thread) {
    for (const Mount& mount : of(thread))
        if (mount.below.empty() && !mount.covers) return join(mount.point);
    return {};
}

void ProcMounts::forget_unused() {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(tables_, [&](const auto& entry) { return now - entry.second.used > kept; });
}

}  // namespace ctr::pidns
