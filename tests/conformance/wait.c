/* wait4 and waitpid: every kind of argument, every option, ECHILD, interruptions, automatic reaping. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

#include "conformance.h"

static void by_number(void) {
    const pid_t one = child_that_exits("one", 1);
    const pid_t two = child_that_exits("two", 2);
    int status = 0;
    fact("two=%s", who(waitpid(two, &status, 0)));
    fact("%s", ending(status));
    fact("one=%s", who(waitpid(one, &status, 0)));
    fact("%s", ending(status));
    fact("again=%s", who(waitpid(one, &status, 0)));
}

static void any(void) {
    int status = 0;
    child_that_exits("child", 5);
    fact("any=%s", who(waitpid(-1, &status, 0)));
    fact("%s", ending(status));
    fact("again=%s", who(waitpid(-1, &status, 0)));
    child_that_exits("second", 6);
    fact("wait()=%s", who(wait(&status)));
    fact("%s", ending(status));
    child_that_exits("third", 6);
    fact("without-status=%s", who(waitpid(-1, NULL, 0)));
}

static void own_group(void) {
    int status = 0;
    const pid_t away = child_that_waits("away");
    setpgid(away, away);
    child_that_exits("near", 3);
    fact("group-0=%s", who(waitpid(0, &status, 0)));
    fact("%s", ending(status));
    fact("group-0-again=%s", who(waitpid(0, &status, 0)));
    end(away);
}

static void other_group(void) {
    int status = 0;
    const pid_t leader = child_that_waits("leader");
    setpgid(leader, leader);
    const pid_t member = child_that_waits("member");
    setpgid(member, leader);
    const pid_t stranger = child_that_waits("outsider");
    kill(stranger, SIGKILL);
    fact("nothing-yet=%s", who(waitpid(-leader, &status, WNOHANG)));
    kill(member, SIGTERM);
    fact("group=%s", who(waitpid(-leader, &status, 0)));
    fact("%s", ending(status));
    kill(leader, SIGKILL);
    fact("group=%s", who(waitpid(-leader, &status, 0)));
    fact("%s", ending(status));
    fact("empty-group=%s", who(waitpid(-leader, &status, 0)));
    fact("outsider=%s", who(waitpid(-1, &status, 0)));
}

/* The group's number outlives its leader. */
static void group_without_leader(void) {
    int status = 0;
    const pid_t leader = child_that_waits("leader");
    setpgid(leader, leader);
    const pid_t member = child_that_waits("member");
    setpgid(member, leader);
    end(leader);
    fact("getpgid=%s", who(getpgid(member)));
    fact("leader-gone=%s", result(kill(leader, 0)));
    kill(-leader, SIGTERM);
    fact("group=%s", who(waitpid(-leader, &status, 0)));
    fact("%s", ending(status));
    fact("group-gone=%s", result(kill(-leader, 0)));
}

static void wnohang(void) {
    int status = 77;
    const pid_t child = child_that_waits("child");
    fact("number=%s", who(waitpid(child, &status, WNOHANG)));
    fact("any=%s", who(waitpid(-1, &status, WNOHANG)));
    fact("group=%s", who(waitpid(0, &status, WNOHANG)));
    fact("status-untouched=%s", yes(status == 77));
    kill(child, SIGKILL);
    pid_t ended;
    do ended = waitpid(-1, &status, WNOHANG);
    while (ended == 0);
    fact("then=%s", who(ended));
    fact("%s", ending(status));
    fact("none=%s", who(waitpid(-1, &status, WNOHANG)));
}

static void stops(void) {
    int status = 0;
    const pid_t child = child_that_waits("child");
    kill(child, SIGSTOP);
    fact("stop=%s", who(waitpid(child, &status, WUNTRACED)));
    fact("%s", ending(status));
    fact("once=%s", who(waitpid(child, &status, WUNTRACED | WNOHANG)));
    kill(child, SIGCONT);
    fact("continue=%s", who(waitpid(child, &status, WCONTINUED)));
    fact("%s", ending(status));
    fact("once=%s", who(waitpid(child, &status, WCONTINUED | WNOHANG)));
    kill(child, SIGSTOP);
    fact("any=%s", who(waitpid(-1, &status, WUNTRACED)));
    fact("%s", ending(status));
    kill(child, SIGKILL);
    fact("end=%s", who(waitpid(-1, &status, WUNTRACED | WCONTINUED)));
    fact("%s", ending(status));
}

