// What users of such tools have run into: the whole table at once, in every numbering mode, by root and by an
// ordinary user. What is looked into more closely has tests of its own elsewhere.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "cmd/option_table.h"
#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

using Json = nlohmann::json;

class Reports : public Launcher {
  protected:
    void SetUp() override {
        Launcher::SetUp();
        binary_ = programs_.copy(ctr_binary());
    }
    static bool numbers() { return mode() != "host"; }

    // For what runs beside the test. No cgroup is needed for any of it.
    Arguments command(const Arguments& options, const std::string& script) const {
        Arguments argv{binary_, "run", "--pidns=" + mode(), "-w", "/"};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.insert(argv.end(), {"--", "sh", "-c", script});
        return argv;
    }
    static RunOptions as_caller() {
        RunOptions options;
        options.identity = owner();
        options.cwd = "/";
        return options;
    }
    Outcome python(const std::string& script) const {
        return start({"--", "/usr/bin/python3", "-c", script});
    }

    // What --status-fd says, by kinds of events. The command writes nothing that isn't an object.
    std::map<std::string, Json> events(Arguments options, const std::string& script) const {
        options.insert(options.end(), {"--status-fd", "1"});
        return by_event(shell(options, script).out);
    }
    static std::map<std::string, Json> by_event(const std::string& text) {
        std::map<std::string, Json> events;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            const Json object = Json::parse(line, nullptr, false);
            if (object.is_object() && object.contains("event")) events[object["event"]] = object;
        }
        return events;
    }

    ScratchDirectory programs_;
    std::string binary_;
};

INSTANTIATE_TEST_SUITE_P(Everybody, Reports,
                         testing::Combine(testing::Values(Caller::root, Caller::user),
                                          testing::Values("flat", "multi", "kernel", "host")),
                         name_of);

// ---- Numbers

TEST_P(Reports, TheCommandIsProcessOneInEveryModeButHost) {
    const Outcome outcome = shell({}, "echo $$");
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out == "1\n", numbers()) << outcome;
}

TEST_P(Reports, TheLinkToOneselfIsTheProcessThatAsks) {
    EXPECT_EQ(shell({}, "exec readlink /proc/self").out == "1\n", numbers());
    const Outcome outcome = python(
        "import os\nfor i in range(3):\n    assert os.readlink('/proc/self') == str(os.getpid())\n"
        "    if os.fork(): os._exit(os.waitstatus_to_exitcode(os.wait()[1]))\n");
    EXPECT_EQ(outcome.code, 0) << outcome;
}

TEST_P(Reports, OneProcessHearsTheSameNumberFromAll) {
    static const char* const script = R"(
import fcntl, os, signal, socket, struct
me = os.getpid()
assert int(open('/proc/self/stat').read().split()[0]) == me
here, there = socket.socketpair()
there.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
here.send(b'x')
credentials = there.recvmsg(1, socket.CMSG_SPACE(12))[1][0][2]
assert struct.unpack('iII', credentials)[0] == me
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGCHLD])
os.kill(me, signal.SIGUSR1)
assert signal.sigwaitinfo([signal.SIGUSR1]).si_pid == me
fcntl.fcntl(here, fcntl.F_SETOWN, me)
assert fcntl.fcntl(here, fcntl.F_GETOWN) == me
child = os.fork()
if child == 0:
    os._exit(3 if os.getppid() == me else 4)
assert signal.sigwaitinfo([signal.SIGCHLD]).si_pid == child
assert os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT).si_pid == child
assert os.waitpid(child, 0) == (child, 3 << 8)
print('agree')
)";
    const Outcome outcome = python(script);
    EXPECT_EQ(outcome.out, "agree\n") << outcome;
}

TEST_P(Reports, ASignalToAllReachesNobodyOutside) {
    if (!numbers()) GTEST_SKIP() << "under host numbers a user may signal what is his";
    Background outside({"sh", "-c", "trap 'echo hit; exit 1' TERM; echo up; while :; do sleep 0.02; done"},
                       as_caller());
    ASSERT_TRUE(outside.wait_for_output("up"));
    const Outcome outcome = shell(
        {},
        "sleep 30 & while [ $(cat /proc/$!/comm) != sleep ]; do :; done; kill -TERM -1; wait $!; echo $?");
    EXPECT_EQ(outcome.out, "143\n") << outcome;
    EXPECT_TRUE(outside.running());
    EXPECT_EQ(outside.out(), "up\n");
}

