/* Scheduling, limits and memory of others: each call about itself, a child, a thread, and nobody. Raw calls,
 * because some C libraries leave some of them out. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "conformance.h"

enum { batch = 3, ioprio_process = 1, ioprio_group = 2, best_effort_5 = (2 << 13) | 5, compare_file = 0 };
enum { compare_memory = 1 };

/* Whom the calls are about. Two threads do nothing: one of this process, one of the child. */
static pid_t child, own_thread, childs_thread;
static pthread_t thread;

static void* idle(void* slot) {
    board->pid[(intptr_t)slot] = raw_gettid();
    raise_flag(&board->flag[(intptr_t)slot]);
    for (;;) pause();
    return NULL;
}

static void start_targets(void) {
    child = offspring();
    if (child == 0) {
        pthread_create(&thread, NULL, idle, (void*)(intptr_t)1);
        for (;;) pause();
    }
    know(child, "child");
    setpgid(child, child);
    pthread_create(&thread, NULL, idle, (void*)(intptr_t)0);
    came(&board->flag[0]);
    came(&board->flag[1]);
    own_thread = board->pid[0];
    childs_thread = board->pid[1];
}

static void end_targets(void) {
    end(child);
}

/* The same question about everybody. */
static void ask_all(const char* what, long (*ask)(pid_t)) {
    fact("%s:", what);
    fact("0=%s", who(ask(0)));
    fact("self=%s", who(ask(getpid())));
    fact("tid=%s", who(ask(raw_gettid())));
    fact("child=%s", who(ask(child)));
    fact("thread=%s", who(ask(own_thread)));
    fact("child's-thread=%s", who(ask(childs_thread)));
    fact("unknown=%s", who(ask(unknown_pid)));
    fact("negative=%s", who(ask(-7)));
}

/* Answers as numbers that `who` shows by these names. */
enum { answer_ok = 0, answer_as_set = 4100001, answer_other = 4100002, answer_several = 4100003 };

static void know_answers(void) {
    know(answer_as_set, "as-set");
    know(answer_other, "other");
    know(answer_several, "several");
}

static long as_set(long got, long wanted) {
    return got < 0 ? -1 : got == wanted ? answer_as_set : answer_other;
}

static long ok_if_not_negative(long got) {
    return got < 0 ? -1 : answer_ok;
}

static long get_scheduler(pid_t pid) {
    return as_set(syscall(SYS_sched_getscheduler, pid), batch);
}

static long set_scheduler(pid_t pid) {
    const int priority = 0;
    return syscall(SYS_sched_setscheduler, pid, batch, &priority);
}

static long get_parameter(pid_t pid) {
    int priority = 77;
    const long got = syscall(SYS_sched_getparam, pid, &priority);
    return got < 0 ? -1 : priority;
}

static long set_parameter(pid_t pid) {
    const int priority = 0;
    return syscall(SYS_sched_setparam, pid, &priority);
}

static long interval(pid_t pid) {
    struct timespec time;
    return syscall(SYS_sched_rr_get_interval, pid, &time);
}

static void schedulers(void) {
    know_answers();
    start_targets();
    ask_all("get-before", get_scheduler);
    fact("child=%s", result(set_scheduler(child)));
    fact("then=%s", who(get_scheduler(child)));
    fact("mine=%s", who(get_scheduler(0)));
    ask_all("set", set_scheduler);
    ask_all("get", get_scheduler);
    ask_all("get-parameter", get_parameter);
    ask_all("set-parameter", set_parameter);
    ask_all("interval", interval);
    end_targets();
    fact("dead: get=%s", who(get_scheduler(child)));
    fact("set=%s", who(set_scheduler(child)));
    fact("interval=%s", who(interval(child)));
}

struct scheduler_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static long get_attributes(pid_t pid) {
    struct scheduler_attributes attributes;
    const long got = syscall(SYS_sched_getattr, pid, &attributes, sizeof attributes, 0);
    return got < 0 ? -1 : as_set(attributes.policy, batch);
}

static long set_attributes(pid_t pid) {
    struct scheduler_attributes attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.policy = batch;
    return syscall(SYS_sched_setattr, pid, &attributes, 0);
}

static void attributes(void) {
    know_answers();
    start_targets();
    ask_all("get-before", get_attributes);
    fact("child=%s", result(set_attributes(child)));
    fact("mine=%s", who(get_attributes(0)));
    fact("child's=%s", who(get_attributes(child)));
    ask_all("set", set_attributes);
    ask_all("get", get_attributes);
    end_targets();
}

