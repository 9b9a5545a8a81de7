/* cgroup.procs and its like: numbers written and read. Whichever version is there, and only where a group of
 * one's own can be made; its members are always the ones that the case put there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <sys/stat.h>

#include "proc.h"

static char group[256];

/* A group below the first hierarchy that lets one: made, and able to take a process. */
static int make_group(void) {
    FILE* const mounts = setmntent("/proc/self/mounts", "r");
    if (mounts == NULL) return 0;
    int made = 0;
    for (struct mntent* one; !made && (one = getmntent(mounts)) != NULL;) {
        if (strncmp(one->mnt_type, "cgroup", 6) != 0) continue;
        /* A set of processors has to be given to a new group first. */
        if (strstr(one->mnt_opts, "cpuset") != NULL) continue;
        snprintf(group, sizeof group, "%.200s/conformance-%d", one->mnt_dir, getpid());
        made = mkdir(group, 0700) == 0;
    }
    endmntent(mounts);
    return made;
}

/* Whoever is still in it goes back up: under a layer that is wrong these may be the host's. */
static void remove_group(void) {
    char text[1024], above[300];
    snprintf(above, sizeof above, "%s/../cgroup.procs", group);
    for (int i = 0; i < 1000 && rmdir(group) != 0 && errno == EBUSY; ++i) {
        read_whole(AT_FDCWD, path_of("%s/cgroup.procs", group), text, sizeof text);
        for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
            const int fd = open(above, O_WRONLY | O_CLOEXEC);
            if (write(fd, line, strlen(line)) < 0) usleep(500);
            close(fd);
        }
    }
}

static void give_up(int signal) {
    kill(0, SIGTERM);
    remove_group();
    _exit(100 + signal);
}

/* "0" is the writer whatever the layer does. Only where it is read as the own number are others' numbers
 * written: they could be the host's processes. It leaves again. */
static int sees_itself(void) {
    char text[64];
    const int in = open(path_of("%s/cgroup.procs", group), O_WRONLY | O_CLOEXEC);
    const int out = open(path_of("%s/../cgroup.procs", group), O_WRONLY | O_CLOEXEC);
    const int moved = write(in, "0", 1) == 1;
    const long length = read_whole(AT_FDCWD, path_of("%s/cgroup.procs", group), text, sizeof text);
    const int back = write(out, "0", 1) == 1;
    close(in);
    close(out);
    fact("moved=%s back=%s", yes(moved), yes(back));
    fact("itself=%s", yes(length > 0 && atoi(text) == getpid()));
    return moved && length > 0 && atoi(text) == getpid();
}

/* Runs a body within a process of its own, so that the group is empty afterwards and can be removed. */
static void in_group(void (*body)(void)) {
    if (!make_group()) {
        fact("skipped");
        return;
    }
    signal(SIGTERM, SIG_IGN);
    signal(SIGALRM, give_up);
    const pid_t mover = offspring();
    if (mover == 0) {
        know(getpid(), "mover");
        if (sees_itself()) body();
        _exit(0);
    }
    fact("%s", reap(mover));
    remove_group();
}

static long put(const char* file, const char* text) {
    const int fd = open(path_of("%s/%s", group, file), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    const ssize_t written = write(fd, text, strlen(text));
    const int error = errno;
    close(fd);
    errno = error;
    return written == (ssize_t)strlen(text) ? 0 : -1;
}

/* Opened by the call that can only write. */
static long put_by_creat(const char* file, long number) {
    char text[24];
    const int length = snprintf(text, sizeof text, "%ld", number);
    const long fd = syscall(SYS_creat, path_of("%s/%s", group, file), 0644);
    if (fd < 0) return -1;
    const ssize_t written = write((int)fd, text, (size_t)length);
    const int error = errno;
    close((int)fd);
    errno = error;
    return written == length ? 0 : -1;
}

static long put_number(const char* file, long number) {
    char text[24];
    snprintf(text, sizeof text, "%ld\n", number);
    return put(file, text);
}

/* Members in no order: who is there, how many, and is anybody there who has no name. */
static void tell_members(const char* how, const char* file, const pid_t* wanted, int count) {
    char text[1024];
    int lines = 0, found = 0;
    if (read_whole(AT_FDCWD, path_of("%s/%s", group, file), text, sizeof text) < 0) {
        fact("%s=%s", how, who(-1));
        return;
    }
    for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)) != NULL; ++lines)
        for (int i = 0; i < count; ++i)
            if (atoi(line) == wanted[i]) ++found;
    fact("%s: members=%d", how, lines);
    fact("right=%d", found);
}

