#include "runtime/explain.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>

namespace ctr {
namespace {

using Files = std::map<std::string, std::string>;

Evidence evidence(uint64_t flags, const Files& files) {
    Evidence result;
    result.clone_flags = flags;
    result.read = [files](const std::string& path) -> std::optional<std::string> {
        const auto file = files.find(path);
        return file == files.end() ? std::nullopt : std::optional(file->second);
    };
    return result;
}

std::string explained(const std::string& call, int err, const Evidence& found) {
    Error error;
    error.step = "step";
    error.call = call;
    error.err = err;
    return explain(error, found).message();
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const Files healthy = {{"/proc/sys/user/max_user_namespaces", "96365\n"},
                       {"/proc/sys/user/max_pid_namespaces", "96365\n"},
                       {"/proc/sys/kernel/unprivileged_userns_clone", "1\n"},
                       {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n"}};

Files with(const std::string& path, const std::string& value) {
    Files files = healthy;
    files[path] = value;
    return files;
}

TEST(Explain, QuotesTheLimitThatIsToBlame) {
    const auto text = explained("clone3", ENOSPC,
                                evidence(CLONE_NEWUSER, with("/proc/sys/user/max_user_namespaces", "0\n")));
    EXPECT_TRUE(mentions(text, "user.max_user_namespaces = 0")) << text;
}

TEST(Explain, DoesNotBlameALimitOnANamespaceThatWasNotWanted) {
    const auto text = explained("clone3", ENOSPC,
                                evidence(CLONE_NEWUSER, with("/proc/sys/user/max_pid_namespaces", "0\n")));
    EXPECT_FALSE(mentions(text, "= 0")) << text;
}

TEST(Explain, DoesNotBlameASettingThatIsFine) {
    for (const int err : {EPERM, ENOSPC, EACCES}) {
        const auto text = explained("clone3", err, evidence(CLONE_NEWUSER, healthy));
        EXPECT_FALSE(mentions(text, " = ")) << text;
        EXPECT_FALSE(mentions(text, "sysctl")) << text;
    }
}

TEST(Explain, QuotesDebiansAndUbuntusSwitches) {
    const auto debian = explained(
        "clone3", EPERM, evidence(CLONE_NEWUSER, with("/proc/sys/kernel/unprivileged_userns_clone", "0\n")));
    EXPECT_TRUE(mentions(debian, "kernel.unprivileged_userns_clone = 0")) << debian;
    const Files ubuntu = with("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
    for (const char* call : {"clone3", "write"}) {
        const auto text = explained(call, EPERM, evidence(CLONE_NEWUSER, ubuntu));
        EXPECT_TRUE(mentions(text, "kernel.apparmor_restrict_unprivileged_userns = 1")) << text;
    }
}

TEST(Explain, SwitchesForUserNamespacesAreNotBlamedWhereNoneIsMade) {
    const auto text = explained(
        "clone3", EPERM, evidence(CLONE_NEWNS, with("/proc/sys/kernel/unprivileged_userns_clone", "0\n")));
    EXPECT_FALSE(mentions(text, "unprivileged_userns_clone")) << text;
}

TEST(Explain, NamesWhatHidesPartsOfProc) {
    const Files files = {{"/proc/self/mountinfo",
                          "22 27 0:21 / /proc rw - proc proc rw\n"
                          "40 22 0:6 /null /proc/cmdline rw - devtmpfs devtmpfs rw\n"
                          "41 22 0:40 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n"
                          "42 22 0:41 / /proc/acpi ro - tmpfs tmpfs ro\n"}};
    const auto text = explained("fsmount", EPERM, evidence(CLONE_NEWPID, files));
    EXPECT_TRUE(mentions(text, "mount too revealing")) << text;
    EXPECT_TRUE(mentions(text, "/proc/cmdline, /proc/acpi\n")) << text;
    EXPECT_TRUE(mentions(text, "--pidns=flat")) << text;
}

TEST(Explain, KeepsTheChildsWordsBeforeItsOwn) {
    Error error;
    error.step = "mount a private /dev";
    error.call = "mkdirat";
    error.err = EROFS;
    error.why = "/dev";
    EXPECT_TRUE(mentions(explain(error, evidence(0, {})).message(), "/dev: the directory is missing"));
}

TEST(Explain, TheFilterIsExplainedByWhatIsMissing) {
    Evidence found = evidence(0, {});
    EXPECT_FALSE(mentions(explained("seccomp", EACCES, found), "no_new_privs"));
    found.no_new_privs = false;
    EXPECT_TRUE(mentions(explained("seccomp", EACCES, found), "no_new_privs"));
}

TEST(Explain, QuotesYama) {
    const auto text =
        explained("ptrace", EPERM, evidence(0, with("/proc/sys/kernel/yama/ptrace_scope", "3\n")));
    EXPECT_TRUE(mentions(text, "kernel.yama.ptrace_scope = 3")) << text;
    const auto fine =
        explained("ptrace", EPERM, evidence(0, with("/proc/sys/kernel/yama/ptrace_scope", "1\n")));
    EXPECT_FALSE(mentions(fine, "yama")) << fine;
}

TEST(Explain, TellsUserZeroWithoutRightsFromOthers) {
    const std::string status = "/proc/self/status";
    const auto said = [&](const std::string& text) {
        return mentions(explained("write", EPERM, evidence(CLONE_NEWUSER, with(status, text))),
                        "CAP_SETFCAP");
    };
    EXPECT_TRUE(said("Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\n"));
    EXPECT_TRUE(said("Uid:\t0\t0\t0\t0\nCapEff:\t000001ff7fffffff\n"));
    EXPECT_FALSE(said("Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n"));
    EXPECT_FALSE(said("Uid:\t5\t5\t5\t5\nCapEff:\t0000000000000000\n"));
}

TEST(Explain, CheckForeseesWhatTheHostRefuses) {
    Error error;
    error.call = "clone3";
    EXPECT_TRUE(is_foreseen(error));
    error.call = "chdir";
    EXPECT_FALSE(is_foreseen(error));
    error.err = ENOSYS;
    EXPECT_TRUE(is_foreseen(error));
}

TEST(Explain, LeavesWhatItDoesNotKnowAsItIs) {
    EXPECT_EQ(explained("frobnicate", EIO, evidence(0, {})), "step: frobnicate: EIO (Input/output error)");
}

}  // namespace
}  // namespace ctr
