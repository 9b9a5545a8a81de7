/* Credentials over sockets: of the peer, and with messages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "conformance.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int pair(int type, int* ends) {
    const struct timeval patience = {3, 0};
    if (socketpair(AF_UNIX, type, 0, ends) != 0) {
        fact("SOCKETPAIR-FAILED=%s", who(-1));
        return 0;
    }
    for (int i = 0; i < 2; ++i) setsockopt(ends[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return 1;
}

static void pass_credentials(int fd) {
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

static void tell_peer(const char* how, int fd) {
    struct ucred peer = {77, 77, 77};
    socklen_t length = sizeof peer;
    fact("%s=%s", how, result(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length)));
    fact("pid=%s", who(peer.pid));
    fact("own-uid=%s", yes(peer.uid == getuid()));
    fact("length=%d", (int)length);
}

static void peer_of_pair(void) {
    int ends[2], tcp = socket(AF_INET, SOCK_STREAM, 0);
    if (!pair(SOCK_STREAM, ends)) return;
    tell_peer("self", ends[0]);
    tell_peer("other-end", ends[1]);
    const pid_t child = offspring();
    if (child == 0) {
        tell_peer("in-child", ends[0]);
        int own[2];
        if (pair(SOCK_DGRAM, own)) {
            know(getpid(), "child");
            tell_peer("child's-own", own[0]);
        }
        _exit(0);
    }
    reap(child);
    struct ucred peer = {77, 77, 77};
    socklen_t length = 4;
    fact("short=%s", result(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &length)));
    fact("pid=%s length=%d uid-untouched=%s", who(peer.pid), (int)length, yes(peer.uid == 77));
    unsigned char bytes[4] = {77, 77, 77, 77};
    length = 2;
    fact("shorter=%s", result(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, bytes, &length)));
    fact("length=%d rest-untouched=%s", (int)length, yes(bytes[2] == 77 && bytes[3] == 77));
    length = sizeof peer;
    fact("bad-memory=%s", result(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, (void*)8, &length)));
    fact("closed=%s", result(getsockopt(999, SOL_SOCKET, SO_PEERCRED, &peer, &length)));
    fact("no-socket=%s",
         result(getsockopt(open("/dev/null", O_RDONLY), SOL_SOCKET, SO_PEERCRED, &peer, &length)));
    peer.pid = 77;
    fact("tcp=%s", result(getsockopt(tcp, SOL_SOCKET, SO_PEERCRED, &peer, &length)));
    fact("pid=%s", who(peer.pid));
}

/* A listening socket under a name that the kernel chooses. */
static int listening(struct sockaddr_un* name, socklen_t* length) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    if (bind(fd, (struct sockaddr*)name, sizeof name->sun_family) != 0 || listen(fd, 5) != 0)
        fact("LISTEN-FAILED=%s", who(-1));
    *length = sizeof *name;
    getsockname(fd, (struct sockaddr*)name, length);
    return fd;
}

static pid_t client(const struct sockaddr_un* name, socklen_t length) {
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "client");
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fd, (const struct sockaddr*)name, length) != 0) _exit(1);
        tell_peer("server", fd);
        raise_flag(&board->flag[0]);
        came(&board->flag[1]);
        _exit(0);
    }
    came(&board->flag[0]);
    return child;
}

static void peer_of_connection(void) {
    struct sockaddr_un name;
    socklen_t length;
    const int fd = listening(&name, &length);
    const pid_t child = client(&name, length);
    const int connection = accept(fd, NULL, NULL);
    tell_peer("client", connection);
    tell_peer("listener", fd);
    raise_flag(&board->flag[1]);
    fact("%s", reap(child));
    close(connection);
}

/* The peer's number is what it was when the connection was made, whatever became of it. */
static void peer_gone(void) {
    struct sockaddr_un name;
    socklen_t length;
    const int fd = listening(&name, &length);
    raise_flag(&board->flag[1]);
    const pid_t child = client(&name, length);
    const int connection = accept(fd, NULL, NULL);
    fact("%s", reap(child));
    tell_peer("client", connection);
}

/* The handle names the same process as the number does. */
static void peer_handle(void) {
    struct sockaddr_un name;
    socklen_t length;
    const int fd = listening(&name, &length);
    const pid_t child = client(&name, length);
    const int connection = accept(fd, NULL, NULL);
    int pidfd = -1;
    length = sizeof pidfd;
    const long got = getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length);
    fact("pidfd=%s", result(got));
    if (got == 0) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        fact("signal=%s", result(syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0)));
        fact("wait=%s", result(raw_waitid(P_PIDFD, pidfd, &info, WEXITED)));
        fact("pid=%s status=%d", who(info.si_pid), info.si_status);
    } else
        end(child);
}

