// Namespaces that are the host's, and those that containers share with each other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

std::string own_namespace(const std::string& kind) {
    return fs::read_symlink("/proc/self/ns/" + kind).string() + "\n";
}

class Scopes : public RootsLauncher {};
INSTANTIATE_TEST_SUITE_P(Modes, Scopes, testing::Values("flat", "kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Scopes, NamespacesAreTheHostsWhereThatIsAskedFor) {
    struct Case {
        const char* option;
        const char* file;
    };
    for (const Case& one : {Case{"--ipc", "ipc"}, Case{"--uts", "uts"}, Case{"--cgroupns", "cgroup"}}) {
        const std::string file = std::string("/proc/self/ns/") + one.file;
        EXPECT_EQ(run(command({one.option, "host", "--", "readlink", file})).out, own_namespace(one.file));
        EXPECT_NE(run(command({"--", "readlink", file})).out, own_namespace(one.file));
    }
}

TEST_P(Scopes, ClocksCanBeAhead) {
    if (!fs::exists("/proc/self/ns/time")) GTEST_SKIP() << "the kernel has no time namespaces";
    const Outcome outcome =
        run(command({"--time", "private,boottime=100000000,monotonic=7", "--", "sh", "-c",
                     "cat /proc/uptime /proc/self/timens_offsets; readlink /proc/self/ns/time"}));
    EXPECT_GT(std::atof(outcome.out.c_str()), 1e8) << outcome;
    EXPECT_FALSE(contains(outcome.out, own_namespace("time"))) << outcome;
}

// With a range of ids for a user that only this mount namespace knows: $1 is a directory, $2 the user's
// number.
constexpr const char* with_subids = R"(
cat /etc/passwd > "$1/passwd" && echo "ctr-test:x:$2:$2::/:/bin/sh" >> "$1/passwd" || exit 99
echo ctr-test:200000:65536 > "$1/ids"
mount --bind "$1/passwd" /etc/passwd || exit 99
for file in /etc/subuid /etc/subgid; do mount --bind "$1/ids" $file || exit 99; done
user=$2
shift 2
cd /
exec setpriv --reuid $user --regid $user --clear-groups "$@"
)";

TEST_P(Scopes, AUserNamespaceCanHaveARangeOfIds) {
    if (!available("newuidmap")) GTEST_SKIP() << "newuidmap is not installed";
    if (!fs::exists("/etc/subuid") || !fs::exists("/etc/subgid")) GTEST_SKIP() << "there is no /etc/subuid";
    const ScratchDirectory place;
    const std::string ctr = place.copy(ctr_binary());
    const auto as_user = [&](const Arguments& options) {
        Arguments argv{"unshare",
                       "-m",
                       "sh",
                       "-c",
                       with_subids,
                       "sh",
                       place.path(),
                       std::to_string(somebody.uid),
                       ctr,
                       "run",
                       std::string("--pidns=") + GetParam()};
        argv.insert(argv.end(), options.begin(), options.end());
        return run(argv);
    };
    const Outcome root = as_user({"--userns=subids", "--tmpfs", "/mnt", "--", "sh", "-c",
                                  "id -u; touch /mnt/x && chown 33:34 /mnt/x && stat -c %u:%g /mnt/x"});
    EXPECT_EQ(root.out, "0\n33:34\n") << root;
    const Outcome same = as_user({"--userns=keep-id", "--", "id", "-u"});
    EXPECT_EQ(same.out, std::to_string(somebody.uid) + "\n") << same;
    const Outcome other = as_user({"--userns=subids", "--user=33:34", "--", "sh", "-c", "id -u; id -G"});
    EXPECT_EQ(other.out, "33\n34\n") << other;
}

// A container of its own for each test, which others join.
class Sharing : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "needs root";
        if (GetParam()) options_.identity = somebody;
        if (run({"unshare", "-U", "true"}, options_).code != 0)
            GTEST_SKIP() << "user namespaces are not available here";
        options_.cwd = "/";
        binary_ = programs_.copy(ctr_binary());
    }

    Arguments ctr(const Arguments& options) const {
        Arguments argv{binary_, "run"};
        argv.insert(argv.end(), options.begin(), options.end());
        return argv;
    }
    // User namespaces are part of it: without privilege nothing else can be joined.
    Outcome joining(pid_t process, const std::string& kinds, const Arguments& rest) const {
        Arguments options{"--share-with", std::to_string(process) + kinds};
        options.insert(options.end(), rest.begin(), rest.end());
        return run(ctr(options), options_);
    }

    RunOptions options_;

  private:
    ScratchDirectory programs_;
    std::string binary_;
};
INSTANTIATE_TEST_SUITE_P(Callers, Sharing, testing::Bool(),
                         [](const auto& user) { return std::string(user.param ? "user" : "root"); });

