// Programs that look at processes, in containers: ps and its relatives, debuggers, and what copies files of
// /proc. The same in every mode.
#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

class ProcProgram : public testing::TestWithParam<const char*> {
  protected:
    // Begins a script: $P sleeps, and is no shell any more.
    static inline const std::string running =
        "sleep 100 & P=$!; while [ $(cat /proc/$P/comm) != sleep ]; do :; done; ";

    // The script's output; `program` must be installed.
    static void prints(const std::string& program, const std::string& script, const std::string& expected) {
        if (!available(program)) GTEST_SKIP() << program << " is not installed";
        constexpr int repetitions = 5;
        for (int i = 0; i < repetitions; ++i) {
            const Outcome outcome = ctr_run({std::string("--pidns=") + GetParam(), "--", "sh", "-c", script});
            ASSERT_EQ(outcome.out, expected) << "run " << i << "\n" << outcome;
            ASSERT_EQ(outcome.code, 0) << outcome;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Modes, ProcProgram, testing::Values("flat", "multi", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(ProcProgram, PsShowsTheContainerOnly) {
    prints("ps",
           "F=$(mktemp); sleep 100 & sleep 0.2; ps -e -o pid= -o ppid= -o comm= > $F; tr -s ' ' < $F; kill "
           "$!; rm $F",
           " 1 0 sh\n 3 1 sleep\n 5 1 ps\n");
}

TEST_P(ProcProgram, PgrepAndPkillFindByName) {
    prints("pkill", running + "[ $(pgrep -x sleep) = $P ] && pkill -x sleep; wait $P; echo $?", "143\n");
}

TEST_P(ProcProgram, KillallKillsByName) {
    prints("killall", running + "killall sleep; wait $P 2>/dev/null; echo $?", "143\n");
}

TEST_P(ProcProgram, PstreeBeginsWithTheCommand) {
    prints("pstree", "F=$(mktemp); sleep 100 & sleep 0.1; pstree -p 1 > $F; tr -d ' ' < $F; kill $!; rm $F",
           "sh(1)-+-pstree(5)\n`-sleep(3)\n");
}

TEST_P(ProcProgram, FuserFindsWhoHasAFileOpen) {
    prints("fuser",
           "F=$(mktemp); sleep 100 3>$F & sleep 0.1; [ $(fuser $F 2>/dev/null) = $! ] && echo found; kill "
           "$!; rm $F",
           "found\n");
}

TEST_P(ProcProgram, TopCountsTheContainersTasks) {
    prints("top", "sleep 100 & sleep 0.1; top -b -n 1 | awk '/^Tasks/ {print $2}'; kill $!", "4\n");
}

TEST_P(ProcProgram, AFileOfProcCanBeCopied) {
    prints("cp", "F=$(mktemp); cp /proc/self/status $F && head -n 1 $F; rm $F", "Name:\tcp\n");
}

TEST_P(ProcProgram, StraceFollowsAShell) {
    prints(
        "strace",
        "strace -f -o /dev/null sh -c 'echo in; (exit 3); echo $?; sleep 0.01 & wait $!; echo $?'; echo $?",
        "in\n3\n0\n0\n");
}

// Tracees of tracees are traced from their first instruction: what they make is numbered by the monitor.
TEST_P(ProcProgram, StraceFollowsAShellsChildrenAndTheirs) {
    const std::string once =
        "strace -f -o /dev/null sh -c 'for i in 1 2 3 4; do (exit $i); echo $?; done | cat'";
    prints("strace", "for round in 1 2 3; do " + once + "; done", "1\n2\n3\n4\n1\n2\n3\n4\n1\n2\n3\n4\n");
}

TEST_P(ProcProgram, StraceNamesTheContainersNumbers) {
    prints("strace",
           "F=$(mktemp); strace -f -o $F -e trace=wait4 sh -c '(exit 3); :'; "
           "C=$(sed -n 's/ *+++ exited with 3 +++//p' $F); "
           "grep -c \"WEXITSTATUS(s) == 3}\\], 0, NULL) = $C\\$\" $F; grep -c \"si_pid=$C,\" $F; "
           "[ $C -lt 20 ] && echo small; rm $F",
           "1\n1\nsmall\n");
}

TEST_P(ProcProgram, StraceAttachesToARunningShell) {
    prints("strace",
           "(for i in 1 2 3 4 5 6 7 8; do sleep 0.05; done; echo done) & P=$!; sleep 0.1; "
           "strace -f -o /dev/null -p $P 2>/dev/null; wait $P; echo $?",
           "done\n0\n");
}

TEST_P(ProcProgram, GdbRunsAProgramToItsEnd) {
    prints("gdb",
           "F=$(mktemp); echo '(exit 3); exit $?' > $F; "
           "gdb -nx -batch -ex run --args sh $F 2>/dev/null | grep -c 'exited with code 03'; rm $F",
           "1\n");
}

}  // namespace
}  // namespace ctr::test