static void resources(void) {
    struct rusage usage;
    int status = 0;
    memset(&usage, 0xff, sizeof usage);
    child_that_exits("child", 9);
    fact("wait4=%s", who(wait4(-1, &status, 0, &usage)));
    fact("%s", ending(status));
    fact("usage=%s", yes(usage.ru_utime.tv_sec >= 0 && usage.ru_maxrss >= 0));
}

static void no_child(void) {
    fact("any=%s", who(waitpid(-1, NULL, 0)));
    const pid_t child = child_that_waits("child");
    fact("unknown=%s", who(waitpid(unknown_pid, NULL, 0)));
    fact("unknown-group=%s", who(waitpid(-unknown_pid, NULL, 0)));
    fact("self=%s", who(waitpid(getpid(), NULL, 0)));
    fact("parent=%s", who(waitpid(getppid(), NULL, 0)));
    fact("parent's-group=%s", who(waitpid(-getppid(), NULL, WNOHANG)));
    fact("child's-empty-group=%s", who(waitpid(-child, NULL, WNOHANG)));
    fact("int-max=%s", who(waitpid(INT_MAX, NULL, 0)));
    fact("int-min=%s", who(waitpid(INT_MIN, NULL, 0)));
    fact("bad-option=%s", who(waitpid(child, NULL, 0x1000)));
    end(child);
}

static void bad_memory(void) {
    const pid_t child = child_that_exits("child", 3);
    fact("status-address=%s", who(syscall(SYS_wait4, child, 8UL, 0UL, NULL)));
    fact("reaped-all-the-same=%s", who(waitpid(child, NULL, 0)));
}

static void grandchild(void) {
    const pid_t child = offspring();
    if (child == 0) {
        const pid_t grand = child_that_waits("grandchild");
        board->pid[0] = grand;
        raise_flag(&board->flag[0]);
        await(&board->flag[1]);
        end(grand);
        _exit(0);
    }
    await(&board->flag[0]);
    fact("grandchild=%s", who(waitpid(board->pid[0], NULL, 0)));
    raise_flag(&board->flag[1]);
    fact("%s", reap(child));
}

/* All children at once: each number comes exactly once, with its own exit code. */
static void many(void) {
    enum { count = 64 };
    pid_t child[count];
    int right = 0;
    for (int i = 0; i < count; ++i) {
        child[i] = offspring();
        if (child[i] == 0) _exit(i);
    }
    for (int i = 0; i < count; ++i) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        if (WIFEXITED(status) && child[WEXITSTATUS(status)] == ended) {
            ++right;
            child[WEXITSTATUS(status)] = 0;
        }
    }
    fact("right=%d", right);
    fact("rest=%s", who(waitpid(-1, NULL, 0)));
}

/* Nobody waits, nothing stays: the number is free when the child is gone. */
static void wait_for_disappearance(pid_t child) {
    fact("wait-number=%s", who(waitpid(child, NULL, 0)));
    fact("wait-any=%s", who(waitpid(-1, NULL, 0)));
    fact("gone=%s", result(kill(child, 0)));
    fact("getpgid=%s", who(getpgid(child)));
}

static void sigchld_ignored(void) {
    signal(SIGCHLD, SIG_IGN);
    wait_for_disappearance(child_that_exits("child", 3));
    for (int i = 0; i < 50; ++i) child_that_exits("crowd", i);
    fact("fifty=%s", who(waitpid(-1, NULL, 0)));
    fact("system=%d", system("exit 3"));
}

static void no_child_wait(void) {
    count_signal(SIGCHLD, SA_NOCLDWAIT | SA_RESTART);
    wait_for_disappearance(child_that_exits("child", 3));
}

/* A zombie of before stays one after SIGCHLD is ignored. */
static void ignored_later(void) {
    siginfo_t info;
    const pid_t child = child_that_exits("child", 3);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    signal(SIGCHLD, SIG_IGN);
    fact("old-zombie=%s", who(waitpid(child, NULL, 0)));
}

/* Signals while the parent sleeps in wait. Another process sends them until something has happened. */
static pid_t pester(pid_t parent, pid_t victim, int signals) {
    const pid_t helper = offspring();
    if (helper != 0) return helper;
    for (int i = 0; (signals == 0 || i < signals) && !board->flag[0]; ++i) {
        kill(parent, SIGUSR1);
        usleep(1000);
    }
    if (signals != 0) kill(victim, SIGKILL);
    _exit(0);
}

