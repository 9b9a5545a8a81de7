// Random process trees in nested pid namespaces (tests/oracle), driven under the kernel's own numbering and
// under ours: every process must see itself and all others alike, to the number.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

using Mode = std::vector<std::string>;

const Mode kernel{"--pidns=kernel"};
const Mode multi{"--pidns=multi"};
const Mode multi_with_list{"--pidns=multi", "--pid-lookup=list"};
const Mode flat{"--pidns=flat"};

// What is compared: everything with its numbers, or only what a process sees in its own namespace and of the
// inits directly below, which is all that the flat numbering shows.
enum class View { numbers, names };

struct Seeds {
    unsigned first;
    unsigned count;
};

constexpr unsigned seeds_at_once = 125;            // histories for one start of ctr
constexpr int needs_newer_kernel = 77;             // of the program: pidfds don't tell who is who (Linux 6.9)
constexpr unsigned first_random_seed = 1'000'000;  // the fixed ones are below

// One container that runs some histories, beside the test.
std::unique_ptr<Background> start(const Mode& mode, View view, Seeds seeds) {
    Arguments argv{ctr_binary(), "run"};
    argv.insert(argv.end(), mode.begin(), mode.end());
    const Arguments command{"--cap-add",
                            "SYS_ADMIN",
                            "--",
                            victim("history"),
                            view == View::numbers ? "numbers" : "names",
                            std::to_string(seeds.first),
                            std::to_string(seeds.count)};
    argv.insert(argv.end(), command.begin(), command.end());
    RunOptions options;
    options.timeout_seconds = 60;
    return std::make_unique<Background>(argv, options);
}

// The first difference, after what the processes had done in that history until then; empty if there is none.
std::string difference(const std::string& expected, const std::string& actual) {
    std::istringstream left(expected);
    std::istringstream right(actual);
    std::ostringstream history;
    for (std::string wanted, got;;) {
        const bool more_left = static_cast<bool>(std::getline(left, wanted));
        const bool more_right = static_cast<bool>(std::getline(right, got));
        if (!more_left && !more_right) return {};
        if (!more_left) wanted = "(the end)";
        if (!more_right) got = "(the end)";
        if (wanted != got) return history.str() + "expected: " + wanted + "\n but got: " + got + "\n";
        if (wanted.starts_with("history ")) history.str("");
        if (!wanted.starts_with("  ")) history << wanted << "\n";
    }
}

class Oracle : public testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "needs root";
        if (!available(victim("history"))) GTEST_SKIP() << "not built: " << victim("history");
        const Outcome probe = start(kernel, View::numbers, {1, 1})->wait();
        if (probe.code == needs_newer_kernel) GTEST_SKIP() << probe.err;
        ASSERT_EQ(probe.code, 0) << probe;
    }

    // A new process doesn't get a number that the kernel has given to a task of its container, which is a
    // matter of chance: what differs must differ twice.
    static void expect_agreement(const Mode& mode, View view, Seeds seeds, const Outcome& actual) {
        const Outcome expected = start(kernel, view, seeds)->wait();
        const bool once_more = actual.code == 0 && !difference(expected.out, actual.out).empty();
        compare(expected, once_more ? start(mode, view, seeds)->wait() : actual, mode);
    }

    // The histories of all seeds, some at a time; two containers run beside each other.
    static void expect_agreement(const Mode& mode, View view, Seeds seeds) {
        for (unsigned done = 0; done < seeds.count; done += 2 * seeds_at_once) {
            const Seeds some{seeds.first + done, std::min(seeds_at_once, seeds.count - done)};
            const unsigned rest = seeds.count - done - some.count;
            const Seeds more{some.first + some.count, std::min(seeds_at_once, rest)};
            const auto first = start(mode, view, some);
            const auto second = more.count > 0 ? start(mode, view, more) : nullptr;
            expect_agreement(mode, view, some, first->wait());
            if (second) expect_agreement(mode, view, more, second->wait());
            if (HasFailure()) return;
        }
    }

    static Outcome run_script(const Mode& mode) { return start(mode, View::names, {1, 0})->wait(); }

    static void compare(const Outcome& expected, const Outcome& actual, const Mode& mode) {
        ASSERT_EQ(expected.code, 0) << tail(expected);
        ASSERT_TRUE(expected.out.ends_with("complete\n")) << tail(expected);
        EXPECT_EQ(difference(expected.out, actual.out), "") << testing::PrintToString(mode);
        EXPECT_EQ(actual.code, 0) << testing::PrintToString(mode) << "\n" << actual.err;
    }

  private:
    static std::string tail(const Outcome& outcome) {
        const size_t shown = std::min<size_t>(outcome.out.size(), 2000);
        return outcome.out.substr(outcome.out.size() - shown) + outcome.err;
    }
};

TEST_F(Oracle, TheKernelAgreesWithItself) {
    expect_agreement(kernel, View::numbers, {1, 250});
}

TEST_F(Oracle, MultiAgreesWithTheKernel) {
    expect_agreement(multi, View::numbers, {1, 1000});
}

TEST_F(Oracle, MultiWithListsAgreesWithTheKernel) {
    expect_agreement(multi_with_list, View::numbers, {1001, 300});
}

TEST_F(Oracle, FlatAgreesWithTheKernelAboutWhatItShows) {
    expect_agreement(flat, View::names, {1301, 300});
}

TEST_F(Oracle, AllAgreeOnHistoriesNeverSeenBefore) {
    const unsigned seed = first_random_seed + std::random_device{}() % 1'000'000'000;
    std::cout << "seed " << seed << "\n";
    expect_agreement(multi, View::numbers, {seed, 40});
    expect_agreement(multi_with_list, View::numbers, {seed, 10});
    expect_agreement(flat, View::names, {seed, 10});
}

// Born in a namespace by a process outside of it (setns): a scripted history.
TEST_F(Oracle, AProcessBornBySetnsIsItsCreatorsChild) {
    for (const Mode& mode : {multi, multi_with_list, flat})
        compare(run_script(kernel), run_script(mode), mode);
}

// The comparison itself: it must be able to fail.
TEST(OracleComparison, TellsWhatDiffers) {
    const std::string text = "history 7\nd creates p1\n  d self:1\n";
    EXPECT_EQ(difference(text, text), "");
    EXPECT_NE(difference(text, "history 7\nd creates p1\n  d self:2\n"), "");
    EXPECT_NE(difference(text, "history 7\nd creates p1\n"), "");
    EXPECT_NE(difference("history 7\nd creates p1\n", text), "");
    EXPECT_NE(difference(text, "history 7\nd creates p2\n").find("history 7"), std::string::npos);
}

}  // namespace
}  // namespace ctr::test
