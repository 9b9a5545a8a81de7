// What the command line itself says.
#include <gtest/gtest.h>

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

TEST(CommandLine, ADryRunPrintsThePlanAndDoesNothing) {
    const Outcome outcome = ctr_run({"--dry-run", "--hostname", "box", "--", "sh", "-c", "echo ran"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(outcome.out.starts_with("new namespaces:")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "host name to \"box\"")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "ran\n")) << outcome;
}

}  // namespace
}  // namespace ctr::test
