// Profiles on running containers, alone and together with the pid layer's filter.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

class Seccomp : public Launcher {
  protected:
    // A file with a profile, readable for everybody.
    std::string profile(const std::string& json) const {
        const std::string file = files_.path() + "/profile.json";
        std::ofstream(file) << json;
        return file;
    }
    Outcome under(const std::string& json, const std::string& script, Arguments options = {}) const {
        options.insert(options.end(), {"--seccomp", profile(json)});
        return shell(options, script);
    }

  private:
    ScratchDirectory files_;
};

INSTANTIATE_TEST_SUITE_P(Everybody, Seccomp,
                         testing::Combine(testing::Values(Caller::root, Caller::user),
                                          testing::Values("flat", "multi", "kernel", "host")),
                         name_of);

std::string refusing(const std::string& names, const std::string& more = R"("action": "SCMP_ACT_ERRNO")") {
    return R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": [)" + names + "], " + more + "}]}";
}

TEST_P(Seccomp, TheDefaultRefusesNewNamespacesAndMounts) {
    const Outcome outcome = shell({"--seccomp", "default"},
                                  "unshare -U true || echo refused; "
                                  "mount -t tmpfs none /mnt || echo refused; echo $?");
    EXPECT_EQ(outcome.out, "refused\nrefused\n0\n") << outcome;
    EXPECT_EQ(shell({}, "unshare -U true && echo made").out, "made\n");
}

// What a process is asked about its numbers passes both filters: the profile allows it, the layer serves it.
TEST_P(Seccomp, ProcessesHaveTheirNumbersUnderTheDefault) {
    const Outcome outcome =
        shell({"--seccomp", "default"},
              "echo $$ > /dev/null; sh -c 'exit 3'; echo $?; sleep 60 & kill $!; wait $!; echo $?; "
              "test $(readlink /proc/self) -gt 0 && test $(sh -c 'echo $PPID') = $$ && echo agree; ps > "
              "/dev/null && echo ps");
    EXPECT_EQ(outcome.out, "3\n143\nagree\nps\n") << outcome;
    if (mode() != "host") {
        EXPECT_EQ(shell({"--seccomp", "default"}, "echo $$").out, "1\n");
    }
    if (available("strace") && caller() == Caller::root) {
        const Outcome traced =
            shell({"--seccomp", "default"}, "strace -f -e trace=none sh -c '(exit 3)'; echo $?");
        EXPECT_EQ(traced.out, "3\n") << traced;
    }
}

TEST_P(Seccomp, WhatAProfileRefusesIsNotDone) {
    const Outcome outcome =
        under(refusing(R"("mkdir", "mkdirat")", R"("action": "SCMP_ACT_ERRNO", "errnoRet": 28)"),
              "mkdir /tmp/never");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "No space left")) << outcome;
}

// Also calls that the layer would serve: refusal is the stronger answer.
TEST_P(Seccomp, ItsRefusalComesBeforeTheLayer) {
    const Outcome outcome = under(refusing(R"("kill")"), "kill -0 $$ || echo refused");
    EXPECT_EQ(outcome.out, "refused\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "not permitted")) << outcome;
}

TEST_P(Seccomp, ItCanKill) {
    const Outcome outcome = under(refusing(R"("mkdir", "mkdirat")", R"("action": "SCMP_ACT_KILL_PROCESS")"),
                                  "mkdir /tmp/never; echo $?");
    EXPECT_EQ(outcome.out, "159\n") << outcome;  // 128 + SIGSYS
}

// What ctr itself does between the profile and the command needs nothing of this.
TEST_P(Seccomp, ItMayForbidWhatTheLauncherUsed) {
    const std::string json =
        refusing(R"("seccomp", "sendmsg", "recvmsg", "socketpair", "close_range", "pivot_root",
        "setresuid", "capset", "landlock_restrict_self", "mount")");
    EXPECT_EQ(under(json, "(exit 3); echo $?").out, "3\n");
}

TEST_P(Seccomp, ACommandThatMayNotBeExecutedIsNoSuccess) {
    EXPECT_EQ(under(refusing(R"("execve", "execveat")"), "true").code, 126);
}

TEST_P(Seccomp, WithoutNoNewPrivs) {
    if (caller() == Caller::user) GTEST_SKIP() << "as root only";
    const Outcome outcome =
        under(refusing(R"("mkdir", "mkdirat")"),
              "grep -E 'NoNewPrivs|CapEff' /proc/self/status; mkdir /tmp/never", {"--no-new-privs=false"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "CapEff:\t00000000a80425fb\nNoNewPrivs:\t0\n") << outcome;
}

TEST_P(Seccomp, ABadProfileIsRefusedBeforeAnythingHappens) {
    const Outcome bad = under(refusing(R"("mkdir")", R"("action": "SCMP_ACT_MAYBE")"), "echo ran");
    EXPECT_EQ(bad.code, 125);
    EXPECT_EQ(bad.out, "");
    EXPECT_TRUE(contains(bad.err, "syscalls[0].action: \"SCMP_ACT_MAYBE\"")) << bad;
    const Outcome missing = shell({"--seccomp", "/no/such/profile"}, "echo ran");
    EXPECT_EQ(missing.code, 125);
    EXPECT_TRUE(contains(missing.err, "\"/no/such/profile\": open: ENOENT")) << missing;
}

}  // namespace
}  // namespace ctr::test
