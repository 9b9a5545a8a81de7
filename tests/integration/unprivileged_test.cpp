// No privilege at all: what is left of a container where no namespaces can be had, and what is said of the
// rest.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pidns/surface/mark.h"
#include "runtime/landlock.h"
#include "tests/integration/confinement.h"

namespace ctr::test {
namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

bool someone_has(const std::string& argument) {
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (contains(content(entry.path() / "cmdline"), argument)) return true;
    return false;
}

pid_t first_child(pid_t parent) {
    const std::string number = std::to_string(parent);
    std::istringstream text(content("/proc/" + number + "/task/" + number + "/children"));
    pid_t child = -1;
    text >> child;
    return child;
}

class Confined : public testing::Test, protected Confinement {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "needs root, to confine a user";
    }
};

class Unprivileged : public Confined, public testing::WithParamInterface<const char*> {
  protected:
    Arguments in_docker(const Arguments& arguments) const {
        Arguments all{std::string("--pidns=") + GetParam()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return command(as_in_docker(), all);
    }
    Outcome shell(const std::string& script, Arguments given = {}) const {
        given.insert(given.end(), {"--", "bash", "-c", script});
        return run(in_docker(given), options());
    }
    void prints(const std::string& program, const std::string& script, const std::string& expected) const {
        if (!available(program)) GTEST_SKIP() << program << " is not installed";
        const Outcome outcome = shell(script);
        EXPECT_EQ(outcome.out, expected) << outcome;
        EXPECT_EQ(outcome.code, 0) << outcome;
    }
};

INSTANTIATE_TEST_SUITE_P(Modes, Unprivileged, testing::Values("flat", "multi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Unprivileged, TheFixtureRefusesNamespaces) {
    Arguments argv = as_in_docker();
    argv.insert(argv.end(), {"sh", "-c", "unshare -U true; unshare -m true; id -u; ls /proc/scsi"});
    const Outcome outcome = run(argv, options());
    EXPECT_EQ(outcome.out, std::to_string(somebody.uid) + "\n") << outcome;
    EXPECT_EQ(count(outcome.err, "Operation not permitted"), 2U) << outcome;
}

TEST_P(Unprivileged, NumbersAndSaysOnceWhatIsNotIsolated) {
    const Outcome outcome = shell("echo $$; (exit 3); echo $?; sh -c 'echo $PPID'; exit 23");
    EXPECT_EQ(outcome.out, "1\n3\n1\n") << outcome;
    EXPECT_EQ(outcome.code, 23);
    EXPECT_EQ(count(outcome.err, "not isolated"), 1U) << outcome;
    for (const char* words : {"clone3: EPERM", "mount uts ipc cgroup"})
        EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome;
    EXPECT_EQ(shell("exit 3", {"--log-level=error"}).err, "");
}

TEST_P(Unprivileged, ProgramsThatReadTheStatusAreToldToo) {
    const Outcome outcome = shell(":", {"--status-fd", "1", "--log-level=error"});
    std::istringstream lines(outcome.out);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line)) << outcome;
    const auto event = nlohmann::json::parse(line, nullptr, false);
    EXPECT_EQ(event.value("event", ""), "warning") << outcome;
    EXPECT_TRUE(contains(event.value("message", ""), "not isolated")) << outcome;
}

TEST_P(Unprivileged, ADryRunShowsTheSamePlan) {
    const Outcome outcome = run(in_docker({"--dry-run", "true"}), options());
    EXPECT_TRUE(contains(outcome.out, "new namespaces: \n")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "mount")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "not isolated")) << outcome;
}

TEST_P(Unprivileged, ProcShowsTheContainerOnly) {
    prints("ps",
           "sleep 100 & while [ $(cat /proc/2/comm) != sleep ]; do :; done; "
           "echo $(ps -o pid= -o ppid= -o comm= -C bash,sleep); kill $!",
           "1 0 bash 2 1 sleep\n");
    prints("pgrep",
           "sleep 100 & while [ $(cat /proc/$!/comm) != sleep ]; do :; done; [ $(pgrep -x sleep) = $! ] && "
           "echo found; kill $!",
           "found\n");
    prints("readlink", "exec readlink /proc/self", "1\n");
    prints("sh", "cd /proc; echo [0-9]*; echo 1/task/*", "1\n1/task/1\n");
    prints("sh",
           "read -r pid name state ppid rest < /proc/self/stat; echo $pid $ppid; grep -w ^Pid /proc/1/status",
           "1 0\nPid:\t1\n");
}

// Without copies of descriptors a directory's position has to be set by the program's own thread.
TEST_P(Unprivileged, AListOfProcCanBeReadInParts) {
    prints("python3", R"(for i in $(seq 40); do sleep 100 & done; python3 -c '
import ctypes, os, struct
libc = ctypes.CDLL(None)
fd = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
def names(size):
    while True:
        buffer = ctypes.create_string_buffer(size)
        got = libc.syscall(217, fd, buffer, size)
        at = 0
        if got <= 0: return
        while at < got:
            length = struct.unpack_from("H", buffer, at + 16)[0]
            yield buffer.raw[at + 19:at + length].split(b"\0")[0].decode()
            at += length
first = [name for name in names(200) if name.isdigit()]
os.lseek(fd, 0, os.SEEK_SET)
second = [name for name in names(32768) if name.isdigit()]
print(len(first), first == second, len(set(first)), first[0])
'; kill $(jobs -p))",
           "42 True 42 1\n");
}

