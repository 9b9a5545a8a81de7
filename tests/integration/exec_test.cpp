// ctr exec with a terminal, and without anybody who waits for it.
#include <signal.h>

#include "tests/integration/life_fixture.h"
#include "tests/support/terminal.h"

namespace ctr::test {
namespace {

class Exec : public Life {
  protected:
    Arguments on_terminal(const Arguments& command) const {
        Arguments argv{ctr_binary(), "exec", "--state-dir", state_directory(), "-it", "c"};
        argv.insert(argv.end(), command.begin(), command.end());
        return argv;
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, Exec, testing::Values("flat", "multi", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Exec, ATerminalHasJobControlAndFollowsTheOuterOne) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    OnTerminal outer(
        on_terminal({"env", "PS1=ready> ", "bash", "--norc", "--noprofile", "--noediting", "-i"}), {}, 41,
        97);
    ASSERT_TRUE(outer.shows("ready> ")) << outer.screen();
    EXPECT_TRUE(outer.becomes_raw());
    outer.type("stty size\n");
    EXPECT_TRUE(outer.shows("41 97")) << outer.screen();
    outer.resize(50, 120);
    outer.type("until stty size | grep '50 120'; do sleep 0.1; done\n");
    EXPECT_TRUE(outer.shows("50 120\r\n")) << outer.screen();
    outer.type("echo $((40 + 2))\n");
    EXPECT_TRUE(outer.shows("42\r\nready> ")) << outer.screen();
    outer.type("cat\n");
    outer.type("hello\n");
    EXPECT_TRUE(outer.shows("hello\r\nhello")) << outer.screen();
    outer.type("\x1a");  // Ctrl-Z
    EXPECT_TRUE(outer.shows("Stopped") && outer.shows("ready> ")) << outer.screen();
    outer.type("fg\n");
    EXPECT_TRUE(outer.shows("fg\r\n") && outer.shows("cat\r\n")) << outer.screen();
    outer.type("again\n");  // once it is answered the terminal is the cat's
    EXPECT_TRUE(outer.shows("again\r\nagain")) << outer.screen();
    outer.type("\x03");  // Ctrl-C: the cat ends, the shell doesn't
    EXPECT_TRUE(outer.shows("ready> ")) << outer.screen();
    outer.type("exit 23\n");
    EXPECT_EQ(outer.wait(), 23) << outer.screen();
    EXPECT_TRUE(outer.becomes_usual());
}

TEST_P(Exec, AlsoWhereTheContainerIsInAnother) {
    for (const char* inner : {"flat", "multi"})
        for (const char* fastpath : {"auto", "off"})
            EXPECT_EQ(ctr({"run", std::string("--pidns=") + GetParam(),
                           std::string("--pid-fastpath=") + fastpath, "--", "sh", "-c",
                           // A sanitized ctr looks for leaks by ptrace, which the layer around it has taken
                           // already.
                           "export ASAN_OPTIONS=detect_leaks=0; $0 run -d --name in --pidns=$1 -- sleep 100 "
                           ">/dev/null && $0 exec in sh -c 'echo $$'",
                           ctr_binary(), inner})
                          .out,
                      "2\n")
                << inner << ' ' << fastpath;
}

TEST_P(Exec, ATerminalTakesWhatIsPipedToIt) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    RunOptions options;
    options.input = "typed\n";
    EXPECT_TRUE(contains(ctr({"exec", "-t", "c", "cat"}, options).out, "typed\r\ntyped\r\n"));
    EXPECT_EQ(ctr({"exec", "-t", "c", "sh", "-c", "test -t 0 && test -t 2 && : >/dev/tty && exit 4"}).code,
              4);
    EXPECT_EQ(ctr({"exec", "-t", "c", "/nope"}).code, 127);
}

TEST_P(Exec, ATerminalComesFromTheContainersOwnRoot) {
    const SmallRoot root;
    const Outcome started = detach("mknod /f p; : </f", {"--rootfs", root.path(), "-w", "/"});
    ASSERT_EQ(started.code, 0) << started;
    OnTerminal outer(
        on_terminal({"sh", "-c", "readlink /proc/self/fd/0; echo /dev/pts/*; : >/dev/tty && echo own"}));
    EXPECT_TRUE(outer.shows("/dev/pts/0\r\n/dev/pts/0 /dev/pts/ptmx\r\nown")) << outer.screen();
    EXPECT_EQ(outer.wait(), 0);
}

TEST_P(Exec, WhoIsKilledLeavesNoTerminal) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const auto ready = [&](OnTerminal& outer) { return outer.shows("ready"); };
    const Arguments command =
        on_terminal({"sh", "-c", "echo ready; sleep 71 & sleep 72; :", mark_ + "-executed"});
    {
        OnTerminal outer(command);
        ASSERT_TRUE(ready(outer)) << outer.screen();
        ::kill(outer.pid(), SIGKILL);
        EXPECT_TRUE(eventually([&] { return count_with(mark_ + "-executed") == 0; }));
        EXPECT_TRUE(eventually([&] { return count_with("sleep 71") == 0; })) << "it was hung up";
    }
    const pid_t monitor = parent_of(init());
    const pid_t keeper = parent_of(monitor);
    OnTerminal outer(command);
    ASSERT_TRUE(ready(outer)) << outer.screen();
    ::kill(GetParam() == std::string("multi") ? monitor : keeper, SIGKILL);
    EXPECT_GT(outer.wait(), 0) << outer.screen();
    EXPECT_TRUE(outer.becomes_usual());
    EXPECT_TRUE(eventually([&] { return count_with(mark_) == 0; }));
    EXPECT_EQ(ctr({"list", "-q"}).out, "c\n");
    EXPECT_TRUE(eventually([&] { return count_groups() <= groups_; }));
}

TEST_P(Exec, ADetachedCommandGoesOnUntilTheContainerEnds) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const Outcome started =
        ctr({"exec", "-d", "c", "sh", "-c", "echo lost; sleep 73; :", mark_ + "-detached"});
    EXPECT_EQ(started.code, 0) << started;
    EXPECT_EQ(started.out, "");
    // The shell, and for a moment its child, before that is the sleep.
    EXPECT_TRUE(eventually([&] { return count_with(mark_ + "-detached") == 1; }));
    EXPECT_TRUE(eventually([&] { return contains(ctr({"ps", "c"}).out, "sleep 73"); }));
    EXPECT_EQ(ctr({"exec", "-d", "c", "true"}).code, 0);
    EXPECT_EQ(ctr({"exec", "-d", "c", "/nope"}).code, 127);
    const Outcome both = ctr({"exec", "-dt", "c", "true"});
    EXPECT_EQ(both.code, 125);
    EXPECT_TRUE(contains(both.err, "--detach or --tty")) << both;
    EXPECT_EQ(ctr({"stop", "-t", "0", "c"}).code, 0);
    EXPECT_TRUE(eventually([&] { return count_with(mark_ + "-detached") == 0; }));
}

