// The lists of /proc as directories: positions, small buffers, many entries. Each mode says what the kernel's
// namespace says, apart from the processes' own numbers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr const char* python = "/usr/bin/python3";

// What all scripts share. entries(): (name, position behind it, type) of one getdents64.
const std::string prelude = R"py(
import ctypes, os, signal, struct, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def raw(fd, size):
    buffer = ctypes.create_string_buffer(max(size, 1))
    got = libc.syscall(217, fd, buffer, size)
    return -ctypes.get_errno() if got < 0 else buffer.raw[:got]
def entries(fd, size=65536):
    data, found = raw(fd, size), []
    if isinstance(data, int):
        return data
    while data:
        inode, position, length, kind = struct.unpack_from("QqHB", data)
        found.append((data[19:length].split(b"\0")[0].decode(), position, kind))
        data = data[length:]
    return found
def rest(fd, size=65536):
    found = []
    while part := entries(fd, size):
        found += part
    return found
def names(list):
    return [name for name, position, kind in list]
def numbers(list):
    return [int(name) for name in names(list) if name.isdigit()]
def forked(count):
    children = []
    for i in range(count):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
    return children
def end(children):
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
)py";

class ProcLists : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!available(python)) GTEST_SKIP() << python << " is not installed";
    }
    static void prints(const std::string& script, const std::string& expected) {
        const Outcome outcome =
            ctr_run({std::string("--pidns=") + GetParam(), "--", python, "-c", prelude + script});
        EXPECT_EQ(outcome.code, 0) << outcome;
        EXPECT_EQ(outcome.out, expected) << outcome;
    }
};

// An ordinary user's monitor can't go through /proc/PID/fd then.
class UndumpableLists : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
        if (!available(python)) GTEST_SKIP() << python << " is not installed";
        options_.identity = {54'321, 54'321};
        options_.env = {{"HOME", place_.path()}, {"XDG_CACHE_HOME", place_.path()}};
        ASSERT_EQ(chown(place_.path().c_str(), options_.identity->uid, options_.identity->gid), 0);
        if (run({"unshare", "-U", "true"}, options_).code != 0)
            GTEST_SKIP() << "user namespaces are not available";
    }
    void prints(const std::string& script, const std::string& expected) const {
        const Outcome outcome = run(
            {place_.copy(ctr_binary()), "run", GetParam(), "--", python, "-c", prelude + script}, options_);
        EXPECT_EQ(outcome.code, 0) << outcome;
        EXPECT_EQ(outcome.out, expected) << outcome;
    }

  private:
    const ScratchDirectory place_;
    RunOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Ways, UndumpableLists,
                         testing::Values("--pidns=kernel", "--pidns=flat", "--pidns=multi",
                                         "--pid-fastpath=off"),
                         [](const auto& way) { return std::to_string(way.index); });

TEST_P(UndumpableLists, HaveTheContainersProcesses) {
    prints(R"py(
libc.prctl(4, 0)
fd = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
children = forked(2)
print(numbers(rest(proc)) == [os.getpid()] + children, numbers(rest(fd)) == [os.getpid()] + children)
task = os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY)
print(numbers(rest(task)))
os.chdir("/proc")
print(numbers(rest(os.open(".", os.O_RDONLY | os.O_DIRECTORY))) == [1] + children, open("self/stat").read()[0])
end(children)
)py",
           "True True\n[1]\nTrue 1\n");
}

// Nor may another process of the same user look into one.
TEST_P(UndumpableLists, AreNobodyElses) {
    prints(R"py(
ready, told = os.pipe()
child = os.fork()
if child == 0:
    libc.prctl(4, 0)
    os.write(told, b"x")
    signal.pause()
os.read(ready, 1)
for name in "fdinfo/0", "timers", "syscall", "ns/pid":
    try:
        path = f"/proc/{child}/{name}"
        print(os.readlink(path) if name == "ns/pid" else open(path).read())
    except OSError as error:
        print(error.strerror)
end([child])
)py",
           "Permission denied\nPermission denied\nPermission denied\nPermission denied\n");
}

INSTANTIATE_TEST_SUITE_P(Modes, ProcLists, testing::Values("kernel", "flat", "multi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(ProcLists, FiveHundredProcessesAreThereOnceInOrder) {
    prints(R"py(
children = forked(500)
for size in 65536, 4096, 280, 48:
    os.lseek(proc, 0, os.SEEK_SET)
    found = numbers(rest(proc, size))
    print(found == sorted([os.getpid()] + children))
end(children)
os.lseek(proc, 0, os.SEEK_SET)
print(numbers(rest(proc)))
)py",
           "True\nTrue\nTrue\nTrue\n[1]\n");
}

