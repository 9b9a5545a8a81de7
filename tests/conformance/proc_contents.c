/* /proc as contents: the numbers in stat, status, children, sched, fdinfo, timers, locks; read in pieces,
 * again, and after a change. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "proc.h"

/* The word at a place of a stat line, counted from 1 as proc(5) does; the name may contain anything. */
static long stat_field(const char* text, int field) {
    const char* const name_end = strrchr(text, ')');
    if (field == 1) return atol(text);
    if (name_end == NULL) return -77;
    const char* at = name_end + 1;
    for (int i = 3; i < field; ++i) at = strchr(at + 1, ' ');
    return atol(at);
}

static void tell_stat_text(const char* text) {
    static const struct {
        int field;
        const char* name;
    } fields[] = {{1, "pid"}, {4, "ppid"}, {5, "pgrp"}, {6, "session"}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
        fact("%s=%s", fields[i].name, who(stat_field(text, fields[i].field)));
    const long foreground = stat_field(text, 8);
    fact("tpgid=%s", foreground == -1 ? "-1" : who(foreground));
}

static void tell_stat(const char* how, const char* path) {
    char text[1024];
    fact("%s:", how);
    if (read_whole(AT_FDCWD, path, text, sizeof text) < 0)
        fact("read=%s", who(-1));
    else
        tell_stat_text(text);
}

static void stat_lines(void) {
    const pid_t child = named_child("child"), thread = named_thread("thread");
    tell_stat("self", "/proc/self/stat");
    tell_stat("number", path_of("/proc/%d/stat", getpid()));
    tell_stat("thread-self", "/proc/thread-self/stat");
    tell_stat("child", path_of("/proc/%d/stat", child));
    setpgid(child, child);
    tell_stat("own-group", path_of("/proc/%d/stat", child));
    tell_stat("child's-task", path_of("/proc/%d/task/%d/stat", child, child));
    tell_stat("leader", path_of("/proc/self/task/%d/stat", getpid()));
    tell_stat("thread", path_of("/proc/self/task/%d/stat", thread));
    const pid_t odd = named_child("odd");
    const pid_t session = offspring();
    if (session == 0) {
        know(getpid(), "session");
        setsid();
        call_me("a) R 7 (8 9");
        tell_stat("odd-name", "/proc/self/stat");
        _exit(0);
    }
    reap(session);
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    tell_stat("zombie", path_of("/proc/%d/stat", child));
    reap(child);
    end(odd);
}

static void tell_status(const char* how, const char* path) {
    static const char* const keys[] = {"Tgid",   "Pid",   "PPid",   "TracerPid",
                                       "NStgid", "NSpid", "NSpgid", "NSsid"};
    fact("%s:", how);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) fact("%s=%s", keys[i], line_of(path, keys[i]));
}

static void status_lines(void) {
    const pid_t child = named_child("child"), thread = named_thread("thread");
    setpgid(child, child);
    tell_status("self", "/proc/self/status");
    tell_status("number", path_of("/proc/%d/status", getpid()));
    tell_status("child", path_of("/proc/%d/status", child));
    tell_status("parent", path_of("/proc/%d/status", getppid()));
    tell_status("leader", path_of("/proc/self/task/%d/status", getpid()));
    tell_status("thread", path_of("/proc/self/task/%d/status", thread));
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie: Pid=%s", line_of(path_of("/proc/%d/status", child), "Pid"));
    fact("PPid=%s", line_of(path_of("/proc/%d/status", child), "PPid"));
    reap(child);
}

static void tell_children(const char* how, int fd) {
    char text[512];
    fact("%s:", how);
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length < 0) {
        fact("%s", who(-1));
        return;
    }
    text[length] = '\0';
    for (char *rest = text, *word; (word = strtok_r(rest, " \n", &rest)) != NULL;)
        fact("%s", who(atol(word)));
}

static int open_children(pid_t pid, pid_t tid) {
    const int fd = open(path_of("/proc/%d/task/%d/children", pid, tid), O_RDONLY);
    if (fd < 0) fact("open=%s", who(-1));
    return fd;
}