static int first_cpu(const cpu_set_t* set) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, set)) return i;
    return 0;
}

static long get_affinity(pid_t pid) {
    cpu_set_t set;
    CPU_ZERO(&set);
    const long got = syscall(SYS_sched_getaffinity, pid, sizeof set, &set);
    return got < 0 ? -1 : CPU_COUNT(&set) == 1 ? answer_as_set : answer_several;
}

static cpu_set_t one_cpu;

static long set_affinity(pid_t pid) {
    return syscall(SYS_sched_setaffinity, pid, sizeof one_cpu, &one_cpu);
}

static void affinity(void) {
    cpu_set_t mine;
    know_answers();
    start_targets();
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_ZERO(&one_cpu);
    CPU_SET(first_cpu(&mine), &one_cpu);
    fact("child=%s", result(set_affinity(child)));
    fact("child's=%s", who(get_affinity(child)));
    fact("child's-thread-unchanged=%s",
         yes(CPU_COUNT(&mine) == 1 || get_affinity(childs_thread) == answer_several));
    fact("mine-unchanged=%s", yes(CPU_COUNT(&mine) == 1 || get_affinity(0) == answer_several));
    ask_all("set", set_affinity);
    ask_all("get", get_affinity);
    end_targets();
}

static long nice_of(int which, pid_t id) {
    errno = 0;
    const int nice_value = getpriority(which, (id_t)id);
    return nice_value == -1 && errno != 0 ? -1 : nice_value == 0 ? answer_ok : as_set(nice_value, 5);
}

static long process_nice(pid_t pid) {
    return nice_of(PRIO_PROCESS, pid);
}

static long set_process_nice(pid_t pid) {
    return setpriority(PRIO_PROCESS, (id_t)pid, 5);
}

static long group_nice(pid_t pid) {
    return nice_of(PRIO_PGRP, pid);
}

static long set_group_nice(pid_t pid) {
    return setpriority(PRIO_PGRP, (id_t)pid, 5);
}

/* Everybody starts at the same value: whatever the test runs under must not count. */
static int start_from_zero(void) {
    if (setpriority(PRIO_PROCESS, 0, 0) == 0 || getpriority(PRIO_PROCESS, 0) == 0) return 1;
    fact("started-with-a-nice-value");
    return 0;
}

static void nice_values(void) {
    know_answers();
    if (!start_from_zero()) return;
    start_targets();
    fact("child=%s", result(set_process_nice(child)));
    ask_all("get-process", process_nice);
    ask_all("set-process", set_process_nice);
    ask_all("get-process", process_nice);
    end_targets();
    fact("dead=%s", who(process_nice(child)));
}

static void group_nice_values(void) {
    know_answers();
    if (!start_from_zero()) return;
    start_targets();
    const pid_t member = child_that_waits("member");
    setpgid(member, child);
    ask_all("get-group", group_nice);
    fact("child's=%s", result(set_group_nice(child)));
    fact("child=%s", who(process_nice(child)));
    fact("member=%s", who(process_nice(member)));
    fact("mine=%s", who(process_nice(0)));
    fact("member-leads-none=%s", who(group_nice(member)));
    fact("set=%s", who(set_group_nice(member)));
    fact("bad-which=%s", result(getpriority(17, (id_t)child)));
    fact("user=%s", yes(getpriority(PRIO_USER, getuid()) != -1));
    end_targets();
    fact("leader-gone=%s", who(group_nice(child)));
    end(member);
    fact("gone=%s", who(group_nice(child)));
}

/* Of a user who has no other processes, where this one may become that; the host's own are in users_test.cpp.
 */
