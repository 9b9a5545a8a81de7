/* A random tree of processes in nested pid namespaces, and how each of them sees all others.
 *
 * The driver (process 1 of the container) chooses; the processes act, one at a time, each when it is told to.
 * All that they say goes into one text, in which a process is called by its place in the history ("p7" is the
 * seventh that was born; "d" is the driver). The same seed must give the same text under the kernel's own pid
 * namespaces and under any numbering that claims to be equal to them.
 *
 * Free of races: after what may have ended somebody, everybody is asked for a sign of life. A signal is
 * pending before the question is, so that who answers has survived it; who doesn't answer closes its end of a
 * pipe. Then a pidfd tells when it is a zombie and its children have a new parent: the kernel does both at
 * once.
 *
 * Who is who is told by the inode number of a pidfd, which is the same in every namespace (Linux 6.9).
 */
#ifndef ORACLE_WORLD_H
#define ORACLE_WORLD_H

#include <stdint.h>
#include <sys/types.h>

enum { driver = 0, nobody = -1, max_processes = 40, max_spaces = 32, max_depth = 5, text_size = 1 << 18 };

enum command {
    answer_call,   /* a sign of life */
    create,        /* how: enum way_of_creation; child */
    unshare_space, /* children are born in a new namespace from now on */
    enter_space,   /* ... in that of the process whose pidfd is sent along */
    send_signal,   /* signal, to number */
    join_group,    /* setpgid(number, second) */
    lead_session,
    handle_signal, /* counts SIGTERM from now on; how: the handler's flags */
    reap_all,      /* all children that have ended, looked at (WNOWAIT) before */
    reap_one,      /* the child whose pidfd is sent along */
    observe,       /* reports how it sees itself and everybody else */
    end            /* exit(number) */
};

enum way_of_creation { by_fork, by_clone, by_clone3, ways_of_creation, new_space = 8, as_sibling = 16 };

/* What the driver believes. */
struct process {
    int space;
    int children_space; /* where its children are born */
    int parent;
    int alive;
    unsigned long identity; /* these three are written by the process itself, or by its parent */
    volatile int caught;    /* signals counted */
    volatile int reaped;
};

struct space {
    int parent;
    int depth;
    int init;
    int births; /* in it or below */
    int closed; /* its init has ended */
};

struct world {
    int processes;
    int spaces;
    struct process process[max_processes];
    struct space space[max_spaces];
    int number[max_spaces][max_processes]; /* as far as known, 0 else; kept when the process is gone */
    int base;                              /* the root's numbers are shown relative to this one */
    int names_only; /* compare what a numbering sees that shows nothing but the own namespace and its
                       children's inits */

    struct {
        enum command command;
        int how, number, second, signal, child;
    } order;
    int result;     /* of the order: a number, 0, or -errno */
    int own_number; /* what a new process calls itself */
    int parent_number;

    int length;
    char text[text_size];
};
extern struct world* world;

/* Descriptors. Everybody waits in going[own place]; done says that the order was carried out, born that a new
 * process is ready; through ears the driver gets a new process's pidfd and the end of its life line, and
 * sends the pidfd for enter_space. */
extern int going[max_processes];
extern int done, born, ears[2];

void create_world(int names_only);
void begin_history(void);

/* Adds to the text. */
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* "ok", or the errno's name of a negative result. */
const char* outcome(int result);

/* A number of the namespace, as text: whose it is (or was). */
const char* whose(int space, int number);
const char* name(int process);

/* Whether that process is seen from the namespace: itself in it, or below, or, with names_only, a child's
 * init. */
int sees(int space, int process);
int is_within(int space, int ancestor);

/* The process that bears the number at this moment, as the caller sees it; -errno if there is none. */
int identify(int number);
unsigned long identity_of(int pidfd);
int open_pidfd(int number);

void notify(int event);
void take(int event);
void send_descriptors(int socket, int first, int second); /* second: may be -1 */
int take_descriptors(int socket, int* first, int* second);
void fail(const char* what) __attribute__((noreturn));

/* Carries out the order, as this process. */
void act(int self);

#endif
