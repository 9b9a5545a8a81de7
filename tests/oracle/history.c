/* history numbers|names FIRST-SEED COUNT: drives COUNT random histories (world.h) and prints what their
 * processes say; if COUNT is 0, one that isn't random, of a process that is born by setns. "names" leaves the
 * numbers out, and with them everything that a process sees of others than its own namespace's and the inits
 * of the namespaces directly below. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "driver.h"

enum { steps = 36, steps_between_looks = 6, pid_file_system = 0x50494446 };

static uint64_t state;
static int finishing;
static int scripted;

static unsigned below(unsigned limit) { /* splitmix64 */
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) % limit);
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
    /* A stranger's orphans: the kernel gives them to the init of the stranger's namespace, which isn't an
     * ancestor. A numbering in user space can't: they go where the stranger came from. (README, known gaps.)
     */
    /* The kernel's numbers skip one for each creation that fails because the namespace has ended, a
     * numbering's need not: that is tried when no more numbers are compared, in finish(). */
    const int in_vain = (how & new_space) == 0 && world->space[get(actor)->children_space].closed;
    /* How a numbering that hides what is below shows a stranger to its creator isn't for the kernel to say.
     */
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
    const int space = how & new_space ? new_space_below(get(actor)->space) : get(actor)->children_space;
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
        if (tries == 0 || world->space[get(one)->space].depth > world->space[get(best)->space].depth)
            best = one;
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
    if (kind < 3) world->order.number = -world->order.number;
    if (kind == 3 && actor != driver) world->order.number = -1;
    say(" signals ");
    if (world->order.number == -1) {
        if (world->names_only)
            world->order.signal = SIGKILL; /* with the inits that it sees all below them end */
        say("everybody");
    } else if (world->order.number <= 0) {
        say("group %s", world->order.number == 0 ? "its own" : name(target));
    } else {
        say("%s", name(target));
    }
    say(" %d", world->order.signal);
    if (tell(actor, send_signal, -1)) say(" %s", outcome(world->result));
    settle();
}

/* A number that a group bears counts in its namespace, and the kernel's init doesn't end before all have
 * gone, its own group's included: it would wait for itself, for ever. (So would it for a member that lives
 * outside.) */
static int would_keep_a_namespace(int member, int leader) {
    const int space = get(leader)->space;
    return member != leader && (!is_within(get(member)->space, space) || member == world->space[space].init);
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
    say(" moves %s to %s", names_target ? name(target) : "itself",
        leader == nobody ? "its own" : name(leader));
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

/* A process is born in a namespace by one outside, which waits for it. A numbering may refuse that. */
static void run_stranger(void) {
    scripted = 1;
    begin_history();
    say("history 0\n");
    make(driver, by_fork);
    make(driver, by_clone | new_space);
    move_children(1, 2);
    say("\n");
    for (int i = 0; i < 3; ++i) {
        make(1, by_fork);
        if (world->result > 0 && i == 0) quit(world->processes - 1); /* by itself, or with its namespace */
        if (i == 1) quit(2);
        plain(1, reap_all, "reaps");
        say("\n");
    }
    quit(1);
    plain(driver, reap_all, "reaps");
    say("\n");
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const int pidfd = open_pidfd(getpid());
    struct statfs file_system;
    if (pidfd < 0 || fstatfs(pidfd, &file_system) != 0 || file_system.f_type != pid_file_system) {
        fprintf(stderr, "history: pidfds don't tell here who is who; that needs Linux 6.9\n");
        return 77;
    }
    close(pidfd);
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
