// Containers that go on without their starter, and what is done to them by their names.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <list>
#include <string>

#include "tests/integration/life_fixture.h"
#include "tests/support/terminal.h"

namespace ctr::test {
namespace {

constexpr const char* handles_term = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done";

INSTANTIATE_TEST_SUITE_P(Modes, Life, testing::Values("flat", "multi", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Life, ADetachedContainerGoesOnUntilItIsStopped) {
    const Outcome started = detach(handles_term);
    ASSERT_EQ(started.code, 0) << started;
    EXPECT_EQ(started.out, "c\n");
    ASSERT_TRUE(logged("ready"));
    EXPECT_EQ(ctr({"list", "-q"}).out, "c\n");
    const Json running = state();
    EXPECT_EQ(running["status"], "running");
    EXPECT_EQ(running["pid"], init());
    EXPECT_EQ(running["pidns"], GetParam());
    EXPECT_NE(ctr({"rm", "c"}).code, 0) << "it runs";

    EXPECT_EQ(ctr({"stop", "c"}).code, 0);
    EXPECT_EQ(state()["status"], "stopped");
    EXPECT_EQ(state()["exitStatus"], 5);
    EXPECT_EQ(ctr({"wait", "c"}).out, "5\n") << "also when it has ended long ago";
    EXPECT_EQ(ctr({"logs", "c"}).out, "ready\nbye\n");
    EXPECT_EQ(ctr({"stop", "c"}).code, 0) << "it is stopped, as asked for";
    EXPECT_EQ(ctr({"kill", "c"}).code, 125);
    EXPECT_EQ(ctr({"exec", "c", "true"}).code, 125);
    EXPECT_EQ(ctr({"rm", "c"}).code, 0);
    EXPECT_EQ(ctr({"list", "-q"}).out, "");
}

TEST_P(Life, WaitingIsToldTheEnd) {
    ASSERT_EQ(detach(handles_term, {"--rm"}).code, 0);
    ASSERT_TRUE(logged("ready"));
    Background waiting(command({"wait", "c"}), with_state());
    Background following(command({"logs", "-f", "c"}), with_state());
    ASSERT_TRUE(following.wait_for_output("ready"));
    EXPECT_EQ(ctr({"kill", "-s", "TERM", "c"}).code, 0);
    const Outcome waited = waiting.wait();
    // With --rm nothing is left that could be read later; who waited before is told all the same. Who came
    // too late finds nothing.
    EXPECT_TRUE(waited.out == "5\n" || contains(waited.err, "none of that name")) << waited;
    EXPECT_TRUE(contains(following.wait().out, "bye"));
    EXPECT_EQ(ctr({"list", "-q"}).out, "");
}

TEST_P(Life, StandardInputIsEmptyAndBothOutputsAreLogged) {
    ASSERT_EQ(detach("cat; echo out; echo err >&2; printf tail").code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "0\n");
    const Outcome logs = ctr({"logs", "c"});
    EXPECT_EQ(logs.out, "out\ntail");
    EXPECT_EQ(logs.err, "err\n");
}

TEST_P(Life, TheLastLinesOfALogAndTheirTimesCanBeHad) {
    ASSERT_EQ(detach("for i in 1 2 3 4; do echo line $i; done").code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "0\n");
    EXPECT_EQ(ctr({"logs", "--tail", "2", "c"}).out, "line 3\nline 4\n");
    EXPECT_EQ(ctr({"logs", "-n", "0", "c"}).out, "");
    EXPECT_EQ(ctr({"logs", "-f", "-n", "9", "c"}).out, "line 1\nline 2\nline 3\nline 4\n");
    const std::string line = ctr({"logs", "-t", "-n1", "c"}).out;
    EXPECT_TRUE(line.starts_with("20") && line.ends_with("Z line 4\n")) << line;
    EXPECT_EQ(ctr({"logs", "-n", "-1", "c"}).code, 125);
}

TEST_P(Life, MoreThanTheLogHoldsStopsNobody) {
    ASSERT_EQ(detach("yes $(printf %0200d 0) | head -c 20000000; echo end; exit 3").code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "3\n");
    EXPECT_TRUE(contains(ctr({"logs", "c"}).out, "end\n"));
    uintmax_t size = 0;
    for (const auto& entry : fs::directory_iterator(state_directory() + "/c"))
        if (entry.is_regular_file()) size += entry.file_size();
    EXPECT_LT(size, 20U << 20);
}

TEST_P(Life, ANameIsTakenOnce) {
    ASSERT_EQ(detach("echo ready; sleep 60; :").code, 0);
    ASSERT_TRUE(logged("ready"));
    const size_t before = count_with(mark_);
    const Outcome second = detach("sleep 60");
    EXPECT_EQ(second.code, 125);
    EXPECT_TRUE(contains(second.err, "taken")) << second;
    EXPECT_TRUE(eventually([&] { return count_with(mark_) <= before; }));
}

TEST_P(Life, AFailedStartLeavesNothingBehind) {
    const Outcome missing = ctr({"run", "-d", "--name", "c", std::string("--pidns=") + GetParam(), "/nope"});
    EXPECT_EQ(missing.code, 127) << missing;
    EXPECT_TRUE(contains(missing.err, "/nope"));
    EXPECT_EQ(ctr({"list", "-q"}).out, "");
}

TEST_P(Life, InTheForegroundANameIsThereUntilTheEnd) {
    Background container(command({"run", "--name", "c", std::string("--pidns=") + GetParam(), "--", "sh",
                                  "-c", handles_term, mark_}),
                         with_state());
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    EXPECT_EQ(state()["detached"], false);
    EXPECT_EQ(exec("exit 4").code, 4);
    EXPECT_EQ(ctr({"stop", "c"}).code, 0);
    EXPECT_EQ(container.wait().code, 5);
    EXPECT_EQ(ctr({"list", "-q"}).out, "");
}

TEST_P(Life, StoppingUsesItsSignalAndThenForce) {
    ASSERT_EQ(detach("trap 'exit 4' USR1; trap '' TERM; echo ready; while :; do sleep 0.05; done",
                     {"--stop-signal", "USR1"})
                  .code,
              0);
    ASSERT_TRUE(logged("ready"));
    EXPECT_EQ(ctr({"stop", "c"}).code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "4\n");
    ASSERT_EQ(ctr({"rm", "c"}).code, 0);
    ASSERT_EQ(detach("trap '' TERM; echo ready; while :; do sleep 0.05; done").code, 0);
    ASSERT_TRUE(logged("ready"));
    EXPECT_EQ(ctr({"stop", "-t", "0", "c"}).code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "137\n");
}

TEST_P(Life, APausedContainerStandsStillAndCanBeEnded) {
    ASSERT_EQ(detach(handles_term).code, 0);
    ASSERT_TRUE(logged("ready"));
    const Outcome paused = ctr({"pause", "c"});
    if (contains(paused.err, "no cgroup")) GTEST_SKIP() << paused.err;
    ASSERT_EQ(paused.code, 0) << paused;
    EXPECT_EQ(state()["status"], "paused");
    EXPECT_EQ(ctr({"exec", "c", "true"}).code, 125);
    EXPECT_EQ(ctr({"kill", "-s", "TERM", "c"}).code, 0);
    EXPECT_EQ(state()["status"], "paused");
    EXPECT_EQ(ctr({"resume", "c"}).code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "5\n") << "the signal was kept";
    ASSERT_EQ(ctr({"rm", "c"}).code, 0);

    ASSERT_EQ(detach(handles_term).code, 0);
    ASSERT_TRUE(logged("ready"));
    ASSERT_EQ(ctr({"pause", "c"}).code, 0);
    EXPECT_EQ(ctr({"stop", "c"}).code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "5\n");
    ASSERT_EQ(ctr({"rm", "c"}).code, 0);

    ASSERT_EQ(detach(handles_term).code, 0);
    ASSERT_EQ(ctr({"pause", "c"}).code, 0);
    EXPECT_EQ(ctr({"rm", "-f", "c"}).code, 0);
}

TEST_P(Life, WhatIsExecutedIsAProcessOfTheContainer) {
    const std::string over = scratch_.path() + "/over";
    ASSERT_EQ(detach("sleep 60 & echo ready; wait; until [ -e " + over + " ]; do sleep 0.05; done").code, 0);
    ASSERT_TRUE(logged("ready"));
    EXPECT_EQ(exec("echo $PPID; readlink /proc/self/ns/mnt; [ $$ = $(sh -c 'echo $PPID') ] && echo same").out,
              "0\n" + fs::read_symlink("/proc/" + std::to_string(init()) + "/ns/mnt").string() + "\nsame\n");
    EXPECT_TRUE(contains(exec("cat /proc/1/cmdline | tr '\\0' ' '").out, "sleep 60"));
    EXPECT_EQ(exec("exit 23").code, 23);
    EXPECT_EQ(exec("kill -TERM $$").code, 143);
    EXPECT_EQ(ctr({"exec", "c", "/nope"}).code, 127);
    EXPECT_EQ(ctr({"exec", "c", "/etc/passwd"}).code, 126);
    EXPECT_EQ(ctr({"exec", "-e", "A=\xff", "-w", "/tmp", "c", "sh", "-c", "echo $A $PWD"}).out,
              "\xff /tmp\n");
    RunOptions input;
    input.input = "from outside";
    EXPECT_EQ(exec("cat", input).out, "from outside");
    EXPECT_EQ(exec("kill -0 4194303; kill -TERM -1; echo still here").out, "still here\n");
    std::ofstream(over).flush();
    EXPECT_TRUE(eventually([&] { return state()["status"] == "stopped"; })) << "its wait has ended";
}

TEST_P(Life, WhatIsExecutedMayDoWhatTheCommandMay) {
    const std::string look =
        "grep -E '^(Cap|NoNewPrivs|Uid|Gid|Groups|SigBlk|SigIgn)' /proc/self/status; "
        "readlink /proc/self/ns/*; cat /proc/self/cgroup; hostname; id; ulimit -n";
    ASSERT_EQ(detach(look + "; echo ready; sleep 60", {"--hostname", "box", "--cap-drop", "CHOWN"}).code, 0);
    ASSERT_TRUE(logged("ready"));
    EXPECT_EQ(exec(look + "; echo ready").out, ctr({"logs", "c"}).out);
}

TEST_P(Life, WhatIsExecutedIsLimitedAsTheCommandIs) {
    ASSERT_EQ(detach("sleep 100", {"--seccomp=default", "--ulimit", "nofile=64", "--time",
                                   "private,boottime=100000000", "--init"})
                  .code,
              0);
    const Outcome limits = exec("ulimit -n; grep -c 'Seccomp:.2' /proc/self/status");
    EXPECT_EQ(limits.out, "64\n1\n") << limits;
    const Outcome refused = exec("unshare --user true");
    EXPECT_NE(refused.code, 0) << refused;
    EXPECT_TRUE(contains(refused.err, "not permitted")) << refused;
    EXPECT_GT(std::atof(exec("cat /proc/uptime").out.c_str()), 1e8);
}

TEST_P(Life, WhatIsExecutedHasTheCallersLimitOfDescriptors) {
    ASSERT_EQ(test::run({"sh", "-c", "ulimit -Sn 77; exec \"$@\"", "sh", ctr_binary(), "run", "-d", "--name",
                         "c", std::string("--pidns=") + GetParam(), "--", "sh", "-c", "sleep 100; :", mark_},
                        with_state())
                  .code,
              0);
    EXPECT_EQ(exec("ulimit -Sn").out, "77\n");
}

TEST_P(Life, ItsNamespacesAreSharedByName) {
    ASSERT_EQ(detach("sleep 100", {"--hostname", "shared"}).code, 0);
    const Arguments run{"run", std::string("--pidns=") + GetParam()};
    const auto sharing = [&](const Arguments& options) {
        Arguments all = run;
        all.insert(all.end(), options.begin(), options.end());
        return ctr(all);
    };
    EXPECT_EQ(sharing({"--share-with", "c:uts", "--", "uname", "-n"}).out, "shared\n");
    const Outcome unknown = sharing({"--share-with", "nobody:uts", "--", "true"});
    EXPECT_EQ(unknown.code, 125);
    EXPECT_TRUE(contains(unknown.err, "\"nobody\"")) << unknown;
    // What is executed in one that shares is where that one is.
    ASSERT_EQ(
        sharing({"-d", "--name", "d", "--share-with", "c:uts", "--", "sh", "-c", "sleep 100; :", mark_}).code,
        0);
    EXPECT_EQ(ctr({"exec", "d", "uname", "-n"}).out, "shared\n");
}

TEST_P(Life, ManyAreExecutedAtOnce) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    std::list<Background> all;
    for (int i = 0; i < 20; ++i)
        all.emplace_back(command({"exec", "c", "sh", "-c",
                                  "i=0; while [ $i -lt 20 ]; do (exit 3); i=$((i+$?-2)); done; exit $1",
                                  mark_, std::to_string(i)}),
                         with_state());
    int expected = 0;
    for (Background& one : all) {
        const Outcome outcome = one.wait();
        EXPECT_EQ(outcome.code, expected++) << outcome;
    }
    // None of their numbers is left.
    EXPECT_EQ(ctr({"ps", "c"}).out.find("exit 3"), std::string::npos);
}

TEST_P(Life, WhatIsExecutedReachesAndIsReached) {
    ASSERT_EQ(detach("trap 'echo got; exit 6' USR1; echo ready; while :; do sleep 0.05; done").code, 0);
    ASSERT_TRUE(logged("ready"));
    Background sleeper(command({"exec", "c", "sh", "-c", "echo $$; exec sleep 61", mark_}), with_state());
    ASSERT_TRUE(sleeper.wait_for_output("\n"));
    const std::string number = sleeper.out().substr(0, sleeper.out().find('\n'));
    EXPECT_EQ(exec("kill -KILL " + number).code, 0);
    EXPECT_EQ(sleeper.wait().code, 137);
    EXPECT_EQ(exec("kill -USR1 1").code, 0);
    EXPECT_EQ(ctr({"wait", "c"}).out, "6\n");
}

TEST_P(Life, WhatIsExecutedEndsWithWhoOrderedItAndWithTheContainer) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    Background first(command({"exec", "c", "sh", "-c", "echo ready; sleep 62; :", mark_ + "-first"}),
                     with_state());
    ASSERT_TRUE(first.wait_for_output("ready"));
    first.kill(SIGKILL);
    EXPECT_TRUE(eventually([&] { return count_with(mark_ + "-first") == 0; }));
    Background second(command({"exec", "c", "sh", "-c",
                               "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done", mark_}),
                      with_state());
    ASSERT_TRUE(second.wait_for_output("ready"));
    second.kill(SIGTERM);
    EXPECT_EQ(second.wait().code, 9) << "signals reach it";
    Background third(command({"exec", "c", "sh", "-c", "echo ready; sleep 62; :", mark_}), with_state());
    ASSERT_TRUE(third.wait_for_output("ready"));
    EXPECT_EQ(ctr({"kill", "c"}).code, 0);
    EXPECT_EQ(third.wait().code, 137);
}

TEST_P(Life, PidAndPsTakeItsName) {
    ASSERT_EQ(detach("sleep 63 & echo ready; wait").code, 0);
    ASSERT_TRUE(logged("ready"));
    const Outcome second = ctr({"pid", "c", "2"});
    ASSERT_EQ(second.code, 0) << second;
    EXPECT_TRUE(
        contains(content("/proc/" + second.out.substr(0, second.out.size() - 1) + "/cmdline"), "sleep"));
    EXPECT_EQ(ctr({"pid", "c", "77"}).code, 125);
    EXPECT_TRUE(contains(ctr({"ps", "c"}).out, "sleep 63"));
    EXPECT_EQ(ctr({"ps", "nobody"}).code, 125);
}

TEST_P(Life, ContainersDoNotSeeWhereOthersAreWrittenDown) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const Outcome inside = ctr(
        {"run", "--name", "d", std::string("--pidns=") + GetParam(), "--", "sh", "-c",
         // A sanitized ctr's leak check doesn't work under ptrace.
         "ls $CTR_STATE_DIR; echo; ASAN_OPTIONS=detect_leaks=0 " + ctr_binary() + " run -d --name c -- true",
         mark_});
    EXPECT_EQ(inside.code, 0) << inside;
    EXPECT_EQ(inside.out, "\nc\n") << "the name is another one inside";
    EXPECT_EQ(ctr({"run", std::string("--pidns=") + GetParam(), "--", "sh", "-c", "ls $CTR_STATE_DIR"}).out,
              "")
        << "nor do those that have no name";
}

