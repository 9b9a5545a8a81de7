/* Scribbles over the container's numbers, which the code inside workloads maps, while others make children
 * and ask who they are. Their numbers are wrong then, and who seems to be in a namespace that has ended is
 * killed; nobody may crash or loop. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { workers = 4 };
static char* const place = (char*)0x6d6100000000;

static int is_mapped(size_t* size) {
    char line[512];
    unsigned long begin, end;
    FILE* const maps = fopen("/proc/self/maps", "r");
    *size = 0;
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin == (unsigned long)place) *size = end - begin;
    if (maps) fclose(maps);
    return *size != 0;
}

static atomic_long* progress;
static atomic_int* crashed;

static void crash(int signal) {
    *crashed = signal;
    _exit(1);
}

/* Whoever holds the other end: numbers say nothing any more. */
static int is_alive(int end) {
    struct pollfd of = {end, POLLIN, 0};
    return poll(&of, 1, 0) == 0;
}

/* Until it is killed. Children it can make, but nothing is to be expected of their numbers. */
static void worker(int me) {
    for (;;) {
        ++progress[me];
        const pid_t child = fork();
        if (child == 0) _exit(getpid() == getppid() ? 1 : 0);
        if (child < 0) continue;
        getsid(0);
        kill(getpid(), 0);
        waitpid(child, NULL, WNOHANG);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
}

static void scribble(size_t size, int seconds) {
    const time_t end = time(NULL) + seconds;
    uint64_t state = 88172645463325252u;
    const size_t near = size < (1u << 24) ? size : 1u << 24;
    while (time(NULL) < end)
        for (int i = 0; i < 2000; ++i) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            const size_t range = i % 8 ? near : size;
            *(volatile uint64_t*)(place + state % (range / 8) * 8) = i % 3   ? state * 2685821657736338717u
                                                                     : i % 2 ? 0
                                                                             : UINT64_MAX;
        }
}

int main(void) {
    size_t size;
    getpid();
    if (!is_mapped(&size)) {
        puts("scribble: there are no numbers here");
        return 0;
    }
    progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    crashed = (atomic_int*)&progress[workers];
    const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; ++i) signal(crashes[i], crash);
    int life[workers][2];
    for (int i = 0; i < workers; ++i) {
        if (pipe2(life[i], O_CLOEXEC) != 0) return 1;
        if (fork() == 0) worker(i);
        close(life[i][1]);
    }
    for (int i = 0; i < workers; ++i)
        while (progress[i] < 10) usleep(1000);
    scribble(size, 4);
    for (int i = 0; i < workers; ++i) /* for ever, if one is caught in a loop */
        for (const long before = progress[i]; progress[i] < before + 10 && is_alive(life[i][0]);)
            usleep(1000);
    puts(*crashed ? "scribble: somebody crashed" : "scribble: finished");
    fflush(stdout);
    _exit(0);
}
