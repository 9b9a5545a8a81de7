/* /proc as a directory: who is listed, how often, in which order; the same with little room, and from places
 * in the middle. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>

#include "proc.h"

struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

enum { most = 4096 };

/* The numbers that a directory lists, in order, and some of what isn't a number. */
struct listing {
    int count, calls, repeated, descending, others, has_meminfo, has_self, wrong_type;
    pid_t number[most];
    int64_t place[most]; /* where the listing goes on after it */
};

static struct listing all;

static int read_entries(int fd, size_t room, struct listing* list) {
    char buffer[32768];
    const long length = syscall(SYS_getdents64, fd, buffer, room < sizeof buffer ? room : sizeof buffer);
    if (length <= 0) return (int)length;
    ++list->calls;
    for (long at = 0; at < length;) {
        const struct entry* const one = (const struct entry*)(void*)(buffer + at);
        at += one->length;
        if (strcmp(one->name, "meminfo") == 0) list->has_meminfo = 1;
        if (strcmp(one->name, "self") == 0) list->has_self = one->type == DT_LNK;
        if (strspn(one->name, "0123456789") != strlen(one->name)) {
            ++list->others;
            continue;
        }
        const pid_t number = atoi(one->name);
        for (int i = 0; i < list->count; ++i)
            if (list->number[i] == number) ++list->repeated;
        if (list->count > 0 && list->number[list->count - 1] > number) ++list->descending;
        if (one->type != DT_DIR) ++list->wrong_type;
        if (list->count == most) abort();
        list->place[list->count] = one->next;
        list->number[list->count++] = number;
    }
    return 1;
}

static void list_rest(int fd, size_t room, struct listing* list) {
    memset(list, 0, sizeof *list);
    while (read_entries(fd, room, list) > 0) continue;
}

static void list(const char* path, size_t room, struct listing* into) {
    memset(into, 0, sizeof *into);
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        fact("open=%s", who(-1));
        return;
    }
    list_rest(fd, room, into);
    close(fd);
}

static int listed(const struct listing* list_, pid_t pid) {
    for (int i = 0; i < list_->count; ++i)
        if (list_->number[i] == pid) return 1;
    return 0;
}

static void tell_order(void) {
    fact("repeated=%d wrong-type=%d", all.repeated, all.wrong_type);
}

static void of_proc(void) {
    const pid_t child = named_child("child"), zombie = child_that_exits("zombie", 0);
    siginfo_t info;
    waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT);
    const pid_t thread = named_thread("thread");
    list("/proc", 32768, &all);
    tell_order();
    fact("self=%s", yes(listed(&all, getpid())));
    fact("parent=%s", yes(listed(&all, getppid())));
    fact("one=%s", yes(listed(&all, 1)));
    fact("child=%s", yes(listed(&all, child)));
    fact("zombie=%s", yes(listed(&all, zombie)));
    fact("thread=%s", yes(listed(&all, thread)));
    fact("unknown=%s", yes(listed(&all, unknown_pid)));
    fact("meminfo=%s self-link=%s", yes(all.has_meminfo), yes(all.has_self));
    reap(zombie);
    list("/proc", 32768, &all);
    fact("reaped=%s", yes(listed(&all, zombie)));
    end(child);
    list("/proc", 32768, &all);
    fact("ended=%s", yes(listed(&all, child)));
}

/* Everybody who is listed can be looked at: nobody appears who isn't there. A process may end in between, so
 * the one that must never happen is one that is there after, but not when looked at. */
static void listed_are_there(void) {
    list("/proc", 32768, &all);
    int missing = 0;
    char text[64];
    for (int i = 0; i < all.count; ++i)
        if (read_whole(AT_FDCWD, path_of("/proc/%d/comm", all.number[i]), text, sizeof text) < 0 &&
            kill(all.number[i], 0) == 0)
            ++missing;
    fact("missing=%d", missing);
}