// ---- Pid 1, signals, exit status

// Process 1 has no default actions, as in the kernel's namespaces; with an init the command isn't process 1.
TEST_P(Reports, AbortIs134) {
    EXPECT_EQ(shell({"--init"}, "kill -ABRT $$").code, 134);
    EXPECT_EQ(shell({}, "sh -c 'kill -ABRT $$'; exit $?").code, 134);
    EXPECT_EQ(shell({}, "kill -ABRT $$").code, numbers() ? 0 : 134);
}

TEST_P(Reports, SignalsReachTheCommandAndCtrDoesNotDieFirst) {
    for (const auto& [number, name] :
         {std::pair{SIGINT, "INT"}, std::pair{SIGTERM, "TERM"}, std::pair{SIGHUP, "HUP"},
          std::pair{SIGQUIT, "QUIT"}, std::pair{SIGUSR1, "USR1"}, std::pair{SIGUSR2, "USR2"}})
        for (const bool init : {false, true}) {
            Background container(command(init ? Arguments{"--init"} : Arguments{},
                                         std::string("trap 'sleep 0.1; echo bye; exit 9' ") + name +
                                             "; echo ready; while :; do sleep 0.02; done"),
                                 as_caller());
            ASSERT_TRUE(container.wait_for_output("ready")) << name << container.err();
            container.kill(number);
            const Outcome outcome = container.wait();
            EXPECT_EQ(outcome.code, 9) << name << outcome;
            EXPECT_EQ(outcome.out, "ready\nbye\n") << name;
        }
}

TEST_P(Reports, AResizedTerminalEndsNothing) {
    Background container(command({}, "echo ready; read line; exit 6"), [] {
        RunOptions options = as_caller();
        options.input = "";
        return options;
    }());
    ASSERT_EQ(container.wait().code, 6) << "standard input is /dev/null";
    Background waiting(command({}, "trap 'exit 6' TERM; echo ready; while :; do sleep 0.02; done"),
                       as_caller());
    ASSERT_TRUE(waiting.wait_for_output("ready"));
    waiting.kill(SIGWINCH);
    waiting.kill(SIGCONT);
    waiting.kill(SIGTERM);
    EXPECT_EQ(waiting.wait().code, 6);
}

size_t count_with(const std::string& text) {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
        std::ostringstream arguments;
        arguments << std::ifstream(entry.path() / "cmdline").rdbuf();
        if (contains(arguments.str(), text)) ++count;
    }
    return count;
}

TEST_P(Reports, WhatIsLeftRunningIsGone) {
    const std::string seconds = "99." + std::to_string(getpid());
    EXPECT_EQ(shell({}, "sleep " + seconds + " & setsid sleep " + seconds + " & exit 4").code, 4);
    EXPECT_EQ(count_with(seconds), 0U);
}

TEST_P(Reports, ForeignChildrenAreNoTrouble) {
    if (!available("bash")) GTEST_SKIP() << "bash is not installed";
    RunOptions options = as_caller();
    const Outcome outcome = run({"bash", "-c", "(exec \"$@\") < <(sleep 0.1); exit $?", "bash", binary_,
                                 "run", "--pidns=" + mode(), "--", "sh", "-c", "exit 23"},
                                options);
    EXPECT_EQ(outcome.code, 23) << outcome;
}

TEST_P(Reports, AnOrphansStatusIsNotTheCommands) {
    for (const Arguments& options : {Arguments{}, Arguments{"--init"}})
        EXPECT_EQ(shell(options, "(sh -c 'exit 5' & exec true); sleep 0.05; exit 3").code, 3);
}