/* One message with whatever control data. */
union control {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(4 * sizeof(int))];
};

struct parcel {
    char byte;
    struct iovec part;
    union control control;
    struct msghdr message;
};

static void empty_parcel(struct parcel* parcel, char byte) {
    memset(parcel, 0, sizeof *parcel);
    parcel->byte = byte;
    parcel->part.iov_base = &parcel->byte;
    parcel->part.iov_len = 1;
    parcel->message.msg_iov = &parcel->part;
    parcel->message.msg_iovlen = 1;
    parcel->message.msg_control = parcel->control.bytes;
}

static void add(struct parcel* parcel, int type, const void* data, size_t length) {
    struct cmsghdr* const header =
        (struct cmsghdr*)(parcel->control.bytes + (size_t)parcel->message.msg_controllen);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(length);
    memcpy(CMSG_DATA(header), data, length);
    parcel->message.msg_controllen += CMSG_SPACE(length);
}

static void add_credentials(struct parcel* parcel, pid_t pid) {
    const struct ucred mine = {pid, getuid(), getgid()};
    add(parcel, SCM_CREDENTIALS, &mine, sizeof mine);
}

static void room(struct parcel* parcel) {
    empty_parcel(parcel, '-');
    parcel->message.msg_controllen = sizeof parcel->control;
}

static const char* sent(ssize_t length) {
    return length < 0 ? who(-1) : length == 1 ? "ok" : "odd";
}

static void tell_control(const char* how, struct msghdr* message) {
    fact("%s:%s", how, (message->msg_flags & MSG_CTRUNC) != 0 ? " truncated" : "");
    for (struct cmsghdr* header = CMSG_FIRSTHDR(message); header != NULL;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
            struct ucred theirs;
            memcpy(&theirs, CMSG_DATA(header), sizeof theirs);
            fact("pid=%s", who(theirs.pid));
            fact("own-uid=%s", yes(theirs.uid == getuid()));
        } else if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            int fd[4];
            const size_t bytes = header->cmsg_len - CMSG_LEN(0);
            memcpy(fd, CMSG_DATA(header), bytes < sizeof fd ? bytes : sizeof fd);
            fact("files=%d open=%s", (int)(bytes / sizeof(int)), yes(fcntl(fd[0], F_GETFD) >= 0));
            for (size_t i = 0; i < bytes / sizeof(int); ++i) close(fd[i]);
        } else
            fact("other=%d", header->cmsg_type);
    }
}

static void tell_message(const char* how, int fd, int flags) {
    struct parcel in;
    room(&in);
    const ssize_t length = recvmsg(fd, &in.message, flags);
    if (length != 1) {
        fact("%s: NEVER-CAME=%s", how, who(-1));
        return;
    }
    fact("byte=%c", in.byte);
    tell_control(how, &in.message);
}

static void implicit_over(int type, const char* name) {
    int ends[2];
    if (!pair(type, ends)) return;
    pass_credentials(ends[0]);
    fact("%s", name);
    if (write(ends[1], "a", 1) != 1) fact("write-failed");
    tell_message("self", ends[0], 0);
    const pid_t child = offspring();
    if (child == 0) _exit(write(ends[1], "b", 1) == 1 && came(&board->flag[0]) ? 0 : 1);
    know(child, name);
    tell_message("by-child-peeked", ends[0], MSG_PEEK);
    tell_message("by-child", ends[0], 0);
    raise_flag(&board->flag[0]);
    fact("%s", reap(child));
    board->flag[0] = 0;
    fact("nothing=%s", who(recv(ends[0], &(char){0}, 1, MSG_DONTWAIT)));
}

static void implicit(void) {
    implicit_over(SOCK_STREAM, "stream");
    implicit_over(SOCK_DGRAM, "datagram");
    implicit_over(SOCK_SEQPACKET, "packets");
}

/* Nobody who hasn't asked for credentials gets any. */
static void unasked(void) {
    int ends[2];
    struct parcel out;
    if (!pair(SOCK_STREAM, ends)) return;
    empty_parcel(&out, 'x');
    add_credentials(&out, getpid());
    fact("send=%s", sent(sendmsg(ends[1], &out.message, 0)));
    tell_message("got", ends[0], 0);
}