enum class Victim { keeper, monitor, both, init };
class Crash : public Life {};
INSTANTIATE_TEST_SUITE_P(Modes, Crash, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Crash, WhoeverIsKilledNothingIsLeft) {
    for (const Victim victim : {Victim::keeper, Victim::monitor, Victim::both, Victim::init})
        for (const bool remove : {false, true}) {
            ASSERT_EQ(detach("sleep 64 & echo ready; wait", remove ? Arguments{"--rm"} : Arguments{}).code,
                      0);
            ASSERT_TRUE(logged("ready"));
            const pid_t first = init();
            const pid_t monitor = parent_of(first);
            const pid_t keeper = parent_of(monitor);
            const bool grouped = ctr({"pause", "c"}).code == 0 && ctr({"resume", "c"}).code == 0;
            // Without a group only the kernel's namespace holds together what lost both.
            if (victim == Victim::both && !grouped && GetParam() == std::string("flat")) continue;
            if (victim == Victim::both) ::kill(keeper, SIGSTOP);  // neither can react to the other's death
            if (victim == Victim::init) ::kill(first, SIGKILL);
            if (victim == Victim::monitor || victim == Victim::both) ::kill(monitor, SIGKILL);
            if (victim == Victim::keeper || victim == Victim::both) ::kill(keeper, SIGKILL);
            const std::string what = "victim " + std::to_string(static_cast<int>(victim));
            EXPECT_TRUE(eventually([&] {
                const std::string list = ctr({"list"}).out;
                return !contains(list, "c ") || contains(list, "stopped");
            })) << what;
            EXPECT_TRUE(eventually([&] { return count_with(mark_) == 0; })) << what;
            EXPECT_TRUE(eventually([&] { return count_groups() <= groups_; })) << what;
            EXPECT_EQ(ctr({"list", "-q"}).out, remove ? "" : "c\n") << what;
            if (remove) continue;
            EXPECT_EQ(state().contains("exitStatus"), victim == Victim::init) << what;
            EXPECT_EQ(ctr({"wait", "c"}).code, victim == Victim::init ? 0 : 125) << what;
            EXPECT_EQ(ctr({"rm", "c"}).code, 0) << what;
        }
}

