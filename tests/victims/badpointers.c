/* Calls with pointers that lead nowhere, or to the end of what is there. Prints the result of each, which is
 * the kernel's everywhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char* page;   /* writable, nothing behind it */
static char* sealed; /* readable, nothing behind it */
enum { page_size = 4096 };

static void show(const char* call, const char* pointer, long result) {
    if (result < 0)
        printf("%s %s: %s\n", call, pointer, strerrorname_np(errno));
    else
        printf("%s %s: works\n", call, pointer);
}

struct pointer {
    const char* name;
    void* value;
};

/* Those that can't be read; then what can, for each kind of memory. */
static void with_path(struct pointer p) {
    const long path = (long)p.value;
    struct stat status;
    static char buffer[64];
    const struct {
        const char* name;
        long number, arguments[5];
    } calls[] = {
        {"open", SYS_open, {path, O_RDONLY}},
        {"open to write", SYS_open, {path, O_WRONLY}},
        {"openat", SYS_openat, {AT_FDCWD, path, O_RDONLY}},
        {"openat2", SYS_openat2, {AT_FDCWD, path, (long)buffer, 24}},
        {"stat", SYS_stat, {path, (long)&status}},
        {"lstat", SYS_lstat, {path, (long)&status}},
        {"newfstatat", SYS_newfstatat, {AT_FDCWD, path, (long)&status, 0}},
        {"newfstatat, empty path", SYS_newfstatat, {0, path, (long)&status, AT_EMPTY_PATH}},
        {"access", SYS_access, {path, F_OK}},
        {"faccessat2", SYS_faccessat2, {AT_FDCWD, path, F_OK, 0}},
        {"readlink", SYS_readlink, {path, (long)buffer, sizeof buffer}},
        {"readlinkat", SYS_readlinkat, {AT_FDCWD, path, (long)buffer, sizeof buffer}},
        {"chdir", SYS_chdir, {path}},
        {"statfs", SYS_statfs, {path, (long)page}},
        {"getxattr", SYS_getxattr, {path, (long)"user.x", (long)buffer, sizeof buffer}},
        {"creat", SYS_creat, {path, 0600}},
        {"truncate", SYS_truncate, {path, 0}},
        {"chmod", SYS_chmod, {path, 0700}},
        {"chown", SYS_chown, {path, -1, -1}},
        {"utimensat", SYS_utimensat, {AT_FDCWD, path, 0, 0}},
        {"mkdir", SYS_mkdir, {path, 0700}},
        {"symlink", SYS_symlink, {(long)"x", path}},
        {"unlink", SYS_unlink, {path}},
        {"rmdir", SYS_rmdir, {path}},
        {"link", SYS_link, {path, (long)"/nowhere/x"}},
        {"link to", SYS_link, {(long)"/etc/passwd", path}},
        {"rename", SYS_rename, {path, (long)"/nowhere/x"}},
        {"execve", SYS_execve, {path, 0, 0}},
        {"inotify_add_watch", SYS_inotify_add_watch, {-1, path, 1}},
        {"name_to_handle_at", SYS_name_to_handle_at, {AT_FDCWD, path, (long)buffer, (long)page, 0}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        const long* a = calls[i].arguments;
        show(calls[i].name, p.name, syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4]));
    }
}

static void with_structure(struct pointer p) {
    const long at = (long)p.value;
    const int socket_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct sigaction old;
    const struct {
        const char* name;
        long number, arguments[5];
    } calls[] = {
        {"rt_sigaction, new", SYS_rt_sigaction, {SIGUSR2, at, 0, 8}},
        {"rt_sigaction, old", SYS_rt_sigaction, {SIGUSR2, 0, at, 8}},
        {"rt_sigaction, new, bad signal", SYS_rt_sigaction, {SIGKILL, at, 0, 8}},
        {"rt_sigaction, new, bad size", SYS_rt_sigaction, {SIGUSR2, at, (long)&old, 4}},
        {"rt_sigtimedwait", SYS_rt_sigtimedwait, {at, 0, (long)page, 8}},
        {"wait4 of nobody", SYS_wait4, {-1, at, 0, 0}},
        {"waitid of nobody", SYS_waitid, {P_ALL, 0, at, WEXITED, 0}},
        {"sendmsg", SYS_sendmsg, {socket_fd, at, 0}},
        {"recvmsg", SYS_recvmsg, {socket_fd, at, MSG_DONTWAIT}},
        {"bind", SYS_bind, {socket_fd, at, sizeof(struct sockaddr_un)}},
        {"connect", SYS_connect, {socket_fd, at, sizeof(struct sockaddr_un)}},
        {"clone3", SYS_clone3, {at, sizeof(struct clone_args)}},
        {"clone3, small", SYS_clone3, {at, 8}},
        {"clone3, large", SYS_clone3, {at, 8192}},
        {"fstat", SYS_fstat, {0, at}},
        {"getcwd", SYS_getcwd, {at, 1024}},
        {"getdents64", SYS_getdents64, {-1, at, 1024}},
        {"capget", SYS_capget, {at, 0}},
        {"prlimit64", SYS_prlimit64, {getpid(), 7, at, 0}},
        {"sched_getaffinity", SYS_sched_getaffinity, {getpid(), 8, at}},
        {"timer_create", SYS_timer_create, {0, at, (long)page}},
        {"fcntl F_GETLK", SYS_fcntl, {0, F_GETLK, at}},
        {"ioctl TIOCGPGRP", SYS_ioctl, {0, 0x540f, at}},
        {"getsockopt SO_PEERCRED", SYS_getsockopt, {socket_fd, SOL_SOCKET, SO_PEERCRED, at, at}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        const long* a = calls[i].arguments;
        fflush(stdout);
        const long result = syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4]);
        if (calls[i].number == SYS_clone3 && result == 0) _exit(0);
        show(calls[i].name, p.name, result);
    }
    signal(SIGUSR2, SIG_DFL);
    close(socket_fd);
}

