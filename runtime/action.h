// What a container's first process can be told to do to itself before it becomes the user's command: small
// values, one for each kind of act. Built by the planners (plan, rootfs, idmap, caps), printed by describe(),
// carried out by child.h's half. All text is owned and NUL-terminated: the child only reads it and never
// allocates.
//
// "Target" paths are seen from the container's root, "host" paths from the root that the launcher started
// with; both can be used until PivotRoot.
#pragma once

#include <linux/capability.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/fd.h"

namespace ctr::action {

// Writes TEXT to /proc/self/FILE: the maps of a new user namespace.
struct WriteOwn {
    std::string file;
    std::string text;
};

struct PrivateMounts {};  // no mount made from here on is seen outside, and none made outside is seen here

// Binds a directory onto itself and makes it the root that targets are relative to. EXPECTED is the directory
// that was found when the plan was made: another one behind the same path is an error.
struct BindRoot {
    std::string host;
    Fd expected;
};

// A new file system; its mount point is made where it is missing.
struct Mount {
    std::string type;
    std::string target;
    std::vector<std::pair<std::string, std::string>> options;  // an empty value: a flag
    uint64_t attributes = 0;                                   // MOUNT_ATTR_*
    mode_t directory_mode = 0755;
};

enum class Source { directory, procfs, sysfs };  // what the host's path is verified to be

// A host's directory with all that is mounted below it.
struct BindTree {
    std::string host;
    std::string target;
    Source source = Source::directory;
    uint64_t attributes = 0;  // MOUNT_ATTR_*, in addition to what the mounts have
};

// A character device of the host's /dev, by its numbers, in the container's /dev.
struct BindDevice {
    std::string name;
    unsigned major = 0;
    unsigned minor = 0;
};

struct MakeLink {
    std::string target;
    std::string points_to;
};

struct Mask {  // hides a file behind the null device, a directory behind an empty one; no-op where there is
               // none
    std::string target;
};

struct ReadOnly {  // no-op where there is no such file
    std::string target;
};

// Where the kernel reads /proc/1 without asking the pid layer, as the text of a link, it is to find this
// process. No-op where /proc shows no 1.
struct ShowAsFirst {};
// The instrumented copy of an image, over the image.
struct Placement {
    std::string target;
    std::string name;  // the image's own, where the links on the target's path lead
    dev_t device = 0;  // of the image, as it was found
    ino_t inode = 0;
    std::string copy{};  // a host's path
    Fd expected{};       // what is to be there
};

// No-op where another image is there by now, or something prevents it: programs run without their copies too.
struct PlaceImages {
    std::vector<Placement> placements;
};

struct PivotRoot {};

struct Unshare {
    uint64_t flags = 0;
};

struct SetHostname {
    std::string name;
};

struct LoopbackUp {};

struct NewSession {};

// prctl(OPTION, VALUE, 0, 0, 0), with its name for describe() and errors.
struct Control {
    int option = 0;
    unsigned long value = 0;
    std::string name;
};

// SIGKILL when the supervisor dies; a change of credentials has cleared it, so the supervisor may be gone by
// now.
struct DieWithParent {};

struct DropBounding {
    uint64_t capabilities = 0;  // bit n: capability n
};

struct SetIds {
    bool clear_groups = false;
    uid_t uid = 0;
    gid_t gid = 0;
};

// Effective and permitted; inheritable and with it the ambient set become empty (CVE-2022-27650).
struct SetCapabilities {
    uint64_t effective = 0;
    __user_cap_data_struct data[2] = {};
    bool after_filter = false;  // carries the mark, so that the pid layer's filter never stops it
};

struct ScopeSignals {};  // Landlock: nothing inside can signal a process outside

struct ChangeDirectory {
    std::string target;
};

struct SetUmask {
    mode_t mask = 0;
};

// Finds the file that Execute will run: the first of CANDIDATES that may be executed. SEARCHED: they come
// from PATH, and not from the user.
struct FindCommand {
    std::vector<std::string> candidates;
    bool searched = false;
};

struct ResetSignals {};      // default dispositions, nothing blocked
struct CloseDescriptors {};  // all but standard input, output and error
struct InstallFilter {};     // the plan's filter; its listener goes to the supervisor
struct LeaveInit {};         // this process stays as init (init.h); a child of it executes the command
struct Execute {};

// A question to the kernel: nullptr, or the name of the call that said no, with errno. Async-signal-safe.
struct Try {
    const char* (*make)() = nullptr;
};

// In the place of Execute, where there is no command: LIVE (async-signal-safe; nullptr: nothing) runs
// instead, and its result is the exit status.
struct Finish {
    int (*live)() = nullptr;
};

}  // namespace ctr::action

namespace ctr {

using Action =
    std::variant<action::WriteOwn, action::PrivateMounts, action::BindRoot, action::Mount, action::BindTree,
                 action::BindDevice, action::MakeLink, action::Mask, action::ReadOnly, action::ShowAsFirst,
                 action::PlaceImages, action::PivotRoot, action::Unshare, action::SetHostname,
                 action::LoopbackUp, action::NewSession, action::Control, action::DieWithParent,
                 action::DropBounding, action::SetIds, action::SetCapabilities, action::ScopeSignals,
                 action::ChangeDirectory, action::SetUmask, action::FindCommand, action::ResetSignals,
                 action::CloseDescriptors, action::InstallFilter, action::LeaveInit, action::Execute,
                 action::Try, action::Finish>;

// One thing that the child does, with the words for an error: "mount a private /tmp".
struct Step {
    std::string what;
    Action action;
};

}  // namespace ctr
