/* A signal at every instruction of a call: the program sets the processor's trap flag, so that the kernel
 * sends it SIGTRAP after each instruction that it executes, in whatever code. `everystep CALL HANDLER`: CALL
 * is getpid, getppid, fork, kill, stat, link or action; HANDLER is plain or siginfo. At every step the
 * handler asks who it is. At one of so many it makes a child and waits for it, at each in its turn: where
 * every step changes the numbers, a loop that waits for them to stand still would never end. Proves that
 * there is no instruction at which that, or the call that it interrupts, goes wrong. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { period = 509 };

static pid_t self, parent, child;
static volatile long steps;
static int turn;
static volatile int* said; /* what a child says of itself */

/* From handlers too. */
static void expect(const char* what, long got, long wanted) {
    char text[160];
    if (got == wanted) return;
    const int size = snprintf(text, sizeof text, "everystep: %s: %ld instead of %ld, errno %d, step %ld\n",
                              what, got, wanted, errno, steps);
    if (write(1, text, (size_t)size) < 0) abort();
    _exit(1);
}

/* Below the red zone. */
static inline void start_steps(void) {
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}
static inline void stop_steps(void) {
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}

static void wait_for(const char* what, pid_t made, int status) {
    int ended = 0;
    expect(what, waitpid(made, &ended, 0), made);
    expect(what, WIFEXITED(ended) ? WEXITSTATUS(ended) : -ended, status);
}

/* The child of a fork is stepped as well, before it can know itself. */
static void look_around(void) {
    const int error = errno;
    const pid_t now = getpid();
    ++steps;
    if (now != self) {
        if (child == 0) child = now;
        expect("number in the child", now, child);
        expect("parent of the child", getppid(), self);
    } else {
        expect("parent", getppid(), parent);
    }
    if (steps % period == turn) {
        const pid_t made = _Fork();
        if (made == 0) _exit(getppid() == now && getpid() != now ? 7 : 8);
        wait_for("child of the handler", made, 7);
    }
    errno = error;
}
static void on_plain(int number) {
    expect("signal", number, SIGTRAP);
    look_around();
}
static void on_siginfo(int number, siginfo_t* info, void* context) {
    expect("signal", number, SIGTRAP);
    expect("si_code", info->si_code, TRAP_TRACE);
    expect("context", context != NULL, 1);
    look_around();
}

static void with_getpid(void) {
    start_steps();
    const pid_t number = getpid();
    stop_steps();
    expect("getpid", number, self);
}
static void with_getppid(void) {
    start_steps();
    const pid_t number = getppid();
    stop_steps();
    expect("getppid", number, parent);
}
static void with_fork(void) {
    start_steps();
    const pid_t made = fork();
    if (made == 0) {
        *said = getpid();
        stop_steps();
        expect("number of the child", *said, child);
        _exit(9);
    }
    int status = 0;
    const pid_t ended = waitpid(made, &status, 0);
    stop_steps();
    expect("waitpid", ended, made);
    expect("status", status, 9 << 8);
    expect("what the child says", *said, made);
}
static void with_kill(void) {
    start_steps();
    const int result = kill(self, 0), nobody = kill(3999999, 0), error = errno;
    stop_steps();
    expect("kill", result, 0);
    expect("kill nobody", nobody, -1);
    expect("kill nobody: errno", error, ESRCH);
}
static void with_stat(void) {
    char text[64] = {0};
    start_steps();
    const int file = open("/proc/self/stat", O_RDONLY);
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    stop_steps();
    expect("read", size > 0, 1);
    expect("number in stat", atoi(text), self);
}
static void with_link(void) {
    char text[64] = {0};
    start_steps();
    const ssize_t size = readlink("/proc/self", text, sizeof text - 1);
    stop_steps();
    expect("readlink", size, (long)strlen(text));
    expect("number in link", atoi(text), self);
}
static void with_action(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO}, seen;
    action.sa_sigaction = on_siginfo;
    start_steps();
    const int set = sigaction(SIGUSR1, &action, NULL), got = sigaction(SIGUSR1, NULL, &seen);
    stop_steps();
    expect("sigaction", set, 0);
    expect("sigaction, read", got, 0);
    expect("the handler", seen.sa_sigaction == on_siginfo, 1);
}

static const struct {
    const char* name;
    void (*once)(void);
    int stride; /* of turns: some have very many steps */
} calls[] = {{"getpid", with_getpid, 7}, {"getppid", with_getppid, 7}, {"fork", with_fork, 7},
             {"kill", with_kill, 7},     {"stat", with_stat, 170},     {"link", with_link, 7},
             {"action", with_action, 7}};

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = on_plain, .sa_flags = SA_RESTART};
    if (!strcmp(argv[2], "siginfo")) {
        action.sa_sigaction = on_siginfo;
        action.sa_flags |= SA_SIGINFO;
    }
    self = getpid();
    parent = getppid();
    expect("sigaction", sigaction(SIGTRAP, &action, NULL), 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(argv[1], calls[i].name) != 0) continue;
        for (turn = 0; turn < period; turn += calls[i].stride) {
            steps = 0;
            calls[i].once();
        }
        fprintf(stderr, "everystep: %ld steps\n", steps);
        printf("everystep: %s %s: right\n", argv[1], argv[2]);
        return 0;
    }
    return 2;
}