static void* parent_thread(void* unused) {
    (void)unused;
    board->pid[0] = raw_gettid();
    know(raw_gettid(), "thread");
    const pid_t child = named_child("thread's-child");
    board->pid[1] = child;
    raise_flag(&board->flag[0]);
    came(&board->flag[1]);
    return NULL;
}

static void children_files(void) {
    pthread_t thread;
    const int own = open_children(getpid(), getpid());
    tell_children("none", own);
    const pid_t one = named_child("one"), two = named_child("two");
    tell_children("two", own);
    const pid_t middle = offspring();
    if (middle == 0) {
        named_child("grandchild");
        raise_flag(&board->flag[2]);
        came(&board->flag[3]);
        _exit(0);
    }
    know(middle, "middle");
    came(&board->flag[2]);
    tell_children("three", own);
    tell_children("middle's", open_children(middle, middle));
    pthread_create(&thread, NULL, parent_thread, NULL);
    came(&board->flag[0]);
    tell_children("thread's", open_children(getpid(), board->pid[0]));
    tell_children("leader's", own);
    end(one);
    tell_children("one-gone", own);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    raise_flag(&board->flag[3]);
    reap(middle);
    tell_children("adopted", own);
    end(two);
    end(board->pid[1]);
    raise_flag(&board->flag[1]);
    pthread_join(thread, NULL);
    int left = 0;
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    while (wait(NULL) > 0) ++left;
    fact("left=%d", left);
    tell_children("none", own);
}

/* "NAME (PID, #threads: N)" where the kernel has it. */
static void sched_line(void) {
    char text[4096];
    const pid_t child = named_child("child");
    const char* const paths[] = {"/proc/self/sched", path_of("/proc/%d/sched", child),
                                 path_of("/proc/%d/task/%d/sched", child, child)};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        const long length = read_whole(AT_FDCWD, paths[i], text, sizeof text);
        const char* const open_bracket = length < 0 ? NULL : strchr(text, '(');
        fact("%s", length < 0 ? who(-1) : open_bracket == NULL ? "odd" : who(atol(open_bracket + 1)));
        fact("threads=%s", length < 0 ? "?" : yes(strstr(text, "#threads: 1)") != NULL));
    }
    end(child);
}

/* The name of whom the lock belongs to, in the line that begins so: the word after READ or WRITE. */
static const char* lock_owner(char* line) {
    char* at = strstr(line, " WRITE ");
    if (at == NULL) at = strstr(line, " READ ");
    if (at == NULL) return "odd";
    at += strspn(at, " RDEAWIT");
    return strncmp(at, "-1 ", 3) == 0 ? "-1" : who(atol(at));
}

static void tell_fdinfo_lock(const char* how, const char* path) {
    char text[4096];
    if (read_whole(AT_FDCWD, path, text, sizeof text) < 0) {
        fact("%s=%s", how, who(-1));
        return;
    }
    char* const line = strstr(text, "lock:");
    fact("%s=%s", how, line == NULL ? "none" : lock_owner(line));
}

/* Whom /proc/locks names for this file: not how often nor in which order, because locks of others come and go
 * while it is read, and the processors have lists of their own. */
static void tell_locks(const char* how, int fd) {
    static char text[65536];
    char wanted[32];
    int own = 0, childs = 0, description = 0;
    struct stat about;
    fstat(fd, &about);
    snprintf(wanted, sizeof wanted, ":%llu ", (unsigned long long)about.st_ino);
    fact("%s:", how);
    if (read_whole(AT_FDCWD, "/proc/locks", text, sizeof text) < 0) {
        fact("%s", who(-1));
        return;
    }
    for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        if (strstr(line, wanted) == NULL) continue;
        const char* const owner = lock_owner(line);
        own |= strcmp(owner, "self") == 0;
        childs |= strcmp(owner, "child") == 0;
        description |= strcmp(owner, "-1") == 0;
    }
    fact("self=%s child=%s", yes(own), yes(childs));
    fact("description=%s", yes(description));
}

