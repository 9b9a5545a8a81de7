/* /proc as a path: every call that takes one, with absolute paths, relative to descriptors, to the working
 * directory, with dots and through links. comm tells whose directory it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "proc.h"

enum { open_tree_number = 428 };

struct open_how_as_the_kernel_has_it {
    uint64_t flags, mode, resolve;
};

static long openat2_of(int directory, const char* path, uint64_t flags, uint64_t resolve) {
    const struct open_how_as_the_kernel_has_it how = {flags, 0, resolve};
    return syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static long closed(long fd) {
    if (fd < 0) return -1;
    close((int)fd);
    return 0;
}

/* An answer in which only the absence of the thing counts. */
static const char* found(long value) {
    return value < 0 && (errno == ENODATA || errno == ENOTSUP || errno == EACCES) ? "found" : result(value);
}

static long statx_of(int directory, const char* path, int flags) {
    char buffer[256];
    return syscall(SYS_statx, directory, path, flags, 0x7ffU, buffer);
}

static long watch(const char* path) {
    const int watcher = inotify_init1(IN_CLOEXEC);
    const long got = inotify_add_watch(watcher, path, IN_OPEN) < 0 ? -1 : 0;
    const int error = errno;
    close(watcher);
    errno = error;
    return got;
}

/* Every call that takes a path, about the same one. */
static void ask(const char* name, const char* path) {
    struct stat about;
    struct statfs system;
    char text[256];
    fact("%s:", name);
    fact("open=%s", result(closed(syscall(SYS_open, path, O_RDONLY))));
    fact("openat=%s", result(closed(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY))));
    fact("openat2=%s", result(closed(openat2_of(AT_FDCWD, path, O_RDONLY, 0))));
    fact("o-path=%s", result(closed(open(path, O_PATH))));
    fact("stat=%s", result(syscall(SYS_stat, path, &about)));
    fact("lstat=%s", result(syscall(SYS_lstat, path, &about)));
    fact("newfstatat=%s", result(syscall(SYS_newfstatat, AT_FDCWD, path, &about, 0)));
    fact("statx=%s", result(statx_of(AT_FDCWD, path, 0)));
    fact("or-empty=%s", result(syscall(SYS_newfstatat, AT_FDCWD, path, &about, AT_EMPTY_PATH)));
    fact("statx-or-empty=%s", result(statx_of(AT_FDCWD, path, AT_EMPTY_PATH)));
    fact("access=%s", result(syscall(SYS_access, path, R_OK)));
    fact("faccessat=%s", result(syscall(SYS_faccessat, AT_FDCWD, path, R_OK)));
    fact("faccessat2=%s", result(syscall(SYS_faccessat2, AT_FDCWD, path, R_OK, AT_EACCESS)));
    const ssize_t length = syscall(SYS_readlink, path, text, sizeof text);
    fact("readlink=%s", length < 0 ? who(-1) : "a-link");
    const ssize_t length_at = syscall(SYS_readlinkat, AT_FDCWD, path, text, sizeof text);
    fact("readlinkat=%s", length_at < 0 ? who(-1) : "a-link");
    fact("getxattr=%s", found(getxattr(path, "user.none", text, sizeof text)));
    fact("lgetxattr=%s", found(lgetxattr(path, "user.none", text, sizeof text)));
    fact("listxattr=%s", found(listxattr(path, text, sizeof text)));
    fact("llistxattr=%s", found(llistxattr(path, text, sizeof text)));
    fact("statfs=%s", result(statfs(path, &system)));
    /* A procfs has no handles; but first it is looked for. */
    uint32_t handle[34] = {128};
    int mount_id = 0;
    fact("handle=%s", result(syscall(SYS_name_to_handle_at, AT_FDCWD, path, handle, &mount_id, 0)));
    fact("tree=%s", result(closed((int)syscall(open_tree_number, AT_FDCWD, path, 0))));
    fact("inotify=%s", result(watch(path)));
}

