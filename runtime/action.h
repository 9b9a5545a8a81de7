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

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cgroup/own_view.h"
#include "runtime/base/fd.h"
#include "runtime/ulimit.h"
#include "runtime/window.h"

namespace ctr::action {

// Writes TEXT to /proc/self/FILE: the maps of a new user namespace.
struct WriteOwn {
    std::string file;
    std::string text;
};

struct PrivateMounts {};  // no mount made from here on is seen outside, and none made outside is seen here

// Host's files and directories that will be bound. All are taken hold of before the first mount, which may
// hide them. EXPECTED is what was found when the plan was made: another file behind the same path is an
// error.
struct Held {
    std::string host;
    Fd expected;
};
struct HoldSources {
    std::vector<Held> sources;
};

// All that the host has mounted, but /dev and /proc, read-only.
struct ReadOnlyHost {};

// Binds a directory onto itself and makes it the root that targets are relative to. EXPECTED: as of Held.
struct BindRoot {
    std::string host;
    Fd expected;
    bool read_only_below = false;  // what is mounted below it; the root itself waits for SealRoot
};

// An overlay file system over a directory as the root. UPPER takes what is written and is made where it is
// missing, as is WORK, which has to lie on the same file system; empty: both are in memory and end with the
// container.
struct OverlayRoot {
    std::string host;
    Fd expected;
    std::string upper;
    std::string work;
    std::vector<std::pair<std::string, std::string>> options;  // as of Mount, beside the layers
    bool fresh = false;  // UPPER was made for this start just now (overlay.h), and isn't the root's twin yet
};

struct SealRoot {};  // read-only: the root's own file system, after mount points have been made in it

// A new file system.
struct Mount {
    std::string type;
    std::string target;
    std::vector<std::pair<std::string, std::string>> options;  // an empty value: a flag
    uint64_t attributes = 0;                                   // MOUNT_ATTR_*
    mode_t directory_mode = 0755;
    bool make_target = true;  // where it is missing
};

enum class Source { directory, procfs, sysfs };  // what the host's path is verified to be

// A host's directory with all that is mounted below it.
struct BindTree {
    std::string host;
    std::string target;
    Source source = Source::directory;
    uint64_t attributes = 0;  // MOUNT_ATTR_*, in addition to what the mounts have
};

// One of HoldSources, by its place there.
struct BindSource {
    size_t index = 0;
    std::string target;
    bool is_directory = false;
    uint64_t attributes = 0;
    bool make_target = true;
};

// A character device of the host's /dev, by its numbers, in a private /dev.
struct BindDevice {
    std::string directory;
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

// Where hierarchies of cgroups are mounted, read-only, only this process's own groups and what is below them.
// What can't be shown so stays as it is.
struct ShowOwnCgroups {
    std::vector<cgroup::ViewPoint> views;
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
    timespec changed{};    // st_ctim
    bool layered = false;  // seen through an overlay, which has a device number of its own
    std::string copy{};    // a host's path
    Fd expected{};         // what is to be there
};

// No-op where another image is there by now, or something prevents it: programs run without their copies too.
struct PlaceImages {
    std::vector<Placement> placements;
};

struct PivotRoot {};

struct Unshare {
    uint64_t flags = 0;
};

// A new time namespace, which only a process without threads can move to. OFFSETS: lines for timens_offsets.
struct EnterOwnTime {
    std::string offsets;
};

struct SetHostname {
    std::string name;
};

struct LoopbackUp {};

struct NewSession {};

// A new terminal becomes the session's, and standard input, output and error; its other end goes to the
// parent.
struct OpenTerminal {
    uid_t owner = 0;
    WindowSize size;
};

struct LimitResources {
    std::vector<Ulimit> limits;
};

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

// Landlock: nothing inside can signal a process outside, or connect to an abstract socket there.
struct Confine {
    bool sockets = false;
};

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
struct InstallFilter {};     // the plan's filter, if it has one; its listener goes to the supervisor
struct LeaveInit {           // this process stays as init (init.h); a child of it goes on to the command
    SetCapabilities held;    // by init from then on
};
struct InstallProfile {};  // the plan's seccomp profile; from here on only what it allows can be done
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
    std::variant<action::WriteOwn, action::PrivateMounts, action::HoldSources, action::ReadOnlyHost,
                 action::BindRoot, action::OverlayRoot, action::SealRoot, action::Mount, action::BindTree,
                 action::BindSource, action::BindDevice, action::MakeLink, action::Mask,
                 action::ShowOwnCgroups, action::ReadOnly, action::ShowAsFirst, action::PlaceImages,
                 action::PivotRoot, action::Unshare, action::EnterOwnTime, action::SetHostname,
                 action::LoopbackUp, action::NewSession, action::OpenTerminal, action::LimitResources,
                 action::Control, action::DieWithParent, action::DropBounding, action::SetIds,
                 action::SetCapabilities, action::Confine, action::ChangeDirectory, action::SetUmask,
                 action::FindCommand, action::ResetSignals, action::CloseDescriptors, action::InstallFilter,
                 action::LeaveInit, action::InstallProfile, action::Execute, action::Try, action::Finish>;

// One thing that the child does, with the words for an error: "mount a private /tmp".
struct Step {
    std::string what;
    Action action;
};

}  // namespace ctr
