#define _GNU_SOURCE
#include "world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct world* world;
int going[max_processes];
int done, born, ears[2];

void fail(const char* what) {
    fprintf(stderr, "history: %s: %s\n", what, strerror(errno));
    _exit(3);
}

static int event(void) {
    const int fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    if (fd < 0) fail("eventfd");
    return fd;
}

void create_world(int names_only) {
    world = mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (world == MAP_FAILED) fail("mmap");
    world->names_only = names_only;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ears) != 0) fail("socketpair");
    done = event();
    born = event();
    for (int i = 0; i < max_processes; ++i) going[i] = event();
}

void begin_history(void) {
    const int names_only = world->names_only;
    memset(world, 0, sizeof *world);
    world->names_only = names_only;
    /* Whoever died with an order unread has left it there. */
    for (int i = 0; i < max_processes; ++i) {
        close(going[i]);
        going[i] = event();
    }
    const int pidfd = open_pidfd(getpid());
    if (pidfd < 0) fail("pidfd_open");
    world->process[driver] = (struct process){.parent = nobody, .alive = 1, .identity = identity_of(pidfd)};
    world->number[0][driver] = getpid();
    world->space[0] = (struct space){.parent = nobody, .depth = 1, .init = driver};
    world->processes = world->spaces = 1;
    close(pidfd);
}

void say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof world->text - (size_t)world->length;
    const int length = vsnprintf(world->text + world->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room) fail("the text is too long");
    world->length += length;
}

const char* outcome(int result) {
    if (result >= 0) return "ok";
    const char* text = strerrorname_np(-result);
    return text ? text : "unknown-error";
}

const char* name(int process) {
    static char names[8][16];
    static int next;
    if (process == driver) return "d";
    if (process < 0) return "nobody";
    char* text = names[next++ % 8];
    snprintf(text, sizeof names[0], "p%d", process);
    return text;
}

const char* whose(int space, int number) {
    static char texts[8][32];
    static int next;
    if (number < 0) return outcome(number);
    int found = nobody;
    for (int i = 0; number > 0 && i < world->processes; ++i)
        if (world->number[space][i] == number) found = i;
    char* text = texts[next++ % 8];
    const char* bearer = number == 0 ? "0" : found == nobody ? "?" : name(found);
    const int relative = space == 0 && number > world->base;
    if (number == 0 || world->names_only)
        snprintf(text, sizeof texts[0], "%s", bearer);
    else
        snprintf(text, sizeof texts[0], "%s(%s%d)", bearer, relative ? "+" : "",
                 relative ? number - world->base : number);
    return text;
}

int is_within(int space, int ancestor) {
    while (space != nobody && space != ancestor) space = world->space[space].parent;
    return space == ancestor;
}

int sees(int space, int process) {
    const int own = world->process[process].space;
    if (!world->names_only) return is_within(own, space);
    return own == space || (world->space[own].init == process && world->space[own].parent == space);
}

int open_pidfd(int number) {
    return (int)syscall(SYS_pidfd_open, number, 0);
}

unsigned long identity_of(int pidfd) {
    struct stat status;
    if (fstat(pidfd, &status) != 0) fail("fstat of a pidfd");
    return status.st_ino;
}

int identify(int number) {
    const int pidfd = open_pidfd(number);
    if (pidfd < 0) return -errno;
    const unsigned long identity = identity_of(pidfd);
    close(pidfd);
    for (int i = 0; i < world->processes; ++i)
        if (world->process[i].identity == identity) return i;
    return -ENOENT;
}

void notify(int event_fd) {
    const uint64_t one = 1;
    if (write(event_fd, &one, sizeof one) != sizeof one) fail("write to an eventfd");
}

void take(int event_fd) {
    uint64_t one;
    while (read(event_fd, &one, sizeof one) != sizeof one)
        if (errno != EINTR) fail("read from an eventfd");
}

void send_descriptors(int socket, int first, int second) {
    union {
        char room[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    const int fds[2] = {first, second};
    const size_t size = (second < 0 ? 1 : 2) * sizeof(int);
    char byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), fds, size);
    if (sendmsg(socket, &message, 0) != 1) fail("sendmsg");
}

int take_descriptors(int socket, int* first, int* second) {
    union {
        char room[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    int fds[2] = {-1, -1};
    char byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t got;
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr* const header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header) return -1;
    memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    *first = fds[0];
    if (second) *second = fds[1];
    return 0;
}
