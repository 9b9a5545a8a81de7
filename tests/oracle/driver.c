/* How the driver has orders carried out, and waits for all that their effect ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "driver.h"

enum { patience_ms = 10000 };

int life_line[max_processes];
int pidfd_of[max_processes];

void flush(void) {
    for (int at = 0; at < world->length;) {
        const ssize_t wrote = write(1, world->text + at, (size_t)(world->length - at));
        if (wrote <= 0) _exit(4);
        at += (int)wrote;
    }
    world->length = 0;
}

void give_up(const char* what, int process) {
    say(" %s-%s\n", name(process), what);
    flush();
    _exit(5);
}

struct process* get(int process) {
    return &world->process[process];
}

int is_init(int process) {
    return world->space[get(process)->space].init == process;
}

/* Whether the kernel gets to know of it in time. */
static int comes(int fd, int timeout_ms) {
    struct pollfd event = {fd, POLLIN, 0};
    int ready;
    do ready = poll(&event, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

int tell(int process, enum command command, int along) {
    world->order.command = command;
    world->result = 0;
    if (along >= 0) send_descriptors(ears[0], along, -1);
    if (process == driver) {
        act(driver);
        return 1;
    }
    notify(going[process]);
    struct pollfd events[2] = {{done, POLLIN, 0}, {life_line[process], 0, 0}};
    for (;;) {
        const int ready = poll(events, 2, patience_ms);
        if (ready == 0) give_up("NEITHER-ANSWERS-NOR-ENDS", process);
        if (ready < 0) continue;
        if (events[0].revents != 0) {
            take(done);
            return 1;
        }
        return 0;
    }
}

/* The end of a namespace: of its init, once nobody is left in it. Whoever was born in it by a process outside
 * must be reaped by that one: the kernel's init waits for it. Seen as a member: it is in there and has a
 * parent elsewhere. */
static int parent_after(const int* dying, int process) {
    int parent = get(process)->parent;
    while (parent != nobody && dying[parent]) {
        const int init = world->space[get(parent)->space].init;
        parent = init == parent || dying[init] ? nobody : init;
    }
    return parent;
}

static void reap_strangers(const int* dying, int space) {
    for (int i = 1; i < world->processes; ++i) {
        const int parent = parent_after(dying, i);
        if (get(i)->reaped || !is_within(get(i)->space, space) || i == world->space[space].init ||
            parent == nobody || is_within(get(parent)->space, space))
            continue;
        say(" %s reaps", name(parent));
        world->order.child = i;
        if (!tell(parent, reap_one, pidfd_of[i])) give_up("ENDED-WHILE-REAPING", parent);
        if (world->result != 0) say(" %s %s", name(i), outcome(world->result));
    }
}

static void await_end_of_space(const int* dying, int space) {
    const int init = world->space[space].init;
    reap_strangers(dying, space);
    if (!comes(pidfd_of[init], patience_ms)) give_up("DOES-NOT-END", init);
    world->space[space].closed = 1;
    for (int i = 1; i < world->processes; ++i)
        if (i != init && is_within(get(i)->space, space)) get(i)->reaped = 1;
}

static void bury(const int* dying) {
    for (int i = 1; i < world->processes; ++i)
        if (!get(i)->reaped) {
            const int parent = parent_after(dying, i);
            if (parent != nobody) get(i)->parent = parent;
        }
    for (int i = 1; i < world->processes; ++i)
        if (dying[i]) {
            get(i)->alive = 0;
            say(" %s", name(i));
        }
}

void settle(void) {
    int dying[max_processes] = {0};
    int count = 0;
    for (int i = 1; i < world->processes; ++i)
        if (get(i)->alive && !tell(i, answer_call, -1)) {
            dying[i] = 1;
            ++count;
        }
    if (count == 0) return;
    say(" ended:");
    for (int i = 1; i < world->processes; ++i)
        for (int j = 1; dying[i] && is_init(i) && j < world->processes; ++j)
            if (get(j)->alive && !dying[j] && is_within(get(j)->space, get(i)->space)) {
                if (!comes(life_line[j], patience_ms)) give_up("SURVIVES-ITS-INIT", j);
                dying[j] = 1;
            }
    for (int i = 1; i < world->processes; ++i)
        if (dying[i] && !is_init(i) && !comes(pidfd_of[i], patience_ms)) give_up("DOES-NOT-END", i);
    /* The deepest first. */
    for (int depth = max_depth + 1; depth > 1; --depth)
        for (int i = 1; i < world->processes; ++i)
            if (dying[i] && is_init(i) && world->space[get(i)->space].depth == depth)
                await_end_of_space(dying, get(i)->space);
    bury(dying);
}
