#define _GNU_SOURCE
#include "proc.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>

long read_whole(int directory, const char* path, char* text, size_t size) {
    const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    long length = 0, more = 0;
    while (length < (long)size - 1 && (more = read(fd, text + length, size - 1 - (size_t)length)) > 0)
        length += more;
    const int error = errno;
    close(fd);
    errno = error;
    text[length] = '\0';
    return more < 0 ? -1 : length;
}

const char* with_names(const char* text) {
    static char named[512];
    size_t length = 0;
    for (const char* at = text; *at != '\0' && length < sizeof named - 32;) {
        const size_t digits = strspn(at, "0123456789");
        const int whole =
            digits > 0 && (at == text || at[-1] == '/') && (at[digits] == '/' || at[digits] == '\0');
        if (whole) {
            length += (size_t)snprintf(named + length, 24, "%s", who(atol(at)));
            at += digits;
        } else
            named[length++] = *at++;
    }
    named[length] = '\0';
    return named;
}

const char* path_of(const char* format, ...) {
    static char ring[8][256];
    static int next;
    char* const path = ring[next = (next + 1) % 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof ring[0], format, arguments);
    va_end(arguments);
    return path;
}

void call_me(const char* name) {
    prctl(PR_SET_NAME, name);
}

const char* comm_at(int directory, const char* path) {
    static char text[64];
    const long length = read_whole(directory, path, text, sizeof text);
    if (length < 0) return who(-1);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

pid_t named_child(const char* name) {
    volatile int* const flag = &board->flag[15];
    *flag = 0;
    const pid_t child = offspring();
    if (child == 0) {
        call_me(name);
        raise_flag(flag);
        for (;;) pause();
    }
    know(child, name);
    came(flag);
    return child;
}

static void* idle_under_name(void* name) {
    call_me(name);
    board->pid[15] = raw_gettid();
    raise_flag(&board->flag[14]);
    for (;;) pause();
    return NULL;
}

pid_t named_thread(const char* name) {
    static char kept[4][16];
    static int used;
    pthread_t thread;
    snprintf(kept[used], sizeof kept[0], "%s", name);
    board->flag[14] = 0;
    if (pthread_create(&thread, NULL, idle_under_name, kept[used++]) != 0) fact("THREAD-FAILED");
    came(&board->flag[14]);
    know(board->pid[15], name);
    return board->pid[15];
}

const char* line_of(const char* path, const char* key) {
    static char text[8192], named[256];
    if (read_whole(AT_FDCWD, path, text, sizeof text) < 0) return who(-1);
    const size_t key_length = strlen(key);
    for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        if (strncmp(line, key, key_length) != 0 || line[key_length] != ':') continue;
        size_t length = 0;
        named[0] = '\0';
        for (char *words = line + key_length + 1, *word; (word = strtok_r(words, " \t", &words)) != NULL;)
            length += (size_t)snprintf(
                named + length, 32, "%s%s", length > 0 ? "," : "",
                isdigit((unsigned char)word[0]) || strcmp(word, "-1") != 0 ? who(atol(word)) : "-1");
        return named;
    }
    return "missing";
}
