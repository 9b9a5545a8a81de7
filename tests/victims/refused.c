/* refused WHAT... -- COMMAND...: executes the command below a filter that refuses it with EPERM what is
 * named, as an outer container may: the calls unshare, ptrace, fsopen, or "users", new user namespaces by any
 * call. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most = 64 };

static struct sock_filter program[most];
static unsigned short length;

static void add(struct sock_filter op) {
    program[length++] = op;
}

static void answer(long call, int error) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error));
}

/* Goes on with the call's number loaded. */
static void refuse_flag(long call, unsigned flag) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4));
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
}

static int refuse(const char* what) {
    if (strcmp(what, "unshare") == 0) {
        answer(SYS_unshare, EPERM);
    } else if (strcmp(what, "ptrace") == 0) {
        answer(SYS_ptrace, EPERM);
    } else if (strcmp(what, "fsopen") == 0) {
        answer(SYS_fsopen, EPERM);
    } else if (strcmp(what, "users") == 0) {
        answer(SYS_clone3, ENOSYS); /* whose flags a filter can't see */
        refuse_flag(SYS_clone, CLONE_NEWUSER);
        refuse_flag(SYS_unshare, CLONE_NEWUSER);
    } else {
        return 0;
    }
    return 1;
}

int main(int argc, char** argv) {
    int i = 1;
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (length > most / 2 || !refuse(argv[i])) {
            fprintf(stderr, "refused: %s\n", argv[i]);
            return 2;
        }
    }
    if (i + 1 >= argc) return 2;
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {length, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("refused");
        return 2;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 127;
}
