// The lists of a cgroup's members, read and written inside: every mode says what the kernel's namespace says.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

// A cgroup of the host, for the containers of one test.
class OwnCgroup {
  public:
    explicit OwnCgroup(const std::string& hierarchy)
        : path_(hierarchy + "/ctr-test-" + std::to_string(getpid())),
          made_(mkdir(path_.c_str(), 0755) == 0) {}
    OwnCgroup(const OwnCgroup&) = delete;
    OwnCgroup& operator=(const OwnCgroup&) = delete;
    ~OwnCgroup() {
        if (made_) rmdir(path_.c_str());
    }

    explicit operator bool() const { return made_; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool made_;
};

// In a container, whose cgroups are mounted read-only at first. $1: the cgroup.
Outcome inside(const std::string& mode, const std::string& hierarchy, const OwnCgroup& group,
               const Arguments& command) {
    Arguments arguments{"--pidns=" + mode,
                        "--cap-add",
                        "ALL",
                        "--",
                        "sh",
                        "-c",
                        "mount -o remount,bind,rw \"$0\"; exec \"$@\"",
                        hierarchy};
    arguments.insert(arguments.end(), command.begin(), command.end());
    arguments.push_back(group.path());
    return ctr_run(arguments);
}

class CgroupFiles : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "takes root";
        hierarchy_ = GetParam();
        const OwnCgroup group(hierarchy_);
        if (!group || access((group.path() + "/cgroup.procs").c_str(), W_OK) != 0)
            GTEST_SKIP() << "no cgroups at " << hierarchy_;
    }

    void always_as_the_kernels(const Arguments& command, const std::string& expected) const {
        for (const std::string mode : {"kernel", "flat", "multi"})
            for (int i = 0; i < (mode == "kernel" ? 1 : 5); ++i) {
                const OwnCgroup group(hierarchy_);
                const Outcome outcome = inside(mode, hierarchy_, group, command);
                ASSERT_EQ(outcome.code, 0) << mode << "\n" << outcome;
                ASSERT_EQ(outcome.out, expected) << mode << "\n" << outcome;
            }
    }

    std::string hierarchy_;
};

INSTANTIATE_TEST_SUITE_P(Hierarchies, CgroupFiles,
                         testing::Values("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpu",
                                         "/sys/fs/cgroup/freezer"),
                         [](const auto& hierarchy) {
                             const std::string path = hierarchy.param;
                             return path.substr(path.find_last_of('/') + 1);
                         });

TEST_P(CgroupFiles, AShellMovesItselfAndOthers) {
    always_as_the_kernels({"sh", "-c", R"sh(
cd "$0"
sleep 60 & other=$!
echo $other > cgroup.procs && echo "other: $((other == $(cat cgroup.procs)))"
echo 0 > cgroup.procs
cat cgroup.procs | grep -c "^$$\$"
echo $$ > ../cgroup.procs; echo $?
/bin/echo $other > ../cgroup.procs; echo "$?:$(cat cgroup.procs)"
sh -c 'echo $$; exec sleep 60' > cgroup.procs & inner=$!
while ! grep -q . cgroup.procs; do sleep 0.01; done
echo "by itself: $((inner == $(cat cgroup.procs)))"
kill $inner $other; wait 2>/dev/null
(echo 31999 > cgroup.procs) 2>/dev/null || echo unknown
(echo "x $$" > cgroup.procs) 2>/dev/null || echo malformed
grep TracerPid /proc/self/status
)sh"},
                          "other: 1\n1\n0\n0:\nby itself: 1\nunknown\nmalformed\nTracerPid:\t0\n");
}

TEST_P(CgroupFiles, PythonSeesErrorsAndCounts) {
    if (!available("/usr/bin/python3")) GTEST_SKIP() << "/usr/bin/python3 is not installed";
    always_as_the_kernels({"/usr/bin/python3", "-c", R"(
import errno, os, signal, sys, threading
os.chdir(sys.argv[1])
child = os.fork()
if child == 0:
    signal.pause()
group, above = [os.open(name, os.O_WRONLY) for name in ("cgroup.procs", "../cgroup.procs")]
def members():
    with open("cgroup.procs") as file:
        return [int(line) for line in file]
print(os.write(group, b" %d \n" % child), members() == [child])
print(os.writev(above, [b"%d" % child, b"\n"]), members())
print(os.pwrite(group, b"%d" % child, 0), members() == [child])
for text, number in (b"31999", errno.ESRCH), (b"-1", errno.EINVAL), (b"many", errno.EINVAL), (b"1 1", errno.EINVAL):
    try:
        print("written", os.write(group, text))
    except OSError as error:
        print(error.errno == number)
worker = threading.Thread(target=lambda: os.write(above, b"0"))
worker.start()
worker.join()
again = os.dup2(group, 77)
os.close(group)
print(os.write(again, b"%#x" % os.getpid()) > 0, sorted(members()) == sorted([os.getpid(), child]))
for number in child, os.getpid():
    os.write(above, b"%d" % number)
os.kill(child, signal.SIGKILL)
print(os.wait()[0] == child)
)"},
                          "4 True\n2 []\n1 True\nTrue\nTrue\nTrue\nTrue\nTrue True\nTrue\n");
}

TEST_P(CgroupFiles, AFileThatIsKeptOpenShowsWhoIsThereNow) {
    if (!available("/usr/bin/python3")) GTEST_SKIP() << "/usr/bin/python3 is not installed";
    for (const std::string mode : {"flat", "multi"}) {
        const OwnCgroup group(hierarchy_);
        const Outcome outcome = inside(mode, hierarchy_, group, {"/usr/bin/python3", "-c", R"(
import os, sys
path = sys.argv[1] + "/cgroup.procs"
kept = os.open(path, os.O_RDONLY)
print(os.read(kept, 100), os.readlink("/proc/self/fd/%d" % kept) == path)
with open(path, "w") as file:
    file.write(str(os.getpid()))
os.lseek(kept, 0, os.SEEK_SET)
print(int(os.read(kept, 100)) == os.getpid(), int(os.pread(kept, 100, 0)) == os.getpid())
with open(sys.argv[1] + "/../cgroup.procs", "w") as file:
    file.write("0")
print(os.pread(kept, 100, 0))
)"});
        EXPECT_EQ(outcome.out, "b'' True\nTrue True\nb''\n") << mode << "\n" << outcome;
    }
}

}  // namespace
}  // namespace ctr::test
