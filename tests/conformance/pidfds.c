/* Handles of processes: opened, asked, told about in fdinfo, signalled. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "proc.h"

enum { pidfd_thread = O_EXCL };

static int open_handle(pid_t pid, unsigned flags) {
    return (int)syscall(SYS_pidfd_open, pid, flags);
}

static const char* opened(int fd) {
    if (fd < 0) return who(-1);
    close(fd);
    return "ok";
}

static pid_t idle_thread(void) {
    pthread_t one;
    pthread_create(&one, NULL, idle_body, NULL);
    came(&board->flag[0]);
    know(board->pid[0], "thread");
    return board->pid[0];
}

static void openings(void) {
    const pid_t child = child_that_waits("child"), thread = idle_thread();
    fact("child=%s", opened(open_handle(child, 0)));
    fact("self=%s", opened(open_handle(getpid(), 0)));
    fact("parent=%s", opened(open_handle(getppid(), 0)));
    fact("unknown=%s", opened(open_handle(unknown_pid, 0)));
    fact("zero=%s", opened(open_handle(0, 0)));
    fact("negative=%s", opened(open_handle(-child, 0)));
    fact("bad-flags=%s", opened(open_handle(child, 1)));
    fact("thread-as-process=%s", yes(open_handle(thread, 0) < 0));
    fact("thread=%s", opened(open_handle(thread, pidfd_thread)));
    fact("leader-as-thread=%s", opened(open_handle(getpid(), pidfd_thread)));
    fact("unknown-thread=%s", opened(open_handle(unknown_pid, pidfd_thread)));
    siginfo_t info;
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie=%s", opened(open_handle(child, 0)));
    reap(child);
    fact("dead=%s", opened(open_handle(child, 0)));
}

/* What PIDFD_GET_INFO writes, in its first size. */
struct handle_info {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ids[8];
    int32_t exit_code;
    uint64_t later[4];
};

static unsigned long get_info(size_t size) {
    return 3UL << 30 | size << 16 | 0xffUL << 8 | 11;
}
enum { first_size = 64, second_size = 72, wants_pid = 1 };

static void tell_info(const char* how, int fd, size_t size) {
    struct handle_info info;
    memset(&info, 0, sizeof info);
    info.mask = wants_pid;
    const long got = ioctl(fd, get_info(size), &info);
    fact("%s=%s", how, result(got));
    if (got != 0) return;
    fact("pid=%s", who(info.pid));
    fact("tgid=%s", who(info.tgid));
    fact("ppid=%s", who(info.ppid));
}

static void infos(void) {
    const pid_t child = child_that_waits("child"), thread = idle_thread();
    const int fd = open_handle(child, 0), of_thread = open_handle(thread, pidfd_thread);
    tell_info("child", fd, first_size);
    tell_info("longer", fd, second_size);
    tell_info("self", open_handle(getpid(), 0), first_size);
    tell_info("thread", of_thread, first_size);
    tell_info("too-short", fd, 8);
    fact("null=%s", result(ioctl(fd, get_info(first_size), NULL)));
    fact("bad-memory=%s", result(ioctl(fd, get_info(first_size), (void*)8)));
    const pid_t asks = offspring();
    if (asks == 0) {
        tell_info("sibling", fd, first_size);
        tell_info("parent", open_handle(getppid(), 0), first_size);
        _exit(0);
    }
    reap(asks);
    siginfo_t info;
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    tell_info("zombie", fd, first_size);
    reap(child);
    tell_info("dead", fd, first_size);
    tell_info("no-handle", open("/dev/null", O_RDONLY), first_size);
}

static void tell_fdinfo(const char* how, pid_t pid, int fd) {
    const char* const path = path_of("/proc/%d/fdinfo/%d", pid, fd);
    fact("%s: Pid=%s", how, line_of(path, "Pid"));
    fact("NSpid=%s", line_of(path, "NSpid"));
}

