/* A program that is made anew again and again. `version` prints which one it is; `version make TEXT FILE`
 * makes FILE one that prints TEXT, written in place as compilers and cp do. Calls itself by /proc/self/exe,
 * and asks who it is, so that it has calls that are of interest. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { length = 16 };
static char version[2 * length] = "the version is: first";

static int make(const char* text, const char* path) {
    struct stat status;
    const int self = open("/proc/self/exe", O_RDONLY);
    if (self < 0 || fstat(self, &status) != 0) return 3;
    const size_t size = (size_t)status.st_size;
    char* bytes = malloc(size);
    if (!bytes || read(self, bytes, size) != (ssize_t)size) return 4;
    char* found = memmem(bytes, size, version, length);
    if (!found) return 5;
    memset(found + length, 0, length);
    memcpy(found + length, text, strlen(text) < length ? strlen(text) : length - 1);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    if (file < 0) {
        perror(path);
        return 6;
    }
    return write(file, bytes, size) == (ssize_t)size && close(file) == 0 ? 0 : 7;
}

int main(int argc, char** argv) {
    if (argc == 4 && !strcmp(argv[1], "make")) return make(argv[2], argv[3]);
    if (getpid() <= 0 || getppid() < 0) return 2;
    puts(version + length);
    return 0;
}
