/* Programs that install seccomp filters of their own, which kill the process for any call that isn't on a
 * short list. `filtered CALLS [WHEN]`: CALLS is a list of what the program will do in its sandbox,
 * getpid,wait,open,... WHEN: late (the default: it has made calls before), early (its first call of all is
 * the filter), exec (the filter is there when it is executed), thread (another thread has installed it for
 * all). Proves that nothing but the calls of the program reaches the filter. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int pair[2], asking[2];
static pid_t child;
static volatile pid_t sender;

static int do_getpid(void) {
    return getpid() > 0;
}
static int do_getppid(void) {
    return getppid() >= 0;
}
static int do_kill(void) {
    return kill(child, 0) == 0;
}
static int do_wait(void) {
    return waitpid(child, NULL, WNOHANG) == 0;
}
static int do_open(void) {
    const int file = open("/etc/passwd", O_RDONLY);
    return file >= 0 && close(file) == 0;
}
static int do_create(void) {
    return open("/nowhere/file", O_WRONLY | O_CREAT, 0600) < 0 && errno == ENOENT;
}
static int do_stat(void) {
    struct stat known;
    return stat("/etc", &known) == 0 && fstat(0, &known) == 0;
}
static int do_read(void) {
    char bytes[128];
    return read(pair[0], bytes, sizeof bytes) == 1 && lseek(pair[0], 0, SEEK_SET) < 0;
}
static int do_message(void) {
    char bytes[64], byte = 'x';
    struct iovec data = {&byte, 1};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = bytes, .msg_controllen = sizeof bytes};
    return recvmsg(pair[0], &header, 0) == 1;
}
static int do_action(void) {
    struct sigaction action = {.sa_handler = SIG_IGN}, old;
    return sigaction(SIGUSR1, &action, &old) == 0;
}
static int do_fork(void) {
    const pid_t other = _Fork();
    if (other == 0) _exit(0);
    return other > 0;
}
static int do_group(void) {
    return setpgid(0, 0) == 0 || errno == EPERM;
}

/* The handler is there already; the child sends the signal. */
static void note_sender(int signal, siginfo_t* info, void* context) {
    (void)signal;
    (void)context;
    sender = info->si_pid;
}
static int do_arrival(void) {
    if (write(asking[1], "x", 1) != 1) return 0;
    while (sender == 0) {
    }
    return sender == child;
}

static const struct {
    const char* name;
    int (*once)(void);
    short calls[4];
} all[] = {{"getpid", do_getpid, {SYS_getpid}},
           {"getppid", do_getppid, {SYS_getppid}},
           {"kill", do_kill, {SYS_kill}},
           {"wait", do_wait, {SYS_wait4}},
           {"open", do_open, {SYS_openat, SYS_close}},
           {"create", do_create, {SYS_openat}},
           {"stat", do_stat, {SYS_newfstatat, SYS_fstat}},
           {"read", do_read, {SYS_read, SYS_lseek}},
           {"message", do_message, {SYS_recvmsg}},
           {"action", do_action, {SYS_rt_sigaction}},
           {"fork", do_fork, {SYS_clone, SYS_set_robust_list, SYS_rt_sigprocmask}},
           {"group", do_group, {SYS_setpgid}},
           {"arrival", do_arrival, {SYS_write}}};
enum { count = sizeof all / sizeof *all };

static int named(const char* list, const char* name) {
    const char* at = strstr(list, name);
    const char after = at == NULL ? 'x' : at[strlen(name)];
    return at != NULL && (after == ',' || after == '\0') && (at == list || at[-1] == ',');
}

static void install(const char* list, unsigned flags, int executes) {
    struct sock_filter program[256];
    unsigned short n = 0;
    /* What a program can't do without; the loader's, if it is executed with it. */
    static const short always[] = {SYS_write,        SYS_exit_group, SYS_exit,   SYS_futex,
                                   SYS_rt_sigreturn, SYS_munmap,     SYS_madvise};
    static const short loader[] = {SYS_execve,
                                   SYS_brk,
                                   SYS_mmap,
                                   SYS_mprotect,
                                   SYS_access,
                                   SYS_openat,
                                   SYS_read,
                                   SYS_pread64,
                                   SYS_newfstatat,
                                   SYS_fstat,
                                   SYS_close,
                                   SYS_arch_prctl,
                                   SYS_set_tid_address,
                                   SYS_set_robust_list,
                                   SYS_prlimit64,
                                   SYS_getrandom,
                                   SYS_socketpair,
                                   SYS_clone,
                                   SYS_rseq};
#define ADD(...) program[n++] = (struct sock_filter)__VA_ARGS__
#define ALLOW(number)                                                   \
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(number), 0, 1)); \
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW))
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < sizeof always / sizeof *always; ++i) {
        ALLOW(always[i]);
    }
    for (size_t i = 0; executes && i < sizeof loader / sizeof *loader; ++i) {
        ALLOW(loader[i]);
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; named(list, all[i].name) && j < 4 && (j == 0 || all[i].calls[j] != 0); ++j) {
            ALLOW(all[i].calls[j]);
        }
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    const struct sock_fprog whole = {n, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) exit(3);
    /* Both ways of doing it. */
    const long result = flags == 0 && strlen(list) % 2
                            ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole)
                            : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole);
    if (result != 0) exit(4);
}

static const char* calls;
static pthread_barrier_t installed;

static void* install_for_all(void* unused) {
    pthread_barrier_wait(&installed); /* its creator has made its last call for that */
    install(calls, SECCOMP_FILTER_FLAG_TSYNC, 0);
    pthread_barrier_wait(&installed);
    pthread_barrier_wait(&installed); /* never over: the end of a thread takes more calls */
    return unused;
}

int main(int argc, char** argv) {
    const char* const when = argc > 2 ? argv[2] : "late";
    pthread_t thread;
    if (argc < 2) return 2;
    calls = argv[1];
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(when, "exec") == 0) {
        char* const again[] = {argv[0], argv[1], (char*)"executed", NULL};
        install(calls, 0, 1);
        execv(argv[0], again);
        return 5;
    }
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return 6;
    if (strcmp(when, "late") == 0 || strcmp(when, "thread") == 0) {
        struct sigaction action = {.sa_sigaction = note_sender, .sa_flags = SA_SIGINFO | SA_RESTART};
        if (pipe(asking) != 0 || (named(calls, "arrival") && sigaction(SIGUSR2, &action, NULL) != 0))
            return 9;
        for (int i = 0; i < 3; ++i)
            if (getpid() <= 0) return 7;
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(1);
            char byte;
            if (read(asking[0], &byte, 1) == 1) kill(getppid(), SIGUSR2);
            for (;;) pause();
        }
    }
    for (int i = 0; i < 4; ++i)
        if (write(pair[1], "x", 1) != 1) return 8;
    if (strcmp(when, "thread") == 0) {
        pthread_barrier_init(&installed, NULL, 2);
        pthread_create(&thread, NULL, install_for_all, NULL);
        pthread_barrier_wait(&installed);
        pthread_barrier_wait(&installed);
    }
    if (strcmp(when, "late") == 0 || strcmp(when, "early") == 0) install(calls, 0, 0);
    for (int i = 0; i < count; ++i)
        if (named(calls, all[i].name)) printf("%s: %s\n", all[i].name, all[i].once() ? "right" : "wrong");
    _exit(0);
}
