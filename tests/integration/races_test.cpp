// Races, and other corners in which a layer can be caught: programs that attack it from inside. Every victim
// says in its own file what it proves. The kernel's namespace runs the same programs: what it says is right.
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr int repetitions = 3;
constexpr const char* print_number = "echo $$";

class Mode : public testing::TestWithParam<const char*> {
  protected:
    static std::string mode() { return std::string("--pidns=") + GetParam(); }
    static bool is_kernel() { return std::string(GetParam()) == "kernel"; }

    static Arguments container(const Arguments& command, const Arguments& options = {}) {
        Arguments argv{ctr_binary(), "run", mode()};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.push_back("--");
        argv.insert(argv.end(), command.begin(), command.end());
        return argv;
    }

    // The same output and exit code, time after time. A program that hangs ends with -1.
    static void always(const Arguments& command, const std::string& expected, const Arguments& options = {}) {
        for (int i = 0; i < repetitions; ++i) {
            const Outcome outcome = run(container(command, options));
            ASSERT_EQ(outcome.code, 0) << "run " << i << "\n" << outcome;
            ASSERT_EQ(outcome.out, expected) << "run " << i << "\n" << outcome;
        }
    }
};

std::string name_of(const testing::TestParamInfo<const char*>& mode) {
    return mode.param;
}

bool has_user_namespaces() {
    return run({"unshare", "-Ur", "true"}).code == 0;
}

// ---- Threads, exec and creation ---------------------------------------------------------------------------

class Race : public Mode {};
INSTANTIATE_TEST_SUITE_P(Modes, Race, testing::Values("flat", "multi", "kernel"), name_of);

TEST_P(Race, ThreadsForkWhileAnotherExecutes) {
    for (const char* handler : {"none", "before", "after"}) {
        SCOPED_TRACE(handler);
        always({victim("execstorm"), "100", handler}, "execstorm: finished\n");
    }
}

TEST_P(Race, AThreadExecutesBesideALeaderWithASignalHandler) {
    always({victim("heldexec")}, "heldexec: process 1\n");
}

TEST_P(Race, AThreadExecutesAfterAFailedClone) {
    always({victim("failexec")}, "failexec: process 1\n");
}

TEST_P(Race, ForkIsNeverInterruptedBySignals) {
    always({victim("sigfork"), "succeeding"}, "sigfork: succeeding: 0 failures\n");
}

TEST_P(Race, AForkThatFailsIsNeverInterruptedBySignals) {
    always({victim("sigfork"), "failing"}, "sigfork: failing: 0 failures\n");
}

TEST_P(Race, RawForksOfThreadsAreNeverInterruptedBySignals) {
    always({victim("sigfork"), "threads"}, "sigfork: threads: 0 failures\n");
}

TEST_P(Race, AForkingProcessStopsAndContinues) {
    always({victim("stopcont")}, "stopcont: 500 rounds\n");
}

// ---- Process 1, and who is outside ------------------------------------------------------------------------

TEST_P(Race, ATracerComesAndGoes) {
    always({victim("detach"), "100"}, "detach: finished\n");
}

TEST_P(Race, ABindMountShowsTheProcessThatWasNamed) {
    if (geteuid() != 0) GTEST_SKIP() << "takes root";
    const ScratchDirectory place;
    const std::string script =
        "sleep 60 & while [ \"$(cat /proc/$!/comm)\" != sleep ]; do :; done; mount --bind /proc/$! " +
        place.path() + " || exit; cut -d ' ' -f 1-2 " + place.path() + "/stat; kill $!";
    const Outcome outcome = run(container({"sh", "-c", script}, {"--cap-add", "ALL"}));
    EXPECT_TRUE(outcome.out.starts_with("2 (sleep)\n")) << outcome;
}

TEST_P(Race, APathMayLieInMemoryThatTheContainerServes) {
    const ScratchDirectory place;
    const Outcome outcome = run(container({victim("servedpath"), place.path()}, {"--cap-add", "ALL"}));
    if (outcome.code == 77 || geteuid() != 0) GTEST_SKIP() << "no FUSE here";
    EXPECT_EQ(outcome.out, "servedpath: process 1\n") << outcome;
}

TEST_P(Race, AFileWithANameOfTheLayersOwnShowsNothing) {
    const ScratchDirectory place;
    for (int i = 0; i < repetitions; ++i) {
        const Outcome outcome = run(container({victim("forgedname"), place.path() + "/fifo"}));
        EXPECT_EQ(outcome.out, "forgedname: finished\n") << outcome;
    }
}

TEST_P(Race, ProcessOneReceivesAndSurvivesASignalThatItBlocks) {
    always({victim("blockterm")}, "blockterm: received\nblockterm: alive\n");
}

TEST_P(Race, ProcessOneCanHaveNoSibling) {
    always({victim("cloneparent")},
           "cloneparent: by process 1: Invalid argument\ncloneparent: by its child: right\n");
}

TEST_P(Race, ADirectoryOfProcSignalsNobodyOutside) {
    const Background outside({"sleep", "60"});
    const std::string directory = "/proc/" + std::to_string(outside.pid());
    Arguments argv{"sh", "-c", "directory=$1; shift; exec \"$@\" <\"$directory\"", "sh", directory};
    for (const std::string& word : container({victim("procsignal"), "0"})) argv.push_back(word);
    const Outcome outcome = run(argv);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "outside: Invalid argument\ninside: received\n") << outcome;
    EXPECT_TRUE(outside.running());
}