TEST_P(Unprivileged, ProgramsThatManageOthersWork) {
    prints("bash",
           "set -m; sleep 100 & kill -STOP %1; sleep 0.1; jobs -s | wc -l; kill -CONT %1; kill %1; wait %1 "
           "2>/dev/null; echo $?",
           "1\n143\n");
    prints(
        "python3",
        "python3 -c 'import subprocess, os; p = subprocess.Popen([\"sh\", \"-c\", \"echo $PPID; exit 4\"], "
        "stdout=subprocess.PIPE); out = p.communicate()[0]; print(int(out) == os.getpid(), p.returncode, "
        "p.pid < "
        "20)'",
        "True 4 True\n");
    prints(
        "make",
        "cd $(mktemp -d); printf 'all: a b c d e f\\n%%:\\n\\t@sh -c \"(exit 0); echo $$$$PPID > $@\"\\n' > "
        "Makefile; make -s -j4 && ls ? | wc -l; rm -r $PWD",
        "6\n");
}

// SCM_CREDENTIALS, seen in the receiver's namespace although the monitor can't ask its socket.
TEST_P(Unprivileged, CredentialsOfMessagesHaveTheContainersNumbers) {
    prints("python3", R"(exec python3 -c '
import os, socket, struct
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
b.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
a.send(b"x")
data, control, flags, address = b.recvmsg(8, 64)
print(data, struct.unpack("3i", control[0][2])[0], os.getpid())
')",
           "b'x' 1 1\n");
}

