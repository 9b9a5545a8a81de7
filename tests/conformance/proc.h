/* What the cases about /proc share. */
#ifndef CONFORMANCE_PROC_H
#define CONFORMANCE_PROC_H

#include "conformance.h"

/* Reads a whole small file into text, ended by 0. Its length, or -1 with errno. */
long read_whole(int directory, const char* path, char* text, size_t size);

/* A text with every path component that is a number replaced by its name: "/proc/child/stat". */
const char* with_names(const char* text);

/* Formats a path. Valid until the eighth call from now. */
const char* path_of(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Names the calling thread, so that /proc/N/comm tells whose it is without any number in it. */
void call_me(const char* name);

/* The comm that a path leads to, or the error's name. */
const char* comm_at(int directory, const char* path);

/* A child with a name for `who` and the same name as its comm, which waits for a signal. */
pid_t named_child(const char* name);

/* A thread of the calling process, named so, that does nothing; its id. */
pid_t named_thread(const char* name);

/* The number after "KEY:" in a file like /proc/N/status, as a name; "missing", or the error's name. All of
 * the line's numbers are named. */
const char* line_of(const char* path, const char* key);

#endif