class Init : public Life {
  protected:
    Outcome under_init(const std::string& script) const {
        return ctr({"run", "--init", std::string("--pidns=") + GetParam(), "--", "sh", "-c", script, mark_});
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, Init, testing::Values("flat", "multi", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Init, TheCommandIsTheSecondProcessAndItsStatusIsTheContainers) {
    EXPECT_EQ(under_init("echo $$ $PPID").out, "2 1\n");
    EXPECT_EQ(under_init("exit 23").code, 23);
    // It need not make a call for that which carries a number.
    ASSERT_EQ(detach("exec sleep 100", {"--init"}).code, 0);
    EXPECT_EQ(exec("echo $$; cat /proc/2/comm").out, "3\nsleep\n");
    EXPECT_EQ(under_init("kill -ABRT $$").code, 134) << "process 1 would not die of that";
    const std::string numbering = std::string("--pidns=") + GetParam();
    EXPECT_EQ(ctr({"run", "--init", numbering, "/nope"}).code, 127);
    EXPECT_EQ(ctr({"run", "--init", numbering, "/etc/passwd"}).code, 126);
}

TEST_P(Init, TellsASignalFromAStatus) {
    const auto told = [&](const std::string& script) {
        const Outcome outcome = ctr({"run", "--init", "--status-fd", "2",
                                     std::string("--pidns=") + GetParam(), "--", "sh", "-c", script, mark_});
        return outcome.err.substr(outcome.err.rfind("{\"event\""));
    };
    EXPECT_EQ(told("kill -KILL $$"), "{\"event\":\"exited\",\"status\":137,\"signal\":9}\n");
    EXPECT_EQ(told("exit 137"), "{\"event\":\"exited\",\"status\":137,\"signal\":0}\n");
    ASSERT_EQ(detach("exec sleep 100", {"--init"}).code, 0);
    ASSERT_EQ(ctr({"stop", "c"}).code, 0);
    EXPECT_EQ(state()["exitStatus"], 143);
    EXPECT_EQ(state()["exitSignal"], SIGTERM);
}

TEST_P(Init, ReapsOrphansAndPassesSignalsOn) {
    const Outcome orphans = under_init(
        "(sh -c 'exit 5' & exec true); (setsid sh -c 'exit 6' & exec true); "
        "for i in $(seq 500); do grep -l 'State:.Z' /proc/[0-9]*/status 2>/dev/null | grep -q . || exit 7; "
        "sleep 0.02; done");
    EXPECT_EQ(orphans.code, 7) << orphans;
    Background container(command(
        {"run", "--init", std::string("--pidns=") + GetParam(), "--", "sh", "-c", handles_term, mark_}));
    ASSERT_TRUE(container.wait_for_output("ready"));
    container.kill(SIGTERM);
    EXPECT_EQ(container.wait().code, 5);
    Background plain(command({"run", "--init", std::string("--pidns=") + GetParam(), "--", "sh", "-c",
                              "echo ready; exec sleep 65"}));
    ASSERT_TRUE(plain.wait_for_output("ready"));
    plain.kill(SIGTERM);
    EXPECT_EQ(plain.wait().code, 143) << "also of a signal that it has no handler for";
}

TEST_P(Init, NobodyInsideMayLookIntoIt) {
    EXPECT_EQ(under_init("cat /proc/1/environ /proc/1/maps; readlink /proc/1/exe; exit 8").out, "");
}

class Parent : public Life {};
INSTANTIATE_TEST_SUITE_P(Modes, Parent, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Parent, TheContainerDiesWithItIfAskedTo) {
    Background shell({"sh", "-c", "\"$@\" & wait", "sh", ctr_binary(), "run", "--die-with-parent",
                      std::string("--pidns=") + GetParam(), "--", "sh", "-c",
                      "echo ready; sleep 66; :", mark_});
    ASSERT_TRUE(shell.wait_for_output("ready")) << shell.err();
    shell.kill(SIGKILL);
    EXPECT_TRUE(eventually([&] { return count_with("sleep 66") == 0; }));
}

// An ordinary user, where everything is in a user namespace.
TEST_P(Parent, AUserHasContainersOfItsOwn) {
    if (!is_root()) GTEST_SKIP() << "needs root, to become another user";
    RunOptions options;
    options.identity = somebody;
    if (test::run({"unshare", "-U", "true"}, options).code != 0)
        GTEST_SKIP() << "user namespaces are not available here";
    const ScratchDirectory runtime;
    ASSERT_EQ(chown(runtime.path().c_str(), somebody.uid, somebody.gid), 0);
    const ScratchDirectory programs;
    const std::string binary = programs.copy(ctr_binary());
    options.env = {{"XDG_RUNTIME_DIR", runtime.path()}};
    const auto as_user = [&](Arguments arguments) {
        arguments.insert(arguments.begin(), binary);
        return test::run(arguments, options);
    };
    const std::string numbering = std::string("--pidns=") + GetParam();
    for (const bool init : {false, true}) {
        Arguments arguments{"run", "-d", "--name", "c", "--hostname", "users", numbering};
        if (init) arguments.emplace_back("--init");
        for (const std::string& word : Arguments{"--", "sh", "-c", "echo ready; exec sleep 67", mark_})
            arguments.push_back(word);
        const Outcome started = as_user(arguments);
        ASSERT_EQ(started.code, 0) << started;
        EXPECT_EQ(as_user({"exec", "c", "id", "-u"}).out, std::to_string(somebody.uid) + "\n");
        EXPECT_EQ(as_user({"exec", "c", "hostname"}).out, "users\n");
        EXPECT_EQ(as_user({"exec", "-u", "7", "c", "id", "-u"}).code, 125) << "its namespace has one user";
        EXPECT_EQ(as_user({"exec", "c", "sh", "-c", "exit 3"}).code, 3);
        const Outcome sharing = as_user({"run", numbering, "--share-with", "c", "-w", "/", "--", "hostname"});
        EXPECT_EQ(sharing.out, "users\n") << init << sharing;
        EXPECT_EQ(as_user({"stop", "-t", "0", "c"}).code, 0);
        EXPECT_EQ(as_user({"rm", "c"}).code, 0);
    }
}

// On a terminal a count-down, and nothing elsewhere.
TEST_P(Parent, WhoStopsSeesHowLongItWaits) {
    ASSERT_EQ(detach("trap '' TERM; echo ready; while :; do sleep 0.05; done").code, 0);
    ASSERT_TRUE(logged("ready"));
    OnTerminal person({"env", "CTR_STATE_DIR=" + state_directory(), ctr_binary(), "stop", "-t", "600", "c"});
    EXPECT_TRUE(person.shows("waiting for c to end, 59")) << person.screen();
    EXPECT_EQ(ctr({"kill", "c"}).code, 0);
    EXPECT_TRUE(person.shows("\r\x1b[K")) << "and it is gone";
    EXPECT_EQ(person.wait(), 0) << person.screen();
    const Outcome quiet = ctr({"stop", "c"});
    EXPECT_EQ(quiet.code, 0);
    EXPECT_EQ(quiet.err, "");
}

TEST(LifeErrors, WithoutAPlaceToWriteToItIsSaidWhatToDo) {
    RunOptions options;
    options.env = {{"CTR_STATE_DIR", "relative"}};
    const Outcome foreign = run({ctr_binary(), "list"}, options);
    EXPECT_EQ(foreign.code, 125);
    EXPECT_TRUE(contains(foreign.err, "--state-dir")) << foreign;
}

}  // namespace
}  // namespace ctr::test
