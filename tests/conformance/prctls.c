/* prctl: who adopts, who is told of a parent's death, who may trace, whose core is shared. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "conformance.h"

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif
#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

/* The kernel may have nothing of it (EINVAL), which is the same for all of these then. */
static void tracers(void) {
    const pid_t child = child_that_waits("child");
    fact("none=%s", result(prctl(PR_SET_PTRACER, 0)));
    fact("child=%s", result(prctl(PR_SET_PTRACER, child)));
    fact("self=%s", result(prctl(PR_SET_PTRACER, getpid())));
    fact("parent=%s", result(prctl(PR_SET_PTRACER, getppid())));
    fact("any=%s", result(prctl(PR_SET_PTRACER, -1L)));
    fact("unknown=%s", result(prctl(PR_SET_PTRACER, unknown_pid)));
    end(child);
    fact("dead=%s", result(prctl(PR_SET_PTRACER, child)));
}

/* Whoever was named may attach, though it is no ancestor. */
static void named_tracer(void) {
    const pid_t tracer = offspring();
    if (tracer == 0) {
        came(&board->flag[0]);
        const pid_t target = board->pid[0];
        const long seized = ptrace(PTRACE_SEIZE, target, NULL, NULL);
        fact("seize=%s", result(seized));
        _exit(0);
    }
    const pid_t target = offspring();
    if (target == 0) {
        prctl(PR_SET_PTRACER, tracer);
        board->pid[0] = getpid();
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    fact("%s", reap(tracer));
    end(target);
}

/* Its own numbers, and what it can look at, stay what they were. */
static void closed(void) {
    const pid_t child = child_that_waits("child");
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    fact("close=%s", result(prctl(PR_SET_DUMPABLE, 0)));
    fact("dumpable=%s", result(prctl(PR_GET_DUMPABLE)));
    int found = 0;
    DIR* directory = fdopendir(proc);
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        const pid_t number = (pid_t)atoi(entry->d_name);
        found += number == child || number == getpid();
    }
    closedir(directory);
    fact("found=%d", found);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", child);
    FILE* file = fopen(path, "r");
    int number = 0, parent = 0;
    fact("read=%d", file ? fscanf(file, "%d (%*[^)]) %*c %d", &number, &parent) : 0);
    fact("stat=%s parent=%s", who(number), yes(parent == getpid()));
    if (file) fclose(file);
    end(child_that_waits("another"));
    fact("open=%s", result(prctl(PR_SET_DUMPABLE, 1)));
    end(child);
}

enum {
    core_get = 0,
    core_create = 1,
    core_share_to = 2,
    core_share_from = 3,
    of_thread = 0,
    of_process = 1,
    of_group = 2
};

static void core_scheduling(void) {
    unsigned long cookie = 0;
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    fact("get=%s", result(prctl(PR_SCHED_CORE, core_get, 0, of_thread, &cookie)));
    fact("get-child=%s", result(prctl(PR_SCHED_CORE, core_get, child, of_thread, &cookie)));
    fact("create=%s", result(prctl(PR_SCHED_CORE, core_create, child, of_process, 0)));
    fact("group=%s", result(prctl(PR_SCHED_CORE, core_create, child, of_group, 0)));
    fact("share-to=%s", result(prctl(PR_SCHED_CORE, core_share_to, child, of_thread, 0)));
    fact("share-from=%s", result(prctl(PR_SCHED_CORE, core_share_from, child, of_thread, 0)));
    fact("unknown=%s", result(prctl(PR_SCHED_CORE, core_get, unknown_pid, of_thread, &cookie)));
    fact("negative=%s", result(prctl(PR_SCHED_CORE, core_get, -1, of_thread, &cookie)));
    end(child);
}

/* A grandchild that says who its parent is when its first one has gone. */
static void tell_new_parent(const char* how) {
    const pid_t middle = offspring();
    if (middle == 0) {
        const pid_t first = getpid();
        if (offspring() == 0) {
            for (int i = 0; i < 6000 && getppid() == first; ++i) usleep(500);
            fact("%s: parent=%s", how, who(getppid()));
            raise_flag(&board->flag[0]);
            _exit(3);
        }
        _exit(0);
    }
    know(middle, "middle");
    reap(middle);
    came(&board->flag[0]);
    board->flag[0] = 0;
}

static void subreaper(void) {
    int is = -1, status = 0;
    fact("get=%s", result(prctl(PR_GET_CHILD_SUBREAPER, &is)));
    fact("is=%d", is);
    fact("set=%s", result(prctl(PR_SET_CHILD_SUBREAPER, 1)));
    prctl(PR_GET_CHILD_SUBREAPER, &is);
    fact("is=%d", is);
    tell_new_parent("adopted");
    fact("reaped=%s", yes(wait(&status) > 0));
    fact("%s", ending(status));
    fact("none=%s", who(wait(&status)));
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "child");
        prctl(PR_GET_CHILD_SUBREAPER, &is);
        fact("inherited=%d", is);
        tell_new_parent("above-child");
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        tell_new_parent("nearest");
        fact("reaped=%s", yes(wait(&status) > 0));
        _exit(0);
    }
    fact("%s", reap(child));
    fact("reaped=%s", yes(wait(&status) > 0));
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    prctl(PR_GET_CHILD_SUBREAPER, &is);
    fact("off=%d", is);
}