static void little_room(void) {
    static struct listing first, little;
    pid_t children[5];
    for (int i = 0; i < 5; ++i) children[i] = named_child("child");
    list("/proc", 32768, &first);
    list("/proc", 64, &little);
    fact("more-calls=%s", yes(little.calls > first.calls + 5));
    fact("names=%s", yes(little.others == first.others));
    int lost = 0;
    for (int i = 0; i < 5; ++i)
        if (!listed(&first, children[i]) || !listed(&little, children[i])) ++lost;
    fact("lost=%d repeated=%d descending=%d", lost, little.repeated, little.descending);
    const int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    char buffer[64];
    fact("no-room=%s", who(syscall(SYS_getdents64, fd, buffer, 8UL)));
    fact("bad-memory=%s", who(syscall(SYS_getdents64, fd, (void*)8, 4096UL)));
    fact("closed=%s", who(syscall(SYS_getdents64, 999, buffer, 64UL)));
    fact("no-directory=%s", who(syscall(SYS_getdents64, open("/proc/self/comm", O_RDONLY), buffer, 64UL)));
    for (int i = 0; i < 5; ++i) end(children[i]);
}

/* From the place after any entry the listing goes on with the next; from 0 it starts again. */
static void places(void) {
    static struct listing rest;
    pid_t children[4];
    for (int i = 0; i < 4; ++i) children[i] = named_child("child");
    const int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    list_rest(fd, 32768, &all);
    int from = -1;
    for (int i = 0; i < all.count; ++i)
        if (all.number[i] == children[0]) from = i;
    fact("found=%s", yes(from >= 0));
    if (from >= 0) {
        fact("seek=%s", yes(lseek(fd, all.place[from], SEEK_SET) == all.place[from]));
        list_rest(fd, 100, &rest);
        fact("first-is-before=%s", yes(listed(&rest, children[0])));
        /* Numbers begin anew at some time; then a later child is listed before. */
        for (int i = 1; i < 4; ++i)
            fact("later=%s", yes(listed(&rest, children[i]) == (children[i] > children[0])));
        fact("names-again=%d", rest.others);
    }
    fact("end=%ld", syscall(SYS_getdents64, fd, &rest, sizeof rest));
    fact("rewind=%s", result(lseek(fd, 0, SEEK_SET)));
    const pid_t late = named_child("late");
    list_rest(fd, 32768, &rest);
    fact("late=%s", yes(listed(&rest, late)));
    end(late);
    lseek(fd, 0, SEEK_SET);
    list_rest(fd, 32768, &rest);
    fact("gone=%s", yes(!listed(&rest, late)));
    fact("negative=%s", who(lseek(fd, -5, SEEK_SET)));
    for (int i = 0; i < 4; ++i) end(children[i]);
}

/* The same through the C library. */
static void library(void) {
    const pid_t child = named_child("child");
    DIR* const proc = opendir("/proc");
    if (proc == NULL) {
        fact("opendir=%s", who(-1));
        return;
    }
    long before_child = -1, place = telldir(proc);
    for (struct dirent* one; (one = readdir(proc)) != NULL; place = telldir(proc))
        if (atoi(one->d_name) == child) before_child = place;
    fact("found=%s", yes(before_child >= 0));
    seekdir(proc, before_child);
    struct dirent* one = readdir(proc);
    fact("again=%s", one == NULL ? "nothing" : who(atol(one->d_name)));
    rewinddir(proc);
    int count = 0;
    while ((one = readdir(proc)) != NULL)
        if (atoi(one->d_name) == child) ++count;
    fact("after-rewind=%d", count);
    closedir(proc);
    struct dirent** sorted;
    const int entries = scandir("/proc/self/task", &sorted, NULL, alphasort);
    fact("tasks=%d", entries - 2);
    end(child);
}

static void hundred(void) {
    enum { count = 100 };
    pid_t children[count];
    const pid_t first = offspring();
    if (first == 0)
        for (;;) pause();
    setpgid(first, first);
    children[0] = first;
    for (int i = 1; i < count; ++i) {
        children[i] = offspring();
        if (children[i] == 0)
            for (;;) pause();
        setpgid(children[i], first);
    }
    int missing = 0;
    list("/proc", 32768, &all);
    for (int i = 0; i < count; ++i)
        if (!listed(&all, children[i])) ++missing;
    fact("missing=%d repeated=%d", missing, all.repeated);
    list("/proc", 200, &all);
    missing = 0;
    for (int i = 0; i < count; ++i)
        if (!listed(&all, children[i])) ++missing;
    fact("in-pieces: missing=%d repeated=%d", missing, all.repeated);
    kill(-first, SIGKILL);
    for (int i = 0; i < count; ++i) reap(children[i]);
    list("/proc", 32768, &all);
    missing = 0;
    for (int i = 0; i < count; ++i)
        if (!listed(&all, children[i])) ++missing;
    fact("then-missing=%d", missing);
}

