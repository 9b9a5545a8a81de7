/* Links in /proc: what they say, what they lead to, and programs executed through them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "proc.h"

static const char* link_at(int directory, const char* path) {
    static char text[256];
    const ssize_t length = readlinkat(directory, path, text, sizeof text - 1);
    if (length < 0) return who(-1);
    text[length] = '\0';
    return with_names(text);
}

static void* thread_link(void* unused) {
    (void)unused;
    know(raw_gettid(), "thread");
    fact("in-thread: self=%s", link_at(AT_FDCWD, "/proc/self"));
    fact("thread-self=%s", link_at(AT_FDCWD, "/proc/thread-self"));
    call_me("thread");
    fact("comm=%s", comm_at(AT_FDCWD, "/proc/thread-self/comm"));
    return NULL;
}

static void self_links(void) {
    pthread_t one;
    char text[64];
    fact("self=%s", link_at(AT_FDCWD, "/proc/self"));
    fact("thread-self=%s", link_at(AT_FDCWD, "/proc/thread-self"));
    fact("relative=%s", link_at(open("/proc", O_PATH), "self"));
    fact("opened=%s", link_at(open("/proc/self", O_PATH | O_NOFOLLOW), ""));
    fact("mounts=%s", link_at(AT_FDCWD, "/proc/mounts"));
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "child");
        fact("in-child: self=%s", link_at(AT_FDCWD, "/proc/self"));
        fact("thread-self=%s", link_at(AT_FDCWD, "/proc/thread-self"));
        _exit(0);
    }
    reap(child);
    pthread_create(&one, NULL, thread_link, NULL);
    pthread_join(one, NULL);
    /* What doesn't fit is left off; lstat's size says nothing. */
    snprintf(text, sizeof text, "%d", getpid());
    char little[2] = {'-', '-'};
    fact("little-room=%zd", readlink("/proc/self", little, 1));
    fact("first-digit=%s", yes(little[0] == text[0] && little[1] == '-'));
    char zeroed[64] = {0};
    const ssize_t written = readlink("/proc/self", zeroed, sizeof zeroed);
    fact("nothing-behind=%s", yes(written == (ssize_t)strlen(zeroed)));
    const ssize_t length = readlink("/proc/self", text, sizeof text);
    fact("length-is-digits=%s", yes(length == snprintf(NULL, 0, "%d", getpid())));
}

