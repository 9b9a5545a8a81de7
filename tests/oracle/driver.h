/* The driver's side: orders, and the ends of processes. */
#ifndef ORACLE_DRIVER_H
#define ORACLE_DRIVER_H

#include "world.h"

/* By process; the driver's own descriptors. */
extern int life_line[max_processes];
extern int pidfd_of[max_processes];

struct process* get(int process);
int is_init(int process);

/* Prints the text so far. */
void flush(void);

/* The history can't go on: what was expected of the process doesn't happen. */
void give_up(const char* what, int process) __attribute__((noreturn));

/* Has the order carried out; false if the process ended instead. A descriptor may be sent along (-1: none).
 */
int tell(int process, enum command command, int along);

/* Waits until everything that the last order has ended has ended. */
void settle(void);

#endif