TEST_P(Race, AProcOfAnotherNamespaceIsRefusedWhereItIsNeeded) {
    const std::string unshare = geteuid() == 0 ? "-pf" : "-Urpf";
    if (run({"unshare", unshare, "true"}).code != 0) GTEST_SKIP() << "no pid namespaces here";
    Arguments argv{"unshare", unshare};
    for (const std::string& word : container({"true"})) argv.push_back(word);
    const Outcome foreign = run(argv);
    argv.insert(argv.begin() + 2, "--mount-proc");
    const Outcome own = run(argv);
    EXPECT_EQ(own.code, 0) << own;
    EXPECT_EQ(foreign.code, is_kernel() ? 0 : 125) << foreign;
    if (is_kernel()) return;
    EXPECT_NE(foreign.err.find("/proc that is mounted here shows another pid namespace"), std::string::npos)
        << foreign;
    EXPECT_NE(foreign.err.find("--mount-proc"), std::string::npos) << foreign;
}

// ---- Namespaces inside ------------------------------------------------------------------------------------

class NestedRace : public Mode {
  protected:
    void SetUp() override {
        if (!has_user_namespaces()) GTEST_SKIP() << "unshare -Ur isn't possible here";
    }

    // The kernel gives a new /proc to those only from whom nothing of the outer one is hidden.
    static void always_within(const Arguments& command, const std::string& expected) {
        always(command, expected, is_kernel() ? Arguments{"--system-paths=host"} : Arguments());
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, NestedRace, testing::Values("flat", "multi", "kernel"), name_of);

TEST_P(NestedRace, ANamespaceEndsWithItsInit) {
    always({victim("nestkill")}, "nestkill: all ended\n");
}

TEST_P(NestedRace, UnshareMakesANamespaceWithAProcOfItsOwn) {
    always_within({"unshare", "-Urpf", "--mount-proc", "sh", "-c", print_number}, "1\n");
}

TEST_P(NestedRace, BubblewrapMakesANamespace) {
    if (!available("bwrap")) GTEST_SKIP() << "bwrap is not installed";
    Arguments bwrap{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"};
    if (run({"bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"}).code != 0)
        GTEST_SKIP() << "bwrap doesn't work here";
    bwrap.insert(bwrap.end(), {"sh", "-c", print_number});
    always_within(bwrap, "2\n");  // process 1 is bwrap's own
}

TEST_P(NestedRace, AContainerInAContainerInAContainerHasNumbersFromOneOn) {
    // A sanitized ctr looks for leaks at its end by ptrace, which the layer around it has taken already.
    const Arguments within{"env", "ASAN_OPTIONS=detect_leaks=0"};
    Arguments command{"sh", "-c", print_number};
    for (int level = 1; level < 3; ++level) {
        command = container(command, is_kernel() ? Arguments{"--system-paths=host"} : Arguments());
        command.insert(command.begin(), within.begin(), within.end());
    }
    always_within(command, "1\n");
}

// The kernel allows 32 levels below the first (MAX_PID_NS_LEVEL), and the container is one of them.
TEST_P(NestedRace, NamespacesNeverTakeTheLastDescriptors) {
    if (geteuid() != 0) GTEST_SKIP() << "takes root";
    const std::string many =
        "for i in 1 2 3 4 5; do for j in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do "
        "unshare -pf sleep 60 2>/dev/null & done; done; sleep 1; "
        "read n rest </proc/self/stat; [ \"$n\" = $$ ] && echo right";
    Arguments argv = container({"sh", "-c", many}, {"--cap-add", "ALL"});
    argv.insert(argv.begin(), {"sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"});
    const Outcome outcome = run(argv);
    EXPECT_EQ(outcome.out, "right\n") << outcome;
}

TEST_P(NestedRace, NamespacesHaveALimitOfDepth) {
    if (!is_kernel()) {
        always({victim("nestdeep")}, "nestdeep: 31 levels, then No space left on device\n");
        return;
    }
    const Outcome outcome = run(container({victim("nestdeep")}));
    EXPECT_TRUE(std::regex_match(outcome.out,
                                 std::regex("nestdeep: [1-3]?\\d levels, then No space left on device\n")))
        << outcome << "\nfewer than 31 if the host is a container itself";
}

// ---- Few numbers ------------------------------------------------------------------------------------------

class FewNumbers : public Mode {};
INSTANTIATE_TEST_SUITE_P(Modes, FewNumbers, testing::Values("flat", "multi"), name_of);

// 299 children beside process 1. After the highest, numbers go on from 300 on, as the kernel's (RESERVED_PIDS
// are left to the time of start-up).
TEST_P(FewNumbers, GoOnAfterTheHighestAndCanBeHadAgain) {
    always({victim("fewnumbers"), "301"}, "fewnumbers: 299 children at once, later 1\n",
           {"--pid-max", "301"});
    always({victim("fewnumbers"), "400"}, "fewnumbers: 398 children at once, later 100\n",
           {"--pid-max", "400"});
}

}  // namespace
}  // namespace ctr::test
