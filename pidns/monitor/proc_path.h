// Where a path of a program leads, if it leads into a procfs, and how the kernel must read it.
//
// Lexical, but for the links of procfs itself ("self", "cwd", ...), whose text the host's kernel gives us.
// Symbolic links outside of procfs aren't followed: the kernel follows them, with the path as it is.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "pidns/monitor/proc_mounts.h"
#include "pidns/monitor/translate.h"

namespace ctr::pidns {

inline constexpr std::string_view deleted_ending = " (deleted)";

struct ProcPath {
    std::string text;      // the program's, with the host's numbers; everything else is as it was
    Components below;      // the place below the mount point; numbers are the host's
    bool changed = false;  // text isn't the program's
    bool is_self = false;  // it names the link "self" or "thread-self" itself

    std::string place() const;  // "4711/stat"; empty for the root
    HostPid process() const;    // whose directory; none
    bool is_root() const { return below.empty(); }
    // A process's pid namespace, or that of its next children.
    bool is_namespace() const { return names_namespace("pid") || is_namespace_for_children(); }
    bool is_namespace_for_children() const { return names_namespace("pid_for_children"); }
    bool is_task_list() const { return below.size() == 2 && below[1] == "task"; }
    bool is_descriptor() const { return below.size() >= 3 && below[below.size() - 2] == "fd"; }
    // The directory of a process that was reaped, as the kernel calls what somebody still has open.
    bool is_gone_process() const {
        return below.size() == 1 && below[0].front() >= '1' && below[0].front() <= '9' &&
               below[0].ends_with(deleted_ending);
    }

  private:
    bool names_namespace(std::string_view name) const {
        return below.size() >= 3 && below[below.size() - 2] == "ns" && below.back() == name;
    }
};

class PathReader {
  public:
    PathReader(const Translator& translator, ProcMounts& mounts) : translator_(translator), mounts_(mounts) {}

    // base: from where a relative path starts, as the host's kernel names it (/proc/PID/cwd, /proc/PID/fd/N);
    // an empty path is that place itself.
    std::optional<ProcPath> read(const Caller& caller, const std::string& base, std::string_view path);

    // What the kernel has said of a file of that thread.
    std::optional<ProcPath> place_of(const Caller& caller, const std::string& text);

    // A path in this text might lead into a procfs: it is mounted where the path has that word, or it isn't
    // usual here.
    bool may_be_proc(std::string_view text) const {
        return unusual_place_ || text.find("proc") != std::string_view::npos;
    }

    // A procfs, or part of one, is about to be mounted there.
    void note_mount_point(std::string_view point) {
        unusual_place_ = unusual_place_ || !may_be_proc(point) || may_be_anywhere(point);
    }
    bool knows_unusual_place() const { return unusual_place_; }

  private:
    // Through the links that every process has, "/proc/self/fd/3" for instance.
    static bool may_be_anywhere(std::string_view point) {
        const std::string_view below = point.substr(std::min(point.find("proc/"), point.size()));
        return below.find("/fd/") != std::string_view::npos || below.find("/cwd") != std::string_view::npos ||
               below.find("/root") != std::string_view::npos;
    }

    const Translator& translator_;
    ProcMounts& mounts_;
    bool unusual_place_ = false;
};

}  // namespace ctr::pidns