static void explicit_own(void) {
    int ends[2];
    struct parcel out;
    if (!pair(SOCK_STREAM, ends)) return;
    pass_credentials(ends[0]);
    empty_parcel(&out, 'x');
    add_credentials(&out, getpid());
    fact("send=%s", sent(sendmsg(ends[1], &out.message, 0)));
    struct ucred kept;
    memcpy(&kept, CMSG_DATA(CMSG_FIRSTHDR(&out.message)), sizeof kept);
    fact("memory-unchanged=%s", yes(kept.pid == getpid()));
    tell_message("self", ends[0], 0);
    const pid_t child = offspring();
    if (child == 0) {
        empty_parcel(&out, 'y');
        add_credentials(&out, getpid());
        _exit(sendmsg(ends[1], &out.message, 0) == 1 && came(&board->flag[0]) ? 0 : 1);
    }
    know(child, "child");
    tell_message("by-child", ends[0], 0);
    raise_flag(&board->flag[0]);
    fact("%s", reap(child));
    empty_parcel(&out, 'z');
    add_credentials(&out, getpid());
    ((struct cmsghdr*)(void*)out.control.bytes)->cmsg_len -= 1;
    fact("wrong-length=%s", sent(sendmsg(ends[1], &out.message, 0)));
    out.message.msg_control = (void*)8;
    fact("bad-memory=%s", sent(syscall(SYS_sendmsg, ends[1], &out.message, 0)));
}

/* Only who has the right to may name another: then it is named, else there is EPERM. Either is right; an
 * unknown number is refused to all. */
static void explicit_others(void) {
    int ends[2];
    struct parcel out, in;
    if (!pair(SOCK_STREAM, ends)) return;
    pass_credentials(ends[0]);
    const pid_t child = child_that_waits("child");
    empty_parcel(&out, 'x');
    add_credentials(&out, unknown_pid);
    const ssize_t unknown = sendmsg(ends[1], &out.message, 0);
    fact("unknown-refused=%s", yes(unknown < 0 && (errno == EPERM || errno == ESRCH)));
    empty_parcel(&out, 'y');
    add_credentials(&out, child);
    const ssize_t named = sendmsg(ends[1], &out.message, 0);
    const int refused = named < 0 && errno == EPERM;
    pid_t seen = 0;
    if (named == 1) {
        room(&in);
        struct cmsghdr* const header =
            recvmsg(ends[0], &in.message, 0) == 1 ? CMSG_FIRSTHDR(&in.message) : NULL;
        if (header != NULL) memcpy(&seen, CMSG_DATA(header), sizeof seen);
    }
    fact("child-named-or-refused=%s", yes(refused || seen == child));
    end(child);
    empty_parcel(&out, 'z');
    add_credentials(&out, child);
    fact("dead-refused=%s", yes(sendmsg(ends[1], &out.message, 0) < 0 && (errno == EPERM || errno == ESRCH)));
    fact("nothing-left=%s", who(recv(ends[0], &(char){0}, 1, MSG_DONTWAIT)));
}

static void with_files(void) {
    int ends[2];
    struct parcel out;
    if (!pair(SOCK_STREAM, ends)) return;
    pass_credentials(ends[0]);
    empty_parcel(&out, 'x');
    const int files[2] = {0, 1};
    add(&out, SCM_RIGHTS, files, sizeof files);
    add_credentials(&out, getpid());
    fact("files-first=%s", sent(sendmsg(ends[1], &out.message, 0)));
    tell_message("got", ends[0], 0);
    empty_parcel(&out, 'y');
    add_credentials(&out, getpid());
    add(&out, SCM_RIGHTS, files, sizeof files[0]);
    fact("credentials-first=%s", sent(sendmsg(ends[1], &out.message, 0)));
    tell_message("got", ends[0], 0);
    empty_parcel(&out, 'z');
    add(&out, SCM_RIGHTS, files, sizeof files[0]);
    fact("files-only=%s", sent(sendmsg(ends[1], &out.message, 0)));
    tell_message("got", ends[0], MSG_CMSG_CLOEXEC);
    fact("again=%s", sent(sendmsg(ends[1], &out.message, 0)));
    struct parcel in;
    room(&in);
    in.message.msg_controllen = CMSG_LEN(4);
    fact("little-room=%s", sent(recvmsg(ends[0], &in.message, 0)));
    fact("truncated=%s", yes((in.message.msg_flags & MSG_CTRUNC) != 0));
    if (in.message.msg_controllen >= CMSG_LEN(4)) {
        pid_t seen;
        memcpy(&seen, CMSG_DATA(&in.control.aligned), sizeof seen);
        fact("type=%d pid=%s", in.control.aligned.cmsg_type, who(seen));
    }
    if (write(ends[1], "w", 1) != 1) fact("write-failed");
    room(&in);
    in.message.msg_control = NULL;
    in.message.msg_controllen = 0;
    fact("no-room=%s", sent(recvmsg(ends[0], &in.message, 0)));
    fact("truncated=%s", yes((in.message.msg_flags & MSG_CTRUNC) != 0));
}

