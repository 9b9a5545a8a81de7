// Ordinary programs in containers: shells, interpreters, build tools, C libraries and runtimes of every kind.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr int repetitions = 20;
constexpr Identity nobody_else{54321, 54321};  // an id that no other process of the host has

// For modes in which the container has numbers of its own.
class Program : public testing::TestWithParam<const char*> {
  protected:
    static std::string mode() { return std::string("--pidns=") + GetParam(); }

    static Outcome inside(Arguments command, const RunOptions& options = {}) {
        Arguments arguments{mode(), "--"};
        arguments.insert(arguments.end(), command.begin(), command.end());
        return ctr_run(arguments, options);
    }

    static Outcome shell(const std::string& script) { return inside({"sh", "-c", script}); }

    // The same output and exit code, time after time.
    static void always(const Arguments& command, const std::string& expected,
                       const RunOptions& options = {}) {
        for (int i = 0; i < repetitions; ++i) {
            const Outcome outcome = inside(command, options);
            ASSERT_EQ(outcome.code, 0) << "run " << i << "\n" << outcome;
            ASSERT_EQ(outcome.out, expected) << "run " << i << "\n" << outcome;
        }
    }

    // `victim`'s report: its own number is 1, and everybody agrees about the child's.
    static void family(const std::string& name) {
        const std::string program = victim(name);
        if (!available(program)) GTEST_SKIP() << "not built, its compiler is missing: " << name;
        static const std::regex report("parent 1\nchild (\\d+) of 1\ncreated (\\d+), ended (\\d+) with 7\n");
        for (int i = 0; i < repetitions; ++i) {
            const Outcome outcome = inside({program});
            std::smatch number;
            ASSERT_EQ(outcome.code, 0) << outcome;
            ASSERT_TRUE(std::regex_match(outcome.out, number, report)) << outcome;
            ASSERT_EQ(number[1], number[2]) << outcome;
            ASSERT_EQ(number[1], number[3]) << outcome;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Modes, Program, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Program, AShellAndItsChildrenHaveNumbersFromOneOn) {
    always({"sh", "-c", "echo $$; sh -c \"echo \\$\\$; echo \\$PPID\"; (exit 3); echo $?"}, "1\n2\n1\n3\n");
}

TEST_P(Program, DynamicGlibcAgreesWithItsChild) {
    family("family-glibc");
}
TEST_P(Program, StaticGlibcAgreesWithItsChild) {
    family("family-glibc-static");
}
TEST_P(Program, DynamicMuslAgreesWithItsChild) {
    family("family-musl");
}
TEST_P(Program, StaticMuslAgreesWithItsChild) {
    family("family-musl-static");
}
TEST_P(Program, GoAgreesWithItsChild) {
    family("family-go");
}

TEST_P(Program, RawSystemCallsCreateProcesses) {
    always({victim("rawcalls")}, "rawcalls: 0 failures\n");
}
TEST_P(Program, PosixSpawnCreatesProcesses) {
    always({victim("spawned")}, "spawned: all right\n");
}
TEST_P(Program, IgnoredChildrenVanish) {
    always({victim("autoreap"), "100"}, "autoreap: 100 children came and went\n");
}
TEST_P(Program, AThreadThatExecutesTakesItsLeadersNumber) {
    always({victim("threadexec")}, "threadexec: process 1\n");
}
TEST_P(Program, AnOrphanComesToProcessOne) {
    always({victim("orphan")}, "orphan of 2, now of 1\n");
}

TEST_P(Program, BashControlsJobs) {
    if (!available("bash")) GTEST_SKIP() << "bash is not installed";
    always({"bash", "-c", "sleep 60 & kill %1; wait $!; echo $?"}, "143\n");
    always({"bash", "-c", "sleep 5 & kill %1; wait; echo done"}, "done\n");
}

TEST_P(Program, BashControlsJobsInGroupsOfTheirOwn) {
    if (!available("bash")) GTEST_SKIP() << "bash is not installed";
    always({"bash", "-c",
            "set -m; sleep 60 & kill -STOP %1; jobs -s %1 >/dev/null; kill -CONT %1; kill %1; wait %1 "
            "2>/dev/null; echo $?"},
           "143\n");
    always({"bash", "-c", "set -m; (sleep 60; :) & kill -TERM -- -$!; wait $! 2>/dev/null; echo $?"},
           "143\n");
    always({"bash", "-c", "true | cat | wc -l; echo ${PIPESTATUS[*]}"}, "0\n0 0 0\n");
}

TEST_P(Program, PythonStartsProcesses) {
    if (!available("/usr/bin/python3")) GTEST_SKIP() << "/usr/bin/python3 is not installed";
    static const char* const script = R"(
import os, signal, subprocess, sys
done = subprocess.run(["sh", "-c", "echo $PPID; exit 4"], capture_output=True, text=True)
assert done.returncode == 4 and int(done.stdout) == os.getpid(), done
child = os.fork()
if child == 0:
    os._exit(5 if os.getppid() == 1 else 6)
assert os.waitpid(child, 0) == (child, 5 << 8)
sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
assert os.getpgid(sleeper.pid) == os.getsid(sleeper.pid) == sleeper.pid
os.killpg(sleeper.pid, signal.SIGTERM)
assert sleeper.wait() == -signal.SIGTERM
assert os.waitstatus_to_exitcode(os.waitpid(os.spawnlp(os.P_NOWAIT, "true", "true"), 0)[1]) == 0
print(os.getpid(), "ok")
)";
    always({"/usr/bin/python3", "-c", script}, "1 ok\n");
}

TEST_P(Program, PythonRunsAPoolOfProcesses) {
    if (!available("/usr/bin/python3")) GTEST_SKIP() << "/usr/bin/python3 is not installed";
    always({"/usr/bin/python3", "-c",
            "import multiprocessing as m\nwith m.get_context('fork').Pool(3) as p: print(sum(p.map(abs, "
            "range(-50, 0))))"},
           "1275\n");
}

TEST_P(Program, PerlForksKillsAndWaits) {
    if (!available("perl")) GTEST_SKIP() << "perl is not installed";
    static const char* const script = R"(
my $child = fork() // die;
if (!$child) { exec 'sleep', '60' }
kill('TERM', $child) == 1 or die;
waitpid($child, 0) == $child or die;
my $signal = $? & 127;
my $out = `echo \$PPID; exit 3`;
print "$$ $signal ", $? >> 8, " $out";
)";
    always({"perl", "-e", script}, "1 15 3 1\n");
}