static void members_body(void) {
    const pid_t child = child_that_waits("child");
    const pid_t both[2] = {getpid(), child};
    tell_members("empty", "cgroup.procs", NULL, 0);
    fact("own=%s", result(put_number("cgroup.procs", getpid())));
    tell_members("self", "cgroup.procs", both, 1);
    fact("child=%s", result(put_number("cgroup.procs", child)));
    tell_members("both", "cgroup.procs", both, 2);
    const pid_t born = child_that_waits("born");
    const pid_t three[3] = {getpid(), child, born};
    tell_members("born-there", "cgroup.procs", three, 3);
    fact("by-creat=%s", result(put_by_creat("cgroup.procs", born)));
    fact("unknown-by-creat=%s", result(put_by_creat("cgroup.procs", unknown_pid)));
    fact("unknown=%s", result(put_number("cgroup.procs", unknown_pid)));
    fact("negative=%s", result(put_number("cgroup.procs", -child)));
    fact("words=%s", result(put("cgroup.procs", "nobody")));
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %d", child);
    fact("spaces=%s", result(put("cgroup.procs", spaced)));
    end(born);
    end(child);
    fact("dead=%s", result(put_number("cgroup.procs", child)));
    tell_members("then", "cgroup.procs", both, 1);
}

static void members(void) {
    in_group(members_body);
}

static void zero_body(void) {
    const pid_t self = getpid();
    fact("zero=%s", result(put("cgroup.procs", "0")));
    tell_members("self", "cgroup.procs", &self, 1);
    const int fd = open(path_of("%s/cgroup.procs", group), O_RDONLY);
    char text[64];
    const ssize_t length = read(fd, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("one-line=%s", yes(length > 1 && text[length - 1] == '\n'));
    char piece[64];
    lseek(fd, 0, SEEK_SET);
    ssize_t at = 0, more;
    while (at < 63 && (more = read(fd, piece + at, 1)) == 1) ++at;
    fact("in-pieces=%s", yes(at == length && memcmp(piece, text, (size_t)at) == 0));
    const pid_t child = child_that_waits("child");
    const pid_t both[2] = {self, child};
    tell_members("later", "cgroup.procs", both, 2);
    end(child);
    close(fd);
}

static void zero(void) {
    in_group(zero_body);
}

/* Version 1 calls the file of threads "tasks"; version 2 has one that can be read in every group. */
static void threads_body(void) {
    pthread_t one;
    struct stat about;
    pthread_create(&one, NULL, idle_body, NULL);
    came(&board->flag[0]);
    const char* const file = stat(path_of("%s/tasks", group), &about) == 0 ? "tasks" : "cgroup.threads";
    const pid_t both[2] = {getpid(), board->pid[0]};
    fact("own=%s", result(put_number("cgroup.procs", getpid())));
    tell_members("processes", "cgroup.procs", both, 1);
    tell_members("threads", file, both, 2);
    fact("unknown=%s", result(put_number(file, unknown_pid)));
}

static void threads(void) {
    in_group(threads_body);
}

#define CGROUP_ROWS "read cgroup.procs, write cgroup.procs, read, write"

const struct test_case cgroup_cases[] = {{"cgroup_members", members, CGROUP_ROWS},
                                         {"cgroup_zero", zero, CGROUP_ROWS},
                                         {"cgroup_threads", threads, CGROUP_ROWS},
                                         {NULL, NULL, NULL}};
