// The examples that measure: what they say can be parsed, agrees with itself and is the same work inside.
#include <gtest/gtest.h>

#include <regex>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

struct Measuring {
    const char* name;
    Arguments arguments;  // for a short run
    const char* unit;
    const char* count;  // "300 processes"
    double per_second;  // figure times seconds, divided by the count; 0: the figure is a time
};

const Measuring measuring[] = {
    {"spawn", {"300"}, "lps", "300 processes", 1},
    {"execl", {"30"}, "lps", "30 executions", 1},
    {"getpid", {"10000"}, "lps", "10000 calls", 1},
    {"shell", {"3"}, "lpm", "3 loops", 60},
    {"shell", {"2", "8"}, "lpm", "2 loops", 60},
    {"nptl_perf", {"-s", "300", "-t", "3", "-r", "5", "-T", "--sync-join"}, "s", "300 threads", 0},
    {"ps_loop", {"2"}, "s", "2 runs", 0},
    {"crowd", {"50", "20"}, "lps", "20 processes", 1},
    {"parallel", {"3", "true"}, "s", "3 commands", 0},
    {"kernbench", {"-f", "3"}, "s", "1 builds", 0},
    {"multiuser", {"-u", "1,3", "-n", "2", "-r", "2"}, "jpm", "40 jobs", 60},
};

class MeasuringExample : public testing::TestWithParam<const char*> {
  protected:
    static bool inside() { return std::string(GetParam()) != "host"; }

    static Outcome start(const std::string& name, const Arguments& arguments) {
        Arguments command{example(name)};
        command.insert(command.end(), arguments.begin(), arguments.end());
        if (!inside()) return run(command);
        command.insert(command.begin(), {"--pidns=flat", "--"});
        return ctr_run(command);
    }
};

INSTANTIATE_TEST_SUITE_P(Where, MeasuringExample, testing::Values("host", "flat"),
                         [](const auto& where) { return std::string(where.param); });

TEST_P(MeasuringExample, TellsAFigureThatAgreesWithItsTime) {
    static const std::regex line(
        R"((\w+)(?:/\d+)?: ([0-9.]+) (\w+), ([0-9.]+) us each; (\d+ \w+) in ([0-9.]+) s(; .*)?)");
    for (const Measuring& one : measuring) {
        const Outcome outcome = start(one.name, one.arguments);
        ASSERT_EQ(outcome.code, 0) << one.name << "\n" << outcome;
        std::smatch said;
        const std::string first = outcome.out.substr(0, outcome.out.find('\n'));
        ASSERT_TRUE(std::regex_match(first, said, line)) << one.name << "\n" << outcome;
        EXPECT_EQ(said[1], one.name);
        EXPECT_EQ(said[3], one.unit) << outcome;
        EXPECT_EQ(said[5], one.count) << outcome;
        const double figure = std::stod(said[2]);
        const double each = std::stod(said[4]);
        const double seconds = std::stod(said[6]);
        const double count = std::stod(said[5]);
        // Figures have three digits behind the point.
        EXPECT_NEAR(each * count / 1e6, seconds, 0.001 + seconds / 50) << outcome;
        if (one.per_second > 0 && one.name != std::string("multiuser")) {  // whose figure is a mean of rates
            EXPECT_NEAR(figure * each / 1e6, one.per_second, one.per_second / 50) << outcome;
        }
        EXPECT_GE(figure, 0) << outcome;
    }
}

TEST(ExampleNumbers, AreThoseOfTheContainer) {
    const auto inside = [](const char* name, const char* count) {
        return ctr_run({"--pidns=flat", "--", example(name), count});
    };
    const Outcome spawn = inside("spawn", "300");
    EXPECT_NE(spawn.out.find("; pid 1, last child 301\n"), std::string::npos) << spawn;
    for (const char* name : {"spawn", "execl", "getpid", "shell"}) {
        const Outcome outcome = inside(name, "2");
        EXPECT_TRUE(std::regex_search(outcome.out, std::regex("pid 1[,\n]"))) << outcome;
    }
}

TEST_P(MeasuringExample, HasALineForEachNumberOfUsers) {
    const Outcome outcome = start("multiuser", {"-u", "1,3", "-n", "1", "-r", "2"});
    EXPECT_TRUE(std::regex_match(outcome.out, std::regex("multiuser/1: .*; 20 jobs .*; deviation .* of 2\n"
                                                         "multiuser/3: .*; 60 jobs .*; deviation .* of 2\n")))
        << outcome;
}

TEST_P(MeasuringExample, FailsIfACommandFails) {
    const Outcome outcome = start("parallel", {"3", "false"});
    EXPECT_EQ(outcome.code, 1) << outcome;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("3 of 3 commands failed"), std::string::npos) << outcome;
    EXPECT_EQ(start("kernbench", {"-t", "/nonexistent"}).code, 1);
}

TEST(ExampleArguments, ThatAreNoPositiveNumbersAreRefused) {
    for (const char* name : {"spawn", "execl", "getpid", "shell", "ps_loop", "crowd", "nested"})
        for (const char* wrong : {"1x", "0", "-3", ""}) {
            const Outcome outcome = run({example(name), wrong});
            EXPECT_EQ(outcome.code, 2) << name << " must refuse \"" << wrong << "\"\n" << outcome;
            EXPECT_NE(outcome.err.find("usage: "), std::string::npos) << outcome;
        }
    for (const Arguments& wrong :
         {Arguments{"nptl_perf", "-s", "none"}, Arguments{"nptl_perf", "-x"}, Arguments{"nptl_perf", "1"},
          Arguments{"multiuser", "-u", "1,x"}, Arguments{"multiuser", "-u", ""},
          Arguments{"multiuser", "-n", "0"}, Arguments{"shell", "1", "1", "1"}}) {
        Arguments command = wrong;
        command[0] = example(wrong[0]);
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.code, 2) << wrong[0] << "\n" << outcome;
        EXPECT_NE(outcome.err.find("usage: "), std::string::npos) << outcome;
    }
}

}  // namespace
}  // namespace ctr::test
