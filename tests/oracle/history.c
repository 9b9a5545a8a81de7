/* history numbers|names FIRST-SEED COUNT: drives COUNT random histories (world.h) and prints what their processes
 * say; if COUNT is 0, one that isn't random, of a process that is born by setns. "names" leaves the numbers out, and with them everything that a process sees of others than its own
 * namespace's and the inits of the namespaces directly below. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

enum { steps = 36, steps_between_looks = 6, patience_ms = 10000 };

/* By process; the driver's own. */
static int life_line[max_processes];
static int pidfd_of[max_processes];

static uint64_t state;
static int finishing;
static int scripted;

static unsigned below(unsigned limit) { /* splitmix64 */
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) % limit);
}

static void flush(void) {
    for (int at = 0; at < world->length;) {
        const ssize_t wrote = write(1, world->text + at, (size_t)(world->length - at));
        if (wrote <= 0) _exit(4);
        at += (int)wrote;
    }
    world->length = 0;
}

static void give_up(const char* what, int process) {
    say(" %s-%s\n", name(process), what);
    flush();
    _exit(5);
}

static struct process* get(int process) {
    return &world->process[process];
}

static int is_init(int process) {
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

/* Has the order carried out; false if the process ended instead. A descriptor may be sent along. */
static int tell(int process, enum command command, int along) {
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

/* The end of a namespace: of its init, once nobody is left in it. Whoever was born in it by a process outside must be
 * reaped by that one: the kernel's init waits for it. Seen as a member: it is in there and has a parent elsewhere. */
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

/* Waits until everything that the last order has ended has ended. */
static void settle(void) {
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

static int new_space_below(int parent) {
    const int space = world->spaces++;
    world->space[space] =
        (struct space){.parent = parent, .depth = world->space[parent].depth + 1, .init = nobody};
    return space;
}

static void record_birth(int actor, int child, int how) {
    take(born);
    struct process* const it = get(child);
    if (take_descriptors(ears[0], &pidfd_of[child], &life_line[child]) != 0) fail("a new process's pidfd");
    it->alive = 1;
    it->parent = how & as_sibling ? get(actor)->parent : actor;
    for (int space = it->space; space != nobody; space = world->space[space].parent)
        ++world->space[space].births;
    if (world->space[it->space].init == nobody) world->space[it->space].init = child;
    if (child == 1) world->base = world->own_number - 1;
    world->number[it->space][child] = world->own_number;
    if (get(actor)->space == it->space && world->result != world->own_number) say(" THEY-DISAGREE");
    if (world->result > 0) world->number[get(actor)->space][child] = world->result;
    const int shown = sees(get(actor)->space, child);
    say(" %s is %s, calls itself %s, its parent %s", name(child),
        shown ? whose(get(actor)->space, world->result) : "hidden", whose(it->space, world->own_number),
        whose(it->space, world->parent_number));
}

/* Born in a namespace by a process outside of it (setns). */
static int is_stranger(int process) {
    const int parent = get(process)->parent;
    return parent != nobody && !is_init(process) && get(parent)->space != get(process)->space;
}

static void make(int actor, int how) {
    const int child = world->processes;
    /* A stranger's orphans: the kernel gives them to the init of the stranger's namespace, which isn't an ancestor. A
     * numbering in user space can't: they go where the stranger came from. (README, known gaps.) */
    /* The kernel's numbers skip one for each creation that fails because the namespace has ended, a numbering's need
     * not: that is tried when no more numbers are compared, in finish(). */
    const int in_vain = (how & new_space) == 0 && world->space[get(actor)->children_space].closed;
    /* How a numbering that hides what is below shows a stranger to its creator isn't for the kernel to say. */
    const int hidden = world->names_only && (how & new_space) == 0 && !scripted &&
                       get(actor)->children_space != get(actor)->space &&
                       world->space[get(actor)->children_space].init != nobody;
    if (is_stranger(actor) || hidden || (in_vain && !finishing)) {
        say(" stays childless");
        return;
    }
    if (child == max_processes || world->spaces == max_spaces) {
        say(" no room");
        return;
    }
    say(" creates %d", how);
    *get(child) = (struct process){.parent = nobody};
    const int spaces = world->spaces;
    const int space =
        how & new_space ? new_space_below(get(actor)->space) : get(actor)->children_space;
    get(child)->space = get(child)->children_space = space;
    world->order.how = how;
    world->order.child = child;
    ++world->processes;
    if (!tell(actor, create, -1)) give_up("ENDED-WHILE-CREATING", actor);
    if (world->result < 0) {
        world->processes = child;
        world->spaces = spaces;
        say(" %s", outcome(world->result));
    } else {
        record_birth(actor, child, how);
    }
}

static void move_children(int actor, int target) {
    const int before = get(actor)->children_space;
    if (target == nobody) {
        const int space = new_space_below(get(actor)->space);
        get(actor)->children_space = space;
        tell(actor, unshare_space, -1);
        if (world->result < 0) --world->spaces;
        say(" unshares %s", outcome(world->result));
    } else {
        get(actor)->children_space = get(target)->space;
        tell(actor, enter_space, pidfd_of[target]);
        say(" enters the namespace of %s %s", name(target), outcome(world->result));
    }
    if (world->result < 0) get(actor)->children_space = before;
}

/* Somebody living, rather deep than not. */
static int anybody(void) {
    int best = driver;
    for (int tries = 0; tries < 2;) {
        const int one = (int)below((unsigned)world->processes);
        if (!get(one)->alive) continue;
        if (tries == 0 || world->space[get(one)->space].depth > world->space[get(best)->space].depth) best = one;
        if (below(3) == 0) break;
        ++tries;
    }
    return best;
}

/* Somebody whose number the actor knows, dead or alive; nobody if chance finds none. */
static int known_to(int actor) {
    const int space = get(actor)->space;
    int found = nobody;
    for (int tries = 0; tries < 24 && (found == nobody || !get(found)->alive); ++tries) {
        const int one = (int)below((unsigned)world->processes);
        if (world->number[space][one] != 0 && sees(space, one)) found = one;
    }
    return found;
}

static int number_for(int actor, int target) {
    return target == nobody ? 0 : world->number[get(actor)->space][target];
}

static void shoot(int actor, int target) {
    static const int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGTERM, 0};
    world->order.signal = signals[below(5)];
    world->order.number = number_for(actor, target);
    const unsigned kind = below(20);
    const char* text = "";
    if (kind < 3) {
        text = "group ";
        world->order.number = -world->order.number;
    } else if (kind == 3 && actor != driver) {
        text = "everybody ";
        world->order.number = -1;
        if (world->names_only) world->order.signal = SIGKILL; /* nobody else reaches deeper */
    }
    if (world->order.number == -1) target = nobody;
    say(" signals %s%s %d", text, target == nobody ? "" : name(target), world->order.signal);
    if (tell(actor, send_signal, -1)) say(" %s", outcome(world->result));
    settle();
}

/* A number that a group bears counts in its namespace, and the kernel's init doesn't end before all have gone, its own
 * group's included: it would wait for itself, for ever. (So would it for a member that lives outside.) */
static int would_keep_a_namespace(int member, int leader) {
    const int space = get(leader)->space;
    return member != leader &&
           (!is_within(get(member)->space, space) || member == world->space[space].init);
}

static void regroup(int actor) {
    const int target = known_to(actor);
    const int group = below(2) ? target : known_to(actor);
    const int names_target = below(3) != 0 && target != nobody;
    const int names_group = below(3) != 0 && group != nobody;
    const int member = names_target ? target : actor;
    const int leader = names_group && !would_keep_a_namespace(member, group) ? group : nobody;
    world->order.number = names_target ? number_for(actor, target) : 0;
    world->order.second = number_for(actor, leader);
    say(" moves %s to %s", names_target ? name(target) : "itself", leader == nobody ? "its own" : name(leader));
    tell(actor, join_group, -1);
    say(" %s", outcome(world->result));
}

static void plain(int actor, enum command command, const char* text) {
    say(" %s", text);
    tell(actor, command, -1);
    if (command == lead_session && world->result > 0) say(" %s", whose(get(actor)->space, world->result));
    say(" %s", outcome(world->result));
}

static void quit(int actor) {
    world->order.number = actor;
    say(" exits");
    if (tell(actor, end, -1)) give_up("DOES-NOT-EXIT", actor);
    settle();
}

static int some_init(void) {
    const int space = (int)below((unsigned)world->spaces);
    const int init = world->space[space].init;
    return init > driver && get(init)->alive ? init : nobody;
}

static void step(void) {
    const int actor = anybody();
    const unsigned choice = below(100);
    const int deep = world->space[get(actor)->space].depth >= max_depth;
    const int free_to_change = actor != driver; /* who lives on in the next history stays as it is */
    say("%s", name(actor));
    if (choice < 26)
        make(actor, (int)below(ways_of_creation) | (actor != driver && below(12) == 0 ? as_sibling : 0));
    else if (choice < 37 && !deep)
        make(actor, (int)below(ways_of_creation) | new_space);
    else if (choice < 44 && !deep && free_to_change)
        move_children(actor, nobody);
    else if (choice < 50 && free_to_change)
        move_children(actor, known_to(actor) == nobody ? actor : known_to(actor));
    else if (choice < 57 && free_to_change)
        quit(actor);
    else if (choice < 72)
        shoot(actor, known_to(actor));
    else if (choice < 76)
        shoot(actor, some_init() == nobody ? known_to(actor) : some_init());
    else if (choice < 84 && free_to_change)
        regroup(actor);
    else if (choice < 88 && free_to_change)
        plain(actor, lead_session, "leads a session");
    else if (choice < 92 && free_to_change) {
        world->order.how = below(2) ? SA_RESTART : 0;
        plain(actor, handle_signal, world->order.how ? "handles" : "handles and is interrupted");
    } else
        plain(actor, reap_all, "reaps");
    say("\n");
    flush();
}

static void look(void) {
    for (int i = 0; i < world->processes; ++i)
        if (get(i)->alive) {
            say("  %s", name(i));
            tell(i, observe, -1);
            say("\n");
            flush();
        }
}

static void finish(void) {
    finishing = 1;
    for (int i = 1; i < world->processes; ++i)
        if (get(i)->alive && world->space[get(i)->children_space].closed) {
            say("%s", name(i));
            make(i, by_fork);
            say("\n");
            flush();
        }
    finishing = 0;
    for (int i = 1; i < world->processes; ++i)
        if (get(i)->alive) {
            say("%s", name(i));
            quit(i);
            say("\n");
            flush();
        }
    say("d");
    plain(driver, reap_all, "reaps");
    say("\n");
    look();
    for (int i = 1; i < world->processes; ++i) {
        close(life_line[i]);
        close(pidfd_of[i]);
    }
}

static void run(unsigned long seed) {
    state = seed * 0x2545f4914f6cdd1du;
    begin_history();
    say("history %lu\nd", seed);
    make(driver, by_fork);
    say("\n");
    for (int i = 1; i <= steps; ++i) {
        step();
        if (i % steps_between_looks == 0) look();
    }
    finish();
}

/* A process is born in a namespace by one outside, which waits for it. */
static void run_stranger(void) {
    scripted = 1;
    begin_history();
    make(driver, by_fork);
    make(driver, by_clone | new_space);
    move_children(1, 2);
    make(1, by_fork);
    quit(3);
    plain(1, reap_all, "reaps");
    make(1, by_fork);
    quit(2);
    plain(1, reap_all, "reaps");
    make(1, by_fork);
    quit(1);
    say("\n");
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    setsid(); /* nobody outside is in our group */
    create_world(strcmp(argv[1], "names") == 0);
    const unsigned long first = strtoul(argv[2], NULL, 10);
    const unsigned long count = strtoul(argv[3], NULL, 10);
    if (count == 0) run_stranger();
    for (unsigned long i = 0; i < count; ++i) run(first + i);
    say("complete\n");
    flush();
    return 0;
}
