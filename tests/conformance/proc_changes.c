/* /proc as a path of calls that change what is there. They go through the working directory of a child, so
 * that the kernel has to understand its number, and what they have done is looked at where it happens. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <utime.h>

#include "proc.h"

enum { fchmodat2_number = 452, exchange = 2 /* RENAME_EXCHANGE */ };

static char place[] = "/tmp/conformance-XXXXXX"; /* the child's working directory */
static pid_t keeper;

static int arrive(void) {
    memcpy(place + sizeof place - 7, "XXXXXX", 6);
    if (mkdtemp(place) == NULL) return 0;
    keeper = offspring();
    if (keeper == 0) {
        if (chdir(place) == 0) raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    know(keeper, "child");
    return came(&board->flag[0]);
}

static void leave(void) {
    end(keeper);
    if (rmdir(place) != 0) fact("LEFT-BEHIND");
}

/* By way of the child, and straight. */
static const char* by(const char* name) {
    return path_of("/proc/%d/cwd/%s", keeper, name);
}
static const char* at(const char* name) {
    return path_of("%s/%s", place, name);
}
static const char* lost(const char* name) {
    return path_of("/proc/%d/cwd/%s", unknown_pid, name);
}

static struct stat about(const char* name) {
    struct stat status;
    memset(&status, 0, sizeof status);
    if (lstat(at(name), &status) != 0) fact("NOT-THERE");
    return status;
}

static const char* kind(const char* name) {
    struct stat status;
    if (lstat(at(name), &status) != 0) return who(-1);
    if (S_ISDIR(status.st_mode)) return "directory";
    if (S_ISFIFO(status.st_mode)) return "fifo";
    if (S_ISLNK(status.st_mode)) return "link";
    if (S_ISSOCK(status.st_mode)) return "socket";
    return "file";
}

static void make(const char* name) {
    const int fd = open(at(name), O_CREAT | O_WRONLY, 0600);
    if (fd < 0) fact("CANT-MAKE-IT");
    close(fd);
}

static long made_by_creat(const char* path) {
    const long fd = syscall(SYS_creat, path, 0600);
    if (fd < 0) return -1;
    const long written = write((int)fd, "four", 4);
    close((int)fd);
    return written == 4 ? 0 : -1;
}

static void files(void) {
    if (!arrive()) return;
    fact("creat=%s", result(made_by_creat(by("file"))));
    fact("size=%ld", (long)about("file").st_size);
    fact("truncate=%s", result(syscall(SYS_truncate, by("file"), 2L)));
    fact("size=%ld", (long)about("file").st_size);
    fact("chmod=%s", result(syscall(SYS_chmod, by("file"), 0640)));
    fact("mode=%o", about("file").st_mode & 0777);
    fact("fchmodat=%s", result(syscall(SYS_fchmodat, AT_FDCWD, by("file"), 0604)));
    fact("mode=%o", about("file").st_mode & 0777);
    const long newest = syscall(fchmodat2_number, AT_FDCWD, by("file"), 0600, 0);
    fact("fchmodat2=%s", newest != 0 && errno == ENOSYS ? "ok" : result(newest));
    fact("chown=%s", result(syscall(SYS_chown, by("file"), getuid(), getgid())));
    fact("lchown=%s", result(syscall(SYS_lchown, by("file"), getuid(), getgid())));
    fact("fchownat=%s", result(syscall(SYS_fchownat, AT_FDCWD, by("file"), getuid(), getgid(), 0)));
    const struct utimbuf seconds = {1000, 1001};
    fact("utime=%s", result(syscall(SYS_utime, by("file"), &seconds)));
    fact("time=%ld", (long)about("file").st_mtime);
    const struct timeval micros[2] = {{2000, 0}, {2001, 0}};
    fact("utimes=%s", result(syscall(SYS_utimes, by("file"), micros)));
    fact("time=%ld", (long)about("file").st_mtime);
    const struct timeval more_micros[2] = {{3000, 0}, {3001, 0}};
    fact("futimesat=%s", result(syscall(SYS_futimesat, AT_FDCWD, by("file"), more_micros)));
    fact("time=%ld", (long)about("file").st_mtime);
    const struct timespec nanos[2] = {{4000, 0}, {4001, 0}};
    fact("utimensat=%s", result(syscall(SYS_utimensat, AT_FDCWD, by("file"), nanos, 0)));
    fact("time=%ld", (long)about("file").st_mtime);
    unlink(at("file"));
    leave();
}

/* Not every file system has them. */
static void attributes(void) {
    if (!arrive()) return;
    char value[8] = "";
    make("file");
    const long straight = setxattr(at("file"), "user.first", "yes", 3, 0);
    const int possible = straight == 0;
    fact("setxattr=%s", yes((setxattr(by("file"), "user.one", "two", 3, 0) == 0) == possible));
    fact("lsetxattr=%s", yes((lsetxattr(by("file"), "user.two", "two", 3, 0) == 0) == possible));
    fact("there=%s", yes((getxattr(at("file"), "user.one", value, sizeof value) == 3) == possible));
    fact("there=%s", yes((getxattr(at("file"), "user.two", value, sizeof value) == 3) == possible));
    fact("removexattr=%s", yes((removexattr(by("file"), "user.one") == 0) == possible));
    fact("lremovexattr=%s", yes((lremovexattr(by("file"), "user.two") == 0) == possible));
    fact("there=%s", yes(getxattr(at("file"), "user.one", value, sizeof value) >= 0));
    fact("there=%s", yes(getxattr(at("file"), "user.two", value, sizeof value) >= 0));
    unlink(at("file"));
    leave();
}

static void names(void) {
    if (!arrive()) return;
    const int proc = open("/proc", O_PATH | O_DIRECTORY);
    fact("mkdir=%s", result(syscall(SYS_mkdir, by("a"), 0700)));
    fact("is=%s", kind("a"));
    fact("mkdirat=%s", result(syscall(SYS_mkdirat, proc, path_of("%d/cwd/b", keeper), 0700)));
    fact("is=%s", kind("b"));
    fact("mknod=%s", result(syscall(SYS_mknod, by("c"), S_IFIFO | 0600, 0)));
    fact("is=%s", kind("c"));
    fact("mknodat=%s", result(syscall(SYS_mknodat, AT_FDCWD, by("d"), S_IFIFO | 0600, 0)));
    fact("is=%s", kind("d"));
    fact("symlink=%s", result(syscall(SYS_symlink, "c", by("e"))));
    fact("is=%s", kind("e"));
    fact("symlinkat=%s", result(syscall(SYS_symlinkat, "c", proc, path_of("%d/cwd/f", keeper))));
    fact("is=%s", kind("f"));
    fact("unlink=%s", result(syscall(SYS_unlink, by("e"))));
    fact("is=%s", kind("e"));
    fact("unlinkat=%s", result(syscall(SYS_unlinkat, proc, path_of("%d/cwd/f", keeper), 0)));
    fact("is=%s", kind("f"));
    fact("rmdir=%s", result(syscall(SYS_rmdir, by("a"))));
    fact("is=%s", kind("a"));
    fact("unlinkat=%s", result(syscall(SYS_unlinkat, AT_FDCWD, by("b"), AT_REMOVEDIR)));
    fact("is=%s", kind("b"));
    fact("again=%s", result(syscall(SYS_unlink, by("b"))));
    unlink(at("c"));
    unlink(at("d"));
    leave();
}

/* Each of the two paths may lead there, or both. */
static void pairs(void) {
    if (!arrive()) return;
    const int proc = open("/proc", O_PATH | O_DIRECTORY);
    make("a");
    fact("link=%s", result(syscall(SYS_link, by("a"), by("b"))));
    fact("is=%s", kind("b"));
    fact("from=%s", result(syscall(SYS_link, by("a"), at("c"))));
    fact("is=%s", kind("c"));
    fact("to=%s", result(syscall(SYS_link, at("a"), by("d"))));
    fact("is=%s", kind("d"));
    fact("linkat=%s", result(syscall(SYS_linkat, proc, path_of("%d/cwd/a", keeper), AT_FDCWD, by("e"), 0)));
    fact("is=%s", kind("e"));
    const int file = open(at("a"), O_RDONLY);
    fact("by-descriptor=%s", result(syscall(SYS_linkat, AT_FDCWD, path_of("/proc/%d/fd/%d", getpid(), file),
                                            AT_FDCWD, by("f"), AT_SYMLINK_FOLLOW)));
    close(file);
    fact("links=%ld", (long)about("a").st_nlink);
    fact("rename=%s", result(syscall(SYS_rename, by("b"), by("g"))));
    fact("was=%s", kind("b"));
    fact("is=%s", kind("g"));
    fact("from=%s", result(syscall(SYS_rename, by("c"), at("h"))));
    fact("is=%s", kind("h"));
    fact("to=%s", result(syscall(SYS_rename, at("d"), by("i"))));
    fact("is=%s", kind("i"));
    fact("renameat=%s",
         result(syscall(SYS_renameat, proc, path_of("%d/cwd/e", keeper), proc, path_of("%d/cwd/j", keeper))));
    fact("is=%s", kind("j"));
    mkdir(at("k"), 0700);
    fact("renameat2=%s", result(syscall(SYS_renameat2, AT_FDCWD, by("k"), AT_FDCWD, by("j"), exchange)));
    fact("is=%s", kind("j"));
    fact("bad-first=%s", result(syscall(SYS_rename, (char*)8, by("x"))));
    fact("bad-second=%s", result(syscall(SYS_rename, by("a"), (char*)8)));
    fact("empty=%s", result(syscall(SYS_rename, "", by("x"))));
    static const char* const left[] = {"a", "f", "g", "h", "i", "k"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; ++i) unlink(at(left[i]));
    rmdir(at("j"));
    leave();
}

static void of_nobody(void) {
    if (!arrive()) return;
    make("a");
    fact("creat=%s", result(made_by_creat(lost("a"))));
    fact("truncate=%s", result(truncate(lost("a"), 0)));
    fact("chmod=%s", result(chmod(lost("a"), 0777)));
    fact("chown=%s", result(chown(lost("a"), getuid(), getgid())));
    fact("utimes=%s", result(utimes(lost("a"), NULL)));
    fact("setxattr=%s", result(setxattr(lost("a"), "user.one", "two", 3, 0)));
    fact("mkdir=%s", result(mkdir(lost("b"), 0700)));
    fact("unlink=%s", result(unlink(lost("a"))));
    fact("link-from=%s", result(link(lost("a"), by("b"))));
    fact("link-to=%s", result(link(by("a"), lost("b"))));
    fact("rename-from=%s", result(rename(lost("a"), by("b"))));
    fact("rename-to=%s", result(rename(by("a"), lost("b"))));
    fact("still=%s", kind("a"));
    /* What is in /proc itself can't be changed. */
    fact("in-proc: mkdir=%s", yes(mkdir(path_of("/proc/%d/new", keeper), 0700) < 0));
    fact("unlink=%s", yes(unlink(path_of("/proc/%d/comm", keeper)) < 0));
    fact("rename=%s", yes(rename(path_of("/proc/%d/comm", keeper), by("b")) < 0));
    unlink(at("a"));
    leave();
}

/* Returns how long the address is with its zero. */
static socklen_t name_socket(struct sockaddr_un* name, const char* path) {
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    snprintf(name->sun_path, sizeof name->sun_path, "%s", path);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name->sun_path) + 1);
}

