// What the command line itself says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
    const Outcome version = run({ctr_binary(), "--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("ctr ")) << version;
    for (const Arguments& words : {Arguments{"--help"}, Arguments{"run", "--help"}}) {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), words.begin(), words.end());
        const Outcome help = run(argv);
        EXPECT_EQ(help.code, 0);
        EXPECT_TRUE(contains(help.out, "Usage: ctr")) << help;
        EXPECT_EQ(help.err, "");
    }
}

TEST(CommandLine, MistakesEndWith125AndPointToTheHelp) {
    const Arguments mistakes[] = {{"run"},
                                  {"run", "--"},
                                  {"run", "--nope", "true"},
                                  {"run", "--pidns=fancy", "true"},
                                  {"run", "--user", "10x", "true"},
                                  {"run", "--device-read-bps", "/dev/null:10q", "true"},
                                  {"run", "--device-read-bps", "/dev/null", "true"}};
    for (const Arguments& words : mistakes) {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), words.begin(), words.end());
        const Outcome outcome = run(argv);
        EXPECT_EQ(outcome.code, 125) << outcome;
        EXPECT_TRUE(contains(outcome.err, "See ctr run --help.")) << outcome;
        EXPECT_EQ(outcome.out, "");
    }
    EXPECT_EQ(run({ctr_binary()}).code, 125);
    EXPECT_EQ(run({ctr_binary(), "walk"}).code, 125);
}

TEST(CommandLine, EveryVerbHasHelpAndHelpKnowsEveryVerb) {
    const std::string overview = run({ctr_binary(), "--help"}).out;
    EXPECT_EQ(run({ctr_binary(), "help"}).out, overview);
    for (const char* verb : {"run",  "exec",  "list",  "inspect",    "logs",  "pid",    "kill",
                             "stop", "wait",  "pause", "resume",     "stats", "update", "rm",
                             "ps",   "check", "image", "completion", "help",  "version"}) {
        const Outcome help = run({ctr_binary(), verb, "--help"});
        EXPECT_EQ(help.code, 0) << verb << help;
        EXPECT_TRUE(contains(help.out, std::string("Usage: ctr ") + verb)) << help;
        EXPECT_TRUE(contains(help.out, "Examples:")) << help;
        EXPECT_EQ(run({ctr_binary(), "help", verb}).out, help.out) << verb;
        EXPECT_TRUE(contains(overview, std::string("\n  ") + verb + " ")) << verb;
        // The same way for all of them.
        const Outcome refused = run({ctr_binary(), verb, "--nope"});
        EXPECT_EQ(refused.code, 125) << verb << refused;
        EXPECT_TRUE(contains(refused.err, std::string("See ctr ") + verb + " --help.")) << refused;
        EXPECT_EQ(refused.out, "") << verb;
    }
    EXPECT_EQ(run({ctr_binary(), "version"}).out, run({ctr_binary(), "--version"}).out);
    EXPECT_EQ(run({ctr_binary(), "help", "nope"}).code, 125);
    EXPECT_EQ(run({ctr_binary(), "completion", "csh"}).code, 125);
    EXPECT_EQ(run({ctr_binary(), "completion"}).code, 125);
}

TEST(CommandLine, WhoMistypesIsToldWhatThereIs) {
    EXPECT_TRUE(contains(run({ctr_binary(), "lsit"}).err, "\"lsit\" is no verb: did you mean list?"));
    EXPECT_TRUE(contains(run({ctr_binary(), "run", "--rotfs", "/", "true"}).err, "did you mean --rootfs?"));
    EXPECT_TRUE(contains(run({ctr_binary(), "stop", "--tiem=3", "x"}).err, "did you mean --time?"));
    EXPECT_TRUE(contains(run({ctr_binary(), "unpause", "x"}).err, "did you mean resume?"));
    EXPECT_TRUE(contains(run({ctr_binary(), "rmi", "x"}).err, "there are no images"));
    EXPECT_FALSE(contains(run({ctr_binary(), "walk"}).err, "did you mean"));
}

nlohmann::json only_line(const std::string& text) {
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    return nlohmann::json::parse(text, nullptr, false);
}

