// `ctr check` against what is so: what it says, `ctr run` does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

using Json = nlohmann::json;

Json parsed(const Outcome& outcome) {
    Json json = Json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << outcome;
    return json;
}

// The item; null if there is none.
Json item(const Json& answer, const std::string& area, const std::string& name) {
    for (const Json& one : answer.value("items", Json::array()))
        if (one["area"] == area && one["name"] == name) return one;
    return {};
}

std::string state(const Json& answer, const std::string& area, const std::string& name) {
    const Json found = item(answer, area, name);
    return found.is_null() ? "none" : found["state"].get<std::string>();
}

std::string text(const Json& answer, const std::string& area, const std::string& name, const char* member) {
    const Json found = item(answer, area, name);
    return found.is_null() ? "none" : found[member].get<std::string>();
}

const char* const modes[] = {"flat", "multi", "kernel", "host"};

// A way to start ctr: as whom, and below what.
struct Surroundings {
    const char* name;
    Arguments prefix;
    bool user = false;
};

Arguments refusing(const char* what) {
    return {victim("refused"), what, "--"};
}

class Check : public testing::Test {
  protected:
    void SetUp() override {
        binary_ = programs_.copy(ctr_binary());
        refused_ = programs_.copy(victim("refused"));
    }
    Outcome start(const Arguments& prefix, const Arguments& arguments, bool user = false) const {
        RunOptions options;
        options.cwd = "/";
        // A sanitized ctr's leak check takes ptrace, which some surroundings refuse.
        options.env = {{"ASAN_OPTIONS", "detect_leaks=0"}};
        if (user) {
            options.identity = somebody;
            options.env.insert(options.env.end(),
                               {{"HOME", "/nonexistent"}, {"XDG_CACHE_HOME", ""}, {"XDG_RUNTIME_DIR", ""}});
        }
        Arguments argv = prefix;
        if (!argv.empty() && argv.front() == victim("refused")) argv.front() = refused_;
        argv.push_back(binary_);
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return run(argv, options);
    }

  private:
    ScratchDirectory programs_;
    std::string binary_;
    std::string refused_;
};

TEST_F(Check, AgreesWithWhatRunDoes) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const Surroundings all[] = {
        {"root", {}},
        {"a user", {}, true},
        {"root without capabilities", {"setpriv", "--bounding-set", "-all"}},
        {"root of a user namespace", {"unshare", "-Urm"}},
        {"no unshare", refusing("unshare")},
        {"a user without user namespaces", refusing("users"), true},
        {"no ptrace", refusing("ptrace")},
        {"no new mounts", refusing("fsopen")},
        {"another pid namespace's /proc", {"unshare", "-pf"}},
        {"inside", {ctr_binary(), "run", "--"}},
    };
    for (const Surroundings& one : all) {
        const Outcome outcome = start(one.prefix, {"check", "--json"}, one.user);
        const Json answer = parsed(outcome);
        ASSERT_TRUE(answer.is_object()) << one.name;
        EXPECT_EQ(outcome.err, "") << one.name;
        for (const std::string mode : modes) {
            const Outcome ran = start(
                one.prefix, {"run", "--pidns=" + mode, "--", "sh", "-c", "(exit 0); exit $?"}, one.user);
            const bool works = ran.code == 0;
            EXPECT_EQ(state(answer, "--pidns", mode) != "no", works)
                << one.name << ", " << mode << ": " << item(answer, "--pidns", mode) << ran;
            if (mode == "flat") {
                EXPECT_EQ(answer["works"], works) << one.name;
                EXPECT_EQ(outcome.code, works ? 0 : 1) << one.name;
            }
        }
    }
}

TEST_F(Check, UserNamespacesThatAFilterRefusesAreNotThere) {
    if (!is_root()) GTEST_SKIP() << "needs root, to be a user";
    const Outcome outcome = start(refusing("users"), {"check", "--json"}, true);
    const Json answer = parsed(outcome);
    EXPECT_EQ(outcome.code, 0) << "it is possible to do without";
    EXPECT_EQ(state(answer, "--pidns", "flat"), "limited");
    EXPECT_TRUE(contains(text(answer, "--pidns", "flat", "reason"), "not isolated")) << answer;
    for (const char* name : {"user", "mount", "together"}) {
        EXPECT_EQ(state(answer, "namespaces", name), "no") << name;
        EXPECT_TRUE(contains(text(answer, "namespaces", name, "reason"), "EPERM"))
            << item(answer, "namespaces", name);
        EXPECT_NE(text(answer, "namespaces", name, "advice"), "") << name;
    }
    EXPECT_EQ(state(answer, "kernel", "clone3"), "no");
    EXPECT_EQ(state(answer, "kernel", "pidfd"), "yes");
    // The launcher says the same, and where to ask.
    const Outcome ran = start(refusing("users"), {"run", "--pidns=kernel", "true"}, true);
    EXPECT_TRUE(contains(ran.err, text(answer, "--pidns", "kernel", "advice"))) << ran;
    EXPECT_TRUE(contains(ran.err, "ctr check")) << ran;
}

TEST_F(Check, AsAUserOtherNamespacesTakeOneOfUsers) {
    RunOptions as_user;
    as_user.identity = somebody;
    if (!is_root() || run({"unshare", "-U", "true"}, as_user).code != 0)
        GTEST_SKIP() << "needs root, to be a user, and user namespaces";
    const Json answer = parsed(start({}, {"check", "--json"}, true));
    EXPECT_EQ(state(answer, "namespaces", "user"), "yes");
    EXPECT_EQ(state(answer, "namespaces", "net"), "limited");
    EXPECT_EQ(state(answer, "namespaces", "together"), "yes");
    EXPECT_EQ(state(answer, "fast path", "cache directory"), "no");
    EXPECT_EQ(state(answer, "--pidns", "flat"), "limited");
    EXPECT_TRUE(contains(text(answer, "--pidns", "flat", "reason"), "no fast path")) << answer;
}

