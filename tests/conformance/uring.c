/* What tells of processes past every filter of system calls. Where it is to be had it must be right; being
 * refused is right as well.
 *
 * io_uring waits for children and opens paths too. Without liburing: three calls and three mappings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "proc.h"

/* What of linux/io_uring.h is needed; one of the C libraries comes without the kernel's headers. */
struct queue_offsets {
    uint32_t head, tail, mask, entries, flags, dropped, array, reserved;
    uint64_t address;
};
struct completion_offsets {
    uint32_t head, tail, mask, entries, overflow, completions, flags, reserved;
    uint64_t address;
};
struct ring_parameters {
    uint32_t entries, completion_entries, flags, cpu, idle, features, worker, reserved[3];
    struct queue_offsets submissions;
    struct completion_offsets completions;
};
struct submission {
    uint8_t opcode, flags;
    uint16_t priority;
    int32_t fd;
    uint64_t info; /* waitid's siginfo_t */
    uint64_t address;
    uint32_t type;       /* waitid's P_PID */
    uint32_t call_flags; /* openat's flags */
    uint64_t tag;
    uint16_t buffer, personality;
    int32_t options;
    uint64_t rest[2];
};
struct completion {
    uint64_t tag;
    int32_t result;
    uint32_t flags;
};
enum { op_openat = 18, op_waitid = 50, get_events = 1 };
enum { map_submissions = 0, map_completions = 0x8000000, map_entries = 0x10000000 };

static void* map(int ring, size_t length, off_t what) {
    return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}

/* One operation's result; -1 if there is no ring, or if it refused. */
static long by_ring(const struct submission* operation) {
    struct ring_parameters parameters;
    memset(&parameters, 0, sizeof parameters);
    const int ring = (int)syscall(SYS_io_uring_setup, 2, &parameters);
    if (ring < 0) return -1;
    const struct queue_offsets* const in = &parameters.submissions;
    const struct completion_offsets* const out = &parameters.completions;
    char* const submissions = map(ring, in->array + parameters.entries * sizeof(uint32_t), map_submissions);
    char* const completions = map(
        ring, out->completions + parameters.completion_entries * sizeof(struct completion), map_completions);
    struct submission* const entries = map(ring, parameters.entries * sizeof *entries, map_entries);
    if ((void*)submissions == MAP_FAILED || (void*)completions == MAP_FAILED ||
        (void*)entries == MAP_FAILED) {
        fact("map-failed");
        return -1;
    }
    entries[0] = *operation;
    ((uint32_t*)(void*)(submissions + in->array))[0] = 0;
    __atomic_store_n((uint32_t*)(void*)(submissions + in->tail), 1, __ATOMIC_RELEASE);
    const long entered = syscall(SYS_io_uring_enter, ring, 1U, 1U, get_events, NULL, 0UL);
    const struct completion* const done = (const struct completion*)(void*)(completions + out->completions);
    const long result_of_it = entered < 0 ? -1 : done->result;
    close(ring);
    return result_of_it < 0 ? -1 : result_of_it;
}

static void waits(void) {
    const pid_t child = child_that_exits("child", 3);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    const struct submission operation = {
        .opcode = op_waitid, .fd = child, .info = (uintptr_t)&info, .type = P_PID, .options = WEXITED};
    const long told = by_ring(&operation);
    fact("right-or-refused=%s", yes(told < 0 || (info.si_pid == child && info.si_status == 3)));
    if (told < 0) reap(child);
    fact("then=%s", who(waitpid(child, NULL, WNOHANG)));
}

/* A path is opened by the ring as well. */
static void opens(void) {
    char text[32] = "";
    const pid_t child = named_child("child");
    const struct submission operation = {.opcode = op_openat,
                                         .fd = AT_FDCWD,
                                         .address = (uintptr_t)path_of("/proc/%d/comm", child),
                                         .call_flags = O_RDONLY};
    const long fd = by_ring(&operation);
    fact("right-or-refused=%s",
         yes(fd < 0 || (read((int)fd, text, sizeof text - 1) > 0 && strcmp(text, "child\n") == 0)));
    end(child);
}

/* For whoever ends first, which names the child only in the kernel's answer. */
static void waits_for_any(void) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    const pid_t child = child_that_exits("child", 3);
    const struct submission operation = {
        .opcode = op_waitid, .info = (uintptr_t)&info, .type = P_ALL, .options = WEXITED};
    const long told = by_ring(&operation);
    fact("right-or-refused=%s", yes(told < 0 || (info.si_pid == child && info.si_status == 3)));
    if (told < 0) reap(child);
    fact("then=%s", who(waitpid(child, NULL, WNOHANG)));
}

/* One that can't be had is missed as on a kernel without rings, or where its administrator forbids them. */
static void missing(void) {
    struct ring_parameters parameters;
    memset(&parameters, 0, sizeof parameters);
    const int ring = (int)syscall(SYS_io_uring_setup, 2, &parameters);
    fact("there-or-missed=%s", yes(ring >= 0 || errno == ENOSYS || errno == EPERM));
    close(ring);
}

/* The events of fanotify say who has caused them; without a privilege, whether it was the reader. Without its
 * header, which one of the C libraries has no constants for. */
struct event {
    uint32_t length;
    uint8_t version, reserved;
    uint16_t metadata_length;
    uint64_t mask __attribute__((aligned(8)));
    int32_t fd, pid;
};
enum { by_file_id = 0x200, add_mark = 1, on_create = 0x100, on_child = 0x08000000 };

static void watches(void) {
    char directory[] = "/tmp/conformance-XXXXXX", events[4096];
    if (mkdtemp(directory) == NULL) return;
    const int watch = (int)syscall(SYS_fanotify_init, by_file_id, O_RDONLY);
    int right = watch < 0;
    if (watch >= 0 &&
        syscall(SYS_fanotify_mark, watch, add_mark, on_create | on_child, AT_FDCWD, directory) == 0) {
        const char* const file = path_of("%s/file", directory);
        close(open(file, O_CREAT | O_WRONLY, 0600));
        unlink(file);
        const struct event* const first = (const struct event*)(void*)events;
        right = read(watch, events, sizeof events) >= (ssize_t)sizeof *first && first->pid == getpid();
    }
    fact("right-or-refused=%s", yes(right));
    close(watch);
    rmdir(directory);
}

const struct test_case uring_cases[] = {{"fanotify_names", watches, "fanotify_init"},
                                        {"uring_waits", waits, "io_uring_setup"},
                                        {"uring_waits_for_any", waits_for_any, "io_uring_setup"},
                                        {"uring_opens", opens, "io_uring_setup"},
                                        {"uring_missing", missing, "io_uring_setup"},
                                        {NULL, NULL, NULL}};