static void fdinfos(void) {
    const pid_t child = child_that_waits("child"), thread = idle_thread();
    const int fd = open_handle(child, 0), self = open_handle(getpid(), 0);
    const int of_thread = open_handle(thread, pidfd_thread);
    tell_fdinfo("child", getpid(), fd);
    tell_fdinfo("self", getpid(), self);
    if (of_thread >= 0) tell_fdinfo("thread", getpid(), of_thread);
    const pid_t asks = offspring();
    if (asks == 0) {
        tell_fdinfo("inherited", getpid(), fd);
        tell_fdinfo("parent's", getppid(), fd);
        _exit(0);
    }
    reap(asks);
    const int kept = open(path_of("/proc/self/fdinfo/%d", fd), O_RDONLY);
    siginfo_t info;
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    tell_fdinfo("zombie", getpid(), fd);
    reap(child);
    tell_fdinfo("dead", getpid(), fd);
    char text[512] = "";
    fact("kept-open=%s", yes(pread(kept, text, sizeof text - 1, 0) > 0 && strstr(text, "Pid:\t-1") != NULL));
}

static long send_signal(int fd, int signal, siginfo_t* info, unsigned flags) {
    return syscall(SYS_pidfd_send_signal, fd, signal, info, flags);
}

/* Everybody's si_pid, whichever way the handle was asked to use. Kernels before 6.9 know no flags. */
static void signals_by_handle(void) {
    static const char* const names[] = {"plain", "thread", "process", "group"};
    for (unsigned i = 0; i < 4; ++i) {
        board->flag[0] = 0;
        const pid_t child = offspring();
        if (child == 0) {
            setpgid(0, 0);
            const sigset_t set = block_signal(SIGUSR1);
            siginfo_t info;
            raise_flag(&board->flag[0]);
            fact("taken=%d", take_signal(&set, &info));
            fact("code=%d pid=%s", info.si_code, who(info.si_pid));
            _exit(0);
        }
        came(&board->flag[0]);
        const int fd = open_handle(child, i == 1 ? pidfd_thread : 0);
        const long sent = send_signal(fd, SIGUSR1, NULL, i == 0 ? 0 : 1U << (i - 1));
        if (sent != 0) {
            fact("%s=%s", names[i], result(sent));
            kill(child, SIGUSR1);
        }
        fact("%s: %s", names[i], reap(child));
        close(fd);
    }
    fact("no-handle=%s", result(send_signal(open("/dev/null", O_RDONLY), 0, NULL, 0)));
}

/* A directory of /proc is a handle too, to this call alone. */
static void directory_as_handle(void) {
    const pid_t child = child_that_waits("child");
    const int directory = open(path_of("/proc/%d", child), O_RDONLY | O_DIRECTORY);
    fact("zero=%s", result(send_signal(directory, 0, NULL, 0)));
    fact("kill=%s", result(send_signal(directory, SIGKILL, NULL, 0)));
    fact("%s", reap(child));
    fact("dead=%s", result(send_signal(directory, 0, NULL, 0)));
}

static void descriptors_by_handle(void) {
    int ends[2];
    const pid_t child = offspring();
    if (child == 0) {
        if (pipe(ends) != 0) _exit(1);
        board->count[0] = ends[1];
        raise_flag(&board->flag[0]);
        char byte = 0;
        _exit(readable(ends[0]) && read(ends[0], &byte, 1) == 1 ? byte : 1);
    }
    came(&board->flag[0]);
    const int fd = open_handle(child, 0);
    const int copy = (int)syscall(SYS_pidfd_getfd, fd, board->count[0], 0);
    fact("getfd=%s", copy < 0 ? who(-1) : "ok");
    if (write(copy, "\007", 1) != 1) fact("write-failed");
    fact("%s", reap(child));
    fact("dead=%s", who(syscall(SYS_pidfd_getfd, fd, 0, 0)));
}

const struct test_case pidfd_cases[] = {{"pidfd_openings", openings, "pidfd_open"},
                                        {"pidfd_infos", infos, "ioctl PIDFD_GET_INFO"},
                                        {"pidfd_fdinfos", fdinfos, "openat, read"},
                                        {"pidfd_signals", signals_by_handle, "pidfd_send_signal"},
                                        {"pidfd_directory", directory_as_handle, "pidfd_send_signal"},
                                        {"pidfd_descriptors", descriptors_by_handle, "pidfd_getfd"},
                                        {NULL, NULL, NULL}};