static void of_child(void) {
    const pid_t child = named_child("child");
    ask("directory", path_of("/proc/%d", child));
    ask("file", path_of("/proc/%d/comm", child));
    ask("task-file", path_of("/proc/%d/task/%d/comm", child, child));
    ask("link", path_of("/proc/%d/exe", child));
    ask("slash", path_of("/proc/%d/", child));
    end(child);
    ask("gone", path_of("/proc/%d", child));
}

static void of_self(void) {
    ask("number", path_of("/proc/%d/comm", getpid()));
    ask("self", "/proc/self");
    ask("self-file", "/proc/self/comm");
    ask("thread-self", "/proc/thread-self");
    ask("thread-file", "/proc/thread-self/comm");
    ask("parent", path_of("/proc/%d/comm", getppid()));
}

static void of_nobody(void) {
    ask("unknown", path_of("/proc/%d", unknown_pid));
    ask("file", path_of("/proc/%d/comm", unknown_pid));
    ask("task", path_of("/proc/self/task/%d/comm", unknown_pid));
    ask("zero", "/proc/0/comm");
}

/* Numbers as the kernel doesn't write them. */
static void spelling(void) {
    const pid_t child = named_child("child");
    static const char* const forms[] = {"/proc/0%d/comm",   "/proc/+%d/comm", "/proc/-%d/comm",
                                        "/proc/%dx/comm",   "/proc/ %d/comm", "/proc/%d/comm/",
                                        "/proc/%d/nothing", "/proc/%d/comm/x"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        char path[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, forms[i], child);
#pragma GCC diagnostic pop
        fact("%zu=%s", i, comm_at(AT_FDCWD, path));
    }
    fact("overflow=%s", comm_at(AT_FDCWD, path_of("/proc/%llu/comm", (1ULL << 32) + (unsigned)child)));
    fact("task-overflow=%s",
         comm_at(AT_FDCWD, path_of("/proc/%d/task/%llu/comm", child, (1ULL << 32) + (unsigned)child)));
    end(child);
}

static void dots(void) {
    call_me("self");
    const pid_t child = named_child("child");
    fact("slashes=%s", comm_at(AT_FDCWD, path_of("//proc//%d///comm", child)));
    fact("dot=%s", comm_at(AT_FDCWD, path_of("/proc/./%d/./comm", child)));
    fact("back=%s", comm_at(AT_FDCWD, path_of("/proc/../proc/./%d/comm", child)));
    fact("self-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/self/../%d/comm", child)));
    fact("child-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/%d/../self/comm", child)));
    fact("task-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/%d/task/../comm", child)));
    fact("task-twice=%s", comm_at(AT_FDCWD, path_of("/proc/%d/task/%d/../%d/comm", child, child, child)));
    fact("unknown-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/%d/../self/comm", unknown_pid)));
    fact("above-root=%s", comm_at(AT_FDCWD, path_of("/../../proc/%d/comm", child)));
    fact("file-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm/../comm", child)));
    end(child);
}

/* The child's root and working directory are links that lead out of its directory, and in again. */
static void through_magic(void) {
    call_me("self");
    const pid_t child = named_child("child");
    fact("child's-root=%s", comm_at(AT_FDCWD, path_of("/proc/%d/root/proc/%d/comm", child, child)));
    fact("own-root=%s", comm_at(AT_FDCWD, path_of("/proc/self/root/proc/%d/comm", child)));
    fact("root-self=%s", comm_at(AT_FDCWD, path_of("/proc/%d/root/proc/self/comm", child)));
    const int kept = open(path_of("/proc/%d", child), O_PATH | O_DIRECTORY);
    fact("fd=%s", comm_at(AT_FDCWD, path_of("/proc/self/fd/%d/comm", kept)));
    fact("fd-and-back=%s", comm_at(AT_FDCWD, path_of("/proc/self/fd/%d/../self/comm", kept)));
    fact("dev-fd=%s", comm_at(AT_FDCWD, path_of("/dev/fd/%d/comm", kept)));
    close(kept);
    end(child);
}

