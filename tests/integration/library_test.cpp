// The library in a program with threads: what it does there, and that it leaves and changes nothing.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

// fleet looks at descriptors, children, threads, memory, signals and attributes of its own process itself.
Outcome fleet(const std::string& program, int containers, RunOptions options = {}) {
    options.timeout_seconds = 500;
    // What was freed is to be seen as free.
    options.env.emplace_back("ASAN_OPTIONS", "quarantine_size_mb=1:allow_user_poisoning=1");
    return run({program, std::to_string(containers), "8"}, options);
}

void expect_silent_success(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
}

TEST(Library, AThousandContainersFromEightThreadsLeaveNothing) {
    expect_silent_success(fleet(CTR_FLEET, 1000));
}

TEST(Library, SoDoThoseOfAnOrdinaryUser) {
    if (!is_root()) GTEST_SKIP() << "the test before was it";
    const ScratchDirectory home;
    std::filesystem::permissions(home.path(), std::filesystem::perms::all);
    RunOptions options;
    options.identity = somebody;
    options.env.emplace_back("HOME", home.path());
    options.cwd = "/";
    if (run({"unshare", "-U", "true"}, options).code != 0)
        GTEST_SKIP() << "user namespaces are not available here";
    expect_silent_success(fleet(home.copy(CTR_FLEET), 100, options));
}

// What such an allocator holds at the moment when another thread starts a container must not matter.
class LibraryBesideAllocator : public testing::TestWithParam<const char*> {};

TEST_P(LibraryBesideAllocator, Launches) {
    if (std::string_view(CTR_SANITIZE) != "") GTEST_SKIP() << "a sanitizer is the allocator";
    const std::string allocator = std::string("/usr/lib/x86_64-linux-gnu/") + GetParam();
    if (!std::filesystem::exists(allocator)) GTEST_SKIP() << "not installed: " << allocator;
    RunOptions options;
    options.env.emplace_back("LD_PRELOAD", allocator);
    expect_silent_success(fleet(CTR_FLEET, 200, options));
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryBesideAllocator,
                         testing::Values("libjemalloc.so.2", "libtcmalloc_minimal.so.4"),
                         [](const auto& parameters) {
                             const std::string name = parameters.param;
                             return name.substr(3, name.find_first_of("._", 3) - 3);
                         });

}  // namespace
}  // namespace ctr::test
