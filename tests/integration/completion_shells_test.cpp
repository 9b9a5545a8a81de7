// The tab key in real shells, which have loaded what `ctr completion` prints.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/terminal.h"

namespace ctr::test {
namespace {

struct Shell {
    const char* name;
    Arguments start;
    std::string load;  // typed first
};

// A shell as a user has it, with ctr in its PATH and a directory of its own.
class Tab : public testing::TestWithParam<Shell> {
  protected:
    void SetUp() override {
        if (!available(GetParam().name)) GTEST_SKIP() << "there is no " << GetParam().name << " here";
        fs::create_symlink(ctr_binary(), files_.path() + "/ctr");
        fs::create_directory(files_.path() + "/directory");
        std::ofstream(files_.path() + "/document") << "x";
    }

    // What the line is after TAB; "" if it never comes to begin with EXPECTED.
    bool completes(const std::string& line, const std::string& expected) {
        Arguments argv{"env",
                       "-i",
                       "TERM=dumb",
                       "PS1=ready> ",
                       "HOME=" + files_.path(),
                       "CTR_STATE_DIR=" + files_.path() + "/state",
                       "PATH=" + files_.path() + ":/usr/bin:/bin",
                       "sh",
                       "-c",
                       "cd \"$HOME\" && exec \"$@\"",
                       "sh"};
        argv.insert(argv.end(), GetParam().start.begin(), GetParam().start.end());
        OnTerminal shell(argv, {}, 60, 200);
        shell.type(GetParam().load + "; echo load''ed\n");
        if (!shell.shows("loaded")) {
            ADD_FAILURE() << shell.screen();
            return false;
        }
        shell.type(line + "\t");
        const bool shown = shell.shows(expected);
        EXPECT_TRUE(shown) << shell.screen();
        return shown;
    }

    ScratchDirectory files_;
};

const Shell shells[] = {
    {"bash", {"bash", "--norc", "--noprofile", "-i"}, "PS1='ready> '; source <(ctr completion bash)"},
    {"zsh",
     {"zsh", "-f", "-i"},
     "PS1='ready> '; autoload -Uz compinit && compinit -u -D; source <(ctr completion zsh)"},
};

INSTANTIATE_TEST_SUITE_P(Key, Tab, testing::ValuesIn(shells),
                         [](const auto& shell) { return std::string(shell.param.name); });

TEST_P(Tab, CompletesVerbsOptionsAndTheirValues) {
    completes("ctr insp", "ctr inspect ");
    completes("ctr run --rootf", "ctr run --rootfs ");
    completes("ctr run --pidns k", "ctr run --pidns kernel ");
    completes("ctr run --pidns=k", "ctr run --pidns=kernel ");
    completes("ctr run --cap-add NET_AD", "ctr run --cap-add NET_ADMIN ");
}

TEST_P(Tab, CompletesFilesAndCommands) {
    completes("ctr run --rootfs dir", "ctr run --rootfs directory/");
    completes("ctr run --rootfs=dir", "ctr run --rootfs=directory/");
    completes("ctr run -v docu", "ctr run -v document");
    completes("ctr run --pidns=flat -- setpri", "ctr run --pidns=flat -- setpriv ");
    completes("ctr run --pidns=flat -- cat docu", "ctr run --pidns=flat -- cat document");
}

TEST_P(Tab, CompletesNamesOfContainers) {
    RunOptions options;
    options.env = {{"CTR_STATE_DIR", files_.path() + "/state"}};
    const Outcome started = run(
        {ctr_binary(), "run", "-d", "--name", "completed", "--pidns=host", "--", "sleep", "100"}, options);
    ASSERT_EQ(started.code, 0) << started;
    completes("ctr stop compl", "ctr stop completed ");
    completes("ctr exec compl", "ctr exec completed ");
    EXPECT_EQ(run({ctr_binary(), "rm", "-f", "completed"}, options).code, 0);
}

// Where the package bash-completion is, the command's own completion is asked.
TEST(TabInBash, AsksTheCommandsOwnCompletion) {
    const std::string package = "/usr/share/bash-completion/bash_completion";
    if (!fs::exists(package)) GTEST_SKIP() << "there is no bash-completion here";
    const Outcome outcome = run({"bash", "--norc", "-c",
                                 "source " + package +
                                     "; source <(\"$1\" completion bash); ctr() { :; }; "
                                     "_kill_it() { COMPREPLY=(asked); }; complete -F _kill_it victim; "
                                     "COMP_LINE='ctr run --pidns=flat victim x'; COMP_POINT=${#COMP_LINE}; "
                                     "COMP_WORDS=(\"$1\" run --pidns = flat victim x); COMP_CWORD=6; "
                                     "COMP_LINE=\"$1 run --pidns=flat victim x\"; COMP_POINT=${#COMP_LINE}; "
                                     "_ctr; echo \"${COMPREPLY[*]}\"",
                                 "bash", ctr_binary()});
    EXPECT_EQ(outcome.out, "asked\n") << outcome;
}

// fish says by itself what it would offer.
TEST(TabInFish, CompletesAllOfThem) {
    if (!available("fish")) GTEST_SKIP() << "there is no fish here";
    const ScratchDirectory files;
    fs::create_symlink(ctr_binary(), files.path() + "/ctr");
    fs::create_directory(files.path() + "/directory");
    std::ofstream(files.path() + "/document") << "x";
    RunOptions options;
    options.cwd = files.path();
    options.env = {{"HOME", files.path()}, {"PATH", files.path() + ":/usr/bin:/bin"}};
    const auto offered = [&](const std::string& line) {
        return run({"fish", "--no-config", "-c", "ctr completion fish | source; complete -C \"$argv[1]\"",
                    line},
                   options)
            .out;
    };
    EXPECT_TRUE(contains(offered("ctr insp"), "inspect\tprint what is known"));
    EXPECT_TRUE(contains(offered("ctr run --rootf"), "--rootfs\t"));
    EXPECT_EQ(offered("ctr run --pidns k"), "kernel\n");
    EXPECT_EQ(offered("ctr run --pidns=k"), "--pidns=kernel\n");
    EXPECT_EQ(offered("ctr run --rootfs d"), "directory/\n");
    EXPECT_EQ(offered("ctr run --rootfs=d"), "--rootfs=directory/\n");
    EXPECT_EQ(offered("ctr run -v docu"), "document\n");
    EXPECT_TRUE(contains(offered("ctr run --pidns=flat -- setpri"), "setpriv\t"));
    EXPECT_TRUE(contains(offered("ctr run --pidns=flat -- cat docu"), "document"));
}

}  // namespace
}  // namespace ctr::test
