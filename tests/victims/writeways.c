// Writes to a file in one of the ways that there are, and says how long it took:
//
//     writeways WAY FILE BLOCK COUNT        prints milliseconds, or the error that the first call got
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int file, source, ends[2];
static char* block;
static size_t size;
static off_t at;
static aio_context_t context;

static struct iovec halves[2];

static ssize_t by_write(void) {
    return write(file, block, size);
}
static ssize_t by_pwrite(void) {
    return pwrite(file, block, size, at);
}
static ssize_t by_writev(void) {
    return writev(file, halves, 2);
}
static ssize_t by_pwritev(void) {
    return pwritev(file, halves, 2, at);
}
static ssize_t by_pwritev2(void) {
    return pwritev2(file, halves, 2, at, 0);
}
static ssize_t by_sendfile(void) {
    off_t from = 0;
    return sendfile(file, source, &from, size);
}
static ssize_t by_copy(void) {
    off_t from = 0;
    return copy_file_range(source, &from, file, NULL, size, 0);
}
static ssize_t by_splice(void) {
    size_t done = 0;
    while (done < size) {
        const ssize_t in = write(ends[1], block, 65536 < size - done ? 65536 : size - done);
        if (in < 0) return -1;
        const ssize_t out = splice(ends[0], NULL, file, NULL, (size_t)in, 0);
        if (out < 0) return -1;
        done += (size_t)out;
    }
    return (ssize_t)done;
}
static ssize_t by_aio(void) {
    struct iocb request = {.aio_lio_opcode = IOCB_CMD_PWRITE,
                           .aio_fildes = (unsigned)file,
                           .aio_buf = (unsigned long)block,
                           .aio_nbytes = size,
                           .aio_offset = at};
    struct iocb* requests[] = {&request};
    if (syscall(SYS_io_submit, context, 1, requests) != 1) return -1;
    struct io_event event;
    if (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1) return -1;
    return event.res;
}

static const struct {
    const char* name;
    ssize_t (*once)(void);
} ways[] = {{"write", by_write},     {"pwrite", by_pwrite},     {"writev", by_writev},
            {"pwritev", by_pwritev}, {"pwritev2", by_pwritev2}, {"sendfile", by_sendfile},
            {"copy", by_copy},       {"splice", by_splice},     {"aio", by_aio}};

static void must(int right, const char* what) {
    if (right) return;
    printf("%s: %s\n", what, strerrorname_np(errno));
    exit(1);
}

int main(int argc, char** argv) {
    must(argc == 5, "arguments");
    size = (size_t)atol(argv[3]);
    block = calloc(1, size);
    halves[0] = (struct iovec){block, size / 2};
    halves[1] = (struct iovec){block, size - size / 2};
    file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(file >= 0, argv[2]);
    source = memfd_create("source", 0);
    must(ftruncate(source, (off_t)size) == 0, "ftruncate");
    if (strcmp(argv[1], "copy") == 0) {  // within one file system
        char name[4096];
        snprintf(name, sizeof name, "%s.source", argv[2]);
        source = open(name, O_RDONLY);
        must(source >= 0, name);
    }
    must(pipe(ends) == 0, "pipe");
    must(syscall(SYS_io_setup, 1, &context) == 0, "io_setup");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if (strcmp(ways[i].name, argv[1]) != 0) continue;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (long n = atol(argv[4]); n > 0; --n, at += (off_t)size)
            must(ways[i].once() == (ssize_t)size, argv[1]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%ld\n", (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000);
        return 0;
    }
    must(0, "no such way");
}
