/* Namespaces inside: made by unshare, entered through handles and files, asked for their numbers; a procfs of
 * their own. All below a user namespace of one's own, which gives the right to it to everybody who may make
 * one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "proc.h"

#ifndef CLONE_NEWPID
#define CLONE_NEWPID 0x20000000
#endif
#ifndef CLONE_NEWUSER
#define CLONE_NEWUSER 0x10000000
#endif

/* In a child: whatever the case does to itself must not stay. */
static int own_user_namespace(void) {
    if (unshare(CLONE_NEWUSER) == 0) return 1;
    fact("no-user-namespace=%s", who(-1));
    return 0;
}

static void alone(void (*body)(void)) {
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "maker");
        if (own_user_namespace()) body();
        _exit(0);
    }
    fact("%s", reap(child));
}

/* Makes a namespace and its first process, which waits; the maker's own children are born in it from now on.
 */
static pid_t first_process(void) {
    board->flag[0] = 0;
    const long made = unshare(CLONE_NEWPID);
    fact("unshare=%s", result(made));
    if (made != 0) return -1;
    const pid_t first = offspring();
    if (first == 0) tell_and_pause();
    know(first, "first");
    came(&board->flag[0]);
    return first;
}

static void made_body(void) {
    fact("own=%s", who(getpid()));
    const pid_t first = first_process();
    if (first < 0) return;
    fact("getpid=%d", board->pid[0]);
    fact("getppid=%d", board->pid[1]);
    fact("getpgrp=%d", board->pid[2]);
    fact("getsid=%d", board->pid[3]);
    fact("gettid=%d", board->pid[4]);
    fact("maker-stays=%s", who(getpid()));
    const pid_t second = offspring();
    if (second == 0) {
        fact("second: getpid=%d", getpid());
        fact("getppid=%d", getppid());
        fact("first=%s", result(kill(1, 0)));
        _exit(2);
    }
    fact("%s", reap(second));
    fact("same-group=%s", yes(getpgid(first) == getpgrp()));
    fact("unshare-again=%s", result(unshare(CLONE_NEWPID)));
    end(first);
    const pid_t third = fork();
    if (third == 0) _exit(0);
    fact("fork=%s", who(third));
}

static void made(void) {
    alone(made_body);
}

/* The end of the first is the end of all; the first's own end is told when all the others were waited for. */
static void ended_body(void) {
    const pid_t first = first_process();
    if (first < 0) return;
    const pid_t second = offspring();
    if (second == 0)
        for (;;) pause();
    kill(first, SIGKILL);
    fact("second: %s", reap(second));
    fact("first: %s", reap(first));
}

static void ended(void) {
    alone(ended_body);
}

static void tell_entered(const char* how, int fd, int type) {
    const long entered = setns(fd, type);
    fact("%s=%s", how, result(entered));
    if (entered != 0) return;
    const pid_t child = offspring();
    if (child == 0) {
        fact("getpid=%s", yes(getpid() > 1 && getpid() < 20));
        fact("getppid=%d", getppid());
        fact("first=%s", result(kill(1, 0)));
        _exit(9);
    }
    know(child, "entered");
    int status = 0;
    fact("wait=%s", who(waitpid(child, &status, 0)));
    fact("%s", ending(status));
}

static void entered_body(void) {
    /* The maker's is another process, so that this one is still outside. */
    const pid_t maker = offspring();
    if (maker == 0) {
        const pid_t first = first_process();
        board->pid[5] = first;
        raise_flag(&board->flag[1]);
        came(&board->flag[2]);
        if (first > 0) end(first);
        _exit(0);
    }
    came(&board->flag[1]);
    const pid_t first = board->pid[5];
    if (first > 0) {
        fact("own-file=%s", result(setns(open("/proc/self/ns/pid", O_RDONLY), CLONE_NEWPID)));
        tell_entered("handle", raw_pidfd_open(first), CLONE_NEWPID);
        tell_entered("file", open(path_of("/proc/%d/ns/pid", first), O_RDONLY), CLONE_NEWPID);
        tell_entered("file-of-any-type", open(path_of("/proc/%d/ns/pid", first), O_RDONLY), 0);
        tell_entered("for-children", open(path_of("/proc/%d/ns/pid_for_children", maker), O_RDONLY),
                     CLONE_NEWPID);
        fact("wrong-type=%s", result(setns(open(path_of("/proc/%d/ns/pid", first), O_RDONLY), CLONE_NEWNS)));
        fact("handle-no-type=%s", result(setns(raw_pidfd_open(first), 0)));
        fact("self-stays=%s", who(getppid()));
    }
    raise_flag(&board->flag[2]);
    reap(maker);
    fact("no-namespace=%s", result(setns(open("/dev/null", O_RDONLY), CLONE_NEWPID)));
}

static void entered(void) {
    alone(entered_body);
}

/* NS_GET_PID_FROM_PIDNS and its siblings. */
static unsigned long ask_namespace(unsigned number) {
    return 2UL << 30 | sizeof(int) << 16 | 0xb7UL << 8 | number;
}
enum { pid_from = 6, tgid_from = 7, pid_in = 8, tgid_in = 9 };