TEST_P(Program, MakeBuildsInParallel) {
    if (!available("make")) GTEST_SKIP() << "make is not installed";
    const ScratchDirectory place;
    std::ofstream(place.path() + "/Makefile") << "parts := $(shell seq 1 24)\n"
                                                 "all: $(parts:%=part-%)\n\t@cat $^ | wc -l\n"
                                                 "part-%:\n\t@sh -c 'echo $*' > $@\n"
                                                 "clean:\n\t@rm -f part-*\n";
    RunOptions options;
    options.cwd = place.path();
    always({"sh", "-c", "make -s clean && make -s -j4 all"}, "24\n", options);
}

TEST_P(Program, GitWorks) {
    if (!available("git")) GTEST_SKIP() << "git is not installed";
    const ScratchDirectory place;
    RunOptions options;
    options.cwd = place.path();
    options.env = {{"HOME", place.path()},
                   {"GIT_AUTHOR_NAME", "a"},
                   {"GIT_AUTHOR_EMAIL", "a@b"},
                   {"GIT_COMMITTER_NAME", "a"},
                   {"GIT_COMMITTER_EMAIL", "a@b"}};
    static const char* const script = R"(
set -e
rm -rf tree
git init -q tree
cd tree
for i in 1 2 3; do echo $i > file; git add file; git commit -qm "change $i"; done
git gc -q
git log --oneline | wc -l
git fsck >/dev/null 2>&1 && git status --porcelain
)";
    always({"sh", "-c", script}, "3\n", options);
}

TEST_P(Program, AChainOfProcessesAgrees) {
    const Outcome nested = inside({example("nested"), "20"});
    EXPECT_EQ(nested.code, 0) << nested;
    EXPECT_TRUE(std::regex_search(nested.out,
                                  std::regex("level 20: pid 21, parent 20; .*\nnested: 20 levels agree\n")))
        << nested;
}

