// Profiles: what is understood, what is refused, and what the filter that they become says to calls.
#include "runtime/seccomp.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>

#include "runtime/caps.h"
#include "tests/support/bpf.h"

namespace ctr::seccomp {
namespace {

constexpr uint32_t allow = SECCOMP_RET_ALLOW;
constexpr uint32_t refuse(int error) {
    return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error);
}
constexpr KernelVersion new_kernel{6, 12};
constexpr int call_of_the_future = 4000;

class Compiled {
  public:
    explicit Compiled(std::string_view json, uint64_t capabilities = caps::defaults,
                      KernelVersion kernel = new_kernel) {
        const auto profile = parse(json);
        EXPECT_TRUE(profile) << profile.error().message();
        auto program = profile ? compile(*profile, {capabilities, kernel})
                               : Result<Program>(std::unexpected(profile.error()));
        EXPECT_TRUE(program) << program.error().message();
        if (program) program_ = std::move(*program);
    }
    uint32_t operator()(long number, std::initializer_list<uint64_t> arguments = {},
                        uint32_t architecture = AUDIT_ARCH_X86_64) const {
        seccomp_data call{};
        call.nr = static_cast<int>(number);
        call.arch = architecture;
        std::ranges::copy(arguments, call.args);
        return test::run_filter(program_.filter, call).verdict;
    }
    uint32_t flags() const { return program_.flags; }

  private:
    Program program_;
};

void expect_refused(std::string_view json, const std::string& part, const std::string& why) {
    const auto profile = parse(json);
    ASSERT_FALSE(profile) << json;
    const std::string message = profile.error().message();
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(SeccompProfile, RulesMakeExceptionsFromTheDefault) {
    const Compiled filter(R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"},
        {"name": "rmdir", "action": "SCMP_ACT_ERRNO", "errnoRet": 13},
        {"names": ["kexec_load"], "action": "SCMP_ACT_KILL_PROCESS"},
        {"names": ["acct"], "action": "SCMP_ACT_TRAP"},
        {"names": ["swapon"], "action": "SCMP_ACT_LOG"}]})");
    EXPECT_EQ(filter(SYS_getpid), allow);
    EXPECT_EQ(filter(SYS_mkdir), refuse(EPERM));
    EXPECT_EQ(filter(SYS_mkdirat), refuse(EPERM));
    EXPECT_EQ(filter(SYS_rmdir), refuse(EACCES));
    EXPECT_EQ(filter(SYS_kexec_load), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(filter(SYS_acct) & SECCOMP_RET_ACTION_FULL, SECCOMP_RET_TRAP);
    EXPECT_EQ(filter(SYS_swapon), SECCOMP_RET_LOG);
    EXPECT_EQ(filter(call_of_the_future), allow);
}

TEST(SeccompProfile, ArgumentsAreCompared) {
    const Compiled filter(R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["kill"], "action": "SCMP_ACT_ERRNO", "args": [
            {"index": 0, "value": 1, "op": "SCMP_CMP_GT"}, {"index": 1, "value": 9, "op": "SCMP_CMP_EQ"}]},
        {"names": ["umask"], "action": "SCMP_ACT_ERRNO", "args": [
            {"index": 0, "value": 1, "op": "SCMP_CMP_EQ"}, {"index": 0, "value": 3, "op": "SCMP_CMP_EQ"}]},
        {"names": ["unshare"], "action": "SCMP_ACT_ERRNO", "args": [
            {"index": 0, "value": 268435456, "valueTwo": 268435456, "op": "SCMP_CMP_MASKED_EQ"}]}]})");
    EXPECT_EQ(filter(SYS_kill, {7, 9}), refuse(EPERM));
    EXPECT_EQ(filter(SYS_kill, {7, 15}), allow);
    EXPECT_EQ(filter(SYS_kill, {1, 9}), allow);
    // Of several comparisons of one argument, one suffices.
    EXPECT_EQ(filter(SYS_umask, {1}), refuse(EPERM));
    EXPECT_EQ(filter(SYS_umask, {2}), allow);
    EXPECT_EQ(filter(SYS_umask, {3}), refuse(EPERM));
    EXPECT_EQ(filter(SYS_unshare, {CLONE_NEWUSER | CLONE_NEWNS}), refuse(EPERM));
    EXPECT_EQ(filter(SYS_unshare, {CLONE_NEWNS}), allow);
}

