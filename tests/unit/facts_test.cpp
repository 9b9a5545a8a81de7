// What is read of the host, against what the host says elsewhere.
#include "runtime/facts.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>

namespace ctr {
namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void expect_same(const std::vector<IdRange>& read, const std::string& path) {
    const auto there = parse_id_map(text_of(path));
    ASSERT_EQ(read.size(), there.size());
    for (size_t i = 0; i < there.size(); ++i) {
        EXPECT_EQ(read[i].first, there[i].first);
        EXPECT_EQ(read[i].count, there[i].count);
    }
}

// Also where they aren't read, because there is nothing else that they could say.
TEST(HostFacts, TheIdsAreThoseOfTheUserNamespacesMaps) {
    const auto facts = read_host_facts();
    ASSERT_TRUE(facts) << facts.error().message();
    expect_same(facts->uids, "/proc/self/uid_map");
    expect_same(facts->gids, "/proc/self/gid_map");
    EXPECT_EQ(facts->setgroups_allowed, text_of("/proc/self/setgroups") != "deny\n");
}

TEST(HostFacts, TheKernelsVersionIsItsFirstTwoNumbers) {
    const auto facts = read_host_facts();
    ASSERT_TRUE(facts) << facts.error().message();
    utsname names{};
    ASSERT_EQ(uname(&names), 0);
    const std::string begin = std::to_string(facts->kernel.major) + "." + std::to_string(facts->kernel.minor);
    EXPECT_GE(facts->kernel.major, 5U);
    EXPECT_TRUE(std::string(names.release).starts_with(begin)) << names.release;
}

}  // namespace
}  // namespace ctr
