// ctr bench with real programs in real containers.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

using Json = nlohmann::json;

Outcome bench(Arguments arguments, int timeout_seconds = 60) {
    arguments.insert(arguments.begin(), {ctr_binary(), "bench"});
    RunOptions options;
    options.timeout_seconds = timeout_seconds;
    return run(arguments, options);
}

// The one recording of a run with --json=-.
Json recording_of(const Outcome& outcome) {
    const Json report = Json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << outcome;
    return report.is_discarded() || report.at("recordings").empty() ? Json() : report["recordings"][0];
}

Json subject_of(const Json& recording, const std::string& name) {
    for (const Json& subject : recording.at("subjects"))
        if (subject.at("name") == name) return subject;
    ADD_FAILURE() << "there is no " << name;
    return {};
}

// Waits until there is a process with this very command line, or none.
bool wait_for(const std::string& line, bool there) {
    for (int i = 0; i < 200; ++i) {
        if ((run({"pgrep", "-fx", line}).code == 0) == there) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

TEST(Bench, TellsEveryConfigurationsFigures) {
    if (!is_root()) GTEST_SKIP() << "as an ordinary user not all of these can be had";
    const Outcome outcome = bench({"run", "--rounds=3", "--seed=7", "--json=-", "-c", "flat", "-c", "kernel",
                                   "-c", "multi:list", "-c", "unnumbered", "-c", "twice=flat@2", "-c",
                                   "apart=flat,-uts,+net --env A=1", "--", victim("spin"), "20000"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    const Json recording = recording_of(outcome);
    EXPECT_EQ(recording.at("seed"), 7);
    EXPECT_EQ(recording.at("notes"), Json::array()) << "something was less than what was asked for";
    for (const char* name :
         {"host", "host again", "flat", "kernel", "multi:list", "unnumbered", "twice", "apart"}) {
        const Json results = subject_of(recording, name).at("results");
        const auto value = [&](const char* metric) {
            return results.at(metric).at("median").at("value").get<double>();
        };
        EXPECT_GT(value("wall"), 0.005) << name;
        EXPECT_GT(value("user"), 0.005) << name;
        EXPECT_LT(value("user"), 10) << name;
        EXPECT_GT(value("memory"), 0.1) << name;
        EXPECT_GT(value("start"), 0.1) << name;
        EXPECT_GT(value("ctr cpu"), 0.1) << name;
    }
    const auto start = [&](const char* name) {
        return subject_of(recording, name)["results"]["start"]["median"]["value"].get<double>();
    };
    EXPECT_GT(start("twice"), start("host"));
}

TEST(Bench, ContainersAreWhatTheyAreCalled) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    // Each prints what it sees: its number, and whether its host name is the host's own namespace.
    const Outcome outcome =
        bench({"run", "--rounds=1", "--warmup=0", "--json=-", "-c", "flat", "-c", "shared=flat,-uts", "-c",
               "host,+uts", "--figure", "uts=uts:\\[([0-9]+)", "--figure", "pid=pid:([0-9]+)", "--", "sh",
               "-c", "readlink /proc/self/ns/uts; echo pid:$$"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    const Json recording = recording_of(outcome);
    const auto figure = [&](const char* name, const char* metric) {
        return subject_of(recording, name)["results"][metric]["median"]["value"].get<double>();
    };
    EXPECT_NE(figure("flat", "figure"), figure("host", "figure"));
    EXPECT_NE(figure("host,+uts", "figure"), figure("host", "figure"));
    EXPECT_EQ(figure("shared", "figure"), figure("host", "figure"));
    EXPECT_EQ(figure("host again", "figure"), figure("host", "figure"));
    EXPECT_EQ(figure("flat", "figure 2"), 2) << "the wrapper is process 1";
    EXPECT_GT(figure("host", "figure 2"), 2);
}

// A known difference of instructions is found; none isn't. Five tries at most: the machine may be busy.
TEST(Bench, FindsFivePercentAndNotNothing) {
    const ScratchDirectory directory;
    const std::string program = directory.path() + "/spin";
    const auto verdict = [&](const char* more) {
        std::ofstream(program) << "#!/bin/sh\nexec " << victim("spin") << " $((10000 + ${MORE:-0}))\n";
        fs::permissions(program, fs::perms::owner_all);
        const Outcome outcome =
            bench({"run", "--rounds=40", "--json=-", "-c", std::string("more=unnumbered --env MORE=") + more,
                   "-c", "base=unnumbered --env MORE=0", "--reference=base", "--", program},
                  120);
        EXPECT_EQ(outcome.code, 0) << outcome;
        return subject_of(recording_of(outcome), "more").at("results").at("user");
    };
    Json found = Json::object();
    for (int i = 0; i < 5 && found.value("verdict", "") != "differs"; ++i) found = verdict("500");
    EXPECT_EQ(found.at("verdict"), "differs") << found;
    EXPECT_NEAR(found.at("ratio").at("value").get<double>(), 1.05, 0.04);
    unsigned wrong = 0;
    for (int i = 0; i < 3; ++i) wrong += verdict("0").at("verdict") == "differs" ? 1U : 0U;
    EXPECT_LE(wrong, 1U) << "equal programs were found to differ";
}

TEST(Bench, ACommandThatFailsHasAReasonAndNoNumber) {
    const Outcome outcome =
        bench({"run", "--rounds=2", "-c", "flat", "--", "sh", "-c", "echo oops >&2; exit 3"});
    EXPECT_EQ(outcome.code, 1) << outcome;
    EXPECT_TRUE(contains(outcome.out,
                         "flat failed in round 1: run the command: it ended with status 3; it wrote: oops"))
        << outcome;
    const Outcome missing = bench({"run", "--rounds=2", "-c", "flat", "--", "/nope"});
    EXPECT_EQ(missing.code, 1);
    EXPECT_TRUE(contains(missing.out, "execve: ENOENT")) << missing;
    const Outcome silent = bench({"run", "--figure=s=([0-9]+) lps", "--", "echo", "nothing"});
    EXPECT_EQ(silent.code, 1);
    EXPECT_TRUE(contains(silent.out, "nothing in its output is like \"([0-9]+) lps\"")) << silent;
    const Outcome killed =
        bench({"run", "-c", "flat", "--", "sh", "-c", "sh -c 'kill -SEGV $$'; kill -KILL $$"});
    EXPECT_TRUE(contains(killed.out, "host failed in round 1: run the command: it ended with signal KILL"))
        << killed;
}

TEST(Bench, AConfigurationThatCantBeHadFailsAlone) {
    const Outcome outcome =
        bench({"run", "--rounds=2", "-c", "unnumbered", "-c", "lost=flat --rootfs /nope", "--", "true"});
    EXPECT_EQ(outcome.code, 1) << outcome;
    EXPECT_TRUE(contains(outcome.out, "lost failed in round 1: run the command: it didn't start: status 125"))
        << outcome;
    EXPECT_TRUE(contains(outcome.out, "open the root directory \"/nope\"")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "unnumbered failed")) << outcome;
}

TEST(Bench, ARootOfItsOwnHasTheWrapper) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    const Outcome libraries = run({"ldd", ctr_binary()});
    std::istringstream words(libraries.out);
    for (std::string word; words >> word;)
        if (word.starts_with('/')) {
            const fs::path target = root.path() + word;
            fs::create_directories(target.parent_path());
            fs::copy_file(fs::canonical(word), target, fs::copy_options::skip_existing);
        }
    const Outcome outcome = bench({"run", "--rounds=1", "-c", "flat --rootfs " + root.path(), "--", "sh",
                                   "-c", "test -e /nowhere || ls / >/dev/null"});
    EXPECT_EQ(outcome.code, 0) << outcome;
}

TEST(Bench, WritesReportsAndComparesThem) {
    const ScratchDirectory directory;
    const std::string json = directory.path() + "/a.json";
    const Outcome outcome = bench({"run", "--rounds=6", "--json", json, "--csv", directory.path() + "/a.csv",
                                   "--html", directory.path() + "/a.html", "-c", "flat", "--", "true"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.err, "") << "no progress where nobody looks";
    EXPECT_TRUE(contains(outcome.out, "configuration  wall, s")) << outcome;
    EXPECT_GT(fs::file_size(directory.path() + "/a.csv"), 500U);
    EXPECT_GT(fs::file_size(directory.path() + "/a.html"), 3000U);
    const Outcome compared = bench({"compare", json, json});
    EXPECT_EQ(compared.code, 0) << compared;
    EXPECT_TRUE(contains(compared.out, "The machines' records are the same.")) << compared;
    EXPECT_EQ(bench({"compare", json, directory.path() + "/a.csv"}).code, 125);
    EXPECT_EQ(bench({"compare", json}).code, 125);
    const Outcome plot =
        bench({"run", "--rounds=1", "--svg", directory.path() + "/a.svg", "-c", "flat", "--", "true"});
    if (available("gnuplot"))
        EXPECT_TRUE(fs::exists(directory.path() + "/a.svg")) << plot;
    else
        EXPECT_TRUE(plot.code == 125 && contains(plot.err, "apt-get install gnuplot-nox")) << plot;
}

// Inside the end of the command is the end of all; outside as well.
TEST(Bench, NothingOutlivesItsSample) {
    const std::string mark = "79" + std::to_string(getpid());
    const Outcome outcome =
        bench({"run", "--rounds=1", "-c", "flat", "--", "sh", "-c",
               "setsid sh -c '(sleep " + mark + ") & sleep " + mark + "' & (sleep " + mark + " &)"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(wait_for("sleep " + mark, false));
}

TEST(Bench, ShowsItsProgressOnATerminal) {
    const Outcome outcome =
        run({"script", "-qec", ctr_binary() + " bench run --rounds=3 -c flat -- sleep 0.05", "/dev/null"});
    EXPECT_TRUE(contains(outcome.out, "sleep 0.05 [")) << outcome;
    EXPECT_TRUE(contains(outcome.out, " left")) << outcome;
}

class BenchEnd : public testing::TestWithParam<const char*> {};

// What was measured so far is printed, and nothing is left.
TEST_P(BenchEnd, CtrlCPrintsWhatThereIs) {
    const std::string mark = "77" + std::to_string(getpid());
    const ScratchDirectory directory;
    const std::string count = directory.path() + "/count";
    std::ofstream(count) << "";
    // The first rounds are quick, then it takes forever.
    const std::string script = "echo >>" + count + "; test $(wc -l <" + count + ") -le 9 || sleep " + mark;
    Background running({ctr_binary(), "bench", "run", "-c", GetParam(), "--", "sh", "-c", script});
    ASSERT_TRUE(wait_for("sleep " + mark, true));
    running.kill(SIGINT);
    const Outcome outcome = running.wait();
    EXPECT_EQ(outcome.code, 130) << outcome;
    EXPECT_TRUE(contains(outcome.out, "interrupted: this is what was measured until then")) << outcome;
    const bool alone = std::string(GetParam()) == "host";  // so nine samples make more rounds
    EXPECT_TRUE(contains(outcome.out, alone ? "3 rounds after 1" : "2 rounds after 1")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "failed")) << outcome;
    EXPECT_TRUE(wait_for("sleep " + mark, false));
}

TEST_P(BenchEnd, SigkillLeavesNothing) {
    const std::string mark = "78" + std::to_string(getpid());
    Background running({ctr_binary(), "bench", "run", "--reference", GetParam(), "-c", GetParam(), "--", "sh",
                        "-c", "setsid sleep " + mark + " & sleep " + mark});
    // Both are in the order that is drawn: whichever has its turn.
    ASSERT_TRUE(wait_for("sleep " + mark, true));
    running.kill(SIGKILL);
    EXPECT_EQ(running.wait().code, 137);
    EXPECT_TRUE(wait_for("sleep " + mark, false));
}

INSTANTIATE_TEST_SUITE_P(Bench, BenchEnd, testing::Values("host", "flat", "kernel"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace ctr::test
