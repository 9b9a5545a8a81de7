// What is read of the host, against what the host says elsewhere.
#include "runtime/facts.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "runtime/base/sys.h"

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

// Also where children leave no exit status.
TEST(HostFacts, AListenerIsFoundByWhoIgnoresItsChildren) {
    HostFacts here;
    const auto read = read_listened(here);
    ASSERT_TRUE(read) << read.error().message();
    if (here.listened) GTEST_SKIP() << "an outer program listens to this one already";
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGCHLD, SIG_IGN);
        HostFacts before;
        const bool answered = static_cast<bool>(read_listened(before));
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const int listener = sys::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, {1, allow});
        HostFacts after;
        _exit(answered && !before.listened && listener >= 0 && read_listened(after) && after.listened ? 0
                                                                                                      : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
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
