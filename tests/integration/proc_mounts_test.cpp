// Programs that mount: where /proc is then, and what lies over it.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr const char* python = "/usr/bin/python3";

const std::string prelude = R"py(
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
BIND, REC, PRIVATE = 4096, 16384, 1 << 18
def done(result):
    if result != 0:
        print("refused:", os.strerror(ctypes.get_errno()))
        sys.exit()
def mount(source, target, kind=None, flags=0):
    done(libc.mount(source, target, kind, flags, None))
done(libc.unshare(0x20000))
mount(None, b"/", flags=REC | PRIVATE)
def text(path):
    with open(path) as file:
        return file.read()
)py";

class ProcMounts : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!available(python)) GTEST_SKIP() << python << " is not installed";
    }
    static void prints(const std::string& script, const std::string& expected) {
        const Outcome outcome = ctr_run({std::string("--pidns=") + GetParam(), "--cap-add=SYS_ADMIN", "--",
                                         python, "-c", prelude + script});
        if (outcome.out.starts_with("refused:")) GTEST_SKIP() << outcome.out;
        EXPECT_EQ(outcome.code, 0) << outcome;
        EXPECT_EQ(outcome.out, expected) << outcome;
    }
};

INSTANTIATE_TEST_SUITE_P(Modes, ProcMounts, testing::Values("kernel", "flat", "multi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(ProcMounts, ANewRootHasItsOwn) {
    prints(R"py(
mount(b"none", b"/tmp", b"tmpfs")
os.mkdir("/tmp/proc")
os.mkdir("/tmp/old")
mount(b"/proc", b"/tmp/proc", flags=BIND | REC)
def look():
    print(text("/proc/self/stat").split()[0], [name for name in os.listdir("/proc") if name.isdigit()])
look()
os.chdir("/tmp")
done(libc.syscall(155, b".", b"old"))
os.chdir("/")
look()
done(libc.umount2(b"/old", 2))
look()
)py",
           "1 ['1']\n1 ['1']\n1 ['1']\n");
}

TEST_P(ProcMounts, MayBeCovered) {
    prints(R"py(
mount(b"/dev/null", b"/proc/loadavg", flags=BIND)
print(repr(text("/proc/loadavg")), text("/proc/self/stat").split()[0])
mount(b"none", b"/proc", b"tmpfs")
with open("/proc/loadavg", "w") as file:
    file.write("ours")
print(os.listdir("/proc"), text("/proc/loadavg"), os.path.exists("/proc/self"))
done(libc.umount2(b"/proc", 2))
done(libc.umount2(b"/proc/loadavg", 2))
print(text("/proc/self/stat").split()[0], len(text("/proc/loadavg")) > 4)
)py",
           "'' 1\n['loadavg'] ours False\n1 True\n");
}

// The other way there whose name doesn't say "proc". No call before it has made the layer careful.
TEST_P(ProcMounts, IsReachedThroughDev) {
    const Outcome outcome =
        ctr_run({std::string("--pidns=") + GetParam(), "--", "sh", "-c",
                 "exec 7</proc/self/comm; readlink /dev/fd/7; ls -l /dev/fd/7 | sed 's/.*> //'"});
    EXPECT_EQ(outcome.out, "/proc/1/comm\n/proc/1/comm\n") << outcome;
}

// A path to it doesn't say "proc" then.
constexpr const char* look_elsewhere = R"py(
child = os.fork()
if child == 0:
    import signal
    signal.pause()
print(os.getpid(), text("/mnt/self/stat").split()[0], text("/mnt/%d/stat" % child).split()[3])
print(os.readlink("/mnt/%d/cwd" % child) == os.getcwd(), os.path.exists("/mnt/%d/../self" % child))
print([name for name in os.listdir("/mnt") if name.isdigit()] == [str(os.getpid()), str(child)])
print(os.stat("/mnt/%d" % child).st_ino == os.stat("/proc/%d" % child).st_ino)
os.kill(child, 9)
os.waitpid(child, 0)
)py";
constexpr const char* seen_elsewhere = "1 1 1\nTrue True\nTrue\nTrue\n";

TEST_P(ProcMounts, MayBeElsewhere) {
    prints(std::string(R"py(
mount(b"/proc", b"/mnt", flags=BIND | REC)
)py") + look_elsewhere,
           seen_elsewhere);
}

TEST_P(ProcMounts, MayBeAtAPlaceThatADescriptorNames) {
    prints(std::string(R"py(
place = os.open("/mnt", os.O_PATH)
mount(b"/proc", b"/proc/self/fd/%d" % place, flags=BIND | REC)
)py") + look_elsewhere,
           seen_elsewhere);
}

TEST_P(ProcMounts, MayBeElsewhereFromTheBeginning) {
    if (std::string(GetParam()) == "kernel") GTEST_SKIP() << "that would be the host's procfs";
    const Outcome outcome = ctr_run({std::string("--pidns=") + GetParam(), "--bind=/proc:/mnt", "--", python,
                                     "-c", prelude.substr(0, prelude.find("done(libc.unshare")) + R"py(
def text(path):
    with open(path) as file:
        return file.read()
)py" + look_elsewhere});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, seen_elsewhere) << outcome;
}

}  // namespace
}  // namespace ctr::test