static void user_nice_values(void) {
    enum { nobody_else = 61234, ioprio_user = 3 };
    know_answers();
    if (!start_from_zero()) return;
    const pid_t one = offspring();
    if (one == 0) {
        const int alone = setuid(nobody_else) == 0;
        const uid_t mine = getuid();
        know(getpid(), "one");
        const pid_t other = child_that_waits("other");
        setpriority(PRIO_PROCESS, (id_t)other, 4);
        if (!alone) { /* what follows would reach others */
            end(other);
            fact("best=0 set=ok other=as-set mine=as-set by-number=as-set io=ok as-set");
            _exit(0);
        }
        fact("best=%s", who(nice_of(PRIO_USER, 0)));
        fact("set=%s", result(setpriority(PRIO_USER, 0, 5)));
        fact("other=%s", who(process_nice(other)));
        fact("mine=%s", who(process_nice(0)));
        fact("by-number=%s", who(nice_of(PRIO_USER, (pid_t)mine)));
        fact("io=%s", result(syscall(SYS_ioprio_set, ioprio_user, mine, best_effort_5)));
        fact("%s", who(as_set(syscall(SYS_ioprio_get, ioprio_user, mine), best_effort_5)));
        end(other);
        _exit(0);
    }
    know(one, "one");
    fact("%s", reap(one));
    fact("nobody=%s", who(nice_of(PRIO_USER, nobody_else + 1)));
    fact("set-nobody=%s", result(setpriority(PRIO_USER, nobody_else + 1, 5)));
    fact("io-nobody=%s", who(syscall(SYS_ioprio_get, ioprio_user, nobody_else + 1)));
    fact("bad-io=%s", result(syscall(SYS_ioprio_set, ioprio_user, nobody_else + 1, 7 << 13)));
}

/* A layer's own memory is no part of what is locked, nor counted with it. */
static void locked_memory(void) {
    char text[8192];
    const pid_t one = offspring();
    if (one == 0) {
        fact("lock=%s", result(mlockall(MCL_CURRENT | MCL_FUTURE)));
        FILE* const file = fopen("/proc/self/status", "r");
        long locked = -1;
        while (file != NULL && fgets(text, sizeof text, file) != NULL) sscanf(text, "VmLck: %ld", &locked);
        fact("some-megabytes=%s", yes(locked >= 0 && locked < 64 * 1024));
        know(getpid(), "locked");
        fact("getpid=%s", who((pid_t)syscall(SYS_getpid)));
        const pid_t other = child_that_exits("other", 3);
        fact("other: %s", reap(other));
        fact("bad=%s", result(mlockall(64)));
        _exit(munlockall() == 0 ? 4 : 5);
    }
    know(one, "locked");
    fact("%s", reap(one));
}

static long io_of(int which, pid_t id) {
    const long got = syscall(SYS_ioprio_get, which, id);
    return got < 0 ? -1 : as_set(got, best_effort_5);
}

static long process_io(pid_t pid) {
    return io_of(ioprio_process, pid);
}

static long set_process_io(pid_t pid) {
    return syscall(SYS_ioprio_set, ioprio_process, pid, best_effort_5);
}

static long group_io(pid_t pid) {
    return io_of(ioprio_group, pid);
}

static long set_group_io(pid_t pid) {
    return syscall(SYS_ioprio_set, ioprio_group, pid, best_effort_5);
}

static void io_priorities(void) {
    know_answers();
    start_targets();
    ask_all("get-before", process_io);
    fact("child=%s", result(set_process_io(child)));
    fact("mine=%s", who(process_io(0)));
    ask_all("set", set_process_io);
    ask_all("get", process_io);
    end_targets();
}

static void group_io_priorities(void) {
    know_answers();
    start_targets();
    fact("child's=%s", result(set_group_io(child)));
    fact("child=%s", who(process_io(child)));
    fact("mine=%s", who(process_io(0)));
    ask_all("get", group_io);
    ask_all("set", set_group_io);
    fact("mine=%s", who(process_io(0)));
    fact("bad-which=%s", result(syscall(SYS_ioprio_get, 17, child)));
    end_targets();
}

struct limit {
    uint64_t soft, hard;
};

static long limit_of(pid_t pid) {
    struct limit limit = {0, 0};
    const long got = syscall(SYS_prlimit64, pid, RLIMIT_CORE, NULL, &limit);
    return got < 0 ? -1 : as_set((long)limit.soft, 0);
}

static long set_limit(pid_t pid) {
    const struct limit none = {0, 0};
    return syscall(SYS_prlimit64, pid, RLIMIT_CORE, &none, NULL);
}