// ---- Nobody outside
// -------------------------------------------------------------------------------------------------

TEST_P(Program, AProcessOfTheHostHasNoNumberInside) {
    const Background outside({"sleep", "60"});
    const Outcome outcome = shell("kill -0 " + std::to_string(outside.pid()));
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("No such process"), std::string::npos) << outcome;
    EXPECT_EQ(shell("kill -TERM -- -" + std::to_string(outside.pid()) + " 2>/dev/null || echo none").out,
              "none\n");
    EXPECT_TRUE(outside.running());
}

// A witness outside counts what reaches it. The signal's default is to be ignored, so that even a layer that
// lets it out harms nobody; only when that holds does the next test send a deadly one, as a user whom nobody
// else can suffer from.
TEST_P(Program, ASignalToEverybodyStaysInside) {
    const Background witness({"sh", "-c",
                              "trap 'echo reached' URG; trap 'echo asked' USR1; echo ready;"
                              "while :; do sleep 0.02; done"});
    ASSERT_TRUE(witness.wait_for_output("ready"));
    const Outcome outcome =
        shell("sleep 60 & trap 'echo self' URG; kill -URG -1; kill -TERM $!; wait $!; echo $?");
    EXPECT_EQ(outcome.out, "143\n") << outcome;
    witness.kill(SIGUSR1);  // when it has answered this one, it would have answered the other
    ASSERT_TRUE(witness.wait_for_output("asked"));
    EXPECT_EQ(witness.out(), "ready\nasked\n");
}

TEST_P(Program, ADeadlySignalToEverybodyStaysInside) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user of whom there is no other process";
    const ScratchDirectory place;
    const std::string ctr = place.copy(ctr_binary());
    RunOptions other;
    other.identity = nobody_else;
    const Background witness({"sleep", "60"}, other);
    const Outcome probe = run({ctr, "run", mode(), "--", "true"}, other);
    if (probe.code != 0) GTEST_SKIP() << "no container for an unprivileged user here: " << probe.err;
    const Outcome outcome =
        run({ctr, "run", mode(), "--", "sh", "-c",
             "sleep 60 & first=$!; sleep 60 & kill -TERM -1; wait $first; echo $?; wait $!; echo $?"},
            other);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "143\n143\n") << outcome;
    EXPECT_TRUE(witness.running());
}

// ---- Exit status and signals
// ----------------------------------------------------------------------------------------

TEST_P(Program, TheExitCodeIsTheCommands) {
    for (const int code : {0, 1, 3, 23, 77, 255}) EXPECT_EQ(shell("exit " + std::to_string(code)).code, code);
}

TEST_P(Program, WhatCannotBeStartedIs126Or127) {
    const ScratchDirectory place;
    std::ofstream(place.path() + "/data") << "no program";
    const Outcome missing = inside({"/nonexistent/program"});
    EXPECT_EQ(missing.code, 127) << missing;
    EXPECT_NE(missing.err.find("/nonexistent/program"), std::string::npos) << missing;
    const Outcome nowhere = inside({"no-such-program-anywhere"});
    EXPECT_EQ(nowhere.code, 127) << nowhere;
    const Outcome forbidden = inside({place.path() + "/data"});
    EXPECT_EQ(forbidden.code, 126) << forbidden;
    EXPECT_NE(forbidden.err.find("data"), std::string::npos) << forbidden;
    EXPECT_EQ(inside({place.path()}).code, 126) << "a directory";
}

TEST_P(Program, WhatTheLauncherRefusesIs125) {
    EXPECT_EQ(ctr_run({mode(), "--no-such-option", "--", "true"}).code, 125);
    EXPECT_EQ(ctr_run({mode()}).code, 125);
    EXPECT_EQ(ctr_run({mode(), "--rootfs", "/nonexistent", "--", "true"}).code, 125);
}

TEST_P(Program, ACommandThatDiesOfASignalIs128PlusIt) {
    // Process 1 is immune to its own signals; a program below it isn't.
    EXPECT_EQ(shell("sh -c 'kill -KILL $$'").code, 137);
    EXPECT_EQ(shell("sh -c 'kill -ABRT $$'; exit $?").code, 134);
    EXPECT_EQ(shell("kill -ABRT $$; kill -KILL $$; exit 5").code, 5) << "process 1 ignores both";
    EXPECT_EQ(shell("(sleep 0.05; exit 5) & exit 3").code, 3) << "an orphan's exit code isn't the command's";
}

