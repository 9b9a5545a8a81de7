/* confined [--mask PATH]... [--no-users] [--filter FILE] UID:GID -- COMMAND...: executes the command as an
 * ordinary user in surroundings like those of a locked-down outer container. Started by root.
 *   --mask PATH    the file is hidden behind the null device, a directory behind an empty one
 *   --no-users     below a user namespace whose user.max_user_namespaces is 0
 *   --filter FILE  below the seccomp filter that the file holds: an array of struct sock_filter */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_instructions = 4096 };

static void must(int done, const char* what) {
    if (done) return;
    perror(what);
    exit(2);
}

static void write_text(const char* path, const char* text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    must(fd >= 0, path);
    must(write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
    close(fd);
}

static void mask(const char* path) {
    struct stat status;
    if (stat(path, &status) != 0) return; /* not every kernel has every file */
    if (S_ISDIR(status.st_mode))
        must(mount("empty", path, "tmpfs", MS_RDONLY, NULL) == 0, path);
    else
        must(mount("/dev/null", path, NULL, MS_BIND, NULL) == 0, path);
}

/* All ids are mapped to themselves, which takes a process that is still outside. */
static void enter_user_namespace(void) {
    int ready[2];
    int mapped[2];
    char byte = 0;
    must(pipe2(ready, O_CLOEXEC) == 0 && pipe2(mapped, O_CLOEXEC) == 0, "pipe2");
    const pid_t inside = getpid();
    const pid_t mapper = fork();
    must(mapper >= 0, "fork");
    if (mapper == 0) {
        char path[64];
        must(read(ready[0], &byte, 1) == 1, "read");
        snprintf(path, sizeof path, "/proc/%d/uid_map", inside);
        write_text(path, "0 0 100000");
        snprintf(path, sizeof path, "/proc/%d/gid_map", inside);
        write_text(path, "0 0 100000");
        must(write(mapped[1], &byte, 1) == 1, "write");
        _exit(0);
    }
    close(mapped[1]);
    must(unshare(CLONE_NEWUSER) == 0, "unshare");
    must(write(ready[1], &byte, 1) == 1, "write");
    must(read(mapped[0], &byte, 1) == 1, "map ids");
    waitpid(mapper, NULL, 0);
}

static void become(const char* ids) {
    unsigned uid = 0;
    unsigned gid = 0;
    must(sscanf(ids, "%u:%u", &uid, &gid) == 2, ids);
    must(setgroups(0, NULL) == 0, "setgroups");
    must(setresgid(gid, gid, gid) == 0, "setresgid");
    must(setresuid(uid, uid, uid) == 0, "setresuid");
    must(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0, "prctl");
}

static void install(int file) {
    static struct sock_filter program[most_instructions];
    const ssize_t size = read(file, program, sizeof program);
    must(size > 0, "read the filter");
    const struct sock_fprog filter = {(unsigned short)((size_t)size / sizeof *program), program};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "seccomp");
}

int main(int argc, char** argv) {
    int i = 1;
    int filter = -1;
    int users = 1;
    must(unshare(CLONE_NEWNS) == 0, "unshare");
    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
    for (; i < argc && argv[i][0] == '-'; ++i) {
        if (strcmp(argv[i], "--no-users") == 0) {
            users = 0;
        } else if (strcmp(argv[i], "--mask") == 0 && i + 1 < argc) {
            mask(argv[++i]);
        } else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
            filter = open(argv[++i], O_RDONLY | O_CLOEXEC);
            must(filter >= 0, argv[i]);
        } else {
            fprintf(stderr, "confined: %s\n", argv[i]);
            return 2;
        }
    }
    if (i + 2 >= argc || strcmp(argv[i + 1], "--") != 0) return 2;
    if (!users) {
        enter_user_namespace();
        write_text("/proc/sys/user/max_user_namespaces", "0");
    }
    become(argv[i]);
    if (filter >= 0) install(filter);
    execvp(argv[i + 2], argv + i + 2);
    perror(argv[i + 2]);
    return 127;
}
