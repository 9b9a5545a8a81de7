// ctr run -t on a real terminal.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "runtime/container.h"
#include "tests/integration/launcher_fixture.h"
#include "tests/support/terminal.h"

namespace ctr::test {
namespace {

class Terminal : public Launcher {
  protected:
    void SetUp() override {
        Launcher::SetUp();
        binary_ = programs_.copy(ctr_binary());
    }
    static std::optional<Identity> identity() { return owner(); }
    Arguments words(const Arguments& options) const {
        Arguments argv{binary_, "run", "--pidns=" + mode(), "-w", "/"};
        argv.insert(argv.end(), options.begin(), options.end());
        return argv;
    }
    // A command line for a shell.
    std::string line(const Arguments& options) const {
        std::string text;
        for (const std::string& word : words(options)) text += word + " ";
        return text;
    }

  private:
    ScratchDirectory programs_;
    std::string binary_;
};

INSTANTIATE_TEST_SUITE_P(Everybody, Terminal,
                         testing::Combine(testing::Values(Caller::root, Caller::user),
                                          testing::Values("flat", "multi", "kernel", "host")),
                         name_of);

const Arguments interactive{"bash", "--norc", "--noprofile", "--noediting", "-i"};
Arguments with(Arguments options, const Arguments& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

TEST_P(Terminal, AShellHasJobControlAndItsOwnExitStatus) {
    OnTerminal outer(words(with({"-it", "--"}, interactive)), identity());
    ASSERT_TRUE(outer.shows("ready> ")) << outer.screen();
    outer.type("cat\n");
    outer.type("hello\n");
    EXPECT_TRUE(outer.shows("hello\r\nhello")) << outer.screen();
    outer.type("\x1a");  // Ctrl-Z
    EXPECT_TRUE(outer.shows("Stopped") && outer.shows("cat\r\n") && outer.shows("ready> ")) << outer.screen();
    outer.type("fg\n");
    EXPECT_TRUE(outer.shows("fg\r\n") && outer.shows("cat\r\n")) << outer.screen();
    outer.type("again\n");
    EXPECT_TRUE(outer.shows("again\r\nagain")) << outer.screen();
    outer.type("\x03");  // Ctrl-C: the cat ends, the shell doesn't
    EXPECT_TRUE(outer.shows("ready> ")) << outer.screen();
    outer.type("exit 23\n");
    EXPECT_EQ(outer.wait(), 23) << outer.screen();
    EXPECT_TRUE(outer.becomes_usual());
}

TEST_P(Terminal, ItsWindowHasTheOuterOnesSizeAndFollows) {
    OnTerminal outer(words(with({"-t", "--"}, interactive)), identity(), 41, 97);
    ASSERT_TRUE(outer.shows("ready> ")) << outer.screen();
    outer.type("stty size\n");
    EXPECT_TRUE(outer.shows("41 97")) << outer.screen();
    outer.type("trap 'echo changed to $(stty size)' WINCH\n");
    outer.type("echo set\n");
    ASSERT_TRUE(outer.shows("echo set\r\n") && outer.shows("set\r\n")) << outer.screen();
    outer.resize(50, 120);
    outer.type("\n");
    EXPECT_TRUE(outer.shows("changed to 50 120")) << outer.screen();
}

// Standard input, output and error are one terminal, the session's own, and it is the user's.
TEST_P(Terminal, BelongsToTheContainer) {
    OnTerminal outer(words({"-t", "--", "sh", "-c",
                            "test -t 0 && test -t 1 && test -t 2 && echo all; : > /dev/tty && echo own; "
                            "test -O $(tty) && echo mine; ls -l /proc/$$/fd | grep -c pts"}),
                     identity());
    EXPECT_TRUE(outer.shows("all")) << outer.screen();
    EXPECT_TRUE(outer.shows("own")) << outer.screen();
    EXPECT_TRUE(outer.shows("mine")) << outer.screen();
    EXPECT_TRUE(outer.shows("3\r\n")) << outer.screen();
    EXPECT_EQ(outer.wait(), 0);
}

TEST_P(Terminal, ComesFromThePrivateDevOfARootOfItsOwn) {
    const SmallRoot root(owner());
    OnTerminal outer(words({"-t", "--rootfs", root.path(), "-w", "/", "--", "sh", "-c",
                            "readlink /proc/self/fd/0; echo /dev/pts/*; : > /dev/tty && echo own"}),
                     identity());
    EXPECT_TRUE(outer.shows("/dev/pts/0\r\n/dev/pts/0 /dev/pts/ptmx\r\nown")) << outer.screen();
    EXPECT_EQ(outer.wait(), 0);
}

TEST_P(Terminal, TheOuterOneIsPutBackWhenCtrIsTerminated) {
    OnTerminal outer(words({"-t", "--", "sh", "-c", "trap 'exit 9' TERM; echo up; while :; do read x; done"}),
                     identity());
    ASSERT_TRUE(outer.shows("up")) << outer.screen();
    EXPECT_TRUE(outer.becomes_raw());
    kill(outer.pid(), SIGTERM);
    outer.type("\n");
    EXPECT_EQ(outer.wait(), 9) << outer.screen();
    EXPECT_TRUE(outer.becomes_usual());
}

// By the monitor, which is left.
TEST_P(Terminal, TheOuterOneIsPutBackWhenCtrIsKilled) {
    OnTerminal outer(words({"-t", "--", "sh", "-c", "echo up; read x"}), identity());
    ASSERT_TRUE(outer.shows("up")) << outer.screen();
    EXPECT_TRUE(outer.becomes_raw());
    kill(outer.pid(), SIGKILL);
    EXPECT_EQ(outer.wait(), 137);
    EXPECT_TRUE(outer.becomes_usual());
}

TEST_P(Terminal, TheOuterOneStaysAsItIsWhenTheCommandCantBeStarted) {
    OnTerminal outer(words({"-t", "--", "/no/such/command"}), identity());
    EXPECT_EQ(outer.wait(), 127);
    EXPECT_TRUE(outer.shows("no such file")) << outer.screen();
    EXPECT_TRUE(outer.becomes_usual());
}

TEST_P(Terminal, TheOuterShellGoesOnAfterwards) {
    OnTerminal outer(interactive, identity());
    ASSERT_TRUE(outer.shows("ready> "));
    outer.type(line({"-t", "--", "sh", "-c", "'echo in; exit 5'"}) + "; echo code $?\n");
    EXPECT_TRUE(outer.shows("code 5")) << outer.screen();
    outer.type("read x; echo got $x; exit 4\n");
    outer.type("something\n");
    EXPECT_TRUE(outer.shows("got something")) << outer.screen();
    EXPECT_EQ(outer.wait(), 4);
}

TEST_P(Terminal, AStoppedCtrIsTakenUpAgain) {
    OnTerminal outer(interactive, identity());
    ASSERT_TRUE(outer.shows("ready> "));
    outer.type(line({"-t", "--", "sh", "-c", "'echo up; read x; echo got $x'"}) + "\n");
    ASSERT_TRUE(outer.shows("\nup")) << outer.screen();
    EXPECT_TRUE(outer.becomes_raw());
    kill(-outer.foreground_group(), SIGTSTP);
    ASSERT_TRUE(outer.shows("Stopped")) << outer.screen();
    outer.type("fg\n");
    EXPECT_TRUE(outer.becomes_raw());
    outer.type("word\r");
    EXPECT_TRUE(outer.shows("got word")) << outer.screen();
    EXPECT_TRUE(outer.shows("ready> ")) << outer.screen();
}

TEST_P(Terminal, InTheBackgroundItWaitsForItsTurn) {
    OnTerminal outer(interactive, identity());
    ASSERT_TRUE(outer.shows("ready> "));
    outer.type(line({"-t", "--", "sh", "-c", "'read x; echo got $x'"}) + "&\n");
    outer.type("sleep 2; jobs\n");
    ASSERT_TRUE(outer.shows("Stopped")) << outer.screen();
    outer.type("fg\n");
    EXPECT_TRUE(outer.becomes_raw());
    outer.type("word\r");
    EXPECT_TRUE(outer.shows("got word")) << outer.screen();
}

// Without a terminal outside.
TEST_P(Terminal, InputFromAPipeComesToItsEnd) {
    RunOptions options;
    options.input = "one\ntwo";
    const Outcome outcome = start({"-t", "--", "sh", "-c", "stty -echo; cat"}, options);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "one\r\ntwo")) << outcome;
}

TEST_P(Terminal, NothingOfTheOutputIsLost) {
    const Outcome outcome = start({"-t", "--", "seq", "1", "30000"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 30000);
    EXPECT_TRUE(outcome.out.ends_with("\n30000\r\n"));
}

TEST(TerminalOfAnEmbeddingProgram, IsItsOwn) {
    Spec spec;
    spec.command = {"sh", "-c", "test -t 0 && read x && echo got $x"};
    spec.workdir = "/";
    spec.terminal = true;
    auto container = Container::start(spec);
    if (!container) GTEST_SKIP() << container.error().message();
    ASSERT_TRUE(container->terminal());
    ASSERT_EQ(write(container->terminal().get(), "word\n", 5), 5);
    std::string shown;
    pollfd event{container->terminal().get(), POLLIN, 0};
    while (!contains(shown, "got word") && poll(&event, 1, 20'000) > 0) {
        char buffer[256];
        const ssize_t got = read(container->terminal().get(), buffer, sizeof buffer);
        if (got <= 0) break;
        shown.append(buffer, static_cast<size_t>(got));
    }
    EXPECT_TRUE(contains(shown, "got word")) << shown;
    const auto exit = container->wait();
    ASSERT_TRUE(exit) << exit.error().message();
    EXPECT_EQ(exit->status, 0);
}

}  // namespace
}  // namespace ctr::test
