/* What the cases about arriving signals share. */
#ifndef CONFORMANCE_ARRIVALS_H
#define CONFORMANCE_ARRIVALS_H

#include "conformance.h"

/* The last signal that `note` handled, the thread that it ran in, and how many since `handled` was asked. */
extern siginfo_t noted;
extern volatile pid_t noted_in;
extern volatile int noted_signals;

void note(int signal, siginfo_t* info, void* context);

/* Installs `note`; waits until it has run, some seconds at most. */
void handle(int signal, int flags);
int handled(void);

/* Facts about who sent it: of any siginfo, of what was handled, of what can be taken from a blocked set. */
void tell(const char* how, const siginfo_t* info);
void tell_handled(const char* how);
void tell_taken(const char* how, const sigset_t* set);

int raw_tgkill(pid_t pid, pid_t tid, int signal);

/* A child that does one thing and ends, all before this returns. It names itself before, since another thread
 * may be the one that prints what it does. */
#define CHILD_DOES(NAME, ...)           \
    do {                                \
        const pid_t does = offspring(); \
        if (does == 0) {                \
            know(getpid(), NAME);       \
            __VA_ARGS__;                \
            _exit(0);                   \
        }                               \
        reap(does);                     \
    } while (0)

#endif