/* The reaper ends too: its adopted children go on to the next. */
static void reaper_ends(void) {
    int status = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t near = offspring();
    if (near == 0) {
        know(getpid(), "near");
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        const pid_t middle = offspring();
        if (middle == 0) {
            const pid_t first = getpid();
            if (offspring() == 0) {
                const pid_t own = getpid();
                know(own, "orphan");
                for (int i = 0; i < 6000 && getppid() == first; ++i) usleep(500);
                const pid_t second = getppid();
                fact("first=%s", who(second));
                raise_flag(&board->flag[0]);
                for (int i = 0; i < 6000 && getppid() == second; ++i) usleep(500);
                fact("second=%s", who(getppid()));
                _exit(6);
            }
            _exit(0);
        }
        reap(middle);
        came(&board->flag[0]);
        _exit(0);
    }
    reap(near);
    fact("wait=%s", who(wait(&status)));
    fact("%s", ending(status));
}

/* What a child is told by when its parent ends, and what it sees then. */
static void parent_death(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t middle = offspring();
    if (middle == 0) {
        know(getpid(), "middle");
        if (offspring() == 0) {
            const sigset_t set = block_signal(SIGUSR1);
            siginfo_t info;
            int signal = -1;
            memset(&info, 0, sizeof info);
            fact("set=%s", result(prctl(PR_SET_PDEATHSIG, SIGUSR1)));
            prctl(PR_GET_PDEATHSIG, &signal);
            fact("is=%d", signal);
            raise_flag(&board->flag[0]);
            fact("taken=%d", take_signal(&set, &info));
            fact("code=%d from=%s", info.si_code, who(info.si_pid));
            fact("parent=%s", who(getppid()));
            const pid_t grandchild = offspring();
            if (grandchild == 0) {
                prctl(PR_GET_PDEATHSIG, &signal);
                fact("inherited=%d", signal);
                _exit(0);
            }
            reap(grandchild);
            _exit(5);
        }
        came(&board->flag[0]);
        _exit(0);
    }
    int status = 0;
    reap(middle);
    fact("reaped=%s", yes(wait(&status) > 0));
    fact("%s", ending(status));
    fact("bad-signal=%s", result(prctl(PR_SET_PDEATHSIG, 999)));
}

/* Killed with it, as programs want that use it. */
static void parent_killed(void) {
    int status = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t middle = offspring();
    if (middle == 0) {
        if (offspring() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            raise_flag(&board->flag[0]);
            for (;;) pause();
        }
        for (;;) pause();
    }
    came(&board->flag[0]);
    end(middle);
    fact("reaped=%s", yes(wait(&status) > 0));
    fact("%s", ending(status));
}

/* To this signal the parent is a thread. */
static void* make_child(void* unused) {
    (void)unused;
    const pid_t child = offspring();
    if (child == 0) {
        const sigset_t set = block_signal(SIGUSR1);
        siginfo_t info;
        prctl(PR_SET_PDEATHSIG, SIGUSR1);
        raise_flag(&board->flag[0]);
        fact("taken=%d", take_signal(&set, &info));
        fact("from=%s", who(info.si_pid));
        fact("parent=%s", who(getppid()));
        _exit(0);
    }
    board->pid[0] = child;
    came(&board->flag[0]);
    return NULL;
}

static void parent_thread_ends(void) {
    pthread_t one;
    pthread_create(&one, NULL, make_child, NULL);
    pthread_join(one, NULL);
    fact("%s", reap(board->pid[0]));
}

const struct test_case prctl_cases[] = {
    {"prctl_tracers", tracers, "prctl PR_SET_PTRACER"},
    {"prctl_named_tracer", named_tracer, "prctl PR_SET_PTRACER, ptrace"},
    {"prctl_closed", closed, "prctl PR_SET_DUMPABLE"},
    {"prctl_core_scheduling", core_scheduling, "prctl PR_SCHED_CORE"},
    {"prctl_subreaper", subreaper, "prctl PR_SET_CHILD_SUBREAPER, getppid"},
    {"prctl_reaper_ends", reaper_ends, "prctl PR_SET_CHILD_SUBREAPER, getppid"},
    {"prctl_parent_death", parent_death, "prctl PR_SET_PDEATHSIG"},
    {"prctl_parent_killed", parent_killed, "prctl PR_SET_PDEATHSIG"},
    {"prctl_parent_thread", parent_thread_ends, "prctl PR_SET_PDEATHSIG"},
    {NULL, NULL, NULL}};
