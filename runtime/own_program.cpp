#include "runtime/own_program.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr {

namespace {

// As in the kernel: what it reads of a script's first line, and how many scripts may name each other.
constexpr size_t longest_line = 256;
constexpr int most_interpreters = 5;

bool is(const OwnProgram& own, const char* file) {
    struct stat status {};
    return stat(file, &status) == 0 && status.st_dev == own.device && status.st_ino == own.inode;
}

bool found_without_magic(const char* file) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_MAGICLINKS;
    return static_cast<bool>(Fd(sys::openat2(AT_FDCWD, file, how)));
}

// The interpreter that the first line of a file names, in LINE; nullptr if it names none.
const char* interpreter_of(const char* file, char (&line)[longest_line]) {
    const Fd script(open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!script) return nullptr;
    const ssize_t length = read(script.get(), line, sizeof line - 1);
    if (length < 2 || line[0] != '#' || line[1] != '!') return nullptr;
    line[length] = 0;
    char* const begin = line + 2 + strspn(line + 2, " \t");
    begin[strcspn(begin, " \t\n")] = 0;
    return begin;
}

}  // namespace

OwnProgram find_own_program() {
    struct stat status {};
    if (stat("/proc/self/exe", &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

bool leads_to(const OwnProgram& own, const char* file) {
    char lines[2][longest_line];  // in turn: a name lies in one while the next is read into the other
    for (int i = 0; i <= most_interpreters && file != nullptr; ++i) {
        if (is(own, file)) return !found_without_magic(file);
        file = interpreter_of(file, lines[i % 2]);
    }
    return false;
}

}  // namespace ctr