TEST_P(Exec, ASignalThatTheCallerIgnoresIsNotForTheCommand) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    Background ignoring(
        {"sh", "-c", "trap '' USR1; exec \"$@\"", "sh", ctr_binary(), "exec", "c", "sh", "-c",
         "trap 'exit 6' USR1; trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done", mark_},
        with_state());
    ASSERT_TRUE(ignoring.wait_for_output("ready"));
    ignoring.kill(SIGUSR1);
    ignoring.kill(SIGTERM);
    EXPECT_EQ(ignoring.wait().code, 7);
}

TEST_P(Exec, WhoDoesNotEndIsNotWaitedForForEver) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const pid_t monitor = parent_of(init());
    ASSERT_EQ(::kill(monitor, SIGSTOP), 0);
    const std::string told = "its monitor (process " + std::to_string(monitor) + ") is stopped";
    for (const Arguments& asked :
         {Arguments{"pid", "c"}, {"exec", "c", "true"}, {"kill", "-s", "HUP", "c"}}) {
        const auto begin = std::chrono::steady_clock::now();
        const Outcome hung = ctr(asked);
        EXPECT_EQ(hung.code, 125);
        EXPECT_TRUE(contains(hung.err, told)) << hung;
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
    }
    EXPECT_EQ(::kill(monitor, SIGCONT), 0);
    const pid_t keeper = parent_of(monitor);
    ASSERT_EQ(::kill(keeper, SIGSTOP), 0);
    const Outcome kept = ctr({"rm", "-f", "--wait", "5", "c"});
    EXPECT_EQ(::kill(keeper, SIGCONT), 0);
    EXPECT_EQ(kept.code, 125);
    EXPECT_TRUE(contains(kept.err, "hasn't ended in 5 seconds")) << kept;
    EXPECT_EQ(ctr({"rm", "-f", "c"}).code, 0);
}

TEST_P(Exec, AStoppedMonitorDoesNotKeepAContainerAlive) {
    for (const Arguments& end : {Arguments{"kill", "c"}, {"stop", "c"}, {"rm", "-f", "c"}}) {
        ASSERT_EQ(detach("sleep 60").code, 0);
        ASSERT_EQ(::kill(parent_of(init()), SIGSTOP), 0);
        const Outcome ended = ctr(end);
        EXPECT_EQ(ended.code, 0) << ended;
        EXPECT_TRUE(contains(ended.err, "is stopped: it was killed")) << ended;
        EXPECT_TRUE(eventually([&] { return count_with(mark_) == 0; })) << end.front();
        const bool stays = end.front() != "rm";
        EXPECT_EQ(ctr({"list", "-q"}).out, stays ? "c\n" : "");
        EXPECT_EQ(ctr({"rm", "c"}).code, stays ? 0 : 125);
    }
}

TEST_P(Exec, TellsProgramsWhatBecameOfTheCommand) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const auto told = [&](const Arguments& command) {
        Arguments arguments{"exec", "--status-fd", "1", "c"};
        arguments.insert(arguments.end(), command.begin(), command.end());
        std::vector<Json> events;
        std::istringstream lines(ctr(arguments).out);
        for (std::string line; std::getline(lines, line);)
            events.push_back(Json::parse(line, nullptr, false));
        return events;
    };
    const auto killed = told({"sh", "-c", "kill -KILL $$"});
    ASSERT_EQ(killed.size(), 2U);
    EXPECT_EQ(killed[0]["event"], "started");
    EXPECT_EQ(killed[0]["init"], init());
    EXPECT_GT(killed[0]["command"], 0);
    EXPECT_EQ(killed[1]["signal"], SIGKILL);
    EXPECT_EQ(told({"sh", "-c", "exit 3"}).at(1)["status"], 3);
    EXPECT_EQ(told({"/nope"}).at(0)["status"], 127);
}

}  // namespace
}  // namespace ctr::test