TEST(CommandLine, MessagesCanBeJson) {
    const auto failed =
        only_line(run({ctr_binary(), "run", "--log-format=json", "--rootfs", "/nope", "true"}).err);
    EXPECT_EQ(failed["level"], "error");
    EXPECT_EQ(failed["verb"], "run");
    EXPECT_EQ(failed["call"], "open");
    EXPECT_EQ(failed["errno"], ENOENT);
    EXPECT_EQ(failed["error"], "ENOENT");
    EXPECT_EQ(failed["status"], 125);
    EXPECT_TRUE(contains(failed["step"], "/nope"));
    EXPECT_TRUE(contains(failed["message"], "there is no such directory"));
    EXPECT_TRUE(std::string(failed["time"]).ends_with('Z'));

    // Also where the mistake is in the words themselves, and where the option stands before the verb.
    EXPECT_TRUE(contains(
        only_line(run({ctr_binary(), "run", "--log-format", "json", "--nope", "true"}).err)["message"],
        "nope"));
    EXPECT_EQ(only_line(run({ctr_binary(), "--log-format", "json", "walk"}).err)["level"], "error");
    EXPECT_EQ(only_line(run({ctr_binary(), "--log-format=json", "check", "--nope"}).err)["verb"], "check");

    const ScratchDirectory state;
    const auto unknown = only_line(
        run({ctr_binary(), "stop", "--log-format=json", "--state-dir", state.path() + "/s", "nobody"}).err);
    EXPECT_EQ(unknown["container"], "nobody");

    const Outcome warned = ctr_run({"--dry-run", "--log-format=json", "--log-level=debug", "true"});
    EXPECT_EQ(warned.code, 0) << warned;
    const Outcome noticed = ctr_run({"--log-format=json", "--log-level=debug", "--name", "n", "--state-dir",
                                     state.path() + "/s", "--pidns=flat", "sh", "-c", "exit 7"});
    EXPECT_EQ(noticed.code, 7);
    std::istringstream lines(noticed.err);
    for (std::string line; std::getline(lines, line);) {
        const auto object = nlohmann::json::parse(line, nullptr, false);
        ASSERT_TRUE(object.is_object()) << line;
        EXPECT_EQ(object["container"], "n") << line;
    }
}

TEST(CommandLine, ProgramsLearnOfMistakesToo) {
    for (const Arguments& words : {Arguments{"run", "--status-fd", "1", "--nope", "true"},
                                   {"exec", "--status-fd=1", "--nope", "c", "true"}}) {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), words.begin(), words.end());
        const nlohmann::json line = only_line(run(argv).out);
        EXPECT_EQ(line["event"], "failed");
        EXPECT_EQ(line["status"], 125);
    }
}

TEST(CommandLine, WhoOnlyAsksMakesNoDirectory) {
    const ScratchDirectory scratch;
    const std::string there = scratch.path() + "/there";
    RunOptions usual;
    usual.env = {{"CTR_STATE_DIR", there}};
    EXPECT_EQ(run({ctr_binary(), "list", "-q"}, usual).code, 0);
    EXPECT_TRUE(contains(run({ctr_binary(), "stop", "c"}, usual).err, "there is none of that name"));
    const Outcome named = run({ctr_binary(), "list", "--state-dir", there});
    EXPECT_EQ(named.code, 125);
    EXPECT_TRUE(contains(named.err, "there is no such directory")) << named;
    EXPECT_FALSE(fs::exists(there));
}

TEST(CommandLine, TheLevelSaysWhatIsSaid) {
    const auto said = [](const char* level) {
        return run({ctr_binary(), "run", std::string("--log-level=") + level, "--rootfs", "/nope", "true"});
    };
    for (const char* level : {"trace", "debug", "info", "warn", "error"})
        EXPECT_TRUE(contains(said(level).err, "ctr run: ")) << level;
    EXPECT_EQ(said("off").err, "");
    EXPECT_EQ(said("off").code, 125);
}

TEST(CommandLine, ADryRunPrintsThePlanAndDoesNothing) {
    const Outcome outcome = ctr_run({"--dry-run", "--hostname", "box", "--", "sh", "-c", "echo ran"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(outcome.out.starts_with("new namespaces:")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "host name to \"box\"")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "ran\n")) << outcome;
}

}  // namespace
}  // namespace ctr::test