static void interrupted(void) {
    int status = 0;
    count_signal(SIGUSR1, 0);
    const pid_t child = child_that_waits("child");
    const pid_t helper = pester(getpid(), child, 0);
    fact("number=%s", who(waitpid(child, &status, 0)));
    fact("any=%s", who(waitpid(-1, &status, 0)));
    fact("group=%s", who(waitpid(0, &status, 0)));
    raise_flag(&board->flag[0]);
    fact("helper: %s", reap(helper));
    end(child);
    fact("handled=%s", yes(board->count[SIGUSR1] > 0));
}

static void restarted(void) {
    int status = 0;
    count_signal(SIGUSR1, SA_RESTART);
    const pid_t child = child_that_waits("child");
    const pid_t helper = pester(getpid(), child, 25);
    fact("number=%s", who(waitpid(child, &status, 0)));
    fact("%s", ending(status));
    fact("helper: %s", reap(helper));
    fact("handled=%s", yes(board->count[SIGUSR1] > 0));
}

/* A stop and a continuation of the waiting process don't end its wait. */
static void stopped_while_waiting(void) {
    int status = 0;
    const pid_t waiter = offspring();
    if (waiter == 0) {
        const pid_t child = child_that_waits("grandchild");
        board->pid[0] = child;
        raise_flag(&board->flag[0]);
        fact("wait=%s", who(waitpid(child, &status, 0)));
        fact("%s", ending(status));
        _exit(0);
    }
    know(waiter, "waiter");
    await(&board->flag[0]);
    kill(waiter, SIGSTOP);
    fact("stop=%s", who(waitpid(waiter, &status, WUNTRACED)));
    fact("%s", ending(status));
    kill(waiter, SIGCONT);
    fact("continue=%s", who(waitpid(waiter, &status, WCONTINUED)));
    kill(board->pid[0], SIGKILL);
    fact("%s", reap(waiter));
}

/* Killed in the middle of a wait: the one who waits for the waiter sees it. */
static void killed_while_waiting(void) {
    const pid_t waiter = offspring();
    if (waiter == 0) {
        const pid_t child = child_that_waits("grandchild");
        board->pid[0] = child;
        raise_flag(&board->flag[0]);
        waitpid(child, NULL, 0);
        _exit(0);
    }
    await(&board->flag[0]);
    kill(waiter, SIGKILL);
    fact("waiter: %s", reap(waiter));
    fact("orphan=%s", result(kill(board->pid[0], SIGKILL)));
}

/* A wait that begins before the child's end, of each kind. */
static void blocking(void) {
    int status = 0;
    static const pid_t arguments[] = {-1, 0};
    for (size_t i = 0; i < 2; ++i) {
        const pid_t child = offspring();
        if (child == 0) {
            usleep(20000);
            _exit(11);
        }
        know(child, i == 0 ? "one" : "two");
        fact("%s", who(waitpid(arguments[i], &status, 0)));
        fact("%s", ending(status));
    }
}

const struct test_case wait_cases[] = {{"wait_number", by_number, "wait4"},
                                       {"wait_any", any, "wait4"},
                                       {"wait_own_group", own_group, "wait4"},
                                       {"wait_other_group", other_group, "wait4"},
                                       {"wait_group_without_leader", group_without_leader, "wait4"},
                                       {"wait_wnohang", wnohang, "wait4"},
                                       {"wait_stops", stops, "wait4"},
                                       {"wait_rusage", resources, "wait4"},
                                       {"wait_no_child", no_child, "wait4"},
                                       {"wait_bad_memory", bad_memory, "wait4"},
                                       {"wait_grandchild", grandchild, "wait4"},
                                       {"wait_many", many, "wait4"},
                                       {"wait_sigchld_ignored", sigchld_ignored, "wait4"},
                                       {"wait_sa_nocldwait", no_child_wait, "wait4"},
                                       {"wait_ignored_later", ignored_later, "wait4"},
                                       {"wait_interrupted", interrupted, "wait4"},
                                       {"wait_restarted", restarted, "wait4"},
                                       {"wait_stopped_while_waiting", stopped_while_waiting, "wait4"},
                                       {"wait_killed_while_waiting", killed_while_waiting, "wait4"},
                                       {"wait_blocking", blocking, "wait4"},
                                       {NULL, NULL, NULL}};