// Each option there is, or a word why not.
TEST_P(Reports, TheCommandsStatusIsCtrsWithEveryOption) {
    const ScratchDirectory state;
    if (owner()) {
        ASSERT_EQ(chown(state.path().c_str(), owner()->uid, owner()->gid), 0);
    }
    const bool root = caller() == Caller::root;
    const std::string where = state.path();
    const std::map<std::string, std::vector<Arguments>> table = {
        {"pidns", {{}}},
        {"pid-lookup", {{"--pid-lookup=hash"}, {"--pid-lookup", "list"}}},
        {"pid-fastpath", {{"--pid-fastpath=auto"}, {"--pid-fastpath", "off"}}},
        {"pid-max", mode() == "flat" || mode() == "multi" ? std::vector<Arguments>{{"--pid-max", "400"}}
                                                          : std::vector<Arguments>{}},
        {"rootfs", {{"--rootfs", "/"}}},
        {"overlay", root ? std::vector<Arguments>{{"--rootfs", "/", "--overlay"}} : std::vector<Arguments>{}},
        {"read-only", {{"--read-only"}}},
        {"volume", {{"-v", "/etc:/mnt:ro"}, {"--volume", "/etc:/mnt"}}},
        {"bind", {{"--bind", "/etc:/mnt"}}},
        {"ro-bind", {{"--ro-bind", "/etc:/mnt"}}},
        {"tmpfs", {{"--tmpfs", "/mnt:size=1m"}}},
        {"dev", {{"--dev", "/dev"}}},
        {"workdir", {{"-w", "/"}, {"--workdir=/"}}},
        {"hostname", {{"--hostname", "box"}}},
        {"env", {{"-e", "A=B"}, {"--env", "HOME"}}},
        {"env-clear", {{"--env-clear"}}},
        {"user", {{"-u", "0"}, {"--user", "7:8"}}},
        {"userns", {{"--userns=yes"}, {"--userns=auto"}}},
        {"network", {{"--network", "none"}, {"--network=host"}}},
        {"ipc", {{"--ipc", "host"}, {"--ipc=private"}}},
        {"uts", {{"--uts", "host"}}},
        {"cgroupns", {{"--cgroupns", "host"}}},
        {"system-paths", {{"--system-paths", "host"}}},
        {"time", {{"--time", "private,boottime=100"}, {"--time=host"}}},
        {"share-with", root ? std::vector<Arguments>{{"--share-with", std::to_string(getpid()) + ":uts"}}
                            : std::vector<Arguments>{}},
        {"cap-add", {{"--user=0", "--cap-add", "KILL"}}},
        {"cap-drop", {{"--cap-drop", "ALL"}}},
        {"no-new-privs", {{"--no-new-privs"}, {"--no-new-privs=false"}}},
        {"seccomp", {{"--seccomp", "default"}, {"--seccomp=off"}}},
        {"memory", root ? std::vector<Arguments>{{"-m", "256m"}} : std::vector<Arguments>{}},
        {"cpus", root ? std::vector<Arguments>{{"--cpus", "1"}} : std::vector<Arguments>{}},
        {"pids-limit", root ? std::vector<Arguments>{{"--pids-limit", "100"}} : std::vector<Arguments>{}},
        {"ulimit", {{"--ulimit", "nofile=100"}}},
        {"interactive", {{"-i"}}},
        {"tty", {{"-t"}, {"-it"}}},
        {"name", {{"--name", "x", "--state-dir", where}}},
        {"rm", {{"--name", "x", "--rm", "--state-dir", where}}},
        {"init", {{"--init"}}},
        {"stop-signal", {{"--stop-signal", "INT"}}},
        {"die-with-parent", {{"--die-with-parent"}}},
        {"state-dir", {{"--name", "y", "--state-dir", where}}},
        {"log-level", {{"--log-level", "warn"}}},
        {"log-format", {{"--log-format", "json"}}},
        // They don't end with the command's status, write what isn't asked for here, or take a device that
        // may be limited: io_limit_test.
        {"detach", {}},
        {"dry-run", {}},
        {"help", {}},
        {"status-fd", {}},
    };
    for (const cmd::Option& option : cmd::run_options()) {
        if (std::string(option.name).starts_with("device-") || std::string(option.name).starts_with("io-") ||
            std::string(option.name).starts_with("blkio-"))
            continue;
        ASSERT_TRUE(table.contains(option.name)) << "no case for --" << option.name;
        for (const Arguments& options : table.at(option.name)) {
            const Outcome outcome = shell(options, "exit 23");
            // No controller may be there, or none that may be used: said, and no success.
            if (outcome.code == 125 && contains(outcome.err, "controller")) continue;
            EXPECT_EQ(outcome.code, 23) << option.name << outcome;
        }
    }
}

