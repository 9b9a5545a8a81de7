/* setpgid in both arguments and with every error, setsid. */
#define _GNU_SOURCE
#include <pthread.h>

#include "conformance.h"

static void own_group(void) {
    fact("session-leader=%s", result(setpgid(0, 0)));
    const pid_t child = offspring();
    if (child == 0) {
        fact("before=%s", who(getpgrp()));
        fact("set(0,0)=%s", result(setpgid(0, 0)));
        fact("leads=%s", yes(getpgrp() == getpid()));
        fact("again=%s", result(setpgid(0, 0)));
        fact("back=%s", result(setpgid(0, getppid())));
        fact("after=%s", who(getpgrp()));
        fact("by-number=%s", result(setpgid(getpid(), getpid())));
        fact("leads=%s", yes(getpgid(0) == getpid()));
        _exit(0);
    }
    know(child, "child");
    reap(child);
}

static void children_groups(void) {
    const pid_t one = child_that_waits("one");
    const pid_t two = child_that_waits("two");
    fact("one-leads=%s", result(setpgid(one, 0)));
    fact("%s", who(getpgid(one)));
    fact("two-joins=%s", result(setpgid(two, one)));
    fact("%s", who(getpgid(two)));
    fact("two-leaves=%s", result(setpgid(two, getpid())));
    fact("%s", who(getpgid(two)));
    fact("two-leads=%s", result(setpgid(two, two)));
    fact("%s", who(getpgid(two)));
    fact("one-joins=%s", result(setpgid(one, two)));
    fact("%s", who(getpgid(one)));
    fact("to-empty-group=%s", result(setpgid(two, one)));
    end(one);
    end(two);
}

static void errors(void) {
    const pid_t child = child_that_waits("child");
    fact("group-unknown=%s", result(setpgid(child, unknown_pid)));
    fact("group-negative=%s", result(setpgid(child, -1)));
    fact("process-unknown=%s", result(setpgid(unknown_pid, 0)));
    fact("process-unknown-group-own=%s", result(setpgid(unknown_pid, getpid())));
    fact("process-negative=%s", result(setpgid(-1, 0)));
    fact("process-negative-2=%s", result(setpgid(-1, getpid())));
    fact("process-parent=%s", result(setpgid(getppid(), 0)));
    fact("group-of-no-leader=%s", result(setpgid(0, child)));
    fact("group-in-other-session=%s", result(setpgid(child, getppid())));
    end(child);
    fact("dead=%s", result(setpgid(child, 0)));
}

static void not_a_child(void) {
    const pid_t child = offspring();
    if (child == 0) {
        const pid_t grand = child_that_waits("grandchild");
        board->pid[0] = grand;
        fact("parent-of-caller=%s", result(setpgid(getppid(), 0)));
        raise_flag(&board->flag[0]);
        await(&board->flag[1]);
        end(grand);
        _exit(0);
    }
    await(&board->flag[0]);
    fact("grandchild=%s", result(setpgid(board->pid[0], 0)));
    raise_flag(&board->flag[1]);
    reap(child);
}

static void other_session(void) {
    const pid_t child = offspring();
    if (child == 0) {
        setsid();
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    know(child, "child");
    await(&board->flag[0]);
    fact("child-in-other-session=%s", result(setpgid(child, getpid())));
    fact("child-leads-session=%s", result(setpgid(child, child)));
    fact("joining-it=%s", result(setpgid(0, child)));
    end(child);
}

static void after_exec(void) {
    int seen[2];
    pid_t numbers[4];
    if (pipe(seen) != 0) return;
    const pid_t child = offspring();
    if (child == 0) execute_helper("wait", seen[1]);
    know(child, "child");
    fact("told=%s", yes(read(seen[0], numbers, sizeof numbers) == (ssize_t)sizeof numbers));
    fact("after-exec=%s", result(setpgid(child, child)));
    fact("%s", who(getpgid(child)));
    end(child);
}

static void zombie(void) {
    const pid_t child = child_that_exits("child", 0);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie=%s", result(setpgid(child, child)));
    fact("%s", who(getpgid(child)));
    fact("reaped: %s", reap(child));
}

static void* change_group(void* unused) {
    (void)unused;
    fact("set(0,0)-in-thread=%s", result(setpgid(0, 0)));
    fact("getpgrp-leads=%s", yes(getpgrp() == getpid()));
    return NULL;
}

static void from_thread(void) {
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, change_group, NULL);
        pthread_join(one, NULL);
        fact("leader-sees-it=%s", yes(getpgrp() == getpid()));
        _exit(0);
    }
    reap(child);
}

static void new_session(void) {
    fact("leader=%s", who(setsid()));
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "child");
        fact("setsid=%s", who(setsid()));
        fact("getsid=%s", who(getsid(0)));
        fact("getpgrp=%s", who(getpgrp()));
        fact("getppid=%s", who(getppid()));
        fact("again=%s", who(setsid()));
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    await(&board->flag[0]);
    fact("seen-by-parent=%s", who(getsid(child)));
    fact("%s", who(getpgid(child)));
    end(child);
}

static void group_leader_setsid(void) {
    const pid_t child = offspring();
    if (child == 0) {
        setpgid(0, 0);
        fact("group-leader=%s", who(setsid()));
        _exit(0);
    }
    reap(child);
}

const struct test_case setpgid_cases[] = {{"setpgid_own", own_group, "setpgid"},
                                          {"setpgid_children", children_groups, "setpgid"},
                                          {"setpgid_errors", errors, "setpgid"},
                                          {"setpgid_not_a_child", not_a_child, "setpgid"},
                                          {"setpgid_other_session", other_session, "setpgid"},
                                          {"setpgid_after_exec", after_exec, "setpgid"},
                                          {"setpgid_zombie", zombie, "setpgid"},
                                          {"setpgid_thread", from_thread, "setpgid"},
                                          {"setsid_new", new_session, "setsid"},
                                          {"setsid_group_leader", group_leader_setsid, "setsid"},
                                          {NULL, NULL, NULL}};