TEST(SeccompProfile, ConditionsAreAboutCapabilitiesKernelAndArchitecture) {
    const char* json = R"({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [
        {"names": ["mount"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN", "CAP_CHOWN"]}},
        {"names": ["chroot"], "action": "SCMP_ACT_ALLOW", "excludes": {"caps": ["CAP_SYS_ADMIN", "CAP_BPF"]}},
        {"names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "4.8"}},
        {"names": ["bpf"], "action": "SCMP_ACT_ALLOW", "excludes": {"minKernel": "5.10"}},
        {"names": ["iopl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["s390x"]}},
        {"names": ["modify_ldt"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["x32", "amd64"]}}]})";
    const uint64_t admin = caps::bit(CAP_SYS_ADMIN);
    EXPECT_EQ(Compiled(json, admin)(SYS_mount), refuse(EPERM));  // all of them
    EXPECT_EQ(Compiled(json, admin | caps::bit(CAP_CHOWN))(SYS_mount), allow);
    EXPECT_EQ(Compiled(json, 0)(SYS_chroot), allow);
    EXPECT_EQ(Compiled(json, admin)(SYS_chroot), refuse(EPERM));  // any of them
    EXPECT_EQ(Compiled(json, 0, {4, 8})(SYS_ptrace), allow);
    EXPECT_EQ(Compiled(json, 0, {4, 7})(SYS_ptrace), refuse(EPERM));
    EXPECT_EQ(Compiled(json, 0, {5, 4})(SYS_bpf), allow);
    EXPECT_EQ(Compiled(json, 0, {5, 10})(SYS_bpf), refuse(EPERM));
    EXPECT_EQ(Compiled(json)(SYS_iopl), refuse(EPERM));
    EXPECT_EQ(Compiled(json)(SYS_modify_ldt), allow);
}

// Programs look for ENOSYS before they fall back to an older call.
TEST(SeccompProfile, WhatIsNewerThanAProfileThatRefusesByDefaultIsNotThere) {
    const Compiled filter(R"({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [
        {"names": ["read", "openat2"], "action": "SCMP_ACT_ALLOW"}]})");
    EXPECT_EQ(filter(SYS_read), allow);
    EXPECT_EQ(filter(SYS_write), refuse(EPERM));
    EXPECT_EQ(filter(SYS_openat2), allow);
    EXPECT_EQ(filter(SYS_openat2 + 1), refuse(ENOSYS));
    EXPECT_EQ(filter(call_of_the_future), refuse(ENOSYS));
}

TEST(SeccompProfile, ForeignArchitecturesAreEndedUnlessNamed) {
    constexpr int i386_mkdir = 39;
    constexpr int x32_mkdir = 0x40000000 | SYS_mkdir;
    const char* rules = R"("defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [{"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]})";
    const Compiled native(std::string("{") + rules);
    EXPECT_EQ(native(i386_mkdir, {}, AUDIT_ARCH_I386), SECCOMP_RET_KILL_THREAD);
    EXPECT_EQ(native(x32_mkdir), SECCOMP_RET_KILL_THREAD);
    const Compiled all(std::string(R"({"architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32",
        "SCMP_ARCH_AARCH64"],)") +
                       rules);
    EXPECT_EQ(all(i386_mkdir, {}, AUDIT_ARCH_I386), refuse(EPERM));
    EXPECT_EQ(all(x32_mkdir), refuse(EPERM));
    EXPECT_EQ(all(SYS_mkdir), refuse(EPERM));
    const Compiled mapped(std::string(R"({"archMap": [
        {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": ["SCMP_ARCH_ARM"]},
        {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"]}],)") +
                          rules);
    EXPECT_EQ(mapped(i386_mkdir, {}, AUDIT_ARCH_I386), refuse(EPERM));
    EXPECT_EQ(mapped(x32_mkdir), SECCOMP_RET_KILL_THREAD);
}

TEST(SeccompProfile, FlagsAreTheKernels) {
    EXPECT_EQ(
        Compiled(R"({"defaultAction": "SCMP_ACT_ALLOW", "flags": ["SECCOMP_FILTER_FLAG_LOG"]})").flags(),
        SECCOMP_FILTER_FLAG_LOG);
}

TEST(SeccompProfile, WhatIsNotUnderstoodIsRefusedWithItsPlace) {
    expect_refused("", "parse error", "");
    expect_refused("{} x", "parse error", "column 4");
    expect_refused("[]", "[]", "is no object");
    expect_refused("{}", "{}", "has no defaultAction");
    expect_refused(R"({"defaultAction": "ALLOW"})", "defaultAction: \"ALLOW\"", "is none of SCMP_ACT_KILL");
    expect_refused(R"({"defaultAction": "SCMP_ACT_ALLOW", "syscall": []})", "syscall: []", "no such member");
    expect_refused(R"({"defaultAction": "SCMP_ACT_NOTIFY"})", "defaultAction", "agent");
    expect_refused(R"({"defaultAction": "SCMP_ACT_ALLOW", "listenerPath": "/x"})", "listenerPath: \"/x\"",
                   "agent");
    expect_refused(R"({"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 4096})", "defaultErrnoRet: 4096",
                   "from 0 to 4095");
    expect_refused(R"({"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_PDP11"]})",
                   "architectures[0]: \"SCMP_ARCH_PDP11\"", "no architecture");
    const auto with = [](const std::string& rule) {
        return R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["a"], "action": "SCMP_ACT_LOG"}, )" +
               rule + "]}";
    };
    expect_refused(with(R"({"action": "SCMP_ACT_ALLOW"})"), "syscalls[1]", "has no names");
    expect_refused(with(R"({"names": ["a"], "action": 1})"), "syscalls[1].action: 1", "is no text");
    expect_refused(with(R"({"names": [1], "action": "SCMP_ACT_ALLOW"})"), "syscalls[1].names[0]: 1",
                   "is no text");
    expect_refused(with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "arg": []})"), "syscalls[1].arg",
                   "no such member");
    expect_refused(with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "includes": {"cap": []}})"),
                   "syscalls[1].includes.cap", "no such member");
    expect_refused(with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_X"]}})"),
                   "syscalls[1].includes.caps[0]: \"CAP_X\"", "no capability");
    expect_refused(
        with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "4.8-rc1"}})"),
        "syscalls[1].includes.minKernel: \"4.8-rc1\"", "no version");
    expect_refused(with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 6, "value": 0,
                   "op": "SCMP_CMP_EQ"}]})"),
                   "syscalls[1].args[0].index: 6", "from 0 to 5");
    expect_refused(with(R"({"names": ["a"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 0,
                   "op": "=="}]})"),
                   "syscalls[1].args[0].op: \"==\"", "is none of SCMP_CMP_NE");
}