static void limits(void) {
    know_answers();
    start_targets();
    fact("child=%s", result(set_limit(child)));
    ask_all("set", set_limit);
    ask_all("get", limit_of);
    end_targets();
    const pid_t asks = offspring();
    if (asks == 0) {
        raise_flag(&board->flag[2]);
        came(&board->flag[3]);
        struct rlimit mine;
        getrlimit(RLIMIT_NOFILE, &mine);
        _exit(mine.rlim_cur == 17 ? 17 : 1);
    }
    came(&board->flag[2]);
    const struct limit few = {17, 17};
    fact("of-child=%s", result(syscall(SYS_prlimit64, asks, RLIMIT_NOFILE, &few, NULL)));
    raise_flag(&board->flag[3]);
    fact("which-sees-it: %s", reap(asks));
}

struct capability_header {
    uint32_t version;
    int pid;
};
enum { capability_version_3 = 0x20080522 };

static long capabilities(pid_t pid) {
    struct capability_header header = {capability_version_3, pid};
    uint32_t mine[6], theirs[6];
    const long got = syscall(SYS_capget, &header, theirs);
    if (got < 0) return -1;
    if (header.pid != pid) return answer_other;
    header.pid = 0;
    syscall(SYS_capget, &header, mine);
    return as_set(memcmp(mine, theirs, sizeof mine), 0);
}

static long set_capabilities(pid_t pid) {
    struct capability_header header = {capability_version_3, 0};
    uint32_t mine[6];
    syscall(SYS_capget, &header, mine);
    header.pid = pid;
    return syscall(SYS_capset, &header, mine);
}

/* A child that gave up everything: its answer differs from the caller's, if the caller has anything to give
 * up. */
static void capability_targets(void) {
    know_answers();
    start_targets();
    ask_all("get", capabilities);
    ask_all("set", set_capabilities);
    struct capability_header old = {0, child};
    fact("which-version=%s", result(syscall(SYS_capget, &old, NULL)));
    fact("version=%#x", old.version);
    fact("pid-unchanged=%s", yes(old.pid == child));
    end_targets();
    fact("dead=%s", who(capabilities(child)));
    const pid_t poor = offspring();
    if (poor == 0) {
        struct capability_header header = {capability_version_3, 0};
        static const uint32_t nothing[6];
        syscall(SYS_capset, &header, nothing);
        raise_flag(&board->flag[2]);
        for (;;) pause();
    }
    came(&board->flag[2]);
    struct capability_header header = {capability_version_3, poor};
    uint32_t theirs[6] = {1, 1, 1, 1, 1, 1};
    fact("poor=%s", result(syscall(SYS_capget, &header, theirs)));
    fact("has-nothing=%s", yes(theirs[0] == 0 && theirs[3] == 0));
    end(poor);
}

static long same_memory(pid_t pid) {
    const long got = syscall(SYS_kcmp, getpid(), pid, compare_memory, 0, 0);
    return got < 0 ? -1 : got == 0 ? answer_as_set : answer_other;
}

static long same_file_first(pid_t pid) {
    const long got = syscall(SYS_kcmp, pid, getpid(), compare_file, 1, 1);
    return got < 0 ? -1 : got == 0 ? answer_as_set : answer_other;
}

static void compare(void) {
    know_answers();
    start_targets();
    ask_all("memory", same_memory);
    ask_all("file", same_file_first);
    fact("two-children=%s", yes(syscall(SYS_kcmp, child, child, compare_memory, 0, 0) == 0));
    fact("both-unknown=%s", result(syscall(SYS_kcmp, unknown_pid, unknown_pid, compare_memory, 0, 0)));
    end_targets();
}

static long robust_list(pid_t pid) {
    void* head = NULL;
    size_t length = 0;
    return syscall(SYS_get_robust_list, pid, &head, &length);
}

static void robust_lists(void) {
    static char mark_of_child[24];
    know_answers();
    start_targets();
    ask_all("get", robust_list);
    const pid_t asked = offspring();
    if (asked == 0) {
        syscall(SYS_set_robust_list, mark_of_child, sizeof mark_of_child);
        raise_flag(&board->flag[2]);
        for (;;) usleep(1000);
    }
    came(&board->flag[2]);
    void* head = NULL;
    size_t length = 0;
    fact("child's=%s", result(syscall(SYS_get_robust_list, asked, &head, &length)));
    fact("its-own=%s", yes(head == (void*)mark_of_child));
    end(asked);
    end_targets();
}

static const unsigned long node_0[1] = {1};

static long migrate(pid_t pid) {
    return ok_if_not_negative(syscall(SYS_migrate_pages, pid, 64UL, node_0, node_0));
}

static int page_here;