TEST_P(ProcLists, EveryPositionLeadsToTheRest) {
    prints(R"py(
children = forked(20)
whole = rest(proc)
print(all(a[1] < b[1] for a, b in zip(whole, whole[1:])))
print(all(os.lseek(proc, position, os.SEEK_SET) == position and rest(proc) == whole[i + 1:]
          for i, (name, position, kind) in enumerate(whole)))
print(all(os.lseek(proc, position, os.SEEK_SET) == position and entries(proc, 48)[0] == whole[i + 1]
          for i, (name, position, kind) in enumerate(whole[:-1])))
end(children)
)py",
           "True\nTrue\nTrue\n");
}

TEST_P(ProcLists, ThePositionIsWhereTheListWasLeft) {
    prints(R"py(
children = forked(20)
whole = rest(proc)
os.lseek(proc, 0, os.SEEK_SET)
first = entries(proc, 1024)
print(os.lseek(proc, 0, os.SEEK_CUR) == first[-1][1], names(first + rest(proc)) == names(whole))
shared = os.dup(proc)
os.lseek(proc, 0, os.SEEK_SET)
half = entries(shared, 1024)
print(half == first, names(half + rest(proc)) == names(whole), entries(shared))
other = os.open("/proc", os.O_RDONLY)
print(names(entries(other, 1024)) == names(first), entries(proc))
end(children)
)py",
           "True True\nTrue True []\nTrue []\n");
}

TEST_P(ProcLists, ABufferWithoutRoomForOneIsRefused) {
    prints(R"py(
print(raw(proc, 0), raw(proc, 23), names(entries(proc, 24)))
os.lseek(proc, 0, os.SEEK_SET)
whole = rest(proc)
before = max(position for name, position, kind in whole if not name.isdigit())
os.lseek(proc, before, os.SEEK_SET)
print(raw(proc, 23), numbers(entries(proc, 24)), raw(proc, 24))
print(libc.syscall(217, proc, None, 0), libc.syscall(217, -1, None, 100), ctypes.get_errno())
os.lseek(proc, 0, os.SEEK_SET)
print(libc.syscall(217, proc, ctypes.c_void_p(8), 4096), ctypes.get_errno())
)py",
           "-22 -22 ['.']\n-22 [1] b''\n0 -1 9\n-1 14\n");
}

TEST_P(ProcLists, WhoEndsOrBeginsMeanwhileHidesNobodyElse) {
    prints(R"py(
children = forked(40)
whole = rest(proc)
os.lseek(proc, next(position for name, position, kind in whole if name == str(children[9])), os.SEEK_SET)
end(children[:20])
print(numbers(entries(proc, 240)) == children[20:30])
end(children[30:35])
late = forked(1)
print(numbers(rest(proc)) == children[35:] + late)
end(children[20:30] + children[35:] + late)
)py",
           "True\nTrue\n");
}

TEST_P(ProcLists, AZombieIsThereUntilItIsReaped) {
    prints(R"py(
child = os.fork()
if child == 0:
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(numbers(rest(proc)) == [1, child])
os.waitpid(child, 0)
os.lseek(proc, 0, os.SEEK_SET)
print(numbers(rest(proc)))
)py",
           "True\n[1]\n");
}

TEST_P(ProcLists, BeyondTheEndIsNothing) {
    prints(R"py(
for position in 1 << 24, (1 << 31) - 1:
    print(os.lseek(proc, position, os.SEEK_SET) == position, entries(proc))
os.lseek(proc, 0, os.SEEK_SET)
whole = rest(proc)
print(entries(proc), entries(proc))
os.lseek(proc, 0, os.SEEK_SET)
print(rest(proc) == whole)
)py",
           "True []\nTrue []\n[] []\nTrue\n");
}

TEST_P(ProcLists, ThreadsHaveTheirLeaderFirst) {
    prints(R"py(
stop = threading.Event()
threads = [threading.Thread(target=stop.wait) for i in range(20)]
for thread in threads:
    thread.start()
task = os.open("/proc/self/task", os.O_RDONLY)
for size in 65536, 100, 64:
    os.lseek(task, 0, os.SEEK_SET)
    found = numbers(rest(task, size))
    print(len(found), len(set(found)), found[0] == os.getpid())
stop.set()
for thread in threads:
    thread.join()
# The kernel's end of a thread comes after that of the interpreter.
while True:
    os.lseek(task, 0, os.SEEK_SET)
    if (left := numbers(rest(task))) == [os.getpid()]:
        break
print(left == [os.getpid()])
)py",
           "21 21 True\n21 21 True\n21 21 True\nTrue\n");
}

}  // namespace
}  // namespace ctr::test
