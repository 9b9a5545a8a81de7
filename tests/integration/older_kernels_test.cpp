// The launcher where the kernel lacks what it prefers, and what it makes of Landlock where there is one.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <vector>

#include "runtime/base/sys.h"
#include "runtime/landlock.h"
#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// Installs a filter in a child of the test that answers some calls as an old kernel would, then runs ctr
// there.
template <size_t n>
Outcome on_an_older_kernel(const long (&missing)[n], const Arguments& arguments) {
    std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)};
    for (const long number : missing) {
        program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
        program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    int results[2];
    if (pipe2(results, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    const pid_t child = fork();
    if (child == 0) {
        const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || sys::seccomp_set_filter(0, filter) != 0)
            _exit(254);
        const Outcome outcome = ctr_run(arguments);
        const std::string text = outcome.out + outcome.err;
        if (write(results[1], text.data(), text.size()) < 0) _exit(254);
        _exit(outcome.code);
    }
    close(results[1]);
    Outcome outcome;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(results[0], buffer, sizeof buffer)) > 0;)
        outcome.out.append(buffer, static_cast<size_t>(got));
    close(results[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

TEST(OlderKernels, DoesWithoutCloneThreeMountSetattrAndLandlock) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    constexpr long missing[] = {SYS_clone3, SYS_mount_setattr, SYS_landlock_create_ruleset};
    const Outcome outcome =
        on_an_older_kernel(missing, {"--rootfs", root.path(), "--", "sh", "-c",
                                     "touch /sys/x || touch /sys/fs/cgroup/x || echo closed; mknod /n c 1 3; "
                                     "cat /n || echo inert; cat /proc/self/mountinfo; exit 6"});
    EXPECT_EQ(outcome.code, 6) << outcome;
    EXPECT_TRUE(contains(outcome.out, "closed\n")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "inert\n")) << outcome;
    EXPECT_TRUE(contains(outcome.out, " /lib/x86_64-linux-gnu/libc.so.6 ro,")) << outcome;
}

TEST(OlderKernels, MakesMountsReadOnlyWithoutMountSetattr) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    constexpr long missing[] = {SYS_mount_setattr};
    const Outcome own = on_an_older_kernel(
        missing,
        {"--rootfs", root.path(), "--read-only", "--ro-bind", "/sys:/s", "--tmpfs", "/t", "--", "sh", "-c",
         "touch /x || touch /s/x || touch /s/fs/cgroup/x || echo closed; touch /t/x && echo open"});
    EXPECT_TRUE(contains(own.out, "closed\nopen\n")) << own;
    const Outcome hosts = on_an_older_kernel(
        missing,
        {"--read-only", "--", "sh", "-c", "touch /x || touch /tmp/x || echo closed; echo > /dev/null"});
    EXPECT_EQ(hosts.code, 0) << hosts;
    EXPECT_TRUE(contains(hosts.out, "closed\n")) << hosts;
}

TEST(OlderKernels, SaysWhatIsMissingWhereThereIsNoWay) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    constexpr long missing[] = {SYS_fsopen};
    const Outcome outcome = on_an_older_kernel(missing, {"--rootfs", root.path(), "--", "true"});
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.out, "fsopen: ENOSYS")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "Linux 5.10")) << outcome;
}

// Runs in a child of the test: true when CHECK succeeds within the domain.
template <class Check>
bool holds_within_signal_scope(Check check) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (landlock::confine(false) != nullptr) _exit(2);
        _exit(check() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SignalScope, KeepsSignalsInsideAndLetsFamilyThrough) {
    if (landlock::abi() < landlock::signal_scope_abi)
        GTEST_SKIP() << "this kernel's Landlock has no signal scope";
    const pid_t test = getpid();
    EXPECT_TRUE(holds_within_signal_scope([test] { return kill(test, 0) != 0 && errno == EPERM; }));
    EXPECT_TRUE(holds_within_signal_scope([] {
        const pid_t inner = fork();
        if (inner == 0) {
            pause();
            _exit(0);
        }
        int status = 0;
        return kill(inner, SIGKILL) == 0 && waitpid(inner, &status, 0) == inner && WIFSIGNALED(status);
    }));
}

TEST(SignalScope, DoesNotForbidMounting) {
    if (landlock::abi() < landlock::signal_scope_abi)
        GTEST_SKIP() << "this kernel's Landlock has no signal scope";
    if (!is_root()) GTEST_SKIP() << "needs root";
    EXPECT_TRUE(holds_within_signal_scope([] {
        return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("test", "/mnt", "tmpfs", 0, nullptr) == 0 && umount("/mnt") == 0;
    }));
}

}  // namespace
}  // namespace ctr::test
