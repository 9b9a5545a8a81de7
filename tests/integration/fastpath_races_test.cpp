// The code inside workloads (pidns/guest), attacked from inside: signals at any point of it, children that
// end before their creator knows them, bad pointers. Every victim says in its own file what it proves, and
// does the same outside of containers.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <tuple>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// Numbering, and whether the C library is instrumented.
class FastPath : public testing::TestWithParam<std::tuple<const char*, bool>> {
  protected:
    void SetUp() override {
        if (is_fast() && !is_root()) GTEST_SKIP() << "only root can surely mount copies over the originals";
    }

    static bool is_fast() { return std::get<1>(GetParam()); }

    static Outcome start(const Arguments& command, const Arguments& options = {}) {
        Arguments argv{ctr_binary(), "run", std::string("--pidns=") + std::get<0>(GetParam()),
                       std::string("--pid-fastpath=") + (is_fast() ? "auto" : "off")};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.push_back("--");
        argv.insert(argv.end(), command.begin(), command.end());
        return run(argv);
    }
    static void expect_output(const Arguments& command, const std::string& output,
                              const Arguments& options = {}) {
        const Outcome outcome = start(command, options);
        EXPECT_EQ(outcome.code, 0) << outcome;
        EXPECT_EQ(outcome.out, output) << outcome;
    }
    static void expect_same(const Arguments& command) {
        const Outcome native = run(command);
        ASSERT_EQ(native.code, 0) << native;
        expect_output(command, native.out);
    }
};

INSTANTIATE_TEST_SUITE_P(Modes, FastPath, testing::Combine(testing::Values("flat", "multi"), testing::Bool()),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) +
                                    (std::get<1>(test.param) ? "_fast" : "_net");
                         });

// ---- Signals

// Through the net some of these are known to fail with EINTR (handlers without SA_RESTART).
TEST_P(FastPath, CallsUnderAStormOfSignals) {
    const Arguments handlers = is_fast() ? Arguments{"plain", "siginfo", "stack"} : Arguments{"restart"};
    for (const char* call : {"fork", "vfork", "spawn", "getpid", "kill", "path", "message", "thread"})
        for (const std::string& handler : handlers)
            expect_output({victim("timerstorm"), call, handler},
                          std::string("timerstorm: ") + call + " " + handler + ": right\n");
}

TEST_P(FastPath, SignalsAtEveryInstruction) {
    for (const char* call : {"getpid", "getppid", "fork", "kill", "stat", "link", "action"})
        for (const char* handler : {"plain", "siginfo"})
            expect_output({victim("everystep"), call, handler},
                          std::string("everystep: ") + call + " " + handler + ": right\n");
}

// ---- Children

TEST_P(FastPath, ChildrenThatAreWaitedForBeforeForkReturns) {
    for (const char* how : {"handler", "threads", "asking"})
        expect_output({victim("earlywait"), how}, std::string("earlywait: ") + how + ": 0 wrong\n");
}

TEST_P(FastPath, ProgramsThatAskWhoTheyAreBeforeTheirCreatorsKnow) {
    expect_output({victim("spawnrace"), "1000"}, "spawnrace: 0 failures\n");
}

TEST_P(FastPath, KilledCreatorsLeaveNoNumbersBehind) {
    expect_output({victim("killstorm"), "100"}, "killstorm: nothing leaks\n", {"--pid-max", "512"});
}

TEST_P(FastPath, KilledNamespacesLeaveNoNumbersBehind) {
    expect_output({victim("killstorm"), "100", "nested"}, "killstorm: nothing leaks\n", {"--pid-max", "512"});
}

TEST_P(FastPath, ASubreapersOrphansGetNothingThatIsItsChildrens) {
    expect_same({victim("subreaper"), "200"});
}

TEST_P(FastPath, NobodyOutlivesTheInitOfANamespace) {
    expect_output({victim("nestescape"), "200"}, "nestescape: 0 got away\n");
}

// ---- Threads

TEST_P(FastPath, CancelledThreadsAreUnwound) {
    expect_same({victim("cancelled")});
}

TEST_P(FastPath, LocksKnowTheirOwnersAndACrowdMakesChildren) {
    expect_same({victim("locks")});
}

// ---- A hostile program

TEST_P(FastPath, ScribbledNumbersHangNobody) {
    expect_output({victim("scribble")},
                  is_fast() ? "scribble: finished\n" : "scribble: there are no numbers here\n");
}

// ---- Little room, bad pointers

TEST_P(FastPath, LittleStack) {
    expect_output({victim("smallstack")}, "smallstack: 0 failures\n");
}

// Go's stacks begin with 2 KiB, and grow by what its compiler knows of.
TEST_P(FastPath, StacksOfGo) {
    if (!available(victim("depths-go"))) GTEST_SKIP() << "there is no Go compiler";
    for (int i = 0; i < 3; ++i) expect_output({victim("depths-go")}, "depths: 0 failures\n");
}

TEST_P(FastPath, BadPointers) {
    expect_same({victim("badpointers")});
}

// ---- Filters of programs' own

TEST_P(FastPath, FiltersOfProgramsSeeOnlyTheirCalls) {
    for (const char* call : {"getpid", "getppid", "kill", "wait", "open", "create", "stat", "read", "message",
                             "action", "fork", "group", "arrival"})
        for (const char* when : {"late", "early", "thread"}) {
            const std::string name = call;
            if (std::string(when) == "early" && (name == "kill" || name == "wait" || name == "arrival"))
                continue;  // of a child made before
            expect_output({victim("filtered"), call, when}, name + ": right\n");
        }
}

TEST_P(FastPath, ConfinesItselfAsOpenSshDoes) {
    if (!is_root()) GTEST_SKIP() << "needs root, who may chroot";
    for (const char* when : {"early", "late"}) expect_same({victim("preauth"), when});
}

// ---- Started in unusual ways

TEST_P(FastPath, WithoutRandomAddressesAndWithoutEnvironment) {
    for (const char* name : {"family-glibc", "family-glibc-static", "family-musl", "family-go"}) {
        if (!available(victim(name))) continue;
        const Outcome usual = start({victim(name)});
        EXPECT_EQ(usual.code, 0) << usual;
        expect_output({"setarch", "-R", victim(name)}, usual.out);
        expect_output({"env", "-i", victim(name)}, usual.out);
        expect_output({"env", "-i", "/usr/bin/setarch", "-R", victim(name)}, usual.out);
    }
}

// As an ordinary user, whom the program gives root's rights.
TEST_P(FastPath, SetUserIdPrograms) {
    if (!is_root()) GTEST_SKIP() << "needs root, to install such a program";
    const ScratchDirectory directory;
    const std::string program = directory.copy(victim("privileged"));
    ASSERT_EQ(chmod(program.c_str(), 04755), 0);
    const std::string user = std::to_string(somebody.uid) + ":" + std::to_string(somebody.gid);
    const Arguments options{"--user", user, "--no-new-privs=false", "-e", "LD_LIBRARY_PATH=/nowhere"};
    const Arguments command{"sh", "-c", program + "; true"};
    Arguments kernel{ctr_binary(), "run", "--pidns=kernel"};
    kernel.insert(kernel.end(), options.begin(), options.end());
    kernel.insert(kernel.end(), command.begin(), command.end());
    const Outcome expected = run(kernel);
    if (!contains(expected.out, "secure 1")) GTEST_SKIP() << "no set-user-id programs here: " << expected;
    EXPECT_TRUE(contains(expected.out, "acts as 0, library path dropped")) << expected;
    expect_output(command, expected.out, options);
}

}  // namespace
}  // namespace ctr::test
