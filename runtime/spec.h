// What the user of the launcher wants, as a value. Pure data: nothing here looks at the host.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/limits.h"
#include "runtime/base/error.h"
#include "runtime/base/export.h"
#include "runtime/base/ids.h"
#include "runtime/mounts.h"
#include "runtime/ulimit.h"

namespace ctr {

enum class PidMode {
    flat,    // numbers of the container's own, kept in user space (pidns/): two for each process
    multi,   // the same, one for each level of nested namespaces
    kernel,  // the kernel's pid namespace
    host,    // no numbering
};

CTR_API const char* word_for(PidMode mode);  // as --pidns takes it

enum class PidLookup { hash, list };  // how multi finds a number

// Whether programs get instrumented copies of their C library, which translate numbers by themselves.
enum class PidFastpath {
    automatic,  // where that can be had, under flat and multi
    off,        // every call that carries a number goes through the monitor
};

enum class Network { host, none };

enum class UserNamespace {
    automatic,  // only where the caller lacks the privilege to do without
    yes,        // with the caller's id alone
    no,
    subids,   // with the caller's id, which is root inside, and its ranges of /etc/subuid and subgid
    keep_id,  // the same, but the caller's id stays what it is
};

inline bool wants_subids(UserNamespace userns) {
    return userns == UserNamespace::subids || userns == UserNamespace::keep_id;
}

// What is written to the root file system goes to another directory, and the root stays what it was.
struct Overlay {
    std::string
        upper;  // that directory, made where it is missing, with UPPER.work beside it; empty: in memory
    bool operator==(const Overlay&) const = default;
};

enum class Scope {
    own,   // a namespace of the container's own
    host,  // the caller's
};

// Who keeps limits on what is written to devices (limiting.h).
enum class IoThrottle {
    automatic,  // the kernel where it can, else we
    kernel,     // the kernel, as far as it can
    user,       // we, in user space
};

// What lets root change the kernel, and tells of the host, in /proc and /sys.
enum class SystemPaths {
    masked,  // read-only, or hidden
    host,    // as it is on the host
};

// A time namespace: by how many seconds its clocks are ahead of the host's.
struct Clocks {
    int64_t boottime = 0;
    int64_t monotonic = 0;
    bool operator==(const Clocks&) const = default;
};

// Namespaces of a process that runs already, in place of own or the caller's.
struct ShareWith {
    HostPid process{};   // its number here; or that of the ctr that runs a container
    uint64_t kinds = 0;  // CLONE_NEW*; 0: all, but pid only under PidMode::kernel
    std::string name{};  // of a container that is written down, in place of the number
    bool operator==(const ShareWith&) const = default;
};

struct User {
    uid_t uid = 0;
    gid_t gid = 0;
    bool operator==(const User&) const = default;
};

// How a container is written down, so that others find it by its name (registry.h).
struct Registration {
    std::string root;       // the state directory; empty: the usual one of this user
    std::string name;       // empty: one is made up
    bool detached = false;  // it goes on without its starter; what it writes goes into a log
    bool remove = true;     // nothing of it stays when it has ended
    bool operator==(const Registration&) const = default;
};

struct Spec {
    std::vector<std::string> command;  // argv, at least one element; looked up in the container's PATH
    std::vector<std::pair<std::string, std::string>> env;  // set in addition to (or over) the inherited one
    bool env_clear = false;                                // start from PATH, TERM and HOME only
    std::string workdir;   // absolute, inside; empty: the caller's with the host's root, "/" with rootfs
    std::string hostname;  // empty: the host's
    std::string rootfs;    // empty: the host's root file system
    std::optional<Overlay> overlay;    // over rootfs
    bool read_only = false;            // the root file system; the host's with all that it has mounted
    std::vector<MountRequest> mounts;  // in this order, after the root and its /dev, /tmp, /proc and /sys
    std::optional<User> user;          // ids inside; absent: the caller's (root inside a rootfs as root)
    PidMode pidns = PidMode::flat;
    PidLookup pid_lookup = PidLookup::hash;
    PidFastpath pid_fastpath = PidFastpath::automatic;
    uint32_t pid_max = 0;  // flat and multi: numbers in each namespace are below; 0: the usual 32768
    Network network = Network::host;
    UserNamespace userns = UserNamespace::automatic;
    Scope ipc = Scope::own;  // also /dev/shm of a rootfs
    Scope uts = Scope::own;
    Scope cgroupns = Scope::own;
    SystemPaths system_paths = SystemPaths::masked;
    std::optional<Clocks> clocks;  // absent: the host's
    std::optional<ShareWith> share_with;
    std::vector<std::string> cap_add;   // "NET_ADMIN", "CAP_NET_ADMIN" or "ALL"
    std::vector<std::string> cap_drop;  // likewise; the default set is Docker's
    bool no_new_privs = true;
    cgroup::Limits limits;
    IoThrottle io_throttle = IoThrottle::automatic;
    std::vector<Ulimit> ulimits;  // the others are the caller's
    std::string seccomp = "off";  // "off", "default", or the file of a profile
    bool terminal = false;        // standard input, output and error are a terminal of its own
    bool rehearse = false;  // all but the command, of which there is none: in its place init makes a child,
                            // sees it end, and ends with 0, or the errno of what failed (runtime/rehearsal.h)
    std::optional<Registration> registration;  // absent: nobody but its starter knows of it
    int stop_signal = SIGTERM;                 // asks the command to end
    bool init = false;             // a process of ours is 1, reaps, passes signals on, and runs the command
    bool die_with_parent = false;  // the end of run()'s parent is the end of the container
    int status_fd = -1;            // the caller's; one JSON object a line: started, exited, failed
    bool operator==(const Spec&) const = default;
};

// Refuses what can be refused without looking at the host: no command, a relative workdir, a bad hostname,
// ...
CTR_API Status validate(const Spec& spec);

// CLONE_NEW*: the kinds that share_with means; 0 without it.
CTR_API uint64_t shared_kinds(const Spec& spec);

}  // namespace ctr
