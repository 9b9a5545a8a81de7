// `ctr ps`: what it says about containers that run, from outside, from between and from inside.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

using Json = nlohmann::json;

Outcome ctr_ps(const Arguments& arguments, const RunOptions& options = {}) {
    Arguments argv{ctr_binary(), "ps"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(argv, options);
}

Arguments concat(std::initializer_list<Arguments> parts) {
    Arguments whole;
    for (const Arguments& part : parts) whole.insert(whole.end(), part.begin(), part.end());
    return whole;
}

// "pids ppid comm" of each process, the numbers joined as in the table.
std::string summary(const Json& list) {
    std::ostringstream text;
    for (const Json& one : list) {
        std::string numbers;
        for (const Json& number : one["pids"]) numbers += (numbers.empty() ? "" : "/") + number.dump();
        text << numbers << ' ' << one["ppid"].dump() << ' ' << one["comm"].get<std::string>() << '\n';
    }
    return text.str();
}

// The container that this ctr runs.
Json list_of(pid_t ctr) {
    const Outcome outcome = ctr_ps({"--json", std::to_string(ctr)});
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out, nullptr, false);
}

bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 500; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

pid_t child_of(pid_t process) {
    const std::string number = std::to_string(process);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    pid_t child = 0;
    children >> child;
    return child;
}

struct Numbering {
    const char* name;
    Arguments options;
};
const Numbering numberings[] = {{"flat", {"--pidns=flat"}},
                                {"hash", {"--pidns=multi"}},
                                {"list", {"--pidns=multi", "--pid-lookup=list"}},
                                // Nested, each mounts a /proc of its own.
                                {"kernel", {"--pidns=kernel", "--system-paths=host"}}};

void PrintTo(const Numbering& numbering, std::ostream* out) {
    *out << numbering.name;
}

constexpr const char* sleeper = "sleep 60 & echo ready; wait";
constexpr const char* rows_of_sleeper = "1 0 sh\n2 1 sleep\n";  // soon after it is ready

class Ps : public testing::TestWithParam<Numbering> {
  protected:
    static Arguments ctr_run_words() { return concat({{ctr_binary(), "run"}, GetParam().options, {"--"}}); }
    static std::string name() { return GetParam().name; }
};

INSTANTIATE_TEST_SUITE_P(Numberings, Ps, testing::ValuesIn(numberings),
                         [](const auto& numbering) { return std::string(numbering.param.name); });

