// A family in pid namespaces of the kernel's whose /proc is full of numbers: for comparing what is read from
// outside with what is read from inside. proctexts DIRECTORY MEMBERS: the directory for its files, the file
// with the members of its cgroup. Prints "ready N", where N is the number outside of the first process
// inside, and waits to be killed.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int need(int result, const char* what) {
    if (result < 0) err(1, "%s", what);
    return result;
}

static int file(const char* name) {
    return need(open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600), name);
}

static void copy(const char* from, const char* to) {
    char text[1 << 16];
    const int in = need(open(from, O_RDONLY), from);
    const int out = need(open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
    for (ssize_t size; (size = read(in, text, sizeof text)) > 0;)
        need((int)write(out, text, (size_t)size), to);
    close(in);
    close(out);
}

// New processes that end with their parent; without flags for clone(), in the same namespaces.
static pid_t child(unsigned long flags) {
    const pid_t pid = (pid_t)need((int)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0), "clone");
    if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static pid_t waiter_for_flock(const char* name) {
    const pid_t pid = child(0);
    if (pid == 0) {
        flock(file(name), LOCK_EX);
        for (;;) pause();
    }
    return pid;
}

static void lock_range(int fd, int command, short type) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
    fcntl(fd, command, &range);
}

static void* sleep_as_thread(void* tid) {
    __atomic_store_n((pid_t*)tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    for (;;) pause();
    return NULL;
}

static void make_timer(clockid_t clock, int notify, pid_t thread) {
    struct sigevent event = {.sigev_notify = notify, .sigev_signo = SIGUSR1};
    event._sigev_un._tid = thread;
    int timer = 0;
    need((int)syscall(SYS_timer_create, clock, &event, &timer), "timer_create");
}

static void hold_pidfd(pid_t pid) {
    need((int)syscall(SYS_pidfd_open, pid, 0), "pidfd_open");
}

static void have_ipc(void) {
    struct {
        long type;
        char text[8];
    } message = {1, "text"};
    const int queue = need(msgget(IPC_PRIVATE, 0600), "msgget");
    need(msgsnd(queue, &message, sizeof message.text, 0), "msgsnd");
    const int segment = need(shmget(IPC_PRIVATE, 4096, 0600), "shmget");
    const pid_t user = child(0);
    if (user == 0) {
        shmat(segment, NULL, 0);
        for (;;) pause();
    }
    usleep(100000);  // so that it has attached
}

static void inside(const char* members, int ready) {
    need(setsid(), "setsid");
    need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
    need(mount("proc", "/proc", "proc", 0, NULL), "proc");
    prctl(PR_SET_NAME, ") S (a\nPid:\t1");

    need(flock(file("held inside"), LOCK_EX), "flock");
    lock_range(file("range"), F_SETLK, F_WRLCK);
    lock_range(file("description"), F_OFD_SETLK, F_WRLCK);
    close(file("leased"));
    need(fcntl(open("leased", O_RDONLY | O_CLOEXEC), F_SETLEASE, F_RDLCK), "lease");
    waiter_for_flock("held inside");
    waiter_for_flock("held outside");
    const pid_t leads = child(0);
    if (leads == 0) {
        setpgid(0, 0);
        lock_range(file("range"), F_SETLKW, F_WRLCK);
        for (;;) pause();
    }
    need((int)ptrace(PTRACE_SEIZE, leads, 0, 0), "seize");

    // Two namespaces below. The second one's first process is in the group that the first one's leads.
    const pid_t below = child(CLONE_NEWPID);
    if (below == 0) {
        if (child(0) == 0) setpgid(0, 0);
        for (;;) pause();
    }
    const pid_t beside = child(CLONE_NEWPID);
    if (beside == 0)
        for (;;) pause();
    need(setpgid(below, below), "setpgid");
    need(setpgid(beside, below), "setpgid");

    static pid_t tid;
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_as_thread, &tid);
    while (__atomic_load_n(&tid, __ATOMIC_SEQ_CST) == 0) sched_yield();
    make_timer(CLOCK_MONOTONIC, SIGEV_THREAD_ID, tid);
    make_timer(CLOCK_REALTIME, SIGEV_NONE, 0);
    // No clock of another's time: the kernel prints its number as the caller gave it, so the same inside and
    // outside.
    make_timer(CLOCK_PROCESS_CPUTIME_ID, SIGEV_SIGNAL, 0);
    make_timer(CLOCK_THREAD_CPUTIME_ID, SIGEV_SIGNAL, 0);

    for (pid_t pid = 1; pid <= beside; ++pid) syscall(SYS_pidfd_open, pid, 0);
    const pid_t gone = child(0);
    if (gone == 0) _exit(0);
    hold_pidfd(gone);
    waitpid(gone, NULL, 0);

    have_ipc();
    copy("/proc/sysvipc/shm", "shm inside");
    copy("/proc/sysvipc/msg", "msg inside");
    copy(members, "members inside");
    need((int)write(ready, "", 1), "ready");
    for (;;) pause();
}

int main(int argc, char** argv) {
    if (argc != 3) errx(2, "usage: proctexts DIRECTORY MEMBERS");
    need(chdir(argv[1]), argv[1]);
    need(unshare(CLONE_NEWNS | CLONE_NEWIPC), "unshare");
    need(flock(file("held outside"), LOCK_EX), "flock");
    int ready[2];
    need(pipe(ready), "pipe");
    const pid_t first = child(CLONE_NEWPID | CLONE_NEWNS);
    if (first == 0) inside(argv[2], ready[1]);
    close(ready[1]);
    char byte;
    if (read(ready[0], &byte, 1) != 1) errx(1, "the family inside is incomplete");
    waiter_for_flock("held inside");
    copy("/proc/sysvipc/shm", "shm outside");
    copy("/proc/sysvipc/msg", "msg outside");
    printf("ready %d\n", first);
    fflush(stdout);
    for (;;) pause();
}