static void through_links(void) {
    call_me("self");
    const pid_t child = named_child("child");
    char directory[] = "/tmp/conformance-XXXXXX", target[256];
    if (mkdtemp(directory) == NULL) return;
    const char* const to_self = path_of("%s/self", directory);
    const char* const to_file = path_of("%s/file", directory);
    const char* const to_child = path_of("%s/child", directory);
    if (symlink("/proc/self", to_self) != 0 || symlink("/proc/self/comm", to_file) != 0 ||
        symlink(path_of("/proc/%d", child), to_child) != 0)
        fact("SYMLINK-FAILED");
    fact("self=%s", comm_at(AT_FDCWD, path_of("%s/comm", to_self)));
    fact("file=%s", comm_at(AT_FDCWD, to_file));
    /* What a number means in the text of a link outside of /proc isn't asked: in a layer that doesn't follow
     * links, whatever has that number on the host. (README, known gaps) */
    fact("not-followed=%s", result(closed(open(to_child, O_RDONLY | O_NOFOLLOW))));
    const ssize_t length = readlink(to_child, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    fact("text=%s", with_names(target));
    const pid_t other = offspring();
    if (other == 0) {
        call_me("other");
        fact("self-of-other=%s", comm_at(AT_FDCWD, to_file));
        _exit(0);
    }
    reap(other);
    end(child);
    unlink(to_self);
    unlink(to_file);
    unlink(to_child);
    rmdir(directory);
}

static void relative_to_descriptors(void) {
    call_me("self");
    const pid_t child = named_child("child"), thread = named_thread("thread");
    struct stat about;
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    const int childs = open(path_of("/proc/%d", child), O_PATH | O_DIRECTORY);
    const int childs_task = openat(childs, "task", O_RDONLY | O_DIRECTORY);
    const int task = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    const int self = open("/proc/self", O_PATH | O_DIRECTORY);
    fact("proc=%s", comm_at(proc, path_of("%d/comm", child)));
    fact("proc-self=%s", comm_at(proc, "self/comm"));
    fact("proc-dot=%s", comm_at(proc, path_of("./%d/comm", child)));
    fact("proc-back=%s", comm_at(proc, path_of("../proc/%d/comm", child)));
    fact("proc-unknown=%s", comm_at(proc, path_of("%d/comm", unknown_pid)));
    fact("child=%s", comm_at(childs, "comm"));
    fact("child-task=%s", comm_at(childs, path_of("task/%d/comm", child)));
    fact("child-back=%s", comm_at(childs, "../self/comm"));
    fact("child-and-self=%s", comm_at(childs, path_of("../%d/comm", getpid())));
    fact("childs-task=%s", comm_at(childs_task, path_of("%d/comm", child)));
    fact("task=%s", comm_at(task, path_of("%d/comm", raw_gettid())));
    fact("task-thread=%s", comm_at(task, path_of("%d/comm", thread)));
    fact("task-foreign=%s", comm_at(task, path_of("%d/comm", child)));
    fact("self=%s", comm_at(self, "comm"));
    fact("absolute=%s", comm_at(childs, "/proc/self/comm"));
    fact("fstatat=%s", result(fstatat(proc, path_of("%d", child), &about, 0)));
    fact("directory=%s", yes(S_ISDIR(about.st_mode)));
    fact("empty=%s", result(fstatat(childs, "", &about, AT_EMPTY_PATH)));
    fact("statx=%s", result(statx_of(proc, path_of("%d/comm", child), 0)));
    fact("statx-unknown=%s", result(statx_of(proc, path_of("%d", unknown_pid), 0)));
    fact("faccessat=%s", result(faccessat(proc, path_of("%d/comm", child), R_OK, 0)));
    fact("bad-descriptor=%s", comm_at(999, path_of("%d/comm", child)));
    fact("file-as-directory=%s", comm_at(open("/proc/self/comm", O_RDONLY), "comm"));
    const pid_t other = offspring();
    if (other == 0) {
        call_me("other");
        fact("self-is-who-asks=%s", comm_at(proc, "self/comm"));
        fact("opened-self-stays=%s", comm_at(self, "comm"));
        _exit(0);
    }
    reap(other);
    end(child);
}

static void working_directory(void) {
    call_me("self");
    const pid_t child = named_child("child");
    char text[256];
    fact("proc=%s", result(chdir("/proc")));
    fact("is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : text);
    fact("child=%s", comm_at(AT_FDCWD, path_of("%d/comm", child)));
    fact("self=%s", comm_at(AT_FDCWD, "self/comm"));
    fact("down=%s", result(chdir(path_of("%d", child))));
    fact("is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : with_names(text));
    fact("file=%s", comm_at(AT_FDCWD, "comm"));
    fact("task=%s", comm_at(AT_FDCWD, path_of("task/%d/comm", child)));
    fact("up=%s", comm_at(AT_FDCWD, "../self/comm"));
    fact("unknown=%s", result(chdir(path_of("/proc/%d", unknown_pid))));
    fact("still=%s", comm_at(AT_FDCWD, "comm"));
    fact("absolute=%s", result(chdir("/proc/self/task")));
    fact("is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : with_names(text));
    fact("task=%s", comm_at(AT_FDCWD, path_of("%d/comm", getpid())));
    const int childs = open(path_of("/proc/%d", child), O_PATH | O_DIRECTORY);
    fact("fchdir=%s", result(fchdir(childs)));
    fact("file=%s", comm_at(AT_FDCWD, "comm"));
    const ssize_t length = readlink("/proc/self/cwd", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("cwd-link=%s", length < 0 ? who(-1) : with_names(text));
    const int tasks = open(path_of("/proc/%d/task", child), O_PATH | O_DIRECTORY);
    end(child);
    fact("gone: file=%s", comm_at(AT_FDCWD, "comm"));
    fact("up=%s", comm_at(AT_FDCWD, "../self/comm"));
    fact("is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : text);
    /* A layer may have forgotten the number, and then says 0; it never says another's. */
    const ssize_t left = readlink("/proc/self/cwd", text, sizeof text - 1);
    text[left > 0 ? left : 0] = '\0';
    const int right =
        strcmp(text, path_of("/proc/%d (deleted)", child)) == 0 || strcmp(text, "/proc/0 (deleted)") == 0;
    fact("cwd-link=%s", right ? "child" : text);
    if (fchdir(tasks) == 0) fact("below: is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : text);
}

static void restricted_resolution(void) {
    enum { no_crossing = 1, no_magic = 2, no_links = 4, beneath = 8, in_root = 16 };
    const pid_t child = named_child("child");
    const int proc = open("/proc", O_PATH | O_DIRECTORY);
    const char* const comm = path_of("%d/comm", child);
    fact("no-links=%s", result(closed(openat2_of(proc, comm, O_RDONLY, no_links))));
    fact("no-links-self=%s", result(closed(openat2_of(proc, "self/comm", O_RDONLY, no_links))));
    fact("no-links-self-numbers=%s", result(closed(openat2_of(proc, "self/stat", O_RDONLY, no_links))));
    fact("no-magic=%s", result(closed(openat2_of(proc, "self/comm", O_RDONLY, no_magic))));
    fact("no-magic-exe=%s", result(closed(openat2_of(proc, path_of("%d/exe", child), O_RDONLY, no_magic))));
    fact("beneath=%s", result(closed(openat2_of(proc, comm, O_RDONLY, beneath))));
    fact("beneath-self=%s", result(closed(openat2_of(proc, "self/comm", O_RDONLY, beneath))));
    fact("beneath-out=%s", who(closed(openat2_of(proc, "../proc/self/comm", O_RDONLY, beneath))));
    fact("in-root=%s", result(closed(openat2_of(proc, path_of("/%d/comm", child), O_RDONLY, in_root))));
    fact("no-crossing=%s", result(closed(openat2_of(proc, comm, O_RDONLY, no_crossing))));
    fact("unknown=%s", result(closed(openat2_of(proc, path_of("%d/comm", unknown_pid), O_RDONLY, beneath))));
    fact("bad-how=%s", result(syscall(SYS_openat2, proc, comm, NULL, (size_t)24)));
    fact("no-follow=%s", result(closed(open("/proc/self", O_RDONLY | O_NOFOLLOW))));
    fact("directory=%s", result(closed(open(path_of("/proc/%d/comm", child), O_RDONLY | O_DIRECTORY))));
    fact("create=%s", yes(open(path_of("/proc/%d", unknown_pid), O_RDWR | O_CREAT, 0600) < 0));
    fact("mkdir=%s", yes(mkdir(path_of("/proc/%d", unknown_pid), 0700) < 0));
    fact("exclusive=%s",
         result(closed(open(path_of("/proc/%d/comm", child), O_RDWR | O_CREAT | O_EXCL, 0600))));
    end(child);
}

/* Bad pointers and texts without an end are the kernel's business. */
static void bad_paths(void) {
    static char endless[5000];
    memset(endless, '/', sizeof endless - 1);
    memcpy(endless, "/proc", 5);
    struct stat about;
    fact("null=%s", result(syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY)));
    fact("unmapped=%s", result(syscall(SYS_openat, AT_FDCWD, (char*)8, O_RDONLY)));
    fact("too-long=%s", result(closed(syscall(SYS_openat, AT_FDCWD, endless, O_RDONLY))));
    fact("empty=%s", result(syscall(SYS_openat, AT_FDCWD, "", O_RDONLY)));
    fact("stat-unmapped=%s", result(syscall(SYS_newfstatat, AT_FDCWD, (char*)8, &about, 0)));
    fact("stat-into-nothing=%s", result(syscall(SYS_newfstatat, AT_FDCWD, "/proc/self", (void*)8, 0)));
    fact("readlink-into-nothing=%s", result(syscall(SYS_readlink, "/proc/self", (void*)8, 64UL)));
    fact("readlink-no-room=%s", result(syscall(SYS_readlink, "/proc/self", endless, 0UL)));
}

/* A thread's directory is there under /proc too, though it isn't listed. */
static void thread_directories(void) {
    call_me("self");
    const pid_t thread = named_thread("thread"), child = named_child("child");
    fact("task=%s", comm_at(AT_FDCWD, path_of("/proc/self/task/%d/comm", thread)));
    fact("by-number=%s", comm_at(AT_FDCWD, path_of("/proc/%d/task/%d/comm", getpid(), thread)));
    fact("leader=%s", comm_at(AT_FDCWD, path_of("/proc/self/task/%d/comm", getpid())));
    fact("as-process=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", thread)));
    fact("task-of-thread=%s", comm_at(AT_FDCWD, path_of("/proc/%d/task/%d/comm", thread, getpid())));
    fact("foreign=%s", comm_at(AT_FDCWD, path_of("/proc/%d/task/%d/comm", child, thread)));
    fact("foreign-leader=%s", comm_at(AT_FDCWD, path_of("/proc/self/task/%d/comm", child)));
    end(child);
}

/* A zombie has its directory; one that was reaped hasn't, and what was opened before says so. */
static void after_the_end(void) {
    char text[64];
    siginfo_t info;
    const pid_t child = named_child("child");
    const int directory = open(path_of("/proc/%d", child), O_RDONLY | O_DIRECTORY);
    const int comm = openat(directory, "comm", O_RDONLY), stat_file = openat(directory, "stat", O_RDONLY);
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    fact("kept-directory=%s", comm_at(directory, "comm"));
    fact("kept-file=%s", yes(pread(comm, text, sizeof text, 0) > 0));
    fact("exe=%s", readlink(path_of("/proc/%d/exe", child), text, sizeof text) < 0 ? who(-1) : "there");
    fact("command-line=%ld", read_whole(AT_FDCWD, path_of("/proc/%d/cmdline", child), text, sizeof text));
    reap(child);
    struct stat about;
    fact("reaped=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    fact("stat=%s", result(stat(path_of("/proc/%d", child), &about)));
    fact("kept-directory=%s", comm_at(directory, "comm"));
    fact("kept-file=%s", pread(comm, text, sizeof text, 0) < 0 ? who(-1) : "read");
    fact("kept-stat=%s", pread(stat_file, text, sizeof text, 0) < 0 ? who(-1) : "read");
    fact("fstat=%s", result(fstat(directory, &about)));
    fact("chdir=%s", result(chdir(path_of("/proc/%d", child))));
}

/* Writing: what one may set there, reaches whom it was meant for. */
static void writing(void) {
    char text[64];
    const pid_t child = named_child("child");
    /* If the path leads elsewhere, better not write there. */
    fact("is=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    if (strcmp(comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)), "child") != 0) return;
    const int adjust = open(path_of("/proc/%d/oom_score_adj", child), O_RDWR);
    fact("write=%zd", write(adjust, "500", 3));
    read_whole(AT_FDCWD, path_of("/proc/%d/oom_score_adj", child), text, sizeof text);
    fact("then=%d", atoi(text));
    read_whole(AT_FDCWD, "/proc/self/oom_score_adj", text, sizeof text);
    fact("mine-unchanged=%s", yes(atoi(text) != 500));
    const int comm = open("/proc/self/comm", O_WRONLY);
    fact("name=%zd", write(comm, "renamed", 7));
    fact("is=%s", comm_at(AT_FDCWD, "/proc/thread-self/comm"));
    const int foreign = open(path_of("/proc/%d/comm", child), O_WRONLY);
    fact("foreign=%s", foreign < 0 ? who(-1) : write(foreign, "x", 1) < 0 ? who(-1) : "written");
    fact("child=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    end(child);
}

#define PATH_ROWS                                                                                      \
    "open, openat, openat2, stat, lstat, newfstatat, statx, access, faccessat, faccessat2, readlink, " \
    "readlinkat, getxattr, "                                                                           \
    "lgetxattr, listxattr, llistxattr, statfs, inotify_add_watch, name_to_handle_at, open_tree"

/* With another process's root as one's own, and where there is none. */
static void other_root(void) {
    const pid_t child = named_child("child");
    const pid_t changer = offspring();
    if (changer == 0) {
        fact("nobody=%s", result(chroot(path_of("/proc/%d/root", unknown_pid))));
        fact("child's=%s", result(chroot(path_of("/proc/%d/root", child))));
        fact("child=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
        fact("into=%s", result(chroot("/proc")));
        fact("there=%s", comm_at(AT_FDCWD, path_of("/%d/comm", child)));
        fact("self=%s", yes(access("/self/stat", R_OK) == 0));
        _exit(0);
    }
    reap(changer);
    end(child);
}

/* Where lexical reading would find a file, and the kernel doesn't. */
static void past_a_file(void) {
    static const char* const paths[] = {"/proc/self/stat/",        "/proc/self/status/.",
                                        "/proc/self/stat/../stat", "/proc/self/absent/../stat",
                                        "/proc/loadavg/",          "/proc/absent/../loadavg",
                                        "/proc/self/task/../stat", "/proc/self/../loadavg",
                                        "/proc/self/exe/../stat",  "/proc/self/ns/pid/"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
        fact("%s=%s", paths[i], result(closed(open(paths[i], O_RDONLY))));
}

const struct test_case path_cases[] = {
    {"path_other_root", other_root, "chroot"},
    {"path_child", of_child, PATH_ROWS},
    {"path_self", of_self, PATH_ROWS},
    {"path_nobody", of_nobody, PATH_ROWS},
    {"path_spelling", spelling, "openat"},
    {"path_dots", dots, "openat"},
    {"path_through_magic", through_magic, "openat"},
    {"path_through_links", through_links, "openat, open"},
    {"path_relative", relative_to_descriptors, "openat, newfstatat, statx, faccessat"},
    {"path_working_directory", working_directory, "chdir, fchdir, getcwd, openat"},
    {"path_restricted", restricted_resolution, "openat2, mkdir"},
    {"path_bad", bad_paths, "openat, newfstatat, readlink"},
    {"path_past_a_file", past_a_file, "open, openat"},
    {"path_threads", thread_directories, "openat"},
    {"path_after_the_end", after_the_end, "openat, pread64, chdir"},
    {"path_writing", writing, "openat"},
    {NULL, NULL, NULL}};