TEST_P(Unprivileged, WhoWouldCloseItselfToTheLayerIsToldThatItCant) {
    if (!available("python3")) GTEST_SKIP() << "python3 is not installed";
    const Outcome outcome = shell(R"(exec python3 -c '
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.prctl(4, 0), os.strerror(ctypes.get_errno()), libc.prctl(3))
print(os.getpid(), open("/proc/self/stat").read().split()[0], [name for name in os.listdir("/proc") if name.isdigit()])
print(os.waitpid(os.spawnlp(os.P_NOWAIT, "true", "true"), 0))')");
    EXPECT_EQ(outcome.out, "-1 Operation not permitted 1\n1 1 ['1']\n(2, 0)\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "PR_SET_DUMPABLE")) << outcome;
}

TEST_P(Unprivileged, SignalsToAllReachNobodyOutside) {
    RunOptions as_user = options();
    as_user.identity = somebody;
    const Background outside({"sleep", "100"}, as_user);
    const std::string number = std::to_string(outside.pid());
    const Outcome outcome =
        shell("sleep 100 & kill -TERM -1; wait $!; echo $?; kill -0 " + number +
              " 2>/dev/null || echo none; kill -TERM -- -" + number + " 2>/dev/null; echo end");
    EXPECT_EQ(outcome.out, "143\nnone\nend\n") << outcome;
    EXPECT_TRUE(outside.running());
}

// Not the numbering, which a hostile program can pass by, but the kernel.
TEST_P(Unprivileged, WhoKnowsTheMarkCantSignalOutsideEither) {
    if (landlock::abi() < landlock::signal_scope_abi) GTEST_SKIP() << "this kernel's Landlock has no scopes";
    RunOptions as_user = options();
    as_user.identity = somebody;
    const Background outside({"sleep", "100"}, as_user);
    prints(
        "python3",
        "exec python3 -c 'import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.syscall(62, " +
            std::to_string(outside.pid()) + ", 15, 0, 0, 0, ctypes.c_ulong(" + std::to_string(pidns::mark) +
            ")), ctypes.get_errno())'",
        "-1 " + std::to_string(EPERM) + "\n");
    EXPECT_TRUE(outside.running());
}

TEST_P(Unprivileged, AbstractSocketsOutsideAreOutOfReach) {
    if (landlock::abi() < landlock::signal_scope_abi) GTEST_SKIP() << "this kernel's Landlock has no scopes";
    if (!available("python3")) GTEST_SKIP() << "python3 is not installed";
    const Fd server(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "ctr-test-" + std::to_string(getpid());
    name.copy(address.sun_path + 1, name.size());
    ASSERT_EQ(bind(server.get(), reinterpret_cast<const sockaddr*>(&address),
                   static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size())),
              0);
    ASSERT_EQ(listen(server.get(), 1), 0);
    const std::string connect =
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); print(s.connect_ex(\"\\0" + name +
        "\"))'";
    EXPECT_EQ(shell(connect).out, std::to_string(EPERM) + "\n");
    EXPECT_EQ(shell(connect, {"--ipc=host"}).out, "0\n");
}

TEST_P(Unprivileged, NothingStaysWhoeverIsKilled) {
    enum class Victim { keeper, monitor, init };
    const std::string storm = copy(victim("storm"));
    for (const Victim target : {Victim::keeper, Victim::monitor, Victim::init}) {
        const std::string mark = "unprivileged-mark-" + std::to_string(getpid());
        Background container(in_docker({"--", storm, mark}), options());
        ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
        const pid_t monitor = first_child(container.pid());
        const pid_t init = first_child(monitor);
        ASSERT_EQ(kill(target == Victim::keeper    ? container.pid()
                       : target == Victim::monitor ? monitor
                                                   : init,
                       SIGKILL),
                  0);
        EXPECT_NE(container.wait().code, -1);
        for (int patience = 0; patience < 1000 && someone_has(mark); ++patience) usleep(10000);
        EXPECT_FALSE(someone_has(mark)) << static_cast<int>(target);
    }
}

TEST_P(Unprivileged, WhatIsAskedForByNameIsAnError) {
    const SmallRoot root;
    const Arguments wishes[] = {{"--rootfs", root.path()}, {"--hostname", "box"}, {"--network", "none"},
                                {"--userns=yes"},          {"--tmpfs", "/tmp"},   {"--bind", "/usr:/mnt"},
                                {"--read-only"},           {"--user", "0:0"},     {"--pidns=kernel"}};
    for (Arguments wish : wishes) {
        wish.push_back("true");
        const Outcome outcome = start(as_in_docker(), wish);
        EXPECT_EQ(outcome.code, 125) << outcome;
        for (const char* words : {"create the container's first process in its namespaces", "clone3: EPERM",
                                  "forbids user namespaces", "try: ", "--pidns=flat", "ctr check"})
            EXPECT_TRUE(contains(outcome.err, words)) << wish.front() << ": " << words << "\n" << outcome;
    }
}

TEST_F(Confined, HostNumbersTakeNoNamespacesEither) {
    const Outcome outcome = start(as_in_docker(), {"--pidns=host", "--", "sh", "-c", "(exit 3); exit $?"});
    EXPECT_EQ(outcome.code, 3) << outcome;
    EXPECT_EQ(count(outcome.err, "not isolated"), 1U) << outcome;
}

TEST_F(Confined, WhereNothingCanBeMountedUserNamespacesAreOfNoUse) {
    const Outcome outcome = start(below(no_mounts), {"--", "sh", "-c", "echo $$; (exit 3); exit $?"});
    EXPECT_EQ(outcome.out, "1\n") << outcome;
    EXPECT_EQ(outcome.code, 3) << outcome;
    EXPECT_TRUE(contains(outcome.err, "not isolated")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "mount: EPERM")) << outcome;
    const Outcome named = start(below(no_mounts), {"--hostname", "box", "true"});
    EXPECT_EQ(named.code, 125) << named;
    for (const char* words : {"make all mounts private", "mount: EPERM", "try: "})
        EXPECT_TRUE(contains(named.err, words)) << words << "\n" << named;
}

TEST_F(Confined, HiddenPartsOfProcOnlyMatterToTheKernelsNumbers) {
    const Outcome kernel = start(with_hidden_proc(), {"--pidns=kernel", "true"});
    if (contains(kernel.err, "clone3: ")) GTEST_SKIP() << "user namespaces are not available here";
    EXPECT_EQ(kernel.code, 125) << kernel;
    for (const char* words :
         {"mount a fresh /proc", "EPERM", "mount too revealing", "/proc/cmdline", "--pidns=flat"})
        EXPECT_TRUE(contains(kernel.err, words)) << words << "\n" << kernel;
    const Outcome flat =
        start(with_hidden_proc(), {"--pidns=flat", "--", "sh", "-c", "echo $$; readlink /proc/self/ns/mnt"});
    EXPECT_EQ(flat.code, 0) << flat;
    EXPECT_TRUE(flat.out.starts_with("1\n")) << flat;
    EXPECT_EQ(flat.err, "") << "it is isolated";
}

TEST_F(Confined, ALimitOfNoUserNamespacesIsQuoted) {
    const Outcome flat = start(without_user_namespaces(), {"--", "sh", "-c", "echo $$"});
    EXPECT_EQ(flat.out, "1\n") << flat;
    const Outcome kernel = start(without_user_namespaces(), {"--pidns=kernel", "true"});
    EXPECT_EQ(kernel.code, 125) << kernel;
    for (const Outcome& outcome : {flat, kernel})
        for (const char* words : {"clone3: ENOSPC", "user.max_user_namespaces = 0"})
            EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome;
    EXPECT_FALSE(contains(start(as_in_docker(), {"--pidns=kernel", "true"}).err, "max_user_namespaces"))
        << "it is fine there";
}

TEST_F(Confined, CheckSaysWhatIsLeft) {
    const Outcome outcome = run(check(as_in_docker()), options());
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "ctr run works here.")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "not isolated")) << outcome;
}

}  // namespace
}  // namespace ctr::test