/* Whether what is said there is heard at the listener. */
static const char* met(int listener, const struct sockaddr_un* name, socklen_t length) {
    char byte = 0;
    const int speaker = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(speaker, (const struct sockaddr*)name, length) != 0) {
        const int error = errno;
        close(speaker);
        errno = error;
        return who(-1);
    }
    const int heard = accept(listener, NULL, NULL);
    const int said = write(speaker, "x", 1) == 1 && read(heard, &byte, 1) == 1;
    close(speaker);
    close(heard);
    return said ? "met" : "silent";
}

static void sockets(void) {
    if (!arrive()) return;
    struct sockaddr_un name;
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = name_socket(&name, by("socket"));
    fact("bind=%s", result(bind(listener, (const struct sockaddr*)&name, length)));
    fact("is=%s", kind("socket"));
    fact("again=%s", yes(bind(listener, (const struct sockaddr*)&name, length) < 0));
    fact("listen=%s", result(listen(listener, 5)));
    fact("connect=%s", met(listener, &name, length));
    fact("without-zero=%s", met(listener, &name, length - 1));
    fact("whole=%s", met(listener, &name, sizeof name));
    fact("too-short=%s", met(listener, &name, length - 2));
    length = name_socket(&name, at("socket"));
    fact("straight=%s", met(listener, &name, length));
    length = name_socket(&name, lost("socket"));
    fact("unknown=%s", met(listener, &name, length));
    length = name_socket(&name, path_of("%d/cwd/socket", keeper));
    fact("elsewhere=%s", met(listener, &name, length));
    fact("chdir=%s", result(chdir("/proc")));
    fact("relative=%s", met(listener, &name, length));
    fact("none=%s", met(listener, &name, sizeof(sa_family_t)));
    fact("too-long=%s", met(listener, &name, sizeof name + 1));
    const int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    fact("inet=%s", yes(connect(other, (const struct sockaddr*)&nobody, sizeof nobody) < 0));
    fact("bind=%s", result(bind(other, (const struct sockaddr*)&nobody, sizeof nobody)));
    fact("bad-address=%s", result(connect(other, (const struct sockaddr*)8, sizeof nobody)));
    unlink(at("socket"));
    leave();
}

const struct test_case change_cases[] = {
    {"change_files", files,
     "creat, truncate, chmod, fchmodat, fchmodat2, chown, lchown, fchownat, utime, utimes, futimesat, "
     "utimensat"},
    {"change_attributes", attributes, "setxattr, lsetxattr, removexattr, lremovexattr"},
    {"change_names", names, "mkdir, mkdirat, mknod, mknodat, symlink, symlinkat, unlink, unlinkat, rmdir"},
    {"change_pairs", pairs, "link, linkat, rename, renameat, renameat2"},
    {"change_of_nobody", of_nobody, "creat, mkdir, unlink, link, rename"},
    {"change_sockets", sockets, "bind, connect"},
    {NULL, NULL, NULL}};
