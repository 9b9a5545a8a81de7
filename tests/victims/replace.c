/* Changes files, and gives them other names, by bare system calls, so that no code of a library is in
 * between. replace rename OLD NEW | link OLD NEW | unlink FILE | chmod FILE; and with "at" behind the name
 * relative to an open directory, which is the first argument: replace renameat DIR OLD NEW. Prints the name
 * of the error, or "done". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long act(char** argv) {
    const char* what = argv[1];
    if (!strcmp(what, "rename")) return syscall(SYS_rename, argv[2], argv[3]);
    if (!strcmp(what, "link")) return syscall(SYS_link, argv[2], argv[3]);
    if (!strcmp(what, "unlink")) return syscall(SYS_unlink, argv[2]);
    if (!strcmp(what, "chmod")) return syscall(SYS_chmod, argv[2], 0700);
    const int directory = open(argv[2], O_RDONLY | O_DIRECTORY);
    if (!strcmp(what, "renameat")) return syscall(SYS_renameat, directory, argv[3], directory, argv[4]);
    if (!strcmp(what, "renameat2")) return syscall(SYS_renameat2, directory, argv[3], directory, argv[4], 0);
    if (!strcmp(what, "linkat")) return syscall(SYS_linkat, directory, argv[3], directory, argv[4], 0);
    if (!strcmp(what, "unlinkat")) return syscall(SYS_unlinkat, directory, argv[3], 0);
    errno = ENOSYS;
    return -1;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    puts(act(argv) == 0 ? "done" : strerrorname_np(errno));
    return 0;
}
