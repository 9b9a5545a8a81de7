// Files in memory that bear the names of the layer's own. Whatever such a name says, its maker must learn
// nothing that it may not read anyway, and nobody must wait.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What its beginning holds after going back to it.
static void forge(const char* place) {
    char name[256];
    char text[64] = "";
    snprintf(name, sizeof name, "ctr:%s", place);
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || write(fd, "mine", 4) != 4) err(1, "%s", name);
    if (lseek(fd, 0, SEEK_SET) != 0) err(1, "lseek");
    const ssize_t size = read(fd, text, sizeof text - 1);
    // A file whose process is gone is empty.
    if (size > 0 && strcmp(text, "mine") != 0) printf("forgedname: %s shows %s\n", place, text);
    close(fd);
}

int main(int argc, char** argv) {
    char fifo[128] = ":../";
    if (argc != 2) errx(2, "usage: forgedname FIFO (to be made)");
    strncat(fifo, argv[1] + 1, sizeof fifo - 5);
    if (mkfifo(argv[1], 0600) != 0) err(1, "%s", argv[1]);
    const char* const places[] = {":../etc/passwd",  ":self/stat",   ":self/fd/0", ":thread-self/status",
                                  ":1/../self/stat", ":kmsg",        ":",          ":sysvipc/shm",
                                  "1:2/stat",        ":cgroup/../x", fifo};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) forge(places[i]);
    unlink(argv[1]);
    printf("forgedname: finished\n");
    return 0;
}
