#include "runtime/check/calls.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/sys.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV  // Linux 5.19
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace ctr::check::calls {

namespace {

// Notifies of one call that nobody else makes here.
int set_filter(unsigned flags, unsigned verdict) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
                             BPF_STMT(BPF_RET | BPF_K, verdict),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    return sys::seccomp_set_filter(flags, {sizeof program / sizeof *program, program});
}

int set_listener(unsigned more = 0) {
    return set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER | more, SECCOMP_RET_USER_NOTIF);
}

// A child that does WORK and ends; or sleeps until it is killed.
template <class Work>
pid_t make_child(Work work) {
    clone_args args{};
    args.exit_signal = SIGCHLD;
    const pid_t parent = getpid();
    const long child = sys::clone_process(args);
    if (child != 0) return static_cast<pid_t>(child);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(1);
    _exit(work());
}

class Sleeper {
  public:
    Sleeper()
        : pid_(make_child([] {
              while (true) pause();
              return 0;
          })) {}
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() {
        if (pid_ <= 0) return;
        const int error = errno;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        errno = error;
    }
    pid_t pid() const { return pid_; }

  private:
    pid_t pid_;
};

const char* unless(bool success, const char* call) {
    return success ? nullptr : call;
}

// The child serves one call of this process: takes it, does as ACT does, and lets it go on. It ends with 0 or
// an errno.
template <class Act>
const char* serve_one_call(const char* call, Act act) {
    Fd listener(set_listener());
    if (!listener) return "seccomp";
    const pid_t server = make_child([&] {
        seccomp_notif request{};
        if (ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return errno;
        if (!act(listener.get(), request.id)) return errno;
        seccomp_notif_resp answer{};
        answer.id = request.id;
        answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        return ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 ? 0 : errno;
    });
    // The server's is the only one now: should it end early, the call fails instead of waiting for nobody.
    listener.reset();
    if (server < 0) return "clone3";
    (void)getpgid(0);
    int status = 0;
    waitpid(server, &status, 0);
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
    return unless(errno == 0, call);
}

}  // namespace

const char* install_filter() {
    return unless(set_filter(0, SECCOMP_RET_ALLOW) == 0, "seccomp");
}

const char* install_listener() {
    return unless(set_listener() >= 0, "seccomp");
}

const char* install_patient_listener() {
    return unless(set_listener(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV) >= 0, "seccomp");
}

const char* let_a_call_go_on() {
    return serve_one_call("ioctl SECCOMP_IOCTL_NOTIF_SEND", [](int, uint64_t) { return true; });
}

const char* add_a_descriptor() {
    return serve_one_call("ioctl SECCOMP_IOCTL_NOTIF_ADDFD", [](int listener, uint64_t id) {
        seccomp_notif_addfd added{};
        added.id = id;
        added.srcfd = static_cast<unsigned>(listener);
        return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added) >= 0;
    });
}

const char* trace_a_child() {
    const Sleeper child;
    if (child.pid() < 0) return "clone3";
    if (ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) != 0) return "ptrace";
    if (ptrace(PTRACE_INTERRUPT, child.pid(), nullptr, nullptr) != 0) return "ptrace";
    int status = 0;
    if (waitpid(child.pid(), &status, 0) != child.pid()) return "waitpid";
    return unless(ptrace(PTRACE_DETACH, child.pid(), nullptr, nullptr) == 0, "ptrace");
}

const char* read_a_childs_memory() {
    const Sleeper child;
    if (child.pid() < 0) return "clone3";
    char here = 0;
    const char there = 0;
    const iovec to{&here, 1};
    const iovec from{const_cast<char*>(&there), 1};
    return unless(process_vm_readv(child.pid(), &to, 1, &from, 1, 0) == 1, "process_vm_readv");
}

const char* open_a_childs_memory() {
    const Sleeper child;
    if (child.pid() < 0) return "clone3";
    char name[32];
    std::snprintf(name, sizeof name, "/proc/%d/mem", child.pid());
    return unless(static_cast<bool>(Fd(open(name, O_RDWR | O_CLOEXEC))), "open");
}

const char* use_a_pidfd() {
    const Sleeper child;
    if (child.pid() < 0) return "clone3";
    const Fd pidfd(sys::pidfd_open(child.pid(), 0));
    if (!pidfd) return "pidfd_open";
    return unless(sys::pidfd_send_signal(pidfd.get(), 0) == 0, "pidfd_send_signal");
}

const char* get_a_descriptor() {
    const Sleeper child;
    if (child.pid() < 0) return "clone3";
    const Fd root(open("/", O_PATH | O_CLOEXEC));
    // What was opened after the child was made isn't the child's; its standard error may be closed, its
    // channel isn't.
    const Fd pidfd(sys::pidfd_open(child.pid(), 0));
    if (!pidfd) return "pidfd_open";
    for (int number = 0; number < root.get(); ++number)
        if (fcntl(number, F_GETFD) >= 0)
            return unless(static_cast<bool>(Fd(sys::pidfd_getfd(pidfd.get(), number))), "pidfd_getfd");
    errno = EBADF;
    return "pidfd_getfd";
}

// Where there is nothing.
const char* close_a_range() {
    return unless(sys::close_range(~0U, ~0U, 0) == 0, "close_range");
}

const char* resolve_in_root() {
    const Fd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return unless(static_cast<bool>(Fd(path::open_in_root(root.get(), "/", O_PATH))), "openat2");
}

const char* clone_by_structure() {
    clone_args args{};
    args.exit_signal = SIGCHLD;
    const long child = sys::clone3(args);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
    return unless(child > 0, "clone3");
}

const char* change_a_detached_mount() {
    const Fd tree(sys::open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
    if (!tree) return "open_tree";
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSUID;
    return unless(sys::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, attributes) == 0,
                  "mount_setattr");
}

const char* open_a_terminal() {
    const Fd master(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!master) return "open";
    return unless(unlockpt(master.get()) == 0, "ioctl TIOCSPTLCK");
}

}  // namespace ctr::check::calls