/* A number within the namespace asked, or what there is instead. */
static const char* within(long pid) {
    static char text[24];
    if (pid < 0) return who(-1);
    snprintf(text, sizeof text, "%ld", pid);
    return text;
}

static void translated_body(void) {
    const int own = open("/proc/self/ns/pid", O_RDONLY);
    fact("own: from=%s", who(ioctl(own, ask_namespace(pid_from), getpid())));
    fact("tgid-from=%s", who(ioctl(own, ask_namespace(tgid_from), getpid())));
    fact("in=%s", who(ioctl(own, ask_namespace(pid_in), getpid())));
    fact("tgid-in=%s", who(ioctl(own, ask_namespace(tgid_in), getpid())));
    fact("parent=%s", who(ioctl(own, ask_namespace(pid_in), getppid())));
    fact("unknown-from=%s", who(ioctl(own, ask_namespace(pid_from), unknown_pid)));
    fact("unknown-in=%s", who(ioctl(own, ask_namespace(pid_in), unknown_pid)));
    const pid_t first = first_process();
    if (first < 0) return;
    const int inner = open(path_of("/proc/%d/ns/pid", first), O_RDONLY);
    fact("inner: from=%s", who(ioctl(inner, ask_namespace(pid_from), 1)));
    fact("tgid-from=%s", who(ioctl(inner, ask_namespace(tgid_from), 1)));
    fact("in=%s", within(ioctl(inner, ask_namespace(pid_in), first)));
    fact("tgid-in=%s", within(ioctl(inner, ask_namespace(tgid_in), first)));
    fact("outside-in=%s", within(ioctl(inner, ask_namespace(pid_in), getpid())));
    fact("unknown-from=%s", who(ioctl(inner, ask_namespace(pid_from), unknown_pid)));
    end(first);
}

static void translated(void) {
    alone(translated_body);
}

/* NS_GET_USERNS, NS_GET_PARENT, NS_GET_NSTYPE, NS_GET_OWNER_UID. */
static const unsigned long owner_of = 0xb701, parent_of = 0xb702, type_of = 0xb703, uid_of = 0xb704;

/* Whose parent is whose, by the texts of the links. */
static void related_body(void) {
    const pid_t first = first_process();
    if (first < 0) return;
    const int inner = open(path_of("/proc/%d/ns/pid", first), O_RDONLY);
    fact("type=%s", yes(ioctl(inner, type_of) == CLONE_NEWPID));
    const int parent = ioctl(inner, parent_of);
    char own[64], above[64];
    const ssize_t length = readlink("/proc/self/ns/pid", own, sizeof own),
                  other = readlink(path_of("/proc/self/fd/%d", parent), above, sizeof above);
    fact("parent-is-own=%s", yes(length > 0 && length == other && memcmp(own, above, (size_t)length) == 0));
    /* The owner is a user namespace that may be out of sight. */
    const int owner = ioctl(inner, owner_of);
    fact("owner=%s", yes(owner >= 0 || errno == EPERM));
    uid_t uid = 0;
    fact("owner-uid=%s", yes(ioctl(inner, uid_of, &uid) == 0 || errno == EPERM || errno == EINVAL));
    end(first);
}
static void related(void) {
    alone(related_body);
}

static void same_namespace(const char* how, const char* one, const char* other) {
    char first[64], second[64];
    const ssize_t length = readlink(one, first, sizeof first),
                  other_length = readlink(other, second, sizeof second);
    fact("%s=%s", how,
         yes(length > 0 && length == other_length && memcmp(first, second, (size_t)length) == 0));
}

/* PIDFD_GET_PID_NAMESPACE and PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE, of Linux 6.11. */
static const unsigned long of_handle = 0xff05, of_handles_children = 0xff06;

static void by_handle(const char* how, pid_t pid, unsigned long request, const char* file) {
    const int handle = raw_pidfd_open(pid);
    const int found = ioctl(handle, request, 0);
    if (found < 0 && errno == ENOTTY)
        fact("%s=yes", how);
    else
        same_namespace(how, path_of("/proc/self/fd/%d", found), file);
    close(handle);
    close(found);
}

static void files_body(void) {
    same_namespace("before", "/proc/self/ns/pid", "/proc/self/ns/pid_for_children");
    const pid_t first = first_process();
    if (first < 0) return;
    same_namespace("after", "/proc/self/ns/pid", "/proc/self/ns/pid_for_children");
    same_namespace("first's", path_of("/proc/%d/ns/pid", first), "/proc/self/ns/pid");
    same_namespace("made", path_of("/proc/%d/ns/pid", first), "/proc/self/ns/pid_for_children");
    by_handle("by-handle", first, of_handle, path_of("/proc/%d/ns/pid", first));
    by_handle("own", getpid(), of_handle, "/proc/self/ns/pid");
    by_handle("own-children's", getpid(), of_handles_children, path_of("/proc/%d/ns/pid", first));
    const int handle = raw_pidfd_open(first);
    fact("with-argument=%s", yes(ioctl(handle, of_handle, 1) < 0));
    const int given = ioctl(handle, of_handle, 0);
    fact("first-in-it=%s", given < 0 ? "1" : within(ioctl(given, ask_namespace(pid_in), first)));
    close(handle);
    close(given);
    fact("status: Pid=%s", line_of(path_of("/proc/%d/status", first), "Pid"));
    char text[4096];
    read_whole(AT_FDCWD, path_of("/proc/%d/status", first), text, sizeof text);
    const char* const numbers = strstr(text, "\nNSpid:");
    long outer = 0, inner = 0;
    if (numbers != NULL) sscanf(numbers + 7, "%ld %ld", &outer, &inner);
    fact("NSpid=%s,%ld", who(outer), inner);
    end(first);
}