/* There is somebody to report; where to is bad. */
static void report_to(struct pointer p) {
    for (int how = 0; how < 2; ++how) {
        const pid_t child = fork();
        if (child == 0) _exit(3);
        const long result = how == 0 ? syscall(SYS_wait4, child, p.value, 0, NULL)
                                     : syscall(SYS_waitid, P_PID, child, p.value, WEXITED, NULL);
        show(how == 0 ? "wait4" : "waitid", p.name, result);
        printf("afterwards %s\n",
               waitpid(child, NULL, 0) == child ? "it is still there" : strerrorname_np(errno));
    }
}

/* Text that ends with the page, with and without its end. */
static void at_the_edge(const char* text) {
    const size_t size = strlen(text);
    char name[128];
    struct stat status;
    memcpy(page + page_size - size, text, size);
    snprintf(name, sizeof name, "\"%s\" cut off", text);
    show("open", name, syscall(SYS_open, page + page_size - size, O_RDONLY));
    show("stat", name, syscall(SYS_stat, page + page_size - size, &status));
    show("mkdir", name, syscall(SYS_mkdir, page + page_size - size, 0700));
    show("execve", name, syscall(SYS_execve, page + page_size - size, NULL, NULL));
    memcpy(page + page_size - size - 1, text, size + 1);
    snprintf(name, sizeof name, "\"%s\" just so", text);
    show("open", name, syscall(SYS_open, page + page_size - size - 1, O_RDONLY));
    show("stat", name, syscall(SYS_stat, page + page_size - size - 1, &status));
    show("rmdir", name, syscall(SYS_rmdir, page + page_size - size - 1));
    show("rename", name, syscall(SYS_rename, page + page_size - size - 1, "/nowhere/x"));
}

static void with_header(void) {
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct msghdr header = {.msg_control = (void*)1, .msg_controllen = 64};
    show("sendmsg", "control at 1", sendmsg(fd, &header, 0));
    show("recvmsg", "control at 1", recvmsg(fd, &header, MSG_DONTWAIT));
    header.msg_control = page + page_size - 8;
    show("sendmsg", "control across the edge", sendmsg(fd, &header, 0));
    int pair[2];
    const int on = 1;
    char byte = 'x';
    struct iovec data = {&byte, 1};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return;
    setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    for (int i = 0; i < 3; ++i) {
        struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_controllen = 64};
        message.msg_control = i == 0 ? (void*)1 : i == 1 ? page + page_size - 20 : sealed;
        if (send(pair[0], &byte, 1, 0) != 1) return;
        const long got = recvmsg(pair[1], &message, 0);
        show("recvmsg of credentials",
             i == 0   ? "to 1"
             : i == 1 ? "across the edge"
                      : "to what can't be written",
             got);
        printf("control %zu, flags %#x\n", (size_t)message.msg_controllen, message.msg_flags);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (chdir("/") != 0) return 1;
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + page_size, page_size);
    sealed = mmap(NULL, 2 * page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(sealed + page_size, page_size);
    const struct pointer pointers[] = {{"NULL", NULL},
                                       {"1", (void*)1},
                                       {"unmapped", page + page_size},
                                       {"edge", page + page_size - 1},
                                       {"edge - 12", page + page_size - 12},
                                       {"kernel", (void*)0xffffffff81000000},
                                       {"not canonical", (void*)0x8000000000000000},
                                       {"last", (void*)-1},
                                       {"vsyscall", (void*)0xffffffffff600000},
                                       {"not to be written", sealed + 64}};
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; ++i) {
        memset(page, 0, page_size);
        if (pointers[i].value != page + page_size - 12 && pointers[i].value != sealed + 64) {
            page[page_size - 1] = 'x'; /* a text without an end */
            with_path(pointers[i]);
        }
        with_structure(pointers[i]);
        report_to(pointers[i]);
    }
    at_the_edge("/proc/self/stat");
    at_the_edge("/proc/1");
    at_the_edge("/etc/passwd");
    at_the_edge("/nowhere/sta");
    at_the_edge("12");
    with_header();
    return 0;
}
