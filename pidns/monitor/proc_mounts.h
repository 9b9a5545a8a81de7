// Where the procfs and the cgroups of a container's processes are mounted.
//
// Read from /proc/PID/mountinfo, once for each mount namespace and root, and again when the kernel says that
// it has changed. Nothing is looked up in the workload's file systems: they may be served by the workload.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

using Components = std::vector<std::string>;

// Without ".", ".." and empty ones: text is what the kernel has printed.
Components components_of(std::string_view text);
std::string join(const Components& components);  // with a leading slash

class ProcMounts {
  public:
    struct Mount {
        Components point;     // as seen from the process's root
        Components below;     // which part of the procfs: empty, or that of a bind mount
        bool covers = false;  // no procfs: something else lies there over a part of one
    };

    struct CgroupMount {
        int id = 0;            // of the mount, as in fdinfo
        std::string device;    // of the hierarchy: the same in every mount namespace
        bool unified = false;  // cgroup v2
        Components point;      // as seen from the process's root
        std::string root;      // which part of the hierarchy, as this process sees it
    };
    struct Mounts {
        std::vector<Mount> procs;
        std::vector<CgroupMount> cgroups;
    };

    // The references are good until the next call.
    const std::vector<Mount>& of(HostPid thread) { return all_of(thread).procs; }
    const std::vector<CgroupMount>& cgroups_of(HostPid thread) { return all_of(thread).cgroups; }

    // Where a thread sees a whole procfs, "/proc" as a rule. Nothing: nowhere.
    std::optional<std::string> whole_of(HostPid thread);

    // Of a text of mountinfo. Lines in another form are left out. Where several are mounted at one point the
    // last one counts.
    static Mounts parse(const std::string& mountinfo);

    // The process's root directory, as this process sees it; and a name that the kernel has told this
    // process, as that one sees it.
    static Components root_of(HostPid thread);
    static Components below_root(const Components& root, std::string_view named);

    // A cached table keeps a mount namespace alive: not for long.
    void forget_unused();

  private:
    const Mounts& all_of(HostPid thread);

    struct Table {
        Fd file;
        Mounts mounts;
        std::chrono::steady_clock::time_point used;
    };
    using Key = std::pair<std::string, std::string>;  // mount namespace, root
    std::map<Key, Table> tables_;
};

}  // namespace ctr::pidns
