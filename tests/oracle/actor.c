/* What a process of the history does when it is told to. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static int me = driver;
static int life_line = -1; /* closed by the kernel when this process ends */

static int own_space(void) {
    return world->process[me].space;
}

static int checked(int result) {
    return result < 0 ? -errno : result;
}

static void count(int signal_number) {
    (void)signal_number;
    ++world->process[me].caught;
}

static int is(unsigned long identity) {
    const int pidfd = open_pidfd(getpid());
    if (pidfd < 0) return 0;
    const int same = identity_of(pidfd) == identity;
    close(pidfd);
    return same;
}

static void live(int child) __attribute__((noreturn));
static void live(int child) {
    me = child;
    close(life_line);
    int line[2];
    if (pipe(line) != 0) fail("pipe");
    life_line = line[1];
    const int number = getpid();
    const int pidfd = open_pidfd(number);
    if (pidfd < 0) fail("pidfd_open of a new process");
    world->process[me].identity = identity_of(pidfd);
    world->own_number = number;
    world->parent_number = getppid();
    send_descriptors(ears[1], pidfd, line[0]);
    close(pidfd);
    close(line[0]);
    notify(born);
    for (;;) {
        take(going[me]);
        act(me);
        notify(done);
    }
}

static int make_process(int how) {
    const uint64_t flags = (how & new_space ? CLONE_NEWPID : 0) | (how & as_sibling ? CLONE_PARENT : 0);
    const int way = how & 7;
    if (way == by_fork && flags == 0) return fork();
    if (way == by_clone3) {
        struct clone_args arguments = {.flags = flags, .exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD};
        return (int)syscall(SYS_clone3, &arguments, sizeof arguments);
    }
    return (int)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0);
}

static int create_process(void) {
    const int child = world->order.child;
    const unsigned long own_identity = world->process[me].identity;
    const int result = checked(make_process(world->order.how));
    if (result == 0 && !is(own_identity)) live(child);
    if (result == 0) say(" IT-RETURNED-0-TO-THE-CREATOR");
    return result;
}

static int enter(void) {
    int pidfd = -1;
    if (take_descriptors(ears[1], &pidfd, NULL) != 0) fail("no pidfd came");
    const int result = checked(setns(pidfd, CLONE_NEWPID));
    close(pidfd);
    return result;
}

static int handle(void) {
    struct sigaction action = {.sa_handler = count, .sa_flags = world->order.how};
    return checked(sigaction(SIGTERM, &action, NULL));
}

/* Looks first, so that the number still has a bearer when it is asked for the name. In which order several
 * are found that ended together is the scheduler's affair; they are told in the order of their birth. */
static int reap(void) {
    int found[max_processes] = {0};
    int result = 0;
    for (;;) {
        siginfo_t info = {0};
        result = checked(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL));
        if (result < 0 || info.si_pid == 0) break;
        const int child = identify(info.si_pid);
        int* const known = child < 0 ? NULL : &world->number[own_space()][child];
        if (known && *known == 0) *known = info.si_pid;
        if (!known || *known != info.si_pid)
            say(" %s-IS-%s", whose(own_space(), info.si_pid), outcome(child));
        int status = 0;
        const int reaped = checked(waitpid(info.si_pid, &status, WNOHANG | __WALL));
        if (reaped != info.si_pid) {
            say(" %s-BUT-%s", whose(own_space(), info.si_pid), whose(own_space(), reaped));
            break;
        }
        if (!known) continue;
        world->process[child].reaped = 1;
        found[child] = WIFEXITED(status) ? 1000 + WEXITSTATUS(status) : WTERMSIG(status);
    }
    for (int i = 0; i < world->processes; ++i)
        if (found[i] != 0)
            say(" %s:%s-%d", whose(own_space(), world->number[own_space()][i]),
                found[i] < 1000 ? "signal" : "exit", found[i] % 1000);
    return result;
}

static int reap_child(void) {
    int pidfd = -1;
    if (take_descriptors(ears[1], &pidfd, NULL) != 0) fail("no pidfd came");
    siginfo_t info = {0};
    const int result = checked(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | __WALL));
    close(pidfd);
    if (result < 0) return result;
    world->process[world->order.child].reaped = 1;
    say(" %s:%s-%d", world->names_only ? name(world->order.child) : whose(own_space(), info.si_pid),
        info.si_code == CLD_EXITED ? "exit" : "signal", info.si_status);
    return 0;
}

/* How it sees the bearer of one number. */
static void look_at(int number) {
    const int group = checked(getpgid(number));
    if (!world->names_only && group == -ESRCH) return;
    const int space = own_space();
    if (group == -ESRCH) {
        say(" %s:ESRCH", whose(space, number));
    } else {
        const int session = checked(getsid(number));
        const int bearer = identify(number);
        if (bearer >= 0 && world->number[space][bearer] == 0) world->number[space][bearer] = number;
        say(" %s:%s:%s", whose(space, number), whose(space, group), whose(space, session));
        if (bearer < 0 || world->number[space][bearer] != number)
            say(":IS-%s", bearer < 0 ? outcome(bearer) : name(bearer));
    }
    const int reached = checked(kill(number, 0));
    if ((reached == 0) != (group >= 0)) say(":kill-%s", outcome(reached));
}

static int look_around(void) {
    const int space = own_space();
    say(" self:%s parent:%s group:%s session:%s caught:%d |", whose(space, getpid()), whose(space, getppid()),
        whose(space, getpgrp()), whose(space, getsid(0)), world->process[me].caught);
    if (world->names_only) {
        for (int i = 0; i < world->processes; ++i)
            if (world->number[space][i] != 0 && sees(space, i)) look_at(world->number[space][i]);
        return 0;
    }
    if (space == 0) look_at(1);
    const int first = space == 0 ? world->base + 1 : 1;
    /* A few more: there must be nobody whom nobody knows. */
    for (int i = 0; i < world->space[space].births + 4; ++i) look_at(first + i);
    return 0;
}

static int carry_out(void) {
    switch (world->order.command) {
        case answer_call: return 0;
        case create: return create_process();
        case unshare_space: return checked(unshare(CLONE_NEWPID));
        case enter_space: return enter();
        case send_signal: return checked(kill(world->order.number, world->order.signal));
        case join_group: return checked(setpgid(world->order.number, world->order.second));
        case lead_session: return checked(setsid());
        case handle_signal: return handle();
        case reap_all: return reap();
        case reap_one: return reap_child();
        case observe: return look_around();
        case end: _exit(world->order.number);
    }
    return -ENOSYS;
}

void act(int self) {
    me = self;
    world->result = carry_out();
}
