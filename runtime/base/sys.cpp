#include "runtime/base/sys.h"

#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace ctr::sys {

namespace {

// Of four arguments and the mark; the fifth is 0. Not the C library's syscall(): inside a container that is
// an instrumented one, which takes care of the sixth argument itself. The mark doesn't stay in its register:
// the next call of the C library's that has no sixth argument would carry it by chance.
template <class A, class B, class C, class D>
long marked(long number, A a, B b, C c, D d, uint64_t mark) {
    long result = number;
    register D fourth __asm__("r10") = d;
    register uint64_t fifth __asm__("r8") = 0;
    register uint64_t sixth __asm__("r9") = mark;
    __asm__ volatile("syscall\n\txorl %%r9d, %%r9d"
                     : "+a"(result), "+r"(sixth)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = static_cast<int>(-result);
        return -1;
    }
    return result;
}

}  // namespace

pid_t fork_blocked() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    const int error = errno;
    if (child != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return child;
}

long clone3(clone_args& args) {
    return syscall(SYS_clone3, &args, sizeof args);
}
long clone_as_clone3(const clone_args& args) {
    // x86-64: clone(flags, stack, parent_tid, child_tid, tls); CLONE_PIDFD stores to parent_tid.
    return syscall(SYS_clone, args.flags | args.exit_signal, nullptr, args.pidfd, nullptr, 0);
}

long clone_process(clone_args& args) {
    const long pid = clone3(args);
    return pid < 0 && errno == ENOSYS ? clone_as_clone3(args) : pid;
}

int pidfd_open(pid_t pid, unsigned flags) {
    return static_cast<int>(syscall(SYS_pidfd_open, pid, flags));
}
int pidfd_getfd(int pidfd, int fd) {
    return static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
}
ssize_t getdents64(int fd, void* buffer, size_t size) {
    return syscall(SYS_getdents64, fd, buffer, size);
}
int pidfd_send_signal(int pidfd, int sig) {
    return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, sig, nullptr, 0));
}
pid_t gettid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

int openat2(int dirfd, const char* path, const open_how& how) {
    return static_cast<int>(syscall(SYS_openat2, dirfd, path, &how, sizeof how));
}
int close_range(unsigned first, unsigned last, unsigned flags) {
    return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}

int pivot_root(const char* new_root, const char* put_old) {
    return static_cast<int>(syscall(SYS_pivot_root, new_root, put_old));
}
int open_tree(int dirfd, const char* path, unsigned flags) {
    return static_cast<int>(syscall(SYS_open_tree, dirfd, path, flags));
}
int move_mount(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
    return static_cast<int>(syscall(SYS_move_mount, from_fd, from, to_fd, to, flags));
}
int fsopen(const char* type, unsigned flags) {
    return static_cast<int>(syscall(SYS_fsopen, type, flags));
}
int fsconfig(int fd, unsigned cmd, const char* key, const void* value, int aux) {
    return static_cast<int>(syscall(SYS_fsconfig, fd, cmd, key, value, aux));
}
int fsmount(int fd, unsigned flags, unsigned attributes) {
    return static_cast<int>(syscall(SYS_fsmount, fd, flags, attributes));
}
int mount_setattr(int dirfd, const char* path, unsigned flags, mount_attr& attributes) {
    return static_cast<int>(syscall(SYS_mount_setattr, dirfd, path, flags, &attributes, sizeof attributes));
}

int seccomp_set_filter(unsigned flags, const sock_fprog& program) {
    return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

int landlock_create_ruleset(const void* attr, size_t size, uint32_t flags) {
    return static_cast<int>(syscall(SYS_landlock_create_ruleset, attr, size, flags));
}
int landlock_restrict_self(int ruleset_fd, uint32_t flags) {
    return static_cast<int>(syscall(SYS_landlock_restrict_self, ruleset_fd, flags));
}

int capget(void* header, void* data) {
    return static_cast<int>(syscall(SYS_capget, header, data));
}
int capset(void* header, const void* data, uint64_t mark) {
    return static_cast<int>(marked(SYS_capset, header, data, 0, 0L, mark));
}
int setgroups(size_t count, const gid_t* groups) {
    return static_cast<int>(syscall(SYS_setgroups, count, groups));
}
int setresuid(uid_t real, uid_t effective, uid_t saved) {
    return static_cast<int>(syscall(SYS_setresuid, real, effective, saved));
}
int setresgid(gid_t real, gid_t effective, gid_t saved) {
    return static_cast<int>(syscall(SYS_setresgid, real, effective, saved));
}

ssize_t sendmsg_marked(int fd, const msghdr& message, int flags, uint64_t mark) {
    return marked(SYS_sendmsg, fd, &message, flags, 0L, mark);
}

pid_t getpid_unmarked() {
    return static_cast<pid_t>(marked(SYS_getpid, 0, 0, 0, 0L, 0));
}
pid_t getppid_unmarked() {
    return static_cast<pid_t>(marked(SYS_getppid, 0, 0, 0, 0L, 0));
}
pid_t fork_unmarked() {
    return static_cast<pid_t>(marked(SYS_fork, 0, 0, 0, 0L, 0));
}
pid_t wait_unmarked(int& status) {
    return static_cast<pid_t>(marked(SYS_wait4, -1L, &status, 0, 0L, 0));
}

int execve_marked(const char* path, char* const argv[], char* const env[], uint64_t mark) {
    return static_cast<int>(marked(SYS_execve, path, argv, env, 0L, mark));
}

pid_t fork_marked(uint64_t mark) {
    return static_cast<pid_t>(marked(SYS_clone, static_cast<long>(SIGCHLD), 0L, 0L, 0L, mark));
}
pid_t wait_marked(int& status, int options, uint64_t mark) {
    return static_cast<pid_t>(marked(SYS_wait4, -1L, &status, options, 0L, mark));
}
int kill_marked(pid_t process, int signal, uint64_t mark) {
    return static_cast<int>(marked(SYS_kill, process, signal, 0L, 0L, mark));
}
int sigwait_marked(const sigset_t& set, uint64_t mark) {
    constexpr size_t kernels_size = 8;
    return static_cast<int>(
        marked(SYS_rt_sigtimedwait, &set, static_cast<siginfo_t*>(nullptr), 0L, kernels_size, mark));
}

long getcwd(char* buffer, size_t size) {
    return syscall(SYS_getcwd, buffer, size);
}

}  // namespace ctr::sys