static void locks(void) {
    char path[] = "/tmp/conformance-XXXXXX";
    struct flock lock;
    const int fd = mkstemp(path), other = open(path, O_RDWR);
    unlink(path);
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_len = 10;
    fact("lock=%s", result(fcntl(fd, F_SETLK, &lock)));
    tell_locks("own", fd);
    tell_fdinfo_lock("fdinfo", path_of("/proc/self/fdinfo/%d", fd));
    const pid_t child = offspring();
    if (child == 0) {
        lock.l_start = 20;
        fcntl(fd, F_SETLK, &lock);
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    know(child, "child");
    came(&board->flag[0]);
    tell_locks("and-child's", fd);
    tell_fdinfo_lock("child's-fdinfo", path_of("/proc/%d/fdinfo/%d", child, fd));
    end(child);
    tell_locks("gone", fd);
    lock.l_type = F_UNLCK;
    lock.l_start = 0;
    fcntl(fd, F_SETLK, &lock);
    tell_locks("unlocked", fd);
    lock.l_type = F_RDLCK;
    lock.l_pid = 0;
    fcntl(other, F_OFD_SETLK, &lock);
    tell_locks("of-description", fd);
    tell_fdinfo_lock("fdinfo", path_of("/proc/self/fdinfo/%d", other));
}

/* The process that a timer notifies. */
static void timers(void) {
    char text[1024];
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    const long length = read_whole(AT_FDCWD, "/proc/self/timers", text, sizeof text);
    const char* const notify = length < 0 ? NULL : strstr(text, "notify: signal/");
    const char* const dot = notify == NULL ? NULL : strchr(notify, '.');
    fact("own=%s", length < 0 ? who(-1) : dot == NULL ? "odd" : who(atol(dot + 1)));
    const pid_t child = offspring();
    if (child == 0) {
        const long theirs = read_whole(AT_FDCWD, path_of("/proc/%d/timers", getppid()), text, sizeof text);
        const char* const line = theirs < 0 ? NULL : strstr(text, "notify: signal/pid.");
        fact("parent's=%s", theirs < 0 ? who(-1) : line == NULL ? "odd" : who(atol(line + 19)));
        _exit(0);
    }
    reap(child);
    timer_delete(timer);
}

static long number_in(const char* path, int words_before) {
    char text[256];
    if (read_whole(AT_FDCWD, path, text, sizeof text) < 0) return -1;
    const char* at = text;
    for (int i = 0; i < words_before && at != NULL; ++i) at = strchr(at + 1, ' ');
    return at == NULL ? -2 : atol(at);
}

/* The last number given away is anybody's guess when others run; but it is a number, and no larger than the
 * largest. */
static void system_wide(void) {
    const pid_t child = named_child("child");
    const long largest = number_in("/proc/sys/kernel/pid_max", 0);
    fact("pid-max=%s", yes(largest >= 301 && largest <= 4194304));
    const long last = number_in("/proc/loadavg", 4);
    fact("loadavg=%s", yes(last >= 1 && last <= largest));
    errno = 0;
    const long given = number_in("/proc/sys/kernel/ns_last_pid", 0);
    fact("last-pid=%s", given == -1 ? who(-1) : yes(given >= 1 && given <= largest));
    fact("own-is-below=%s", yes(getpid() <= largest && child <= largest));
    end(child);
}

/* What changed since it was opened is read as it is now. */
static void kept_open(void) {
    char text[1024];
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t middle = offspring();
    if (middle == 0) {
        const pid_t child = named_child("child");
        board->pid[0] = child;
        know(getpid(), "middle");
        raise_flag(&board->flag[0]);
        came(&board->flag[1]);
        _exit(0);
    }
    came(&board->flag[0]);
    const pid_t child = board->pid[0];
    const int fd = open(path_of("/proc/%d/stat", child), O_RDONLY);
    ssize_t length = read(fd, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("first: ppid=%s", who(stat_field(text, 4)));
    fact("end=%zd", read(fd, text, sizeof text - 1));
    raise_flag(&board->flag[1]);
    reap(middle);
    fact("seek=%s", result(lseek(fd, 0, SEEK_SET)));
    length = read(fd, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    fact("then: ppid=%s", who(stat_field(text, 4)));
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    fact("pread: pid=%s", who(stat_field(text, 1)));
    fact("stopped=%s", yes(strstr(text, ") T ") != NULL));
    const struct iovec part = {text, sizeof text - 1};
    kill(child, SIGCONT);
    waitpid(child, NULL, WCONTINUED);
    fact("preadv=%s", yes(preadv(fd, &part, 1, 0) > 0 && strstr(text, ") T ") == NULL));
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    fact("preadv2=%s", yes(syscall(SYS_preadv2, fd, &part, 1, 0, 0, 0) > 0 && strstr(text, ") T ") != NULL));
    fact("pid=%s", who(stat_field(text, 1)));
    end(child);
    fact("gone=%s", pread(fd, text, sizeof text, 0) < 0 ? who(-1) : "read");
    fact("by-preadv=%s", preadv(fd, &part, 1, 0) < 0 ? who(-1) : "read");
    fact("seek=%s", result(lseek(fd, 0, SEEK_SET)));
    fact("read=%s", read(fd, text, sizeof text) < 0 ? who(-1) : "read");
    const int again = open("/proc/self/status", O_RDONLY);
    const pid_t other = offspring();
    if (other == 0) {
        length = pread(again, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        char* const line = strstr(text, "\nPid:");
        fact("parent's-file-in-child: Pid=%s", line == NULL ? "odd" : who(atol(line + 5)));
        _exit(0);
    }
    reap(other);
}

/* Until it does nothing any more, and nothing of what it did is left to be counted. */
static void fall_asleep(pid_t child) {
    char text[1024];
    for (int i = 0; i < 2000; ++i) {
        if (read_whole(AT_FDCWD, path_of("/proc/%d/stat", child), text, sizeof text) > 0 &&
            strstr(text, ") S ") != NULL)
            return;
        usleep(500);
    }
}

/* Whatever the pieces, the whole is the same. The child sleeps, so nothing else in its files changes. */
static void in_pieces(void) {
    static char whole[8192], pieces[8192], text[8192];
    const pid_t child = named_child("child");
    static const char* const names[] = {"stat", "status"};
    fall_asleep(child);
    for (size_t n = 0; n < 2; ++n) {
        const char* const path = path_of("/proc/%d/%s", child, names[n]);
        const long all = read_whole(AT_FDCWD, path, whole, sizeof whole);
        /* From SigQ on it counts what the user's other processes have pending. */
        const char* const changing = strstr(whole, "\nSigQ:");
        const long length = changing == NULL ? all : changing - whole;
        fact("%s: there=%s", names[n], yes(length > 50));
        static const size_t sizes[] = {1, 7, 64};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            const int fd = open(path, O_RDONLY);
            long at = 0, more;
            while ((more = read(fd, pieces + at, sizes[i])) > 0) at += more;
            fact("by-%zu=%s", sizes[i], yes(at >= length && memcmp(whole, pieces, (size_t)length) == 0));
            close(fd);
        }
        const int fd = open(path, O_RDONLY);
        const ssize_t middle = pread(fd, pieces, 20, 10);
        fact("pread=%s", yes(middle == 20 && memcmp(pieces, whole + 10, 20) == 0));
        fact("offset-unchanged=%s", yes(lseek(fd, 0, SEEK_CUR) == 0));
        lseek(fd, 3, SEEK_SET);
        fact("from-3=%s", yes(read(fd, pieces, 5) == 5 && memcmp(pieces, whole + 3, 5) == 0));
        fact("at=%ld", (long)lseek(fd, 0, SEEK_CUR));
        lseek(fd, 0, SEEK_SET);
        struct iovec parts[2] = {{text, 9}, {text + 9, sizeof text - 9}};
        const ssize_t gathered = readv(fd, parts, 2);
        fact("readv=%s", yes(gathered >= length && memcmp(text, whole, (size_t)length) == 0));
        const ssize_t at_0 = preadv(fd, parts, 2, 0);
        fact("preadv=%s", yes(at_0 >= length && memcmp(text, whole, (size_t)length) == 0));
        fact("beyond=%zd", pread(fd, text, 10, 100000));
        fact("nothing=%zd", pread(fd, text, 0, 0));
        fact("bad-memory=%s", who(syscall(SYS_pread64, fd, (void*)8, 100UL, 0UL)));
        fact("write=%s", who(write(fd, "x", 1)));
        close(fd);
    }
    end(child);
}

static void other_ways(void) {
    static char text[8192];
    int ends[2];
    struct stat about;
    const pid_t child = named_child("child");
    const int fd = open(path_of("/proc/%d/stat", child), O_RDONLY | O_CLOEXEC);
    fact("fstat=%s", result(fstat(fd, &about)));
    fact("regular=%s no-size=%s", yes(S_ISREG(about.st_mode)), yes(about.st_size == 0));
    fact("readable=%s", yes((about.st_mode & 0777) == 0444));
    fact("own-uid=%s", yes(about.st_uid == getuid()));
    fact("close-on-exec=%d", fcntl(fd, F_GETFD));
    fact("access-mode=%d", fcntl(fd, F_GETFL) & O_ACCMODE);
    fact("mmap=%s", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? who(-1) : "mapped");
    if (pipe(ends) == 0) {
        const ssize_t sent = sendfile(ends[1], fd, NULL, 4096);
        fact("sendfile=%s", sent < 0 ? who(-1) : "sent");
        if (sent > 0) {
            const ssize_t length = read(ends[0], text, sizeof text - 1);
            text[length > 0 ? length : 0] = '\0';
            tell_stat_text(text);
        }
    }
    const int copy = dup(fd);
    lseek(copy, 0, SEEK_SET);
    fact("dup-shares=%s", yes(read(fd, text, 4) == 4 && lseek(copy, 0, SEEK_CUR) == 4));
    end(child);
}

/* Files that are full of numbers, none of which is a process. */
static void plain_files(void) {
    static char text[65536], other[65536];
    const pid_t child = named_child("child");
    fact("command-line=%s", yes(read_whole(AT_FDCWD, "/proc/self/cmdline", text, sizeof text) > 0));
    read_whole(AT_FDCWD, path_of("/proc/%d/cmdline", child), other, sizeof other);
    fact("child's=%s", yes(strcmp(text, other) == 0));
    read_whole(AT_FDCWD, "/proc/self/maps", text, sizeof text);
    fact("maps=%s", yes(strstr(text, "[stack]") != NULL));
    snprintf(other, 64, "%lx", (unsigned long)(uintptr_t)text & ~4095UL);
    read_whole(AT_FDCWD, path_of("/proc/%d/maps", child), other, sizeof other);
    fact("child's=%s", yes(strstr(other, "[stack]") != NULL));
    const long length = read_whole(AT_FDCWD, "/proc/self/environ", text, sizeof text);
    fact("environment=%s", yes(length >= 0 && (environ[0] == NULL || strcmp(text, environ[0]) == 0)));
    read_whole(AT_FDCWD, "/proc/self/mountinfo", text, sizeof text);
    read_whole(AT_FDCWD, path_of("/proc/%d/mountinfo", child), other, sizeof other);
    fact("mounts=%s child's=%s", yes(strstr(text, " / ") != NULL), yes(strcmp(text, other) == 0));
    fact("comm=%s", comm_at(AT_FDCWD, path_of("/proc/%d/comm", child)));
    fact("limits=%s", yes(read_whole(AT_FDCWD, path_of("/proc/%d/limits", child), text, sizeof text) > 100));
    fact("memory=%s", yes(number_in(path_of("/proc/%d/statm", child), 0) > 0));
    fact("cgroup=%s", yes(read_whole(AT_FDCWD, path_of("/proc/%d/cgroup", child), text, sizeof text) >= 0));
    fact("meminfo=%s", yes(read_whole(AT_FDCWD, "/proc/meminfo", text, sizeof text) > 100));
    fact("version=%s", yes(read_whole(AT_FDCWD, "/proc/version", text, sizeof text) > 10));
    fact("host-name=%s", yes(read_whole(AT_FDCWD, "/proc/sys/kernel/hostname", text, sizeof text) > 0));
    end(child);
}

/* The call in which another sleeps: the first argument of its wait, as a name. */
static const char* waits_for(const char* path) {
    char text[512];
    for (int i = 0; i < 2000; ++i) { /* until it sleeps */
        if (read_whole(AT_FDCWD, path, text, sizeof text) < 0) return who(-1);
        long number = -1;
        unsigned long first = 0;
        if (sscanf(text, "%ld 0x%lx", &number, &first) == 2 && number == SYS_wait4) return who((int)first);
        usleep(1000);
    }
    return "no-wait";
}

static void calls_in_progress(void) {
    const pid_t child = offspring();
    if (child == 0) {
        const pid_t grandchild = child_that_waits("grandchild");
        board->pid[0] = grandchild;
        raise_flag(&board->flag[0]);
        waitpid(grandchild, NULL, 0);
        _exit(0);
    }
    know(child, "child");
    await(&board->flag[0]);
    fact("for=%s", waits_for(path_of("/proc/%d/syscall", child)));
    fact("task=%s", waits_for(path_of("/proc/%d/task/%d/syscall", child, child)));
    char text[512];
    fact("own=%s", yes(read_whole(AT_FDCWD, "/proc/self/syscall", text, sizeof text) > 0));
    kill(board->pid[0], SIGKILL);
    end(child);
}

/* A reader of the same user who has given up what the other still may do. */
static void less_privileged(void) {
    const pid_t child = named_child("child");
    const pid_t reader = offspring();
    if (reader == 0) {
        struct {
            uint32_t version;
            int pid;
        } header = {0x20080522, 0};
        const uint32_t none[6] = {0};
        char text[4096];
        syscall(SYS_capset, &header, none);
        fact("namespace=%s",
             readlink(path_of("/proc/%d/ns/pid", child), text, sizeof text) < 0 ? who(-1) : "ok");
        fact("opened=%s", open(path_of("/proc/%d/ns/pid", child), O_RDONLY) < 0 ? who(-1) : "ok");
        fact("call=%s", read_whole(AT_FDCWD, path_of("/proc/%d/syscall", child), text, sizeof text) < 0
                            ? who(-1)
                            : "ok");
        fact("code-hidden=%s",
             yes(read_whole(AT_FDCWD, path_of("/proc/%d/stat", child), text, sizeof text) > 0 &&
                 stat_field(text, 26) <= 1));
        fact("own=%s", readlink("/proc/self/ns/pid", text, sizeof text) < 0 ? who(-1) : "ok");
        _exit(6);
    }
    know(reader, "reader");
    fact("%s", reap(reader));
    end(child);
}

/* Who may write no files reads these all the same. */
static void no_files_allowed(void) {
    const pid_t child = named_child("child");
    const pid_t reader = offspring();
    if (reader == 0) {
        const struct rlimit nothing = {0, 0};
        setrlimit(RLIMIT_FSIZE, &nothing);
        know(getpid(), "reader");
        fact("own=%s", line_of("/proc/self/status", "Pid"));
        fact("child's=%s", line_of(path_of("/proc/%d/status", child), "Pid"));
        char text[4096];
        fact("stat=%s",
             yes(read_whole(AT_FDCWD, "/proc/self/stat", text, sizeof text) > 0 && atoi(text) == getpid()));
        _exit(5);
    }
    know(reader, "reader");
    fact("%s", reap(reader));
    end(child);
}

const struct test_case content_cases[] = {
    {"content_stat", stat_lines, "openat, read"},
    {"content_status", status_lines, "openat, read"},
    {"content_children", children_files, "pread64"},
    {"content_sched", sched_line, "openat, read"},
    {"content_locks", locks, "openat, read"},
    {"content_timers", timers, "openat, read, timer_create"},
    {"content_system_wide", system_wide, "openat, read"},
    {"content_kept_open", kept_open, "read, pread64, preadv, preadv2, lseek"},
    {"content_in_pieces", in_pieces, "read, pread64, readv, preadv, lseek"},
    {"content_other_ways", other_ways, "fstat, sendfile, mmap"},
    {"content_plain_files", plain_files, "openat, read"},
    {"content_call", calls_in_progress, "open, openat"},
    {"content_less_privileged", less_privileged, "open, openat, readlink"},
    {"content_no_files_allowed", no_files_allowed, "openat"},
    {NULL, NULL, NULL}};
