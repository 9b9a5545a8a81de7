// /proc as the container's processes see it: paths into it lead to the processes that they mean there, lists
// show the container's processes only, and texts carry its numbers.
//
// A text with numbers is read by the monitor and given to the program as a file in memory in place of the one
// that it asked for. Its name says which it is, so nothing has to be remembered here: a program that goes
// back to the file's beginning gets it filled anew. Files without numbers are the kernel's own.
//
// The lists of a cgroup's members (cgroup_files.h) are read in the same way.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <unordered_map>

#include "pidns/monitor/cgroup_files.h"
#include "pidns/monitor/listener.h"
#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/proc_path.h"
#include "pidns/monitor/tracer.h"
#include "pidns/monitor/translate.h"
#include "pidns/surface/contents.h"

namespace ctr::pidns {

// A path as the call has it, "" where it has none. Nothing: it can't be read, or the socket's address is
// another family's.
std::optional<std::string> path_text(const Trap& trap, const Call& call, PathArguments at);

class ProcFiles {
  public:
    ProcFiles(const Listener& listener, Numbers& numbers, const NestedNamespaces& nested,
              const Translator& translator);

    // The call's path, if it might lead into a procfs. Nearly none does, so this is as cheap as can be.
    struct Named {
        std::string base;  // from where a relative path starts
        std::string path;
        // Of a call with two paths. One that can't lead there is empty.
        std::string second_base{};
        std::string second_path{};
    };
    std::optional<Named> named(const Trap& trap, const Call& call) const;

    // What is to become of a call.
    enum class Next { proceed, answered, remake };
    struct Verdict {
        Next next = Next::proceed;
        std::string path{};             // remake: what the kernel shall read; empty: the path as it is
        std::string second_path{};      // remake: the same
        bool replaces = false;          // remake: the file that it opens is to be replaced by its translation
        bool may_take_members = false;  // remake: numbers may be written into it
        bool translates = false;        // remake: the link that it reads
        bool describes = false;         // remake: with a path where it had only a descriptor
        Content content = Content::none;
    };
    Verdict follow(const Trap& trap, const Call& call, const Caller& caller, const Named& named);

    // getdents64 and getcwd; lseek, pread64 and its like. False, or nothing: the call goes on as it stands.
    bool may_reread(const Trap& trap) const;
    struct Listed {
        long result;
        std::optional<off_t> position;  // that the thread has to set by itself; else it is set
    };
    std::optional<Listed> list(const Trap& trap, const Caller& caller);
    bool name_directory(const Trap& trap, const Caller& caller);
    bool reread(const Trap& trap, const Caller& caller);

    // The thread has opened a file itself (a Verdict with replaces): true if the call is to be made once
    // more, unmarked, and will be answered with the translation.
    bool opened(const Caller& caller, const Registers::Arguments& made, Content content, int fd);
    bool replace(const Trap& trap);

    // What numbers mean that are written to a descriptor; none: it isn't for that. And whether a process has
    // such a descriptor.
    Kind written(const Caller& caller, int fd);
    bool writes_members(HostPid process) { return cgroups_.has_writable(process); }
    // A descriptor that open() has given for a file of /proc/PID/ns/pid: which namespace's.
    NamespaceId namespace_of(HostPid thread, int fd) const;

    // What the ioctls of such a file answer. False: it is no such file.
    bool relate(const Trap& trap, const Caller& caller) const;

    // It has read a link: the length of what it is to see.
    long linked(const Caller& caller, const Call& call, const Registers::Arguments& made, long length);

    // Where a thread sees a whole procfs.
    std::optional<std::string> procfs_of(HostPid thread) { return mounts_.whole_of(thread); }

    // A procfs, or part of one, may be mounted there in a moment; or wherever it is that this thread sees
    // one.
    void note_mount_point(std::string_view point);
    void note_mounts_of(HostPid thread);
    void forget_unused();

  private:
    std::optional<Named> named_at(const Trap& trap, const Call& call, PathArguments at) const;
    Verdict describe(const Caller& caller, const std::string& link);
    Verdict follow_names(const Trap& trap, const Call& call, const Caller& caller, const Named& named);
    Verdict open(const Trap& trap, const Caller& caller, ProcPath path);
    Content content_behind(const Caller& caller, const std::string& link);
    Verdict open_members(const Trap& trap, const Caller& caller, std::string path);
    bool give_namespace(const Trap& trap, NamespaceId space, bool close_on_exec) const;
    Verdict read_link(const Trap& trap, const Call& call, const Caller& caller, ProcPath path);
    class Entries;  // as getdents or getdents64 writes them
    void list_processes(const Caller& caller, int directory, Entries& to) const;
    void list_threads(const Caller& caller, HostPid process, int directory, Entries& to) const;
    std::optional<std::string> translated(const Caller& caller, Content content, const std::string& place,
                                          const std::string& text) const;
    struct Meant {  // by the name of a translated file
        std::string birth;
        std::string place;
    };
    static std::optional<Meant> meant_by(std::string_view link);
    bool is_still(HostPid process, const Meant& meant) const;  // ... whose birth is meant
    std::optional<std::string> shown_anew(const Caller& caller, const Meant& meant);
    static std::optional<std::string> namespace_text(NamespaceId space);
    NamespaceId namespace_of(HostPid process, bool for_children) const;
    bool give_namespace_by_handle(const Trap& trap, const Caller& caller, bool for_children) const;
    std::optional<std::string> own_text(const Caller& caller, const std::string& target);

    struct Replacement {  // of a file that a thread has opened, until its call traps again
        Registers::Arguments call{};
        int fd = -1;
        Fd file;
    };

    const Listener& listener_;
    Numbers& numbers_;
    const NestedNamespaces& nested_;
    const Translator& translator_;
    ProcMounts mounts_;
    PathReader paths_;
    CgroupFiles cgroups_{mounts_};
    dev_t memory_device_;
    std::unordered_map<int, Replacement> replacements_;  // by thread
};

}  // namespace ctr::pidns
