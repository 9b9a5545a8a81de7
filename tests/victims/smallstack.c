/* Calls where there is hardly any stack: in threads of the least size, in handlers on a stack of the least
 * size, and deep down in a recursion. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t self;
static volatile int failures;

static void check(const char* what, int right) {
    if (right) return;
    ++failures;
    if (write(1, what, strlen(what)) < 0 || write(1, " is wrong\n", 10) < 0) _exit(3);
}

static void call_all(void) {
    int status = 0;
    struct stat known;
    struct sigaction action;
    check("getpid", getpid() == self);
    check("kill", kill(self, 0) == 0);
    check("sigaction", sigaction(SIGUSR1, NULL, &action) == 0);
    check("stat", stat("/etc/passwd", &known) == 0);
    check("stat of /proc", stat("/proc/self/stat", &known) == 0);
    const int file = open("/proc/self/status", O_RDONLY);
    check("open", file >= 0 && close(file) == 0);
    const pid_t child = _Fork();
    if (child == 0) _exit(getppid() == self ? 5 : 6);
    check("fork", child > 0);
    check("wait", waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
}

static void* in_thread(void* unused) {
    call_all();
    return unused;
}

static void on_signal(int number) {
    (void)number;
    call_all();
}
static void on_siginfo(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    check("sender", info->si_pid == self);
    call_all();
}

/* The least stack that there may be, with a page before it that must stay as it is: nothing below may be
 * used. */
static void in_handlers(void) {
    const size_t least =
        getauxval(AT_MINSIGSTKSZ) + 2048; /* what the kernel puts there, and what handlers are promised */
    const size_t size = (least + 4095) / 4096 * 4096;
    char* memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 4096, PROT_NONE);
    const stack_t stack = {.ss_sp = memory + 4096 + size - least, .ss_size = least};
    check("sigaltstack", sigaltstack(&stack, NULL) == 0);
    const struct sigaction plain = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    const struct sigaction full = {.sa_sigaction = on_siginfo, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGUSR1, &plain, NULL);
    sigaction(SIGUSR2, &full, NULL);
    for (int i = 0; i < 20; ++i) check("raise", kill(self, i % 2 ? SIGUSR1 : SIGUSR2) == 0);
}

static __attribute__((noinline)) int recurse(int depth) {
    volatile char room[512];
    room[depth % 512] = 1;
    if (depth > 0) return recurse(depth - 1) + room[depth % 512];
    call_all();
    return room[0];
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread[8];
    self = getpid();
    pthread_attr_init(&attributes);
    check("stack size", pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 8; ++i)
            check("pthread_create", pthread_create(&thread[i], &attributes, in_thread, NULL) == 0);
        for (int i = 0; i < 8; ++i) pthread_join(thread[i], NULL);
    }
    in_handlers();
    check("recursion", recurse(13000) == 13001); /* about 7 MiB of 8 */
    printf("smallstack: %d failures\n", failures);
    return failures != 0;
}
