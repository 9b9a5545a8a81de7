// The raw system calls that the C library doesn't wrap (or wraps with side effects): the only place where
// syscall() is called, beside the freestanding guest code. Each does what its name says, returns what the
// kernel returns, sets errno, allocates nothing and is async-signal-safe.
#pragma once

#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

struct msghdr;
struct mount_attr;

namespace ctr::sys {

// fork, with all signals blocked in the child: handlers of the program must not run there. errno is fork's.
pid_t fork_blocked();

// Returns twice, like fork. The child runs on a copy of the stack; args.stack must be 0.
long clone3(clone_args& args);
// The same through clone, for hosts whose filter answers clone3 with ENOSYS because its flags can't be
// inspected (CVE-2021-41133). Knows flags, exit_signal and pidfd of the arguments; nothing else may be set.
long clone_as_clone3(const clone_args& args);
// The first of the two that there is; the latter's conditions hold.
long clone_process(clone_args& args);

int pidfd_open(pid_t pid, unsigned flags);
int pidfd_send_signal(int pidfd, int sig);
int pidfd_getfd(int pidfd, int fd);
ssize_t getdents64(int fd, void* buffer, size_t size);
pid_t gettid();

int openat2(int dirfd, const char* path, const open_how& how);
int close_range(unsigned first, unsigned last, unsigned flags);

int pivot_root(const char* new_root, const char* put_old);
int open_tree(int dirfd, const char* path, unsigned flags);
int move_mount(int from_fd, const char* from, int to_fd, const char* to, unsigned flags);
int fsopen(const char* type, unsigned flags);
int fsconfig(int fd, unsigned cmd, const char* key, const void* value, int aux);
int fsmount(int fd, unsigned flags, unsigned attributes);
int mount_setattr(int dirfd, const char* path, unsigned flags, mount_attr& attributes);

// seccomp(SECCOMP_SET_MODE_FILTER): the listener's descriptor with SECCOMP_FILTER_FLAG_NEW_LISTENER, else 0.
int seccomp_set_filter(unsigned flags, const sock_fprog& program);

int landlock_create_ruleset(const void* attr, size_t size, uint32_t flags);
int landlock_restrict_self(int ruleset_fd, uint32_t flags);

int capget(void* header, void* data);
// The mark (0: none) goes into the sixth argument, as in sendmsg_marked.
int capset(void* header, const void* data, uint64_t mark);
int setgroups(size_t count, const gid_t* groups);  // this thread only, unlike the C library's
int setresuid(uid_t real, uid_t effective, uid_t saved);
int setresgid(gid_t real, gid_t effective, gid_t saved);

// sendmsg with MARK in the sixth argument, which the kernel ignores and the layer's seccomp filter lets pass.
ssize_t sendmsg_marked(int fd, const msghdr& message, int flags, uint64_t mark);
// The process's own calls without a mark, for who has made calls with one before: it is still in the
// register.
pid_t getpid_unmarked();
pid_t getppid_unmarked();
pid_t fork_unmarked();
pid_t wait_unmarked(int& status);  // for any child
int execve_marked(const char* path, char* const argv[], char* const env[], uint64_t mark);

// Likewise, with the kernel's numbers. Of any child; the signal that arrived.
pid_t fork_marked(uint64_t mark);
pid_t wait_marked(int& status, int options, uint64_t mark);
int kill_marked(pid_t process, int signal, uint64_t mark);
int sigwait_marked(const sigset_t& set, uint64_t mark);

// Unlike the C library's, says "(unreachable)/..." for a directory outside the root, and never walks the
// tree. Returns the length with the final 0.
long getcwd(char* buffer, size_t size);

}  // namespace ctr::sys