TEST_F(Check, AMissingCallIsNamed) {
    const Json answer = parsed(start(refusing("ptrace"), {"check", "--json"}));
    EXPECT_EQ(state(answer, "tracing", "ptrace"), "no");
    EXPECT_TRUE(contains(text(answer, "tracing", "ptrace", "reason"), "ptrace: EPERM")) << answer;
    EXPECT_TRUE(contains(text(answer, "tracing", "ptrace", "advice"), "--pidns=kernel")) << answer;
    EXPECT_EQ(state(answer, "tracing", "process_vm_readv"), "yes");
    // Programs that the copies serve aren't traced.
    EXPECT_EQ(state(answer, "--pidns", "kernel"), "yes");
    EXPECT_NE(state(answer, "--pidns", "flat"), "yes");
    EXPECT_TRUE(contains(text(answer, "--pidns", "flat", "reason"), "could not make a child: EPERM"))
        << answer;
}

const std::string library = "/lib/x86_64-linux-gnu/libc.so.6";

TEST_F(Check, SaysWhichLibrariesOfARootHaveTheFastPath) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    const Json whole = parsed(start({}, {"check", "--json", "--rootfs", root.path()}));
    EXPECT_EQ(state(whole, "fast path", library), "yes") << whole;
    EXPECT_TRUE(contains(text(whole, "fast path", library, "reason"), "calls patched")) << whole;

    std::ofstream(root.path() + library) << "no library";
    const Outcome outcome = start({}, {"check", "--json", "--rootfs", root.path(), "/bin/sh", "/nope"});
    const Json replaced = parsed(outcome);
    EXPECT_EQ(state(replaced, "fast path", library), "no") << replaced;
    EXPECT_TRUE(contains(text(replaced, "fast path", library, "advice"), "monitor")) << replaced;
    EXPECT_EQ(state(replaced, "fast path", "/bin/sh"), "yes") << replaced;
    EXPECT_EQ(state(replaced, "fast path", "/nope"), "no") << replaced;
    EXPECT_EQ(state(replaced, "--pidns", "flat"), "limited") << replaced;
    EXPECT_EQ(parsed(start({}, {"check", "--json", "--rootfs", "/nope"}))["works"], false);
}

TEST_F(Check, InsideOfAContainerItTellsCopiesFromWhatReplacedThem) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const Json inside = parsed(start({ctr_binary(), "run", "--"}, {"check", "--json"}));
    if (state(inside, "fast path", "FSGSBASE") != "yes") GTEST_SKIP() << "there is no fast path here";
    EXPECT_EQ(state(inside, "fast path", library), "yes") << inside;
    EXPECT_TRUE(contains(text(inside, "fast path", library, "reason"), "copy")) << inside;
    EXPECT_EQ(state(inside, "--pidns", "flat"), "yes") << inside;
    const Json without =
        parsed(start({ctr_binary(), "run", "--pid-fastpath=off", "--"}, {"check", "--json"}));
    EXPECT_EQ(state(without, "fast path", library), "no") << without;
    EXPECT_TRUE(contains(text(without, "fast path", library, "reason"), "replaced")) << without;
    EXPECT_EQ(state(without, "--pidns", "flat"), "limited") << without;
}

TEST_F(Check, GroupsAreWhereTheyCanBeMade) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const Json answer = parsed(start({}, {"check", "--json"}));
    const std::string how = text(answer, "cgroup", "io", "reason");
    if (state(answer, "cgroup", "io") != "yes") GTEST_SKIP() << how;
    const std::string directory = how.substr(how.find('/')) + "/ctr-test-" + std::to_string(getpid());
    EXPECT_TRUE(fs::create_directory(directory)) << how;
    EXPECT_TRUE(fs::remove(directory)) << how;
}

// What of ours there is on the host: processes by their parent links aside, groups.
size_t groups() {
    size_t found = 0;
    std::error_code gone;
    const auto skip = fs::directory_options::skip_permission_denied;
    for (const auto& entry : fs::recursive_directory_iterator("/sys/fs/cgroup", skip, gone))
        if (entry.is_directory(gone) && entry.path().filename().string().starts_with("ctr-")) ++found;
    return found;
}

bool someone_runs(const std::string& binary) {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (fs::read_symlink(entry.path() / "exe", gone) == binary) return true;
    return false;
}

TEST_F(Check, LeavesNothingBehindAlsoWhenItIsKilled) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const ScratchDirectory programs;
    const std::string binary = programs.copy(ctr_binary());
    const size_t before = groups();
    EXPECT_EQ(run({binary, "check"}).err, "");
    EXPECT_EQ(groups(), before);
    for (int step = 0; step < 30; ++step) {
        const Background check({binary, "check"});
        usleep(static_cast<useconds_t>(step) * 4000);
        check.kill(SIGKILL);
    }
    for (int patience = 0; patience < 200 && (someone_runs(binary) || groups() != before); ++patience)
        usleep(50000);
    EXPECT_FALSE(someone_runs(binary));
    EXPECT_EQ(groups(), before);
}

}  // namespace
}  // namespace ctr::test
