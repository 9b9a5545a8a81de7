/* Timers that notify a thread, clocks that name a process, queues that notify a process. Raw calls, because C
 * libraries make threads and signals of their own out of these. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "conformance.h"

#ifndef SIGEV_THREAD_ID
#define SIGEV_THREAD_ID 4
#endif

/* struct sigevent as the kernel has it: one C library names the thread's id differently than the other. */
struct event {
    union sigval value;
    int signal;
    int notify;
    int thread;
    char rest[44];
};

static struct event event_for(int notify, pid_t thread) {
    struct event event;
    memset(&event, 0, sizeof event);
    event.signal = SIGUSR1;
    event.notify = notify;
    event.thread = thread;
    event.value.sival_int = 31;
    return event;
}

static long make_timer(clockid_t clock, int notify, pid_t thread, int* id) {
    const struct event event = event_for(notify, thread);
    return syscall(SYS_timer_create, clock, &event, id);
}

static const char* made(long got, int id) {
    if (got == 0) syscall(SYS_timer_delete, id);
    return result(got);
}

static int expire(int id) {
    const struct itimerspec soon = {{0, 0}, {0, 1000}};
    return (int)syscall(SYS_timer_settime, id, 0, &soon, NULL);
}

static void notified_threads(void) {
    pthread_t one;
    int id = 0;
    const sigset_t set = block_signal(SIGUSR1);
    siginfo_t info;
    const pid_t child = child_that_waits("child");
    pthread_create(&one, NULL, idle_body, NULL);
    came(&board->flag[0]);
    fact("self=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, raw_gettid(), &id), id));
    fact("getpid=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, getpid(), &id), id));
    fact("thread=%s",
         made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, board->pid[0], &id), id));
    fact("child=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, child, &id), id));
    fact("parent=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, getppid(), &id), id));
    fact("unknown=%s",
         made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, unknown_pid, &id), id));
    fact("zero=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, 0, &id), id));
    fact("negative=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, -1, &id), id));
    fact("bad-notify=%s", made(make_timer(CLOCK_MONOTONIC, 99, getpid(), &id), id));
    fact("bad-memory=%s", result(syscall(SYS_timer_create, CLOCK_MONOTONIC, (void*)8, &id)));
    fact("default=%s", made(syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &id), id));
    fact("without-thread=%s", made(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, unknown_pid, &id), id));
    struct event event = event_for(SIGEV_SIGNAL | SIGEV_THREAD_ID, getpid());
    fact("own=%s", result(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id)));
    fact("memory-unchanged=%s", yes(event.thread == getpid()));
    expire(id);
    fact("taken=%s", yes(take_signal(&set, &info) == SIGUSR1));
    fact("own-id=%s", yes(info.si_timerid == id));
    fact("value=%d", info.si_value.sival_int);
    syscall(SYS_timer_delete, id);
    end(child);
}

static pthread_t taker;
static void* take_in_thread(void* unused) {
    (void)unused;
    const sigset_t set = block_signal(SIGUSR1);
    siginfo_t info;
    board->pid[0] = raw_gettid();
    raise_flag(&board->flag[0]);
    fact("taken-by-thread=%s", yes(take_signal(&set, &info) == SIGUSR1));
    fact("code=%d value=%d", info.si_code, info.si_value.sival_int);
    return NULL;
}

static void delivered_to_thread(void) {
    int id = 0;
    block_signal(SIGUSR1);
    pthread_create(&taker, NULL, take_in_thread, NULL);
    came(&board->flag[0]);
    fact("create=%s",
         result(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL | SIGEV_THREAD_ID, board->pid[0], &id)));
    expire(id);
    pthread_join(taker, NULL);
    syscall(SYS_timer_delete, id);
}

static volatile int notified;

static void notify(union sigval value) {
    notified = value.sival_int;
}

/* The C library's own use of it: a thread that calls a function. */
static void library_timer(void) {
    timer_t timer;
    struct sigevent event;
    const struct itimerspec soon = {{0, 0}, {0, 1000}};
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = notify;
    event.sigev_value.sival_int = 3;
    fact("create=%s", result(timer_create(CLOCK_REALTIME, &event, &timer)));
    fact("set=%s", result(timer_settime(timer, 0, &soon, NULL)));
    fact("called=%s", yes(came(&notified)));
    fact("delete=%s", result(timer_delete(timer)));
}

/* A clock's id as the kernel makes it from a process's number: ~pid << 3, the type, and 4 for a thread. */
enum { kind_profile = 0, kind_virtual = 1, kind_scheduler = 2, per_thread = 4 };

static clockid_t clock_of(pid_t pid, int kind) {
    return (clockid_t)(~(unsigned)pid << 3 | (unsigned)kind);
}

