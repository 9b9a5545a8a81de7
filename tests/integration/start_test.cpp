// What a start is quick by, and what waits for the command. (How quick: ./dev bench start.)
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

constexpr long most_kib = 3 * 1024;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<pid_t> children_of(pid_t process) {
    const std::string number = std::to_string(process);
    std::istringstream words(text_of("/proc/" + number + "/task/" + number + "/children"));
    std::vector<pid_t> children;
    for (pid_t child = 0; words >> child;) children.push_back(child);
    return children;
}

// What would be free without it.
long private_kib(pid_t process) {
    std::istringstream lines(text_of("/proc/" + std::to_string(process) + "/smaps_rollup"));
    long sum = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        long kib = 0;
        if (words >> name >> kib && name.starts_with("Private_")) sum += kib;
    }
    return sum;
}

// Each shared object more costs a start as much as a fork.
TEST(Start, TheCLibraryIsAllThatTheDynamicLinkerHasToFind) {
    if (is_sanitized) GTEST_SKIP() << "a sanitized ctr has the sanitizer's libraries";
    RunOptions traced;
    traced.env = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
    const Outcome outcome = run({ctr_binary()}, traced);
    ASSERT_EQ(outcome.code, 0) << outcome;
    std::set<std::string> objects;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        objects.insert(name.substr(name.rfind('/') + 1));
    }
    objects.erase("linux-vdso.so.1");
    EXPECT_EQ(objects, (std::set<std::string>{"libc.so.6", "ld-linux-x86-64.so.2"})) << outcome;
}

class Waiting : public testing::TestWithParam<const char*> {};

TEST_P(Waiting, KeeperAndMonitorTakeLessThanThreeMegabytes) {
    if (is_sanitized) GTEST_SKIP() << "a sanitizer's memory is many times a program's own";
    const Background ctr({ctr_binary(), "run", std::string("--pidns=") + GetParam(), "--", "sh", "-c",
                          "echo ready; exec sleep 60"});
    ASSERT_TRUE(ctr.wait_for_output("ready")) << ctr.err();
    const auto children = children_of(ctr.pid());
    ASSERT_EQ(children.size(), 1U) << "the kernel doesn't list a process's children, or the monitor is gone";
    const long keeper = private_kib(ctr.pid());
    const long monitor = private_kib(children.front());
    EXPECT_GT(keeper, 0);
    EXPECT_GT(monitor, 0);
    EXPECT_LT(keeper + monitor, most_kib) << "keeper " << keeper << ", monitor " << monitor;
}

INSTANTIATE_TEST_SUITE_P(Modes, Waiting, testing::Values("flat", "multi", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace ctr::test
