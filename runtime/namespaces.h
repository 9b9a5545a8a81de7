// The kinds of namespaces, by the kernel's flag.
#pragma once

#include <linux/sched.h>
#include <sched.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ctr::namespaces {

struct Kind {
    uint64_t flag;  // CLONE_NEW*
    const char* name;
    const char* file;  // in /proc/PID/ns
};
inline constexpr Kind kinds[] = {{CLONE_NEWUSER, "user", "user"},       {CLONE_NEWNS, "mount", "mnt"},
                                 {CLONE_NEWUTS, "uts", "uts"},          {CLONE_NEWIPC, "ipc", "ipc"},
                                 {CLONE_NEWNET, "net", "net"},          {CLONE_NEWPID, "pid", "pid"},
                                 {CLONE_NEWCGROUP, "cgroup", "cgroup"}, {CLONE_NEWTIME, "time", "time"}};

inline constexpr uint64_t all = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET |
                                CLONE_NEWPID | CLONE_NEWCGROUP | CLONE_NEWTIME;

// "mount uts ipc", in the order of the table.
std::string names(uint64_t flags);

// Of a kind's name or that of its file; 0: there is none.
uint64_t flag_of(std::string_view name);

}  // namespace ctr::namespaces
