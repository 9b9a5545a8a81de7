/* System V IPC: who made an object, who used it last; as calls and as lines of /proc/sysvipc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "conformance.h"

#ifndef SHM_STAT_ANY
#define SHM_STAT_ANY 15
#endif
#ifndef MSG_STAT_ANY
#define MSG_STAT_ANY 13
#endif

/* The objects live on without their makers, so whatever ends the case must remove them. */
static int memory = -1, queue = -1, set = -1;

static void remove_objects(void) {
    if (memory >= 0) shmctl(memory, IPC_RMID, NULL);
    if (queue >= 0) msgctl(queue, IPC_RMID, NULL);
    if (set >= 0) semctl(set, 0, IPC_RMID);
}

static void give_up(int signal) {
    remove_objects();
    _exit(100 + signal);
}

static void make_objects(void) {
    signal(SIGALRM, give_up);
    signal(SIGSEGV, give_up);
    memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
    if (memory < 0 || queue < 0 || set < 0) fact("MAKE-FAILED=%s", who(-1));
}

/* A child that does one thing and is still there afterwards, until it is ended. */
static pid_t user_of(const char* name, void (*use)(void)) {
    board->flag[0] = 0;
    const pid_t child = offspring();
    if (child == 0) {
        use();
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    know(child, name);
    came(&board->flag[0]);
    return child;
}

static void tell_memory(const char* how, int id, int command) {
    struct shmid_ds about;
    memset(&about, 0xff, sizeof about);
    const int got = shmctl(id, command, &about);
    fact("%s=%s", how, got < 0 ? who(-1) : "ok");
    fact("cpid=%s", who(about.shm_cpid));
    fact("lpid=%s", who(about.shm_lpid));
    fact("size=%d attached=%d", (int)about.shm_segsz, (int)about.shm_nattch);
}

static void attach(void) {
    if (shmat(memory, NULL, 0) == (void*)-1) fact("attach-failed");
}

static void detach(void) {
    void* const there = shmat(memory, NULL, 0);
    if (shmdt(there) != 0) fact("detach-failed");
}

static void shared_memory(void) {
    make_objects();
    tell_memory("new", memory, IPC_STAT);
    const pid_t one = user_of("attaches", attach);
    tell_memory("attached", memory, IPC_STAT);
    const pid_t two = user_of("detaches", detach);
    tell_memory("detached", memory, IPC_STAT);
    attach();
    tell_memory("self", memory, IPC_STAT);
    const pid_t asks = offspring();
    if (asks == 0) {
        tell_memory("seen-by-child", memory, IPC_STAT);
        _exit(0);
    }
    reap(asks);
    fact("bad-memory=%s", result(syscall(SYS_shmctl, memory, IPC_STAT, 8)));
    fact("no-such=%s", result(shmctl(-1, IPC_STAT, &(struct shmid_ds){.shm_nattch = 0})));
    end(one);
    end(two);
    remove_objects();
    tell_memory("removed-but-attached", memory, IPC_STAT);
}

/* The last user's number stays when the user is gone. */
static void gone(void) {
    make_objects();
    const pid_t maker = offspring();
    if (maker == 0) {
        board->count[0] = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
        _exit(0);
    }
    know(maker, "maker");
    reap(maker);
    tell_memory("made-by-dead", board->count[0], IPC_STAT);
    shmctl(board->count[0], IPC_RMID, NULL);
    end(user_of("user", attach));
    tell_memory("used-by-dead", memory, IPC_STAT);
    remove_objects();
}

struct letter {
    long type;
    char text[4];
};

static void tell_queue(const char* how, int id, int command) {
    struct msqid_ds about;
    memset(&about, 0xff, sizeof about);
    const int got = msgctl(id, command, &about);
    fact("%s=%s", how, got < 0 ? who(-1) : "ok");
    fact("lspid=%s", who(about.msg_lspid));
    fact("lrpid=%s", who(about.msg_lrpid));
    fact("messages=%d", (int)about.msg_qnum);
}

static void post(void) {
    const struct letter letter = {1, "abc"};
    if (msgsnd(queue, &letter, sizeof letter.text, IPC_NOWAIT) != 0) fact("post-failed");
}

static void fetch(void) {
    struct letter letter;
    if (msgrcv(queue, &letter, sizeof letter.text, 0, IPC_NOWAIT) < 0) fact("fetch-failed");
}

static void messages(void) {
    make_objects();
    tell_queue("new", queue, IPC_STAT);
    const pid_t one = user_of("posts", post);
    tell_queue("posted", queue, IPC_STAT);
    const pid_t two = user_of("fetches", fetch);
    tell_queue("fetched", queue, IPC_STAT);
    post();
    tell_queue("self", queue, IPC_STAT);
    fetch();
    tell_queue("self", queue, IPC_STAT);
    fact("bad-memory=%s", result(syscall(SYS_msgctl, queue, IPC_STAT, 8)));
    fact("no-such=%s", result(msgctl(-1, IPC_STAT, &(struct msqid_ds){.msg_qnum = 0})));
    end(one);
    end(two);
    end(user_of("third", post));
    tell_queue("sender-gone", queue, IPC_STAT);
    remove_objects();
}

static void step(int which, short by) {
    struct sembuf operation = {(unsigned short)which, by, IPC_NOWAIT};
    if (semop(set, &operation, 1) != 0) fact("step-failed");
}

static void step_first(void) {
    step(0, 2);
}

static void step_second(void) {
    step(1, 1);
}

static void tell_semaphores(const char* how) {
    fact("%s:", how);
    fact("first=%s", who(semctl(set, 0, GETPID)));
    fact("second=%s", who(semctl(set, 1, GETPID)));
}

static void semaphores(void) {
    make_objects();
    tell_semaphores("new");
    const pid_t one = user_of("one", step_first);
    tell_semaphores("first");
    const pid_t two = user_of("two", step_second);
    tell_semaphores("second");
    step(0, -1);
    tell_semaphores("self");
    semctl(set, 1, SETVAL, 3);
    tell_semaphores("set");
    fact("no-such=%s", who(semctl(set, 7, GETPID)));
    fact("no-set=%s", who(semctl(-1, 0, GETPID)));
    end(one);
    end(two);
    end(user_of("three", step_second));
    tell_semaphores("gone");
    remove_objects();
    fact("removed=%s", who(semctl(set, 0, GETPID)));
}

/* Objects by their place in the kernel's table, as ipcs lists them. */
static void by_index(void) {
    make_objects();
    attach();
    post();
    struct shmid_ds segment;
    struct msqid_ds about;
    const int last_segment = shmctl(0, SHM_INFO, &segment);
    for (int i = 0; i <= last_segment; ++i)
        if (shmctl(i, SHM_STAT, &segment) == memory) {
            tell_memory("found", i, SHM_STAT);
            tell_memory("found-any", i, SHM_STAT_ANY);
        }
    const int last_queue = msgctl(0, MSG_INFO, &about);
    for (int i = 0; i <= last_queue; ++i)
        if (msgctl(i, MSG_STAT, &about) == queue) {
            tell_queue("found", i, MSG_STAT);
            tell_queue("found-any", i, MSG_STAT_ANY);
        }
    remove_objects();
}

/* The numbers in one object's line: the second column is the id. */
static void tell_line(const char* path, int id, int first_column, const char* first, const char* second) {
    FILE* const file = fopen(path, "r");
    char line[512];
    if (file == NULL) {
        fact("%s=%s", path, who(-1));
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        long value[7];
        int columns = 0;
        char* rest = line;
        for (char* word; columns < 7 && (word = strtok_r(rest, " ", &rest)) != NULL; ++columns)
            value[columns] = atol(word);
        if (columns < 7 || value[1] != id) continue;
        fact("%s=%s", first, who(value[first_column]));
        fact("%s=%s", second, who(value[first_column + 1]));
    }
    fclose(file);
}

static void lines(void) {
    make_objects();
    tell_line("/proc/sysvipc/shm", memory, 4, "new-cpid", "lpid");
    tell_line("/proc/sysvipc/msg", queue, 5, "new-lspid", "lrpid");
    const pid_t one = user_of("attaches", attach);
    const pid_t two = user_of("posts", post);
    const pid_t three = user_of("fetches", fetch);
    tell_line("/proc/sysvipc/shm", memory, 4, "cpid", "lpid");
    tell_line("/proc/sysvipc/msg", queue, 5, "lspid", "lrpid");
    end(one);
    end(two);
    end(three);
    remove_objects();
}

const struct test_case sysv_cases[] = {
    {"sysv_memory", shared_memory, "shmctl IPC_STAT"},
    {"sysv_gone", gone, "shmctl IPC_STAT"},
    {"sysv_messages", messages, "msgctl IPC_STAT"},
    {"sysv_semaphores", semaphores, "semctl GETPID"},
    {"sysv_by_index", by_index, "shmctl SHM_STAT, shmctl SHM_STAT_ANY, msgctl MSG_STAT, msgctl MSG_STAT_ANY"},
    {"sysv_lines", lines, "/proc/sysvipc"},
    {NULL, NULL, NULL}};
