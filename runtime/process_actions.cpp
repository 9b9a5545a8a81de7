// Actions on the process itself. Async-signal-safe: see child.h.
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pidns/surface/mark.h"
#include "runtime/base/path.h"
#include "runtime/base/sys.h"
#include "runtime/child.h"
#include "runtime/landlock.h"

namespace ctr::child {

namespace {

Fault write_own(const char* name, const std::string& text) {
    char path[64] = "self/";
    strncat(path, name, sizeof path - sizeof "self/");
    const Fd file(path::open_procfs(path, O_WRONLY));
    if (!file) return failed("openat2", name);
    const ssize_t written = write(file.get(), text.data(), text.size());
    return written == static_cast<ssize_t>(text.size()) ? Fault{} : failed("write", name);
}

}  // namespace

Fault execute(State&, const action::WriteOwn& action) {
    return write_own(action.file.c_str(), action.text);
}

Fault execute(State&, const action::Unshare& action) {
    return unshare(static_cast<int>(action.flags)) == 0 ? Fault{} : failed("unshare");
}

// unshare moves children only, and execve does so not before Linux 6.1; the offsets are fixed with the first
// who enters.
Fault execute(State&, const action::EnterOwnTime& action) {
    if (unshare(CLONE_NEWTIME) != 0) return failed("unshare");
    if (const Fault fault = write_own("timens_offsets", action.offsets); fault.happened) return fault;
    const Fd own(open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC));
    if (!own) return failed("open", "/proc/self/ns/time_for_children");
    return setns(own.get(), CLONE_NEWTIME) == 0 ? Fault{} : failed("setns");
}

Fault execute(State&, const action::SetHostname& action) {
    return sethostname(action.name.data(), action.name.size()) == 0 ? Fault{} : failed("sethostname");
}

Fault execute(State&, const action::LoopbackUp&) {
    const Fd socket_fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket_fd) return failed("socket");
    ifreq request{};
    memcpy(request.ifr_name, "lo", sizeof "lo");
    if (ioctl(socket_fd.get(), SIOCGIFFLAGS, &request) != 0) return failed("ioctl SIOCGIFFLAGS");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    if (ioctl(socket_fd.get(), SIOCSIFFLAGS, &request) != 0) return failed("ioctl SIOCSIFFLAGS");
    return {};
}

// Away from the caller's terminal, into which a process inside could otherwise type (TIOCSTI, CVE-2017-5226).
Fault execute(State&, const action::NewSession&) {
    return setsid() >= 0 ? Fault{} : failed("setsid");
}

// By descriptors from the multiplexer on: no path to the new terminal is looked up, which something in the
// root could lead elsewhere (CVE-2025-52565).
Fault execute(State& state, const action::OpenTerminal& action) {
    const Fd outer_end(path::open_in_root(state.root.get(), "/dev/ptmx", O_RDWR | O_NOCTTY));
    if (!outer_end) return failed("openat2", "/dev/ptmx");
    if (!path::is_character_device(outer_end.get(), 5, 2))
        return refused("/dev/ptmx is not the device that makes terminals");
    const int unlock = 0;
    if (ioctl(outer_end.get(), TIOCSPTLCK, &unlock) != 0) return failed("ioctl TIOCSPTLCK");
    const Fd terminal(ioctl(outer_end.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal) return failed("ioctl TIOCGPTPEER");
    struct stat status {};
    if (fstat(terminal.get(), &status) != 0) return failed("fstat");
    if (status.st_uid != action.owner && fchown(terminal.get(), action.owner, static_cast<gid_t>(-1)) != 0)
        return failed("fchown");
    const winsize size{action.size.rows, action.size.columns, 0, 0};
    if (ioctl(terminal.get(), TIOCSWINSZ, &size) != 0) return failed("ioctl TIOCSWINSZ");
    if (state.channel.terminal(outer_end.get()) != 0) return failed("sendmsg");
    if (ioctl(terminal.get(), TIOCSCTTY, 0) != 0) return failed("ioctl TIOCSCTTY");
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (dup2(terminal.get(), standard) < 0) return failed("dup2");
    return {};
}

Fault execute(State&, const action::LimitResources& action) {
    for (const Ulimit& limit : action.limits) {
        const rlimit values{limit.soft, limit.hard};
        if (setrlimit(limit.resource, &values) != 0) return failed("setrlimit");
    }
    return {};
}

Fault execute(State&, const action::Control& action) {
    return prctl(action.option, action.value, 0, 0, 0) == 0 ? Fault{} : failed("prctl", action.name.c_str());
}

Fault execute(State& state, const action::DieWithParent&) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return failed("prctl", "PR_SET_PDEATHSIG");
    if (state.channel.parent_is_gone()) _exit(125);
    return {};
}

Fault execute(State&, const action::DropBounding& action) {
    for (int capability = 0; capability < 64; ++capability) {
        if ((action.capabilities >> capability & 1) == 0) continue;
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return failed("prctl", "PR_CAPBSET_DROP");
    }
    return {};
}

Fault execute(State&, const action::SetIds& action) {
    if (action.clear_groups && sys::setgroups(0, nullptr) != 0) return failed("setgroups");
    if (sys::setresgid(action.gid, action.gid, action.gid) != 0) return failed("setresgid");
    // The permitted set survives until SetCapabilities, which leaves in it what the plan says.
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return failed("prctl", "PR_SET_KEEPCAPS");
    if (sys::setresuid(action.uid, action.uid, action.uid) != 0) return failed("setresuid");
    return {};
}

Fault execute(State&, const action::SetCapabilities& action) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    if (sys::capset(&header, action.data, action.after_filter ? pidns::mark : 0) != 0)
        return failed("capset");
    return {};
}

Fault execute(State&, const action::Confine& action) {
    const char* call = landlock::confine(action.sockets);
    return call == nullptr ? Fault{} : failed(call);
}

}  // namespace ctr::child