TEST_P(Reports, WhatKeepsTheCommandFromRunningIsInTheStatusToo) {
    const auto failed = [&](const Arguments& arguments) {
        Arguments all{"--status-fd", "1"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = start(all);
        auto found = by_event(outcome.out);
        EXPECT_FALSE(found.contains("started")) << outcome;
        EXPECT_EQ(found["failed"]["status"], outcome.code) << outcome;
        EXPECT_NE(found["failed"]["message"], "") << outcome;
        return found["failed"];
    };
    EXPECT_EQ(failed({"/etc/passwd"})["status"], 126);
    EXPECT_EQ(failed({"/no/such/command"})["status"], 127);
    const Json rootless = failed({"--rootfs", "/no/such/root", "true"});
    EXPECT_EQ(rootless["status"], 125);
    EXPECT_EQ(rootless["error"], "ENOENT");
    EXPECT_TRUE(contains(rootless["step"], "/no/such/root"));
}

TEST_P(Reports, TheStatusSaysHowTheCommandEnded) {
    auto ended = events({"--init"}, "exit 3");
    EXPECT_EQ(ended["exited"]["status"], 3);
    EXPECT_EQ(ended["exited"]["signal"], 0);
    // An init ends with the status of its command.
    EXPECT_EQ(events({"--init"}, "kill -KILL $$")["exited"]["status"], 137);
    // Without one the signal itself is told, but process 1 of its own numbers doesn't die of it.
    EXPECT_EQ(events({}, "kill -KILL $$")["exited"]["signal"], numbers() ? 0 : SIGKILL);
}

// ---- Numbers for those outside

TEST_P(Reports, TheStatusHasTheHostsNumbersOfInitAndCommand) {
    for (const bool init : {false, true}) {
        Arguments options{"--status-fd", "1"};
        if (init) options.emplace_back("--init");
        Background container(command(options, "trap 'exit 8' TERM; echo ready; while :; do sleep 0.02; done"),
                             as_caller());
        ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
        ASSERT_TRUE(container.wait_for_output("started")) << container.err();
        auto found = by_event(container.out());
        const int first = found["started"].value("init", 0);
        const int command = found["started"].value("command", 0);
        EXPECT_EQ(first != command, init);
        std::ostringstream arguments;
        arguments << std::ifstream("/proc/" + std::to_string(command) + "/cmdline").rdbuf();
        EXPECT_TRUE(contains(arguments.str(), "trap 'exit 8' TERM")) << arguments.str();
        // To the command, and not to a helper of the launcher's.
        ASSERT_EQ(kill(command, SIGTERM), 0);
        EXPECT_EQ(container.wait().code, 8);
    }
}

// An init soon has other children than its command.
TEST_P(Reports, TheCommandIsNotTakenForAnOrphan) {
    if (numbers()) GTEST_SKIP() << "only under host numbers the command knows its number outside";
    for (int i = 0; i < 30; ++i) {
        const Outcome outcome = shell({"--init", "--status-fd", "1"},
                                      "(sleep 1 & exec true); (sleep 1 & exec true); echo \"own $$\"");
        auto found = by_event(outcome.out);
        EXPECT_TRUE(
            contains(outcome.out, "own " + std::to_string(found["started"].value("command", 0)) + "\n"))
            << outcome;
    }
}

// ---- The host refuses, and what it lacks

TEST_P(Reports, AMaskedPathThatThisKernelLacksIsNoError) {
    if (fs::exists("/proc/timer_stats")) GTEST_SKIP() << "this kernel has all that is masked";
    const SmallRoot root(owner());
    EXPECT_EQ(shell({"--rootfs", root.path()}, "exit 23").code, 23);
}

// ---- Teardown

std::set<std::string> groups() {
    std::set<std::string> found;
    std::error_code vanished;
    for (fs::recursive_directory_iterator
             at("/sys/fs/cgroup", fs::directory_options::skip_permission_denied, vanished),
         end;
         at != end; at.increment(vanished))
        if (at->path().filename().string().starts_with("ctr-")) found.insert(at->path().string());
    return found;
}

TEST_P(Reports, TerminatedCtrLeavesNoGroup) {
    if (caller() != Caller::root) GTEST_SKIP() << "only root surely may make groups";
    if (start({"--pids-limit", "50", "true"}).code != 0)
        GTEST_SKIP() << "there is no controller of processes here";
    const auto before = groups();
    Background container(command({"--pids-limit", "50", "--init"}, "echo ready; exec sleep 60"), as_caller());
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    EXPECT_NE(groups(), before);
    container.kill(SIGTERM);
    EXPECT_EQ(container.wait().code, 143);
    EXPECT_EQ(groups(), before);
}

}  // namespace
}  // namespace ctr::test