// libseccomp doesn't know every call; that may make a profile narrower, never wider.
TEST(SeccompProfile, UnknownCallsMayBeAllowedButNotRefused) {
    Compiled allowed(R"({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [
        {"names": ["no_such_call", "read"], "action": "SCMP_ACT_ALLOW"}]})");
    EXPECT_EQ(allowed(SYS_read), allow);
    const auto profile = parse(R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["no_such_call"], "action": "SCMP_ACT_ERRNO"}]})");
    ASSERT_TRUE(profile);
    const auto program = compile(*profile, {0, new_kernel});
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().message().find("\"no_such_call\""), std::string::npos);
}

TEST(SeccompDefault, AllowsWhatProgramsNeedAndRefusesWhatReachesBeyondAContainer) {
    const Compiled filter(default_profile());
    for (const long number : {SYS_read, SYS_execve, SYS_fork, SYS_wait4, SYS_kill, SYS_socketpair, SYS_chroot,
                              SYS_ptrace, SYS_prctl, SYS_seccomp, SYS_pidfd_open, SYS_sendmsg, SYS_capset})
        EXPECT_EQ(filter(number), allow) << number;
    for (const long number :
         {SYS_mount,           SYS_umount2,      SYS_unshare,        SYS_setns,   SYS_reboot,
          SYS_init_module,     SYS_kexec_load,   SYS_keyctl,         SYS_add_key, SYS_bpf,
          SYS_perf_event_open, SYS_userfaultfd,  SYS_io_uring_setup, SYS_swapon,  SYS_open_by_handle_at,
          SYS_move_mount,      SYS_settimeofday, SYS_iopl,           SYS_acct,    SYS_pidfd_getfd})
        EXPECT_EQ(filter(number), refuse(EPERM)) << number;
    EXPECT_EQ(filter(SYS_clone3), refuse(ENOSYS));
    EXPECT_EQ(filter(SYS_clone, {SIGCHLD}), allow);
    for (const unsigned flag :
         {unsigned{CLONE_NEWUSER}, unsigned{CLONE_NEWNS}, unsigned{CLONE_NEWPID}, unsigned{CLONE_NEWNET},
          unsigned{CLONE_NEWIPC}, unsigned{CLONE_NEWUTS}, unsigned{CLONE_NEWCGROUP}})
        EXPECT_EQ(filter(SYS_clone, {flag | unsigned{SIGCHLD}}), refuse(EPERM)) << flag;
    EXPECT_EQ(filter(SYS_socket, {2}), allow);
    EXPECT_EQ(filter(SYS_socket, {40}), refuse(EPERM));
    EXPECT_EQ(filter(SYS_personality, {0}), allow);
    EXPECT_EQ(filter(SYS_personality, {0x0040000}), refuse(EPERM));
    EXPECT_EQ(filter(call_of_the_future), refuse(ENOSYS));
    constexpr int i386_mount = 21;
    EXPECT_EQ(filter(i386_mount, {}, AUDIT_ARCH_I386), refuse(EPERM));
}

TEST(SeccompDefault, FollowsTheCapabilities) {
    const Compiled filter(default_profile(), caps::defaults | caps::bit(CAP_SYS_ADMIN) | caps::bit(CAP_BPF));
    for (const long number : {SYS_mount, SYS_unshare, SYS_setns, SYS_clone3, SYS_bpf})
        EXPECT_EQ(filter(number), allow) << number;
    EXPECT_EQ(filter(SYS_clone, {CLONE_NEWUSER}), allow);
    EXPECT_EQ(filter(SYS_reboot), refuse(EPERM));
    EXPECT_EQ(Compiled(default_profile(), 0)(SYS_chroot), refuse(EPERM));
}

TEST(SeccompFind, ReadsAFileOrSaysWhyNot) {
    EXPECT_TRUE(find("default"));
    const auto missing = find("/no/such/profile.json");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().err, ENOENT);
    EXPECT_NE(missing.error().message().find("\"/no/such/profile.json\""), std::string::npos);
}

}  // namespace
}  // namespace ctr::seccomp
