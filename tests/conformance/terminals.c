/* Terminals: the three ioctls, and job control on a pseudo terminal of the case's own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "conformance.h"

static int master, terminal;

/* Every case's process leads a session without a terminal: give it one. */
static int open_terminal(void) {
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        fact("NO-PTY=%s", result(-1));
        return 0;
    }
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    fact("ctty=%s", result(ioctl(terminal, TIOCSCTTY, 0)));
    return terminal >= 0;
}

static void owners(void) {
    if (!open_terminal()) return;
    fact("tcgetpgrp=%s", who(tcgetpgrp(terminal)));
    fact("tcgetsid=%s", who(tcgetsid(terminal)));
    fact("master-tcgetpgrp=%s", who(tcgetpgrp(master)));
    fact("master-tcgetsid=%s", who(tcgetsid(master)));
    pid_t group = 0, session = 0;
    fact("raw-TIOCGPGRP=%s", result(ioctl(terminal, TIOCGPGRP, &group)));
    fact("%s", who(group));
    fact("raw-TIOCGSID=%s", result(ioctl(terminal, TIOCGSID, &session)));
    fact("%s", who(session));
    fact("bad-address=%s", result(ioctl(terminal, TIOCGPGRP, (pid_t*)8)));
    fact("bad-address-set=%s", result(ioctl(terminal, TIOCSPGRP, (pid_t*)8)));
}

static void foreground(void) {
    if (!open_terminal()) return;
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    fact("set=%s", result(tcsetpgrp(terminal, child)));
    fact("get=%s", who(tcgetpgrp(terminal)));
    fact("on-master=%s", who(tcgetpgrp(master)));
    signal(SIGTTOU, SIG_IGN); /* this process is in the background now */
    fact("back=%s", result(tcsetpgrp(terminal, getpgrp())));
    fact("get=%s", who(tcgetpgrp(terminal)));
    end(child);
}

static void errors(void) {
    int seen[2];
    fact("no-terminal=%s", who(tcgetpgrp(0)));
    if (!open_terminal() || pipe(seen) != 0) return;
    fact("pipe=%s", who(tcgetpgrp(seen[0])));
    fact("pipe-sid=%s", who(tcgetsid(seen[0])));
    fact("pipe-set=%s", result(tcsetpgrp(seen[0], getpid())));
    fact("closed=%s", who(tcgetpgrp(999)));
    fact("unknown-group=%s", result(tcsetpgrp(terminal, unknown_pid)));
    fact("negative=%s", result(tcsetpgrp(terminal, -1)));
    fact("zero=%s", result(tcsetpgrp(terminal, 0)));
    fact("other-session=%s", result(tcsetpgrp(terminal, getppid())));
    const pid_t child = child_that_waits("child");
    fact("no-such-group=%s", result(tcsetpgrp(terminal, child)));
    end(child);
}

/* A terminal that isn't the caller's own. */
static void not_controlling(void) {
    if (!open_terminal()) return;
    const pid_t child = offspring();
    if (child == 0) {
        setsid();
        fact("tcgetpgrp=%s", who(tcgetpgrp(terminal)));
        fact("tcgetsid=%s", who(tcgetsid(terminal)));
        fact("tcsetpgrp=%s", result(tcsetpgrp(terminal, getpid())));
        fact("steal=%s", result(ioctl(terminal, TIOCSCTTY, 0)));
        /* The master shows the owner to everybody who holds it. */
        fact("master=%s", who(tcgetpgrp(master)));
        _exit(0);
    }
    fact("%s", reap(child));
}

static void background_set(void) {
    int status = 0;
    if (!open_terminal()) return;
    const pid_t child = offspring();
    if (child == 0) {
        setpgid(0, 0);
        fact("first: %s", result(tcsetpgrp(terminal, getpid())));
        _exit(0);
    }
    know(child, "child");
    waitpid(child, &status, WUNTRACED);
    fact("%s", ending(status));
    fact("foreground=%s", who(tcgetpgrp(terminal)));
    /* Put into the foreground and continued, its call is repeated and works. */
    fact("set=%s", result(tcsetpgrp(terminal, child)));
    kill(-child, SIGCONT);
    fact("%s", reap(child));
}

static void background_set_ignored(void) {
    if (!open_terminal()) return;
    const pid_t child = offspring();
    if (child == 0) {
        signal(SIGTTOU, SIG_IGN);
        setpgid(0, 0);
        know(getpid(), "child");
        fact("set=%s", result(tcsetpgrp(terminal, getpid())));
        fact("get=%s", who(tcgetpgrp(terminal)));
        _exit(0);
    }
    fact("%s", reap(child));
}

/* In the background of an orphaned group there is nobody to continue it: EIO instead of a stop. */
static void orphaned_group(void) {
    if (!open_terminal()) return;
    const pid_t middle = offspring();
    if (middle == 0) {
        setpgid(0, 0);
        const pid_t self = getpid();
        if (offspring() == 0) {
            while (getppid() == self) usleep(500);
            fact("set=%s", result(tcsetpgrp(terminal, getpgrp())));
            raise_flag(&board->flag[0]);
            _exit(0);
        }
        _exit(0);
    }
    reap(middle);
    await(&board->flag[0]);
}