static void ask_clock(const char* name, clockid_t clock) {
    struct timespec time = {-1, -1};
    fact("%s: gettime=%s", name, result(syscall(SYS_clock_gettime, clock, &time)));
    fact("time=%s", yes(time.tv_sec >= 0 && time.tv_sec < 1000));
    time.tv_sec = -1;
    fact("getres=%s", result(syscall(SYS_clock_getres, clock, &time)));
    fact("resolution=%s", yes(time.tv_sec == 0));
    fact("settime=%s", result(syscall(SYS_clock_settime, clock, &time)));
}

static void process_clocks(void) {
    const pid_t child = child_that_waits("child");
    ask_clock("self", clock_of(getpid(), kind_scheduler));
    ask_clock("own", clock_of(0, kind_scheduler));
    ask_clock("child", clock_of(child, kind_scheduler));
    ask_clock("child-virtual", clock_of(child, kind_virtual));
    ask_clock("child-profile", clock_of(child, kind_profile));
    ask_clock("parent", clock_of(getppid(), kind_scheduler));
    ask_clock("unknown", clock_of(unknown_pid, kind_scheduler));
    ask_clock("bad-kind", clock_of(child, 3));
    end(child);
    ask_clock("dead", clock_of(child, kind_scheduler));
}

static void thread_clocks(void) {
    pthread_t one;
    const pid_t child = child_that_waits("child");
    pthread_create(&one, NULL, idle_body, NULL);
    came(&board->flag[0]);
    ask_clock("own", clock_of(0, kind_scheduler | per_thread));
    ask_clock("self", clock_of(raw_gettid(), kind_scheduler | per_thread));
    ask_clock("thread", clock_of(board->pid[0], kind_scheduler | per_thread));
    ask_clock("thread-as-process", clock_of(board->pid[0], kind_scheduler));
    ask_clock("child", clock_of(child, kind_scheduler | per_thread));
    ask_clock("unknown", clock_of(unknown_pid, kind_scheduler | per_thread));
    end(child);
}

/* Ids as the C library makes them, and clocks that name nobody. */
static void library_clocks(void) {
    pthread_t one;
    clockid_t clock = 0;
    struct timespec time;
    const pid_t child = child_that_waits("child");
    pthread_create(&one, NULL, idle_body, NULL);
    came(&board->flag[0]);
    fact("child=%d", clock_getcpuclockid(child, &clock));
    fact("gettime=%s", result(clock_gettime(clock, &time)));
    fact("self=%d", clock_getcpuclockid(getpid(), &clock));
    fact("gettime=%s", result(clock_gettime(clock, &time)));
    fact("unknown=%s", yes(clock_getcpuclockid(unknown_pid, &clock) != 0));
    fact("thread=%d", pthread_getcpuclockid(one, &clock));
    fact("gettime=%s", result(clock_gettime(clock, &time)));
    fact("own-thread=%d", pthread_getcpuclockid(pthread_self(), &clock));
    fact("gettime=%s", result(clock_gettime(clock, &time)));
    fact("process=%s", result(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)));
    fact("thread=%s", result(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)));
    fact("monotonic=%s", result(clock_gettime(CLOCK_MONOTONIC, &time)));
    fact("no-clock=%s", result(syscall(SYS_clock_gettime, 99, &time)));
    fact("bad-memory=%s", result(syscall(SYS_clock_gettime, clock_of(child, kind_scheduler), 8)));
    /* A clock that is a device's file: not one of these at all. */
    fact("descriptor=%s", result(syscall(SYS_clock_gettime, clock_of(0, 3), &time)));
    end(child);
}

static pid_t busy_child(void) {
    const pid_t child = offspring();
    if (child == 0)
        for (;;) continue;
    know(child, "child");
    return child;
}

/* Sleeping until somebody has worked for some time. */
static void sleep_on_clock(void) {
    const struct timespec work = {0, 2 * 1000 * 1000};
    struct timespec time = {0, 0};
    const pid_t child = busy_child();
    fact("child=%s", result(syscall(SYS_clock_nanosleep, clock_of(child, kind_scheduler), 0, &work, NULL)));
    syscall(SYS_clock_gettime, clock_of(child, kind_scheduler), &time);
    fact("worked=%s", yes(time.tv_sec > 0 || time.tv_nsec >= work.tv_nsec));
    const struct timespec past = {0, 1};
    fact("absolute=%s",
         result(syscall(SYS_clock_nanosleep, clock_of(child, kind_scheduler), TIMER_ABSTIME, &past, NULL)));
    fact("own-thread=%s",
         result(syscall(SYS_clock_nanosleep, clock_of(0, kind_scheduler | per_thread), 0, &work, NULL)));
    fact("unknown=%s",
         result(syscall(SYS_clock_nanosleep, clock_of(unknown_pid, kind_scheduler), 0, &work, NULL)));
    end(child);
    fact("dead=%s", result(syscall(SYS_clock_nanosleep, clock_of(child, kind_scheduler), 0, &work, NULL)));
}

