// What the user of the launcher wants, as a value. Pure data: nothing here looks at the host.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/io_limit.h"
#include "runtime/base/error.h"

namespace ctr {

enum class PidMode {
    flat,    // numbers of the container's own, kept in user space (pidns/): two for each process
    multi,   // the same, one for each level of nested namespaces
    kernel,  // the kernel's pid namespace
    host,    // no numbering
};

const char* word_for(PidMode mode);  // as --pidns takes it

enum class PidLookup { hash, list };  // how multi finds a number

// Whether programs get instrumented copies of their C library, which translate numbers by themselves.
enum class PidFastpath {
    automatic,  // where that can be had, under flat and multi
    off,        // every call that carries a number goes through the monitor
};

enum class Network { host, none };

enum class UserNamespace {
    automatic,  // only where the caller lacks the privilege to do without
    yes,
    no,
};

struct User {
    uid_t uid = 0;
    gid_t gid = 0;
};

// How a container is written down, so that others find it by its name (registry.h).
struct Registration {
    std::string root;       // the state directory; empty: the usual one of this user
    std::string name;       // empty: one is made up
    bool detached = false;  // it goes on without its starter; what it writes goes into a log
    bool remove = true;     // nothing of it stays when it has ended
};

struct Spec {
    std::vector<std::string> command;  // argv, at least one element; looked up in the container's PATH
    std::vector<std::pair<std::string, std::string>> env;  // set in addition to (or over) the inherited one
    bool env_clear = false;                                // start from PATH, TERM and HOME only
    std::string workdir;       // absolute, inside; empty: the caller's with the host's root, "/" with rootfs
    std::string hostname;      // empty: the host's
    std::string rootfs;        // empty: the host's root file system
    std::optional<User> user;  // ids inside; absent: the caller's (root inside a rootfs as root)
    PidMode pidns = PidMode::flat;
    PidLookup pid_lookup = PidLookup::hash;
    PidFastpath pid_fastpath = PidFastpath::automatic;
    uint32_t pid_max = 0;  // flat and multi: numbers in each namespace are below; 0: the usual 32768
    Network network = Network::host;
    UserNamespace userns = UserNamespace::automatic;
    std::vector<std::string> cap_add;   // "NET_ADMIN", "CAP_NET_ADMIN" or "ALL"
    std::vector<std::string> cap_drop;  // likewise; the default set is Docker's
    bool no_new_privs = true;
    std::vector<cgroup::IoLimit> io_limits;
    bool rehearse = false;  // all but the command, of which there is none: in its place init makes a child,
                            // sees it end, and ends with 0, or the errno of what failed (runtime/rehearsal.h)
    std::optional<Registration> registration;  // absent: nobody but its starter knows of it
    int stop_signal = SIGTERM;                 // asks the command to end
    bool init = false;             // a process of ours is 1, reaps, passes signals on, and runs the command
    bool die_with_parent = false;  // the end of run()'s parent is the end of the container
    int status_fd = -1;            // the caller's; one JSON object a line: started, exited, failed
};

// Refuses what can be refused without looking at the host: no command, a relative workdir, a bad hostname,
// ...
Status validate(const Spec& spec);

}  // namespace ctr