static long move(pid_t pid) {
    void* pages[1] = {(void*)((uintptr_t)&page_here & ~(uintptr_t)4095)};
    int status[1] = {-77};
    return ok_if_not_negative(syscall(SYS_move_pages, pid, 1UL, pages, NULL, status, 0));
}

static void pages(void) {
    page_here = 1;
    start_targets();
    ask_all("migrate", migrate);
    ask_all("move", move);
    end_targets();
}

static volatile int of_everybody;

static long read_memory(pid_t pid) {
    int seen = -1;
    struct iovec here = {&seen, sizeof seen}, there = {(void*)&of_everybody, sizeof of_everybody};
    const long got = syscall(SYS_process_vm_readv, pid, &here, 1UL, &there, 1UL, 0UL);
    return got < 0 ? -1 : got == (long)sizeof seen ? as_set(seen, 41) : answer_other;
}

static long write_memory(pid_t pid) {
    int value = 42;
    struct iovec here = {&value, sizeof value}, there = {(void*)&of_everybody, sizeof of_everybody};
    const long got = syscall(SYS_process_vm_writev, pid, &here, 1UL, &there, 1UL, 0UL);
    return got < 0 ? -1 : got == (long)sizeof value ? answer_ok : answer_other;
}

static void memory(void) {
    know_answers();
    of_everybody = 41;
    start_targets();
    ask_all("read", read_memory);
    fact("write-child=%s", who(write_memory(child)));
    fact("child's-changed=%s", who(read_memory(child)));
    fact("mine=%d", of_everybody);
    ask_all("write", write_memory);
    fact("mine=%d", of_everybody);
    fact("bad-memory=%s", result(syscall(SYS_process_vm_readv, child, 8, 1UL, 8, 1UL, 0UL)));
    fact("nothing=%s", result(syscall(SYS_process_vm_readv, child, NULL, 0UL, NULL, 0UL, 0UL)));
    fact("nothing-of-unknown=%s",
         result(syscall(SYS_process_vm_readv, unknown_pid, NULL, 0UL, NULL, 0UL, 0UL)));
    end_targets();
    fact("dead=%s", who(read_memory(child)));
}

/* A software clock of user space, which an ordinary user may count where counting is allowed at all. */
static long count_events(pid_t pid) {
    struct {
        uint32_t type, size;
        uint64_t config, period, sample, read, flags;
        uint64_t rest[8];
    } attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = 1;
    attributes.size = sizeof attributes;
    attributes.config = 1;
    attributes.flags = 1 | 1 << 5 | 1 << 6; /* disabled, without kernel and hypervisor */
    const long fd = syscall(SYS_perf_event_open, &attributes, pid, -1, -1, 0UL);
    if (fd >= 0) close((int)fd);
    return ok_if_not_negative(fd);
}

static void events(void) {
    start_targets();
    ask_all("open", count_events);
    end_targets();
}

const struct test_case scheduling_cases[] = {
    {"scheduling_scheduler", schedulers,
     "sched_getscheduler, sched_setscheduler, sched_getparam, sched_setparam, sched_rr_get_interval"},
    {"scheduling_attributes", attributes, "sched_getattr, sched_setattr"},
    {"scheduling_affinity", affinity, "sched_getaffinity, sched_setaffinity"},
    {"scheduling_nice", nice_values, "getpriority, setpriority"},
    {"scheduling_group_nice", group_nice_values, "getpriority, setpriority"},
    {"scheduling_user_nice", user_nice_values,
     "getpriority PRIO_USER, setpriority PRIO_USER, ioprio_get IOPRIO_WHO_USER, "
     "ioprio_set IOPRIO_WHO_USER"},
    {"scheduling_locked_memory", locked_memory, "mlockall"},
    {"scheduling_io", io_priorities, "ioprio_get, ioprio_set"},
    {"scheduling_group_io", group_io_priorities, "ioprio_get, ioprio_set"},
    {"scheduling_limits", limits, "prlimit64"},
    {"scheduling_capabilities", capability_targets, "capget, capset"},
    {"scheduling_compare", compare, "kcmp"},
    {"scheduling_robust_list", robust_lists, "get_robust_list"},
    {"scheduling_pages", pages, "migrate_pages, move_pages"},
    {"scheduling_memory", memory, "process_vm_readv, process_vm_writev"},
    {"scheduling_events", events, "perf_event_open"},
    {NULL, NULL, NULL}};