/* Half of them end while they are being listed: the others are there once each. */
static void while_ending(void) {
    enum { count = 30 };
    pid_t children[count];
    for (int i = 0; i < count; ++i) {
        children[i] = offspring();
        if (children[i] == 0)
            for (;;) pause();
    }
    memset(&all, 0, sizeof all);
    const int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    int ended = 0;
    while (read_entries(fd, 120, &all) > 0)
        if (ended < count && listed(&all, children[ended])) {
            end(children[ended]);
            ended += 2;
        }
    int missing = 0;
    for (int i = 1; i < count; i += 2)
        if (!listed(&all, children[i])) ++missing;
    fact("missing=%d repeated=%d descending=%d", missing, all.repeated, all.descending);
    for (int i = 0; i < count; ++i) end(children[i]);
}

static void of_tasks(void) {
    const pid_t child = named_child("child");
    const pid_t one = named_thread("one"), two = named_thread("two");
    list("/proc/self/task", 32768, &all);
    tell_order();
    fact("count=%d", all.count);
    fact("leader=%s", yes(listed(&all, getpid())));
    fact("gettid=%s", yes(listed(&all, raw_gettid())));
    fact("one=%s two=%s", yes(listed(&all, one)), yes(listed(&all, two)));
    list(path_of("/proc/%d/task", getpid()), 32, &all);
    fact("in-pieces=%d", all.count);
    list(path_of("/proc/%d/task", child), 32768, &all);
    fact("child's=%d", all.count);
    fact("is=%s", who(all.number[0]));
    list(path_of("/proc/%d/task", one), 32768, &all);
    fact("of-thread=%d", all.count);
    fact("leader=%s", yes(listed(&all, getpid())));
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    const int task = open(path_of("/proc/%d/task", child), O_RDONLY | O_DIRECTORY);
    list_rest(task, 32768, &all);
    fact("zombie's=%d", all.count);
    reap(child);
    lseek(task, 0, SEEK_SET);
    char buffer[256];
    fact("dead's=%s", who(syscall(SYS_getdents64, task, buffer, sizeof buffer)));
}

/* Other directories of numbers, which aren't processes. */
static void of_descriptors(void) {
    const pid_t child = named_child("child");
    const int high = fcntl(0, F_DUPFD, 77);
    list("/proc/self/fd", 32768, &all);
    fact("fd=%s", yes(listed(&all, high)));
    list("/proc/self/fdinfo", 32768, &all);
    fact("fdinfo=%s", yes(listed(&all, high)));
    list("/dev/fd/", 32768, &all);
    fact("dev-fd=%s", yes(listed(&all, high)));
    list(path_of("/proc/%d/fd", child), 32768, &all);
    fact("child's=%s", yes(!listed(&all, high) && listed(&all, 1)));
    close(high);
    end(child);
}

/* The old call, which nobody should use any more. */
static void old_call(void) {
    struct old_entry {
        unsigned long inode, next;
        unsigned short length;
        char name[];
    };
    const pid_t child = named_child("child");
    const int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    char buffer[4096];
    int found = 0;
    for (long length; (length = syscall(SYS_getdents, fd, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < length;) {
            const struct old_entry* const one = (const struct old_entry*)(void*)(buffer + at);
            at += one->length;
            if (atoi(one->name) == child) ++found;
        }
    fact("child=%d", found);
    end(child);
}

const struct test_case listing_cases[] = {{"list_proc", of_proc, "getdents64"},
                                          {"list_all_are_there", listed_are_there, "getdents64"},
                                          {"list_little_room", little_room, "getdents64"},
                                          {"list_places", places, "getdents64, lseek"},
                                          {"list_library", library, "getdents64, lseek"},
                                          {"list_hundred", hundred, "getdents64"},
                                          {"list_while_ending", while_ending, "getdents64"},
                                          {"list_tasks", of_tasks, "getdents64"},
                                          {"list_descriptors", of_descriptors, "getdents64"},
                                          {"list_old_call", old_call, "getdents"},
                                          {NULL, NULL, NULL}};