/* A timer that runs while a child works. */
static void timer_on_clock(void) {
    int id = 0;
    const sigset_t set = block_signal(SIGUSR1);
    const struct itimerspec work = {{0, 0}, {0, 2 * 1000 * 1000}};
    siginfo_t info;
    const pid_t child = busy_child();
    fact("create=%s", result(make_timer(clock_of(child, kind_scheduler), SIGEV_SIGNAL, 0, &id)));
    fact("set=%s", result(syscall(SYS_timer_settime, id, 0, &work, NULL)));
    fact("taken=%s", yes(take_signal(&set, &info) == SIGUSR1));
    fact("own-id=%s", yes(info.si_timerid == id));
    syscall(SYS_timer_delete, id);
    fact("unknown=%s", made(make_timer(clock_of(unknown_pid, kind_scheduler), SIGEV_SIGNAL, 0, &id), id));
    end(child);
    fact("dead=%s", made(make_timer(clock_of(child, kind_scheduler), SIGEV_SIGNAL, 0, &id), id));
}

struct queue_attributes {
    long flags, most, size, current, rest[4];
};

/* A queue without a name from the start; a kernel may have none. */
static int open_queue(void) {
    char name[32];
    struct queue_attributes attributes = {.most = 4, .size = 16};
    snprintf(name, sizeof name, "conformance-%d", getpid());
    const int queue = (int)syscall(SYS_mq_open, name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    if (queue < 0)
        fact("no-queue=%s", who(-1));
    else
        syscall(SYS_mq_unlink, name);
    return queue;
}

static long drain(int queue) {
    char text[16];
    return syscall(SYS_mq_timedreceive, queue, text, sizeof text, NULL, NULL);
}

static void queue_notifies(void) {
    const int queue = open_queue();
    if (queue < 0) return;
    const sigset_t set = block_signal(SIGUSR1);
    const struct event event = event_for(SIGEV_SIGNAL, 0);
    siginfo_t info;
    fact("notify=%s", result(syscall(SYS_mq_notify, queue, &event)));
    fact("twice=%s", result(syscall(SYS_mq_notify, queue, &event)));
    const pid_t child = offspring();
    if (child == 0) _exit(syscall(SYS_mq_timedsend, queue, "a", 1UL, 0U, NULL) == 0 ? 0 : 1);
    know(child, "child");
    fact("%s", reap(child));
    fact("taken=%s", yes(take_signal(&set, &info) == SIGUSR1));
    fact("code=%d pid=%s", info.si_code, who(info.si_pid));
    fact("value=%d own-uid=%s", info.si_value.sival_int, yes(info.si_uid == getuid()));
    drain(queue);
    fact("again=%s", result(syscall(SYS_mq_notify, queue, &event)));
    syscall(SYS_mq_timedsend, queue, "b", 1UL, 0U, NULL);
    fact("taken=%s", yes(take_signal(&set, &info) == SIGUSR1));
    fact("pid=%s", who(info.si_pid));
    drain(queue);
    fact("again=%s", result(syscall(SYS_mq_notify, queue, &event)));
    fact("withdrawn=%s", result(syscall(SYS_mq_notify, queue, NULL)));
    close(queue);
}

/* The queue's file names whom it notifies: "NOTIFY_PID:". */
static void queue_tells(void) {
    const int queue = open_queue();
    if (queue < 0) return;
    const struct event event = event_for(SIGEV_SIGNAL, 0);
    char text[256] = "";
    syscall(SYS_mq_notify, queue, &event);
    const ssize_t length = pread(queue, text, sizeof text - 1, 0);
    const char* const pid = length < 0 ? NULL : strstr(text, "NOTIFY_PID:");
    fact("notifies=%s", pid == NULL ? "odd" : who(atol(pid + 11)));
    close(queue);
}

const struct test_case timer_cases[] = {
    {"timer_threads", notified_threads, "timer_create"},
    {"timer_delivered", delivered_to_thread, "timer_create"},
    {"timer_library", library_timer, "timer_create"},
    {"clock_of_process", process_clocks, "clock_gettime, clock_getres, clock_settime"},
    {"clock_of_thread", thread_clocks, "clock_gettime, clock_getres, clock_settime"},
    {"clock_library", library_clocks, "clock_gettime, clock_getres"},
    {"clock_sleep", sleep_on_clock, "clock_nanosleep"},
    {"clock_timer", timer_on_clock, "timer_create"},
    {"queue_notifies", queue_notifies, "mq_notify"},
    {"queue_tells", queue_tells, "pread64"},
    {NULL, NULL, NULL}};
