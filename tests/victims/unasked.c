// unasked FIFO: what a program gets of /proc without the monitor, which the test stops meanwhile. Prints
// "ready", waits until somebody opens the FIFO to write, and prints a line for each look at a child of its
// own; "done" in the end.
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pid_t child;
static char text[4096];

static const char* path_of(const char* name) {
    static char path[64];
    snprintf(path, sizeof path, "/proc/%d%s", (int)child, name);
    return path;
}

static const char* read_all(const char* path) {
    const int file = open(path, O_RDONLY);
    const ssize_t size = read(file, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    close(file);
    return text;
}

static void say(const char* what, int is_right) {
    char line[64];
    const int size = snprintf(line, sizeof line, "%s: %s\n", what, is_right ? "right" : "wrong");
    if (write(1, line, (size_t)size) != size) err(1, "write");
}

static void look_at_paths(void) {
    struct stat facts;
    char target[4096] = "", own[4096] = "";
    say("stat", stat(path_of(""), &facts) == 0 && S_ISDIR(facts.st_mode));
    say("access", access(path_of("/maps"), F_OK) == 0);
    say("comm", strcmp(read_all(path_of("/comm")), "unasked\n") == 0);
    char on_the_stack[64];
    strcpy(on_the_stack, path_of("/comm"));
    say("comm again", strcmp(read_all(on_the_stack), "unasked\n") == 0);
    say("no such file", open(path_of("/ctty"), O_RDONLY) == -1 && errno == ENOENT);
    say("link", readlink(path_of("/exe"), target, sizeof target - 1) > 0 &&
                    readlink("/proc/self/exe", own, sizeof own - 1) > 0 && strcmp(target, own) == 0);
    say("mounts", strstr(read_all("/proc/mounts"), " / ") != NULL);
}

static void look_at_texts(void) {
    int number = 0, parent = 0;
    say("stat's numbers", sscanf(read_all(path_of("/stat")), "%d (unasked) %*c %d", &number, &parent) == 2 &&
                              number == child && parent == getpid());
    char line[32];
    snprintf(line, sizeof line, "\nNSpid:\t%d\n", (int)child);
    say("status' numbers", strstr(read_all(path_of("/status")), line) != NULL);
    say("own stat",
        sscanf(read_all("/proc/self/stat"), "%d (unasked) R", &number) == 1 && number == getpid());
}

static void look_at_descriptor(void) {
    const int lowest = dup(0);
    close(lowest);
    const int file = open(path_of("/stat"), O_RDONLY | O_CLOEXEC);
    say("lowest", file == lowest);
    say("read-only", (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY);
    say("close-on-exec", fcntl(file, F_GETFD) == FD_CLOEXEC);
    close(file);
    const int other = open(path_of("/stat"), O_RDONLY);
    struct stat described, named;
    say("described", fstat(other, &described) == 0 && stat(path_of("/stat"), &named) == 0 &&
                         described.st_ino == named.st_ino && described.st_size == 0 &&
                         described.st_mode == named.st_mode);
    say("kept at exec", fcntl(other, F_GETFD) == 0);
    close(other);
    const int next = dup(0);
    say("none left", next == lowest);
    close(next);
}

int main(int argc, char** argv) {
    if (argc != 2) errx(2, "unasked FIFO");
    child = fork();
    if (child == 0) return pause();
    dprintf(1, "ready\n");
    if (open(argv[1], O_RDONLY) < 0) err(1, "%s", argv[1]);
    look_at_paths();
    look_at_texts();
    look_at_descriptor();
    if (write(1, "done\n", 5) != 5) err(1, "write");
    return 0;
}