TEST_P(Program, SignalsToTheLauncherReachTheCommand) {
    static constexpr std::pair<int, const char*> signals[] = {{SIGTERM, "TERM"}, {SIGINT, "INT"},
                                                              {SIGHUP, "HUP"},   {SIGQUIT, "QUIT"},
                                                              {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}};
    for (const auto& [number, name] : signals) {
        Background container({ctr_binary(), "run", mode(), "--", "sh", "-c",
                              std::string("trap 'echo caught; exit 9' ") + name +
                                  "; echo ready; while :; do sleep 0.02; done"});
        ASSERT_TRUE(container.wait_for_output("ready")) << name;
        container.kill(number);
        const Outcome outcome = container.wait();
        EXPECT_EQ(outcome.code, 9) << name << "\n" << outcome;
        EXPECT_EQ(outcome.out, "ready\ncaught\n") << name;
    }
}

TEST_P(Program, AChildThatTheLauncherDoesNotKnowIsNoTrouble) {
    if (!available("bash")) GTEST_SKIP() << "bash is not installed";
    for (int i = 0; i < 5; ++i) {
        const Outcome outcome =
            run({"bash", "-c", "(exec \"$0\" run \"$1\" -- sh -c 'exit 23') < <(sleep 0.1); exit $?",
                 ctr_binary(), mode()});
        ASSERT_EQ(outcome.code, 23) << outcome;
    }
}

TEST_P(Program, StandardInputAndOutputAreTheCallers) {
    RunOptions options;
    options.input = "one\ntwo\n";
    const Outcome outcome = inside({"sh", "-c", "cat; echo err >&2"}, options);
    EXPECT_EQ(outcome.out, "one\ntwo\n");
    EXPECT_EQ(outcome.err, "err\n");
}

// ---- Who may
// ----------------------------------------------------------------------------------------------------

TEST_P(Program, AnUnprivilegedUserHasTheSameNumbers) {
    if (geteuid() != 0) GTEST_SKIP() << "the other tests are this one already";
    const ScratchDirectory place;
    RunOptions other;
    other.identity = nobody_else;
    other.cwd = "/";
    const std::string ctr = place.copy(ctr_binary());
    if (run({"unshare", "-U", "true"}, other).code != 0)
        GTEST_SKIP() << "no user namespaces for others than root here";
    const Outcome outcome =
        run({ctr, "run", mode(), "--", "sh", "-c", "echo $$; sh -c 'echo $$ $PPID'; id -u"}, other);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "1\n2 1\n54321\n") << outcome;
}

TEST_P(Program, RunsBelowAnotherUserNamespace) {
    if (run({"unshare", "-Urm", "true"}).code != 0) GTEST_SKIP() << "unshare -Urm isn't possible here";
    const Outcome outcome = run(
        {"unshare", "-Urm", ctr_binary(), "run", mode(), "--", "sh", "-c", "echo $$; sh -c 'echo $$ $PPID'"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "1\n2 1\n") << outcome;
}

// ---- Without numbers, and from another program
// --------------------------------------------------------------------

TEST(HostMode, NumbersAreTheHosts) {
    const Outcome outcome =
        ctr_run({"--pidns=host", "--", "sh", "-c", "echo $$; readlink /proc/self >/dev/null; exit 3"});
    EXPECT_EQ(outcome.code, 3) << outcome;
    EXPECT_GT(std::stoi(outcome.out), 2) << outcome;
}

TEST(DefaultMode, IsFlat) {
    EXPECT_EQ(ctr_run({"--", "sh", "-c", "echo $$"}).out, "1\n");
}

TEST(Embedding, AProgramStartsAContainerThroughTheLibrary) {
    const std::string program = example("embed");
    const Outcome outcome = run({program});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_NE(outcome.out.find("inside, I am process 1\n"), std::string::npos) << outcome;
    EXPECT_NE(outcome.out.find("it ended with 3\n"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace ctr::test