constexpr const char* wait_there = "echo ready; exec sleep 60";

TEST_P(Sharing, JoinsAllNamespacesOfAContainer) {
    const Background other(ctr({"--hostname", "shared", "--network=none", "--tmpfs", "/mnt", "--", "sh", "-c",
                                std::string("echo there > /mnt/file; ") + wait_there}),
                           options_);
    ASSERT_TRUE(other.wait_for_output("ready")) << other.err();
    const Outcome outcome = joining(
        other.pid(), "",
        {"--", "sh", "-c", "echo $$; uname -n; cat /mnt/file; pwd; (exit 3); echo $?; ls /proc/1/comm"});
    EXPECT_EQ(outcome.out, "1\nshared\nthere\n/\n3\n/proc/1/comm\n") << outcome;
    // Its numbers are its own, and so is what they mean.
    const Outcome signal = joining(other.pid(), "", {"--", "sh", "-c", "kill -TERM -1; ps -e"});
    EXPECT_FALSE(contains(signal.out, "sleep")) << signal;
    EXPECT_TRUE(other.running());
}

TEST_P(Sharing, JoinsSomeNamespacesAndMakesTheOthers) {
    const Background other(ctr({"--hostname", "shared", "--tmpfs", "/mnt", "--", "sh", "-c", wait_there}),
                           options_);
    ASSERT_TRUE(other.wait_for_output("ready")) << other.err();
    const Outcome outcome =
        joining(other.pid(), ":user,uts",
                {"--tmpfs", "/mnt", "--", "sh", "-c", "uname -n; echo mine > /mnt/file && cat /mnt/file"});
    EXPECT_EQ(outcome.out, "shared\nmine\n") << outcome;
}

TEST_P(Sharing, JoinsProcessNumbersUnderKernel) {
    if (GetParam()) return;
    const Background other(ctr({"--pidns=kernel", "--", "sh", "-c", wait_there}), options_);
    ASSERT_TRUE(other.wait_for_output("ready")) << other.err();
    const Outcome outcome =
        joining(other.pid(), "", {"--pidns=kernel", "--", "sh", "-c", "cat /proc/1/comm; echo $$; exit 4"});
    EXPECT_EQ(outcome.code, 4) << outcome;
    EXPECT_TRUE(outcome.out.starts_with("sleep\n")) << outcome;
    EXPECT_NE(outcome.out, "sleep\n1\n") << outcome;
    EXPECT_TRUE(other.running());
    // Under flat its /proc would show the wrong numbers.
    const Outcome flat = joining(other.pid(), "", {"true"});
    EXPECT_EQ(flat.code, 125);
    EXPECT_TRUE(contains(flat.err, "another pid namespace")) << flat;
}

TEST_P(Sharing, ProcessesThatCannotBeJoinedAreNamed) {
    const Outcome none = joining(4194304, ":uts", {"true"});
    EXPECT_EQ(none.code, 125);
    EXPECT_TRUE(contains(none.err, "process 4194304") && contains(none.err, "there is no such process"))
        << none;
    if (!GetParam()) return;
    const Outcome foreign = joining(getpid(), ":uts", {"true"});
    EXPECT_EQ(foreign.code, 125);
    EXPECT_TRUE(contains(foreign.err, "it belongs to another user")) << foreign;
    // Its uts namespace belongs to its user namespace.
    const Background other(ctr({"--", "sh", "-c", wait_there}), options_);
    ASSERT_TRUE(other.wait_for_output("ready")) << other.err();
    const Outcome alone = joining(other.pid(), ":uts", {"true"});
    EXPECT_EQ(alone.code, 125);
    EXPECT_TRUE(contains(alone.err, "setns: EPERM") && contains(alone.err, "share user as well")) << alone;
}

}  // namespace
}  // namespace ctr::test