static void files(void) {
    alone(files_body);
}

/* A procfs mounted inside shows the inside. Where it is refused, there is nothing to compare. */
static void mounted_body(void) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) {
        fact("unshare=%s", who(-1));
        return;
    }
    const pid_t first = offspring();
    if (first == 0) {
        char directory[] = "/tmp/conformance-XXXXXX", text[64];
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
        if (mkdtemp(directory) == NULL) _exit(1);
        const long mounted = mount("proc", directory, "proc", 0, NULL);
        fact("mount=%s", result(mounted));
        if (mounted == 0) {
            const ssize_t length = readlink(path_of("%s/self", directory), text, sizeof text - 1);
            text[length > 0 ? length : 0] = '\0';
            fact("self=%s", text);
            call_me("first");
            fact("one=%s", comm_at(AT_FDCWD, path_of("%s/1/comm", directory)));
            fact("Pid=%s",
                 yes(read_whole(AT_FDCWD, path_of("%s/self/stat", directory), text, sizeof text) > 0 &&
                     atoi(text) == 1));
            umount2(directory, MNT_DETACH);
        }
        rmdir(directory);
        /* The newer way in; whoever hasn't got it takes the older. */
        const int context = (int)syscall(SYS_fsopen, "proc", 0U);
        fact("fsopen=%s", yes(context >= 0 || errno == ENOSYS || errno == EPERM));
        _exit(0);
    }
    fact("%s", reap(first));
}

static void mounted(void) {
    alone(mounted_body);
}

/* A root of its own, below which the same procfs is mounted: names begin there. */
static char own_root[] = "/tmp/conformance-XXXXXX";

static const char* link_text(const char* path) {
    static char text[256];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return length < 0 ? who(-1) : with_names(text);
}

static void rooted_body(void) {
    char text[256];
    if (unshare(CLONE_NEWNS) != 0) {
        fact("unshare=%s", who(-1));
        return;
    }
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    fact("mount=%s", result(mount("/proc", path_of("%s/proc", own_root), NULL, MS_BIND | MS_REC, NULL)));
    fact("chroot=%s", result(chroot(own_root)));
    if (chdir("/") != 0) return;
    call_me("maker");
    const pid_t child = named_child("child");
    fact("comm=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    fact("self=%s", comm_at(AT_FDCWD, "/proc/self/comm"));
    fact("root=%s", link_text("/proc/self/root"));
    fact("child's=%s", link_text(path_of("/proc/%d/root", child)));
    const int file = open(path_of("/proc/%d/stat", child), O_RDONLY);
    const int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    fact("file=%s", link_text(path_of("/proc/self/fd/%d", file)));
    fact("directory=%s", link_text(path_of("/proc/self/fd/%d", directory)));
    if (chdir(path_of("/proc/%d", child)) != 0) return;
    fact("cwd=%s", link_text("/proc/self/cwd"));
    fact("is=%s", getcwd(text, sizeof text) == NULL ? who(-1) : with_names(text));
    fact("relative=%s", comm_at(AT_FDCWD, "comm"));
    fact("back=%s", comm_at(AT_FDCWD, "../self/comm"));
    end(child);
}

static void rooted(void) {
    if (mkdtemp(own_root) == NULL || mkdir(path_of("%s/proc", own_root), 0755) != 0) return;
    alone(rooted_body);
    rmdir(path_of("%s/proc", own_root));
    rmdir(own_root);
}

const struct test_case namespace_cases[] = {{"namespace_made", made, "unshare"},
                                            {"namespace_ended", ended, "unshare"},
                                            {"namespace_entered", entered, "setns, unshare"},
                                            {"namespace_translated", translated,
                                             "ioctl NS_GET_PID_FROM_PIDNS, ioctl NS_GET_TGID_FROM_PIDNS, "
                                             "ioctl NS_GET_PID_IN_PIDNS, ioctl NS_GET_TGID_IN_PIDNS"},
                                            {"namespace_related", related,
                                             "ioctl NS_GET_NSTYPE, ioctl NS_GET_PARENT, ioctl NS_GET_USERNS, "
                                             "ioctl NS_GET_OWNER_UID"},
                                            {"namespace_files", files,
                                             "readlink, openat, ioctl PIDFD_GET_PID_NAMESPACE, "
                                             "ioctl PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE"},
                                            {"namespace_mounted", mounted, "mount, fsopen"},
                                            {"namespace_rooted", rooted, "chroot, getcwd, readlink"},
                                            {NULL, NULL, NULL}};