static void background_read(void) {
    int status = 0;
    char byte;
    if (!open_terminal()) return;
    const pid_t child = offspring();
    if (child == 0) {
        setpgid(0, 0);
        _exit(read(terminal, &byte, 1) == 1 ? 0 : 1);
    }
    know(child, "child");
    waitpid(child, &status, WUNTRACED);
    fact("%s", ending(status));
    fact("set=%s", result(tcsetpgrp(terminal, child)));
    kill(-child, SIGCONT);
    if (write(master, "x\n", 2) != 2) fact("write-failed");
    fact("%s", reap(child));
}

/* The terminal's own signals go to the whole foreground group and nowhere else. */
static void keyboard(char key, const char* name) {
    int status = 0;
    const pid_t leader = child_that_waits("leader");
    setpgid(leader, leader);
    const pid_t member = child_that_waits("member");
    setpgid(member, leader);
    const pid_t other = child_that_waits("other");
    setpgid(other, other);
    signal(SIGTTOU, SIG_IGN);
    fact("%s:", name);
    fact("set=%s", result(tcsetpgrp(terminal, leader)));
    if (write(master, &key, 1) != 1) fact("write-failed");
    waitpid(leader, &status, WUNTRACED);
    fact("leader: %s", ending(status));
    waitpid(member, &status, WUNTRACED);
    fact("member: %s", ending(status));
    fact("other=%s", who(waitpid(other, &status, WUNTRACED | WNOHANG)));
    kill(-leader, SIGKILL);
    waitpid(leader, NULL, 0);
    waitpid(member, NULL, 0);
    end(other);
    tcsetpgrp(terminal, getpgrp());
}

static void interrupt_key(void) {
    if (open_terminal()) keyboard('\003', "intr");
}

static void quit_key(void) {
    if (open_terminal()) keyboard('\034', "quit");
}

static void suspend_key(void) {
    if (open_terminal()) keyboard('\032', "susp");
}

/* A shell's day: a job in the foreground is stopped, put into the background, continued, taken back. */
static void job_control(void) {
    int status = 0;
    if (!open_terminal()) return;
    signal(SIGTTOU, SIG_IGN);
    const pid_t job = offspring();
    if (job == 0) {
        setpgid(0, 0);
        for (;;) pause();
    }
    setpgid(job, job);
    know(job, "job");
    fact("fg=%s", result(tcsetpgrp(terminal, job)));
    if (write(master, "\032", 1) != 1) fact("write-failed");
    fact("wait=%s", who(waitpid(-1, &status, WUNTRACED)));
    fact("%s", ending(status));
    fact("shell=%s", result(tcsetpgrp(terminal, getpgrp())));
    fact("foreground=%s", who(tcgetpgrp(terminal)));
    fact("bg=%s", result(kill(-job, SIGCONT)));
    fact("wait=%s", who(waitpid(-1, &status, WCONTINUED)));
    fact("%s", ending(status));
    fact("fg=%s", result(tcsetpgrp(terminal, job)));
    fact("foreground=%s", who(tcgetpgrp(terminal)));
    if (write(master, "\003", 1) != 1) fact("write-failed");
    fact("wait=%s", who(waitpid(-job, &status, WUNTRACED)));
    fact("%s", ending(status));
}

/* The number of a foreground group that has ended stays readable. */
static void dead_foreground(void) {
    if (!open_terminal()) return;
    signal(SIGTTOU, SIG_IGN);
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    tcsetpgrp(terminal, child);
    end(child);
    fact("get=%s", who(tcgetpgrp(terminal)));
    fact("set-again=%s", result(tcsetpgrp(terminal, child)));
    fact("take-back=%s", result(tcsetpgrp(terminal, getpgrp())));
}

static void hang_up(void) {
    const pid_t leader = offspring();
    if (leader == 0) {
        setsid();
        if (!open_terminal()) _exit(1);
        raise_flag(&board->flag[0]);
        close(master); /* the last master: the session's leader gets SIGHUP */
        for (;;) pause();
    }
    know(leader, "leader");
    fact("%s", reap(leader));
}

static void give_up(void) {
    if (!open_terminal()) return;
    count_signal(SIGHUP, SA_RESTART);
    count_signal(SIGCONT, SA_RESTART);
    fact("notty=%s", result(ioctl(terminal, TIOCNOTTY)));
    fact("hup=%d", board->count[SIGHUP]);
    fact("cont=%d", board->count[SIGCONT]);
    fact("then=%s", who(tcgetpgrp(terminal)));
    fact("master=%s", who(tcgetpgrp(master)));
}

const struct test_case terminal_cases[] = {
    {"terminal_owners", owners, "ioctl TIOCGPGRP, ioctl TIOCGSID"},
    {"terminal_foreground", foreground, "ioctl TIOCGPGRP, ioctl TIOCSPGRP"},
    {"terminal_errors", errors, "ioctl TIOCGPGRP, ioctl TIOCGSID, ioctl TIOCSPGRP"},
    {"terminal_not_controlling", not_controlling, NULL},
    {"terminal_background_set", background_set, NULL},
    {"terminal_background_set_ignored", background_set_ignored, NULL},
    {"terminal_orphaned_group", orphaned_group, NULL},
    {"terminal_background_read", background_read, NULL},
    {"terminal_interrupt_key", interrupt_key, NULL},
    {"terminal_quit_key", quit_key, NULL},
    {"terminal_suspend_key", suspend_key, NULL},
    {"terminal_job_control", job_control, NULL},
    {"terminal_dead_foreground", dead_foreground, NULL},
    {"terminal_hang_up", hang_up, NULL},
    {"terminal_give_up", give_up, NULL},
    {NULL, NULL, NULL}};