TEST_P(Ps, ListsAContainersProcesses) {
    const Background container(concat({ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    Json list;
    const auto sleeps = [&] {
        list = list_of(container.pid());
        return summary(list) == rows_of_sleeper && list[1]["state"] == "S";
    };
    ASSERT_TRUE(eventually(sleeps)) << list;
    const pid_t init = child_of(child_of(container.pid()));
    for (const Json& one : list) EXPECT_EQ(one["container"], init);
    EXPECT_EQ(list[0]["host"], init);
    EXPECT_EQ(list[1]["host"], child_of(init));
    EXPECT_EQ(list[1]["args"], Json({"sleep", "60"}));
    // Any process of it names it.
    for (const pid_t one : {child_of(container.pid()), init, child_of(init)}) EXPECT_EQ(list_of(one), list);
}

TEST_P(Ps, ListsEveryLevelOfNestedContainers) {
    const Background container(
        concat({ctr_run_words(), ctr_run_words(), ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    const std::string levels =
        "1 0 ctr\n2 1 ctr-monitor\n3/1 2 ctr\n4/2 3 ctr-monitor\n5/3/1 4 sh\n6/4/2 5 sleep\n";
    const std::string flat =
        "1 0 ctr\n2 1 ctr-monitor\n3/1 2 ctr\n0/2 3 ctr-monitor\n0/3/1 null sh\n0/0/2 null sleep\n";
    const std::string& expected = name() == "flat" ? flat : levels;
    EXPECT_TRUE(eventually([&] { return summary(list_of(container.pid())) == expected; }))
        << summary(list_of(container.pid()));
}

TEST_P(Ps, AContainerThatWasKilledIsNotListed) {
    Background container(concat({ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    const pid_t init = child_of(child_of(container.pid()));
    EXPECT_EQ(ctr_ps({std::to_string(init)}).code, 0);
    container.kill(SIGKILL);
    container.wait();
    const auto gone = [&] { return ctr_ps({std::to_string(init)}).code == 125; };
    EXPECT_TRUE(eventually(gone));
    const Outcome outcome = ctr_ps({std::to_string(init)});
    EXPECT_TRUE(contains(outcome.err, "find the container " + std::to_string(init))) << outcome;
    EXPECT_EQ(outcome.out, "");
}

TEST_P(Ps, AContainerInAnotherPidNamespaceHasItsNumbersToo) {
    const Arguments unshare{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
    if (run(concat({unshare, {"true"}})).code != 0) GTEST_SKIP() << "needs unshare --pid";
    const Background outer(
        concat({unshare, {"sh", "-c", "\"$@\"; :", "sh"}, ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(outer.wait_for_output("ready")) << outer.err();
    const pid_t launcher = child_of(child_of(outer.pid()));
    EXPECT_TRUE(eventually([&] { return summary(list_of(launcher)) == rows_of_sleeper; }))
        << list_of(launcher);
}

TEST_P(Ps, TheTableHasTheSameRows) {
    const Background container(concat({ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    ASSERT_TRUE(eventually([&] { return summary(list_of(container.pid())) == rows_of_sleeper; }));
    for (const char* form : {"--tree", "--"}) {
        std::istringstream lines(ctr_ps({form, std::to_string(container.pid())}).out);
        std::string line;
        std::getline(lines, line);
        EXPECT_TRUE(line.starts_with("CONTAINER")) << line;
        std::getline(lines, line);
        EXPECT_TRUE(contains(line, "    1     0  S     sh -c " + std::string(sleeper))) << line;
        std::getline(lines, line);
        EXPECT_TRUE(contains(line, "    2     1  S     ") && contains(line, "sleep 60")) << line;
        EXPECT_FALSE(std::getline(lines, line)) << line;
    }
}

// ---- Who may

TEST_P(Ps, AnotherUsersContainerIsNotListedAndANoteSaysSo) {
    if (!is_root()) GTEST_SKIP() << "needs root, to be two users";
    const Background container(concat({ctr_run_words(), {"sh", "-c", sleeper}}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    const ScratchDirectory place;
    const std::string ctr = place.copy(ctr_binary());
    RunOptions other;
    other.identity = somebody;
    other.cwd = "/";
    const Background own(concat({{ctr, "run"}, GetParam().options, {"--", "sh", "-c", sleeper}}), other);
    if (!own.wait_for_output("ready")) GTEST_SKIP() << "no container for a user here: " << own.err();

    const std::string init = std::to_string(child_of(child_of(container.pid())));
    const pid_t own_init = child_of(child_of(own.pid()));
    ASSERT_TRUE(eventually([&] { return summary(list_of(own.pid())) == rows_of_sleeper; })) << "as root";
    const Outcome outcome = run({ctr, "ps", "--json"}, other);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.err, "aren't shown")) << outcome;
    EXPECT_TRUE(contains(outcome.err, std::to_string(child_of(container.pid())))) << outcome;
    EXPECT_FALSE(contains(outcome.err, std::to_string(child_of(own.pid())))) << outcome;
    EXPECT_FALSE(contains(outcome.out, "\"container\":" + init + ",")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "\"container\":" + std::to_string(own_init) + ",")) << outcome;
    const Outcome only_own = run({ctr, "ps", "--json", std::to_string(own_init)}, other);
    EXPECT_EQ(summary(Json::parse(only_own.out)), rows_of_sleeper);
    EXPECT_EQ(only_own.err, "");
    const Outcome only_other = run({ctr, "ps", init}, other);
    EXPECT_EQ(only_other.code, 125);
    EXPECT_TRUE(contains(only_other.err, "only root and its owner")) << only_other;
}

// ---- Hostile contents

class HostileFile : public Ps {};
INSTANTIATE_TEST_SUITE_P(Numberings, HostileFile, testing::ValuesIn(numberings, numberings + 3),
                         [](const auto& numbering) { return std::string(numbering.param.name); });

// A descriptor of the monitor's file, to write.
Fd open_numbers(pid_t monitor) {
    const fs::path descriptors = "/proc/" + std::to_string(monitor) + "/fd";
    for (const auto& entry : fs::directory_iterator(descriptors))
        if (contains(fs::read_symlink(entry.path()).string(), "ctr-numbers"))
            return Fd(open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
    return {};
}

// As a user who has no other processes, for whatever the monitor might make of such numbers.
TEST_P(HostileFile, DoesNoHarmToWhoReadsIt) {
    if (!is_root()) GTEST_SKIP() << "needs root, to become a user of whom there is no other process";
    const ScratchDirectory place;
    const std::string ctr = place.copy(ctr_binary());
    RunOptions other;
    other.identity = somebody;
    other.cwd = "/";
    Background container(concat({{ctr, "run"}, GetParam().options, {"--", "sh", "-c", sleeper}}), other);
    if (!container.wait_for_output("ready")) GTEST_SKIP() << "no container here: " << container.err();
    ASSERT_TRUE(eventually([&] { return summary(list_of(container.pid())) == rows_of_sleeper; }));
    const Fd numbers = open_numbers(child_of(container.pid()));
    ASSERT_TRUE(numbers);
    const std::string init = std::to_string(child_of(child_of(container.pid())));
    std::array<char, 4096> header{};
    ASSERT_EQ(pread(numbers.get(), header.data(), header.size(), 0), 4096);
    const off_t size = lseek(numbers.get(), 0, SEEK_END);
    ASSERT_GT(size, 1 << 20);

    std::mt19937 random(3);
    const auto scribble = [&](off_t from, off_t length) {
        std::vector<unsigned> junk(static_cast<size_t>(length) / sizeof(unsigned));
        for (unsigned& word : junk) word = static_cast<unsigned>(random()) >> (random() % 32);
        EXPECT_EQ(pwrite(numbers.get(), junk.data(), static_cast<size_t>(length), from), length);
    };
    for (int round = 0; round < 12; ++round) {
        // Where processes and their numbers are kept at the beginning, and anywhere.
        scribble(4096, 1 << 18);
        for (int i = 0; i < 64; ++i) scribble(static_cast<off_t>(random()) % (size >> 12) * 4096 / 2, 4096);
        if (round % 2 == 1)
            scribble(0, 64);
        else
            ASSERT_EQ(pwrite(numbers.get(), header.data(), header.size(), 0), 4096);
        for (const char* form : {"--json", "--tree"}) {
            const Outcome outcome = ctr_ps({form, init});
            EXPECT_EQ(outcome.code, 0) << outcome;
            EXPECT_TRUE(contains(outcome.out, "sleep")) << outcome;
            EXPECT_EQ(contains(outcome.err, "shown without its numbers"), round % 2 == 1) << outcome;
        }
        EXPECT_EQ(Json::parse(ctr_ps({"--json", init}).out).size(), 2u);
    }
    // Nor to who has it: the container ends as it would.
    container.kill(SIGKILL);
    container.wait();
    EXPECT_TRUE(eventually([&] { return ctr_ps({init}).code == 125; }));
}

// ---- Inside

class PsInside : public Ps {
  protected:
    void SetUp() override {
        const Outcome outcome = run(concat({ctr_run_words(), {"sh", "-c", "readlink /proc/self"}}));
        if (outcome.out != "2\n" && outcome.out != "1\n")
            GTEST_SKIP() << "/proc isn't translated in this numbering: " << outcome.out;
    }
    // A sanitized program's leak check "does not work under ptrace", and the outer ctr's monitor is a tracer.
    static Arguments unchecked(const Arguments& words) {
        return concat({{"env", "ASAN_OPTIONS=detect_leaks=0"}, words});
    }
    // --all is what a layer implies.
    static Arguments ps_words() { return unchecked({ctr_binary(), "ps", "--json", "--all"}); }
};
INSTANTIATE_TEST_SUITE_P(Numberings, PsInside, testing::ValuesIn(numberings),
                         [](const auto& numbering) { return std::string(numbering.param.name); });

TEST_P(PsInside, ShowsTheContainersNumbers) {
    // Without a child that would take a number.
    const char* const script =
        "sleep 60 & until read name </proc/2/comm && [ $name = sleep ]; do :; done; \"$@\"";
    for (const Arguments& around : {Arguments{}, ctr_run_words()}) {
        const Outcome outcome =
            run(concat({around, unchecked(ctr_run_words()), {"sh", "-c", script, "sh"}, ps_words()}));
        ASSERT_EQ(outcome.code, 0) << outcome;
        const Json list = Json::parse(outcome.out);
        EXPECT_EQ(summary(list), "1 0 sh\n2 1 sleep\n3 1 ctr\n");
        for (const Json& one : list) {
            EXPECT_EQ(one["host"], one["pids"][0]);
            EXPECT_TRUE(one["container"].is_null());
        }
    }
}

// The container in the middle sees the inner one below itself.
TEST_P(PsInside, ShowsAContainerInsideOfThisOne) {
    const std::string ps = "env ASAN_OPTIONS=detect_leaks=0 " + ctr_binary() + " ps --json --all";
    const std::string script = "\"$@\" & i=0; until " + ps +
                               " | grep -q '\"comm\":\"sleep\"' || [ $i = 99 ]; do i=$((i+1)); done; " + ps +
                               "; kill -KILL $!";
    const Outcome outcome = run(
        concat({ctr_run_words(), {"sh", "-c", script, "sh"}, unchecked(ctr_run_words()), {"sleep", "60"}}));
    ASSERT_EQ(outcome.code, 0) << outcome;
    unsigned contained = 0;
    for (const Json& one : Json::parse(outcome.out)) {
        if (one["container"].is_null()) continue;
        ++contained;
        EXPECT_EQ(one["comm"], "sleep");
        EXPECT_EQ(one["container"], one["host"]);
        EXPECT_GT(one["host"], 2);
        EXPECT_EQ(one["pids"], Json({1}));
        EXPECT_EQ(one["ppid"], 0);
    }
    EXPECT_EQ(contained, 1u) << outcome;
}

}  // namespace
}  // namespace ctr::test
