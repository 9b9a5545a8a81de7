// What other launchers got wrong, by the numbers under which it became known: each test plays the attack.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/terminal.h"

namespace ctr::test {
namespace {

class Lessons : public Launcher {};

INSTANTIATE_TEST_SUITE_P(Everybody, Lessons,
                         testing::Combine(testing::Values(Caller::root, Caller::user),
                                          testing::Values("flat", "kernel", "host")),
                         name_of);

std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_script(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
    fs::permissions(file, fs::perms(0755));
}

// In place of what the root has there.
void plant_link(const std::string& target, const std::string& link) {
    fs::remove_all(link);
    fs::create_symlink(target, link);
}

// A python program that makes one system call and prints its result, or its errno as a negative number.
std::string raw_call(const std::string& arguments) {
    return "import ctypes; c = ctypes.CDLL(None, use_errno=True); c.syscall.restype = ctypes.c_long; r = "
           "c.syscall(" +
           arguments + "); print(r if r >= 0 else -ctypes.get_errno())";
}

// runc ran itself inside, where its file could be opened for writing.
TEST_P(Lessons, Cve_2019_5736_TheLauncherDoesNotRunInside) {
    const SmallRoot root(owner());
    write_script(root.path() + "/bin/script", "#! /proc/self/exe\n");
    write_script(root.path() + "/bin/indirect", "#!/bin/script x\n");
    for (const char* command : {"/proc/self/exe", "/proc/thread-self/exe", "/bin/script", "/bin/indirect"}) {
        const Outcome outcome = start({"--rootfs", root.path(), "--", command});
        EXPECT_EQ(outcome.code, 126) << command << outcome;
        EXPECT_TRUE(contains(outcome.err, "/proc/self/exe")) << outcome;
    }
    // Neither is the monitor's file within reach.
    const Outcome outcome = shell({"--rootfs", root.path()},
                                  "for p in /proc/[0-9]*; do readlink $p/exe; done | while read f; do "
                                  "case $f in */ctr) echo $f;; esac; done");
    EXPECT_EQ(outcome.out, "") << outcome;
}

// Processes inside could look into the first one while it still held the host's descriptors.
TEST_P(Lessons, Cve_2016_9962_TheFirstProcessIsClosedToOthersWhileItHoldsDescriptors) {
    const Outcome plan = start({"--dry-run", "--", "true"});
    const size_t closed = plan.out.find("PR_SET_DUMPABLE 0");
    ASSERT_NE(closed, std::string::npos) << plan;
    EXPECT_LT(closed, plan.out.find("make all mounts private"));
    EXPECT_LT(plan.out.find("close the host's descriptors"), plan.out.find("execute "));
}

// A descriptor of the host's was left open, and the working directory was one.
TEST_P(Lessons, Cve_2024_21626_NoDescriptorOfTheHostsIsInherited) {
    const SmallRoot root(owner());
    const Outcome open =
        run({"sh", "-c", "exec 7</; exec 9</etc/passwd; exec \"$@\"", "sh", ctr_binary(), "run",
             "--pidns=" + mode(), "--", "sh", "-c", "cd /proc/self/fd && echo [4-9]*"});
    if (caller() == Caller::root) {
        EXPECT_EQ(open.out, "[4-9]*\n") << open;
    }
    for (int fd = 0; fd < 12; ++fd) {
        const Outcome outcome =
            shell({"--rootfs", root.path(), "-w", "/proc/self/fd/" + std::to_string(fd)}, "pwd");
        // One of ctr's own may be the container's root, which is no way out.
        EXPECT_TRUE(outcome.code == 125 || outcome.out == "/\n") << fd << outcome;
    }
}

// A link in the root led a mount, or the directory made for it, to a place outside.
TEST_P(Lessons, Cve_2021_30465_AndCve_2024_45310_TargetsOfMountsStayInside) {
    const SmallRoot root(owner());
    const ScratchDirectory outside;
    if (owner()) {
        ASSERT_EQ(chown(outside.path().c_str(), owner()->uid, owner()->gid), 0);
    }
    for (const char* name : {"/dev", "/tmp", "/sys"})
        plant_link(outside.path() + "/made", root.path() + name);
    start({"--rootfs", root.path(), "--", "sh", "-c", "true"});
    EXPECT_TRUE(fs::is_empty(outside.path()));
    for (const char* name : {"/dev", "/tmp", "/sys"})
        plant_link("../../../../../.." + outside.path(), root.path() + name);
    start({"--rootfs", root.path(), "--", "sh", "-c", "true"});
    EXPECT_TRUE(fs::is_empty(outside.path()));
}

// A /proc that was something else took what was written to it.
TEST_P(Lessons, Cve_2019_19921_AndCve_2025_52881_ProcIsProcfs) {
    const SmallRoot root(owner());
    const ScratchDirectory fake;
    fs::create_directories(root.path() + "/fake/sys/kernel");
    plant_link("/fake", root.path() + "/proc");
    const Outcome outcome =
        start({"--rootfs", root.path(), "--", "sh", "-c", "stat -f -c %T /proc/ && ls /fake/sys"});
    // Either the link is refused, or a real procfs lies where it leads; the masks then lie on that.
    EXPECT_TRUE(outcome.code == 125 || contains(outcome.out, "proc")) << outcome;
    EXPECT_TRUE(fs::is_empty(root.path() + "/fake/sys/kernel"));
}

// The null device that masks files was replaced, so that the mask could be written to.
TEST_P(Lessons, Cve_2025_31133_MasksAreTheNullDevice) {
    const SmallRoot root(owner());
    fs::create_directories(root.path() + "/dev");
    std::ofstream(root.path() + "/dev/null") << "trap";
    if (owner()) {
        ASSERT_EQ(lchown((root.path() + "/dev").c_str(), owner()->uid, owner()->gid), 0);
    }
    const Outcome outcome = shell({"--rootfs", root.path()},
                                  "for f in /dev/null /proc/kcore /proc/keys /proc/timer_list; do "
                                  "test -e $f && stat -L -c %t:%T $f; done; true");
    EXPECT_EQ(outcome.code, 0) << outcome;
    std::istringstream lines(outcome.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(line, "1:3") << outcome;
    EXPECT_GT(count, 1);
    EXPECT_EQ(text_of(root.path() + "/dev/null"), "trap");
}

// The path of the console was replaced by a link between its creation and its use.
TEST_P(Lessons, Cve_2025_52565_TheTerminalIsOpenedByDescriptor) {
    const SmallRoot root(owner());
    const ScratchDirectory outside;
    std::ofstream(outside.path() + "/victim") << "untouched";
    fs::create_directories(root.path() + "/dev");
    for (const char* name : {"/dev/ptmx", "/dev/pts", "/dev/console", "/dev/tty"})
        plant_link(outside.path() + "/victim", root.path() + name);
    if (owner()) {
        ASSERT_EQ(lchown((root.path() + "/dev").c_str(), owner()->uid, owner()->gid), 0);
    }
    const Outcome outcome =
        start({"-t", "--rootfs", root.path(), "--", "sh", "-c", "readlink /proc/self/fd/0"});
    EXPECT_EQ(outcome.out, "/dev/pts/0\r\n") << outcome;
    EXPECT_EQ(text_of(outside.path() + "/victim"), "untouched");
}

// A program inside typed into the terminal outside: by its descriptor, and with a request that a filter takes
// for another one.
TEST_P(Lessons, Cve_2017_5226_AndCve_2019_10063_NobodyInsideTypesOutside) {
    ScratchDirectory programs;
    const std::string binary = programs.copy(ctr_binary());
    for (const char* request : {"0x5412", "0x100005412"}) {
        const std::string call = raw_call("16, 0, ctypes.c_ulong(" + std::string(request) + "), b'x'");
        for (const bool own_terminal : {false, true}) {
            Arguments argv{binary, "run", "--pidns=" + mode(), "-w", "/"};
            if (own_terminal) argv.push_back("-t");
            argv.insert(argv.end(), {"--", "python3", "-c", call});
            OnTerminal outer(
                {"sh", "-c", "\"$@\"; echo done; read x; echo \"[$x]\"", "sh", argv[0], argv[1], argv[2],
                 argv[3], argv[4], own_terminal ? "-t" : "--userns=auto", "--", "python3", "-c", call},
                owner());
            ASSERT_TRUE(outer.shows("done")) << outer.screen();
            // Its own terminal a program may type to.
            if (!own_terminal) {
                EXPECT_TRUE(contains(outer.screen(), "-1\r\n")) << outer.screen();
            }
            outer.type("\n");
            EXPECT_TRUE(outer.shows("[]")) << outer.screen();
        }
    }
}

// What a filter can't see, or sees under another architecture's number, passed it.
TEST_P(Lessons, Cve_2021_41133_NoWayAroundAProfile) {
    // clone3 with CLONE_NEWUSER in memory.
    const std::string clone3 =
        raw_call("435, (ctypes.c_ulong * 11)(0x10000000, 0, 0, 0, 17), ctypes.c_size_t(88)");
    EXPECT_EQ(start({"--seccomp", "default", "--", "python3", "-c", clone3}).out, "-38\n");
    // unshare by its x32 number; a kernel without x32 has no such call either.
    const std::string unshare = raw_call("0x40000000 | 272, 0x10000000");
    const Outcome outcome = start({"--seccomp", "default", "--", "python3", "-c", unshare});
    EXPECT_FALSE(contains(outcome.out, "0\n")) << outcome;
}

// Programs inside started with inheritable capabilities, and so could their children.
TEST_P(Lessons, Cve_2022_27650_NothingIsInheritable) {
    const Outcome outcome = shell({}, "grep -E 'Cap(Inh|Amb)' /proc/self/status");
    EXPECT_EQ(outcome.out, "CapInh:\t0000000000000000\nCapAmb:\t0000000000000000\n") << outcome;
}

TEST_P(Lessons, NumbersAreReadWhole) {
    for (const Arguments& options : {Arguments{"--pid-max", "1000x"},
                                     {"--user", "0x0"},
                                     {"--memory", "64mx"},
                                     {"--cpus", "1x"},
                                     {"--pids-limit", "10x"},
                                     {"--ulimit", "nofile=10x"},
                                     {"--status-fd", "2x"}}) {
        Arguments words = options;
        words.insert(words.end(), {"--", "true"});
        const Outcome outcome = start(words);
        EXPECT_EQ(outcome.code, 125) << options[0];
        const std::string value = options[1].substr(options[1].find('=') + 1);
        EXPECT_TRUE(contains(outcome.err, value)) << outcome;
    }
}

TEST_P(Lessons, TheCgroupFileSystemIsReadOnly) {
    const Outcome outcome =
        shell({},
              "for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir $d/escape 2>/dev/null && "
              "echo made $d; done; true");
    EXPECT_EQ(outcome.out, "") << outcome;
}

TEST_P(Lessons, SetgroupsIsDeniedWhereTheGroupMapIsOurs) {
    const Outcome outcome = shell({"--userns=yes"}, "cat /proc/self/setgroups");
    EXPECT_EQ(outcome.out, "deny\n") << outcome;
}

}  // namespace
}  // namespace ctr::test
