// A path in memory that another process of the container serves (FUSE), and that isn't there yet when the
// call is made: servedpath DIRECTORY. With a FILE as well, the parts of a writev to that lie there. The
// server makes a call of its own before it answers. Exit code 77: no FUSE here.
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { page_size = 4096, directory = 1, file = 2 };

static char page[page_size] = "/proc/self/stat";

static void reply(int device, const struct fuse_in_header* request, int error, void* data, size_t size) {
    struct fuse_out_header header = {
        .len = (unsigned)(sizeof header + size), .error = error, .unique = request->unique};
    struct iovec parts[2] = {{&header, sizeof header}, {data, size}};
    if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT) err(1, "answer");
}

static struct fuse_attr attributes(unsigned long node) {
    const struct fuse_attr of_directory = {.ino = directory, .mode = S_IFDIR | 0755, .nlink = 2};
    const struct fuse_attr of_file = {.ino = file, .mode = S_IFREG | 0644, .nlink = 1, .size = page_size};
    return node == directory ? of_directory : of_file;
}

static void serve(int device) {
    static char buffer[1 << 17];
    const struct fuse_in_header* request = (const struct fuse_in_header*)buffer;
    while (read(device, buffer, sizeof buffer) > 0) {
        struct fuse_init_out init = {.major = 7, .minor = 31, .max_write = page_size};
        struct fuse_entry_out entry = {.nodeid = file, .attr = attributes(file)};
        struct fuse_attr_out attr = {.attr = attributes(request->nodeid)};
        struct fuse_open_out opened = {.fh = 1};
        switch (request->opcode) {
            case FUSE_INIT: reply(device, request, 0, &init, sizeof init); break;
            case FUSE_LOOKUP: reply(device, request, 0, &entry, sizeof entry); break;
            case FUSE_GETATTR: reply(device, request, 0, &attr, sizeof attr); break;
            case FUSE_OPEN: reply(device, request, 0, &opened, sizeof opened); break;
            case FUSE_FLUSH:
            case FUSE_RELEASE: reply(device, request, 0, NULL, 0); break;
            case FUSE_FORGET:
            case FUSE_BATCH_FORGET:
            case FUSE_INTERRUPT: break;
            case FUSE_READ:
                if (syscall(SYS_getppid) != 1) errx(1, "the server's parent isn't 1");
                reply(device, request, 0, page, sizeof page);
                break;
            default: reply(device, request, -ENOSYS, NULL, 0);
        }
    }
    _exit(0);
}

static int write_to(const char* name, const struct iovec* parts) {
    const int to = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (to < 0 || writev(to, parts, 1) != 8) err(1, "%s", name);
    printf("servedpath: written\n");
    return 0;
}

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) errx(2, "usage: servedpath DIRECTORY [FILE]");
    char options[64], name[512], text[64] = "", eight[] = "12345678";
    const struct iovec part = {eight, 8};
    if (argc == 3) memcpy(page, &part, sizeof part);
    const int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
    if (device < 0 || mount("servedpath", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0) return 77;
    const pid_t server = fork();
    if (server == 0) serve(device);
    close(device);
    snprintf(name, sizeof name, "%s/file", argv[1]);
    const int mapped = open(name, O_RDONLY | O_CLOEXEC);
    const char* path = mmap(NULL, page_size, PROT_READ, MAP_PRIVATE, mapped, 0);
    if (mapped < 0 || path == MAP_FAILED) err(1, "%s", name);
    if (argc == 3) return write_to(argv[2], (const struct iovec*)path);
    const int stat = open(path, O_RDONLY | O_CLOEXEC);
    if (stat < 0 || read(stat, text, sizeof text - 1) < 0) err(1, "open");
    printf("servedpath: process %d\n", atoi(text));
    kill(server, SIGKILL);
    return 0;
}