/* As the kernel has it; the C libraries' types differ in their padding only. */
struct many {
    struct msghdr message;
    unsigned length;
};

static void several(void) {
    int ends[2];
    enum { count = 3 };
    struct parcel out[count], in[count];
    struct many messages[count];
    if (!pair(SOCK_DGRAM, ends)) return;
    pass_credentials(ends[0]);
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < count; ++i) {
        empty_parcel(&out[i], (char)('a' + i));
        if (i != 1) add_credentials(&out[i], getpid());
        if (i == 2) add(&out[i], SCM_RIGHTS, &(int){0}, sizeof(int));
        messages[i].message = out[i].message;
    }
    fact("sent=%ld", syscall(SYS_sendmmsg, ends[1], messages, (unsigned)count, 0));
    fact("length=%u", messages[2].length);
    struct ucred kept;
    memcpy(&kept, CMSG_DATA(CMSG_FIRSTHDR(&out[0].message)), sizeof kept);
    fact("memory-unchanged=%s", yes(kept.pid == getpid()));
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "child");
        empty_parcel(&out[0], 'p');
        add_credentials(&out[0], getpid());
        empty_parcel(&out[1], 'q');
        messages[0].message = out[0].message;
        messages[1].message = out[1].message;
        _exit((int)syscall(SYS_sendmmsg, ends[1], messages, 2U, 0) == 2 && came(&board->flag[0]) ? 0 : 1);
    }
    for (int round = 0, got = 0; round < 5 && got < 5; ++round) {
        memset(messages, 0, sizeof messages);
        for (int i = 0; i < count; ++i) {
            room(&in[i]);
            messages[i].message = in[i].message;
        }
        const long received =
            syscall(SYS_recvmmsg, ends[0], messages, got == 0 ? 3U : 1U, MSG_WAITFORONE, NULL);
        if (received < 1) {
            fact("NEVER-CAME=%s", who(received));
            break;
        }
        for (long i = 0; i < received; ++i, ++got) {
            fact("byte=%c length=%u", in[i].byte, messages[i].length);
            tell_control("got", &messages[i].message);
        }
    }
    raise_flag(&board->flag[0]);
    fact("%s", reap(child));
    fact("none-left=%s", who(syscall(SYS_recvmmsg, ends[0], messages, 1U, MSG_DONTWAIT, NULL)));
}

/* The sender's number is read with the message, when the sender may be gone. */
static void sender_gone(void) {
    int ends[2];
    if (!pair(SOCK_STREAM, ends)) return;
    pass_credentials(ends[0]);
    const pid_t child = offspring();
    if (child == 0) _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    know(child, "child");
    fact("%s", reap(child));
    tell_message("by-child", ends[0], 0);
}

static void* write_one(void* fd) {
    if (write(*(int*)fd, "t", 1) != 1) fact("write-failed");
    struct parcel out;
    empty_parcel(&out, 'u');
    add_credentials(&out, getpid());
    fact("send=%s", sent(sendmsg(*(int*)fd, &out.message, 0)));
    return NULL;
}

static void by_thread(void) {
    int ends[2];
    pthread_t one;
    if (!pair(SOCK_SEQPACKET, ends)) return;
    pass_credentials(ends[0]);
    pthread_create(&one, NULL, write_one, &ends[1]);
    pthread_join(one, NULL);
    tell_message("implicit", ends[0], 0);
    tell_message("explicit", ends[0], 0);
}

const struct test_case socket_cases[] = {
    {"socket_peer_of_pair", peer_of_pair, "getsockopt SO_PEERCRED"},
    {"socket_peer_of_connection", peer_of_connection, "getsockopt SO_PEERCRED"},
    {"socket_peer_gone", peer_gone, "getsockopt SO_PEERCRED"},
    {"socket_peer_handle", peer_handle, "getsockopt SO_PEERPIDFD"},
    {"socket_implicit", implicit, "recvmsg"},
    {"socket_unasked", unasked, "sendmsg, recvmsg"},
    {"socket_explicit_own", explicit_own, "sendmsg, recvmsg"},
    {"socket_explicit_others", explicit_others, "sendmsg, recvmsg"},
    {"socket_with_files", with_files, "sendmsg, recvmsg"},
    {"socket_several", several, "sendmmsg, recvmmsg"},
    {"socket_sender_gone", sender_gone, "recvmsg"},
    {"socket_by_thread", by_thread, "sendmsg, recvmsg"},
    {NULL, NULL, NULL}};
