// The files of a cgroup that hold the numbers of its members: cgroup.procs, cgroup.threads, tasks.
//
// What a path names is known only when the thread has opened it, with its own rights and in its own mount
// namespace: then the descriptor says which mount the file is on, without a look into any file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pidns/monitor/proc_mounts.h"
#include "pidns/surface/contents.h"
#include "pidns/surface/kinds.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class CgroupFiles {
  public:
    explicit CgroupFiles(ProcMounts& mounts) : mounts_(mounts) {}

    // Whether a path ends like one of these; nearly none does.
    static bool may_be_named(std::string_view path);

    // Whether a thread can reach any.
    bool are_mounted_for(HostPid thread) { return !mounts_.cgroups_of(thread).empty(); }

    struct Members {
        Content content = Content::none;  // how they are read
        Kind kind = Kind::none;           // what is written
        bool writable = false;
        std::string place;  // "cgroup/DEVICE/PATH"; empty if it isn't within sight of this process
    };
    // A descriptor of `holder`, opened in the mount namespace of `thread`.
    std::optional<Members> members(HostPid holder, int fd, HostPid thread);

    bool has_writable(HostPid process);

    // A place's file, opened again where this process has that hierarchy.
    struct Source {
        Fd file;
        Content content = Content::none;
    };
    static bool is_place(std::string_view place);
    Source reopen(std::string_view place);

    // Where a thread sees the place.
    std::optional<std::string> path_of(std::string_view place, HostPid thread);

  private:
    ProcMounts& mounts_;
};

}  // namespace ctr::pidns