/* After a vfork, an exec and a clone the link is right at once. */
static void self_after_exec(void) {
    int ends[2];
    char text[64];
    if (pipe(ends) != 0) return;
    const pid_t child = offspring();
    if (child == 0) {
        dup2(ends[1], 1);
        execlp("readlink", "readlink", "/proc/self", (char*)NULL);
        _exit(98);
    }
    know(child, "child");
    close(ends[1]);
    const ssize_t length = read(ends[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("says=%s", who(atol(text)));
    fact("%s", reap(child));
}

static void links_of_child(void) {
    char own[256], theirs[256];
    const pid_t child = named_child("child");
    static const char* const links[] = {"exe", "cwd", "root"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; ++i) {
        struct stat here, there;
        const ssize_t mine = readlink(path_of("/proc/self/%s", links[i]), own, sizeof own);
        const ssize_t its = readlink(path_of("/proc/%d/%s", child, links[i]), theirs, sizeof theirs);
        fact("%s=%s", links[i], yes(mine > 0 && mine == its && memcmp(own, theirs, (size_t)mine) == 0));
        fact("followed=%s", result(stat(path_of("/proc/%d/%s", child, links[i]), &there)));
        stat(path_of("/proc/self/%s", links[i]), &here);
        fact("same=%s", yes(here.st_ino == there.st_ino && here.st_dev == there.st_dev));
    }
    static const char* const spaces[] = {"pid", "mnt", "uts", "net", "user"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; ++i) {
        const ssize_t mine = readlink(path_of("/proc/self/ns/%s", spaces[i]), own, sizeof own);
        const ssize_t its = readlink(path_of("/proc/%d/ns/%s", child, spaces[i]), theirs, sizeof theirs);
        fact("ns-%s=%s", spaces[i], yes(mine > 0 && mine == its && memcmp(own, theirs, (size_t)mine) == 0));
    }
    end(child);
}

/* A descriptor of something under /proc tells its path with the number in it. */
static void links_of_descriptors(void) {
    const pid_t child = named_child("child");
    const int file = open(path_of("/proc/%d/comm", child), O_RDONLY);
    const int directory = open(path_of("/proc/%d/task/%d", child, child), O_RDONLY | O_DIRECTORY);
    const int own = open("/proc/self/comm", O_RDONLY);
    const int thread = open("/proc/thread-self/comm", O_RDONLY);
    const int plain = open("/proc/meminfo", O_RDONLY);
    fact("file=%s", link_at(AT_FDCWD, path_of("/proc/self/fd/%d", file)));
    fact("directory=%s", link_at(AT_FDCWD, path_of("/proc/self/fd/%d", directory)));
    fact("own=%s", link_at(AT_FDCWD, path_of("/proc/self/fd/%d", own)));
    fact("thread=%s", link_at(AT_FDCWD, path_of("/proc/self/fd/%d", thread)));
    fact("plain=%s", link_at(AT_FDCWD, path_of("/proc/self/fd/%d", plain)));
    fact("dev-fd=%s", link_at(AT_FDCWD, path_of("/dev/fd/%d", file)));
    fact("by-number=%s", link_at(AT_FDCWD, path_of("/proc/%d/fd/%d", getpid(), file)));
    const pid_t asks = offspring();
    if (asks == 0) {
        fact("parent's=%s", link_at(AT_FDCWD, path_of("/proc/%d/fd/%d", getppid(), file)));
        _exit(0);
    }
    reap(asks);
    end(child);
}

/* A file whose name merely looks like a path under /proc is left alone. */
static void names_elsewhere(void) {
    char directory[] = "/tmp/conformance-XXXXXX", text[256];
    if (mkdtemp(directory) == NULL) return;
    const char* const inner = path_of("%s/proc", directory);
    const char* const number = path_of("%s/proc/1", directory);
    const char* const file = path_of("%s/proc/1/stat", directory);
    mkdir(inner, 0700);
    mkdir(number, 0700);
    const int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || write(fd, "1 (x) S 77", 10) != 10) fact("WRITE-FAILED");
    const ssize_t length = readlink(path_of("/proc/self/fd/%d", fd), text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("link=%s", yes(strcmp(text, file) == 0));
    read_whole(AT_FDCWD, file, text, sizeof text);
    fact("contents=%s", yes(strcmp(text, "1 (x) S 77") == 0));
    if (chdir(directory) == 0) fact("relative=%ld", read_whole(AT_FDCWD, "proc/1/stat", text, sizeof text));
    close(fd);
    unlink(file);
    rmdir(number);
    rmdir(inner);
    rmdir(directory);
}

static void reopened_descriptors(void) {
    int ends[2];
    char byte = 0, text[64];
    struct stat one, two;
    if (pipe(ends) != 0) return;
    const int again = open(path_of("/proc/self/fd/%d", ends[0]), O_RDONLY | O_NONBLOCK);
    fact("reopened=%s", yes(again >= 0));
    fact("writer=%s", yes(write(open(path_of("/dev/fd/%d", ends[1]), O_WRONLY), "x", 1) == 1));
    fact("read=%s", yes(readable(again) && read(again, &byte, 1) == 1 && byte == 'x'));
    fact("by-number=%s", yes(open(path_of("/proc/%d/fd/%d", getpid(), ends[1]), O_WRONLY) >= 0));
    fact("closed=%s", open("/proc/self/fd/999", O_RDONLY) < 0 ? who(-1) : "open");
    fstat(ends[0], &one);
    fact("stat=%s", result(stat(path_of("/proc/self/fd/%d", ends[0]), &two)));
    fact("same=%s", yes(one.st_ino == two.st_ino));
    const pid_t child = offspring();
    if (child == 0) {
        const int parents = open(path_of("/proc/%d/fd/%d", getppid(), ends[1]), O_WRONLY);
        _exit(parents >= 0 && write(parents, "y", 1) == 1 ? 0 : 1);
    }
    fact("parent's-from-child: %s", reap(child));
    fact("read=%s", yes(readable(ends[0]) && read(ends[0], &byte, 1) == 1 && byte == 'y'));
    /* An unnamed file gets a name by its link, as programs that write safely do. */
    char target[] = "/tmp/conformance-XXXXXX";
    const int reserved = mkstemp(target);
    close(reserved);
    unlink(target);
    const int unnamed = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (unnamed >= 0) {
        if (write(unnamed, "abc", 3) != 3) fact("write-failed");
        fact("linkat=%s", result(linkat(AT_FDCWD, path_of("/proc/self/fd/%d", unnamed), AT_FDCWD, target,
                                        AT_SYMLINK_FOLLOW)));
        fact("length=%ld", read_whole(AT_FDCWD, target, text, sizeof text));
        unlink(target);
    } else
        fact("linkat=ok length=3");
}

/* What was opened as a mere name is read by its descriptor's link. */
static void opened_names(void) {
    const pid_t child = named_child("child");
    const int name = open(path_of("/proc/%d/status", child), O_PATH);
    fact("pid=%s", line_of(path_of("/proc/self/fd/%d", name), "Pid"));
    fact("by-number=%s", line_of(path_of("/proc/%d/fd/%d", getpid(), name), "PPid"));
    const pid_t other = offspring();
    if (other == 0) {
        fact("parent's=%s", line_of(path_of("/proc/%d/fd/%d", getppid(), name), "Pid"));
        _exit(0);
    }
    reap(other);
    const int directory = open(path_of("/proc/%d", child), O_PATH | O_DIRECTORY);
    fact("below=%s", line_of(path_of("/proc/self/fd/%d/status", directory), "Pid"));
    end(child);
    fact("gone=%s", line_of(path_of("/proc/self/fd/%d", name), "Pid"));
}

/* Executes PATH as this program; what it says about itself. */
static void tell_executed(const char* how, int directory, const char* path, int flags) {
    int ends[2];
    pid_t seen[4] = {-2, -2, -2, -2};
    char number[16];
    if (pipe(ends) != 0) return;
    snprintf(number, sizeof number, "%d", ends[1]);
    char* const arguments[] = {"conformance", "helper", "tell", number, NULL};
    const pid_t child = offspring();
    if (child == 0) {
        if (directory == -1)
            execve(path, arguments, environ);
        else
            syscall(SYS_execveat, directory, path, arguments, environ, flags);
        fact("%s-failed=%s", how, who(-1));
        _exit(98);
    }
    know(child, how);
    close(ends[1]);
    if (read(ends[0], seen, sizeof seen) != (ssize_t)sizeof seen) fact("nothing-told");
    close(ends[0]);
    fact("%s: %s", how, reap(child));
    fact("getpid=%s", who(seen[0]));
    fact("getppid=%s", who(seen[2]));
}

static void executed(void) {
    const pid_t child = named_child("child");
    const int self = open("/proc/self", O_PATH | O_DIRECTORY), exe = open("/proc/self/exe", O_RDONLY);
    const int childs = open(path_of("/proc/%d", child), O_PATH | O_DIRECTORY);
    tell_executed("self", -1, "/proc/self/exe", 0);
    tell_executed("number", -1, path_of("/proc/%d/exe", getpid()), 0);
    tell_executed("child's", -1, path_of("/proc/%d/exe", child), 0);
    tell_executed("fd", -1, path_of("/proc/self/fd/%d", exe), 0);
    tell_executed("dev-fd", -1, path_of("/dev/fd/%d", exe), 0);
    tell_executed("at-self", self, "exe", 0);
    tell_executed("at-child", childs, "exe", 0);
    tell_executed("at-empty", exe, "", AT_EMPTY_PATH);
    tell_executed("at-absolute", AT_FDCWD, path_of("/proc/%d/exe", child), 0);
    tell_executed("unknown", -1, path_of("/proc/%d/exe", unknown_pid), 0);
    tell_executed("no-program", -1, path_of("/proc/%d/comm", child), 0);
    end(child);
}

/* A script's interpreter opens /proc's path by itself, and gets it as an argument. */
static void interpreter(void) {
    char directory[] = "/tmp/conformance-XXXXXX", text[128] = "";
    int ends[2];
    if (mkdtemp(directory) == NULL || pipe(ends) != 0) return;
    const char* const script = path_of("%s/script", directory);
    const int fd = open(script, O_RDWR | O_CREAT, 0700);
    static const char contents[] = "#!/bin/sh\nread name < /proc/$$/comm; echo $name\n";
    if (write(fd, contents, sizeof contents - 1) != (ssize_t)sizeof contents - 1) fact("write-failed");
    close(fd);
    const pid_t child = offspring();
    if (child == 0) {
        dup2(ends[1], 1);
        const int opened = open(script, O_RDONLY);
        execl(path_of("/proc/self/fd/%d", opened), "script", (char*)NULL);
        _exit(98);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("%s", reap(child));
    fact("told=%s", yes(length > 1));
    unlink(script);
    rmdir(directory);
}

const struct test_case link_cases[] = {
    {"link_self", self_links, "readlink, readlinkat"},
    {"link_self_after_exec", self_after_exec, "readlink"},
    {"link_of_child", links_of_child, "readlink, stat"},
    {"link_of_descriptors", links_of_descriptors, "readlink, readlinkat"},
    {"link_names_elsewhere", names_elsewhere, "readlink, openat"},
    {"link_reopened_descriptors", reopened_descriptors, "open, openat, linkat, stat"},
    {"link_opened_names", opened_names, "open, openat"},
    {"link_executed", executed, "execve, execveat"},
    {"link_interpreter", interpreter, "execve"},
    {NULL, NULL, NULL}};
