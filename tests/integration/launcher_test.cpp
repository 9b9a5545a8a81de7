// What the launcher sets up, seen from inside real containers: by root, by an unprivileged user, and by the
// root of a small user namespace, in every numbering mode.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Everybody, Launcher,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "kernel", "host")),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Modes, LauncherInMode, testing::Values("flat", "kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

INSTANTIATE_TEST_SUITE_P(Modes, RootsLauncher, testing::Values("flat", "kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Launcher, EndsWithTheCommandsStatusWhateverTheOptions) {
    const Arguments each[] = {{},
                              {"--hostname", "box"},
                              {"--env-clear"},
                              {"-e", "A=B"},
                              {"--user", "0"},
                              {"--user", "7:8"},
                              {"-w", "/"},
                              {"--network", "none"},
                              {"--userns=yes"},
                              {"--cap-drop", "ALL"},
                              {"--user=0", "--cap-add", "KILL"},
                              {"--no-new-privs=false"},
                              {"--rootfs", "/"}};
    for (const Arguments& options : each) {
        // The host's root belongs to root; others can't be expected to find its mount points usable.
        const Outcome outcome = shell(options, "exit 23");
        EXPECT_EQ(outcome.code, 23) << (options.empty() ? "" : options[0]) << "\n" << outcome;
        EXPECT_EQ(outcome.err, "");
    }
}

TEST_P(Launcher, GivesNewNamespacesAndLeavesTheOthers) {
    const std::string script = "for n in mnt uts ipc cgroup net user; do readlink /proc/self/ns/$n; done";
    const Outcome inside = shell({}, script);
    ASSERT_EQ(inside.code, 0) << inside;
    const Outcome outside = run({"sh", "-c", script});
    std::istringstream in(inside.out);
    std::istringstream out(outside.out);
    for (const char* name : {"mnt", "uts", "ipc", "cgroup", "net", "user"}) {
        std::string mine;
        std::string theirs;
        ASSERT_TRUE(in >> mine);
        ASSERT_TRUE(out >> theirs);
        const bool shared =
            std::string(name) == "net" || (std::string(name) == "user" && caller() == Caller::root);
        EXPECT_EQ(mine == theirs, shared) << name;
    }
}

TEST_P(Launcher, SetsTheHostNameInsideOnly) {
    char before[65] = {};
    ASSERT_EQ(gethostname(before, sizeof before - 1), 0);
    EXPECT_EQ(shell({"--hostname", "box"}, "cat /proc/sys/kernel/hostname").out, "box\n");
    char after[65] = {};
    ASSERT_EQ(gethostname(after, sizeof after - 1), 0);
    EXPECT_STREQ(before, after);
    EXPECT_EQ(shell({}, "cat /proc/sys/kernel/hostname").out, std::string(before) + "\n");
}

TEST_P(RootsLauncher, MountsOfTheContainerAreNotSeenOutside) {
    const Outcome outcome = run(command({"--cap-add", "SYS_ADMIN", "--", "sh", "-c",
                                         "mount -t tmpfs inner /mnt && touch /mnt/inner && ls /mnt"}));
    EXPECT_EQ(outcome.out, "inner\n") << outcome;
    EXPECT_FALSE(fs::exists("/mnt/inner"));
}

TEST_P(Launcher, LoopbackIsUpAndAloneWithoutNetwork) {
    const Outcome outcome = shell({"--network", "none"},
                                  "cat /proc/net/dev | tail -n +3; ls /proc/net/if_inet6 && "
                                  "grep -c . /proc/net/if_inet6");
    ASSERT_EQ(outcome.code, 0) << outcome;
    std::istringstream lines(outcome.out);
    std::string device;
    lines >> device;
    EXPECT_EQ(device, "lo:");
    // An interface that is down has no address.
    EXPECT_TRUE(outcome.out.ends_with("\n1\n")) << outcome;
}

TEST_P(Launcher, CapabilitiesAreTheDefaultOnesForRootAndNoneForOthers) {
    const auto status = [&](const Arguments& options) {
        return shell(options, "grep Cap /proc/self/status").out;
    };
    const std::string none = "0000000000000000";
    const std::string root = status({"--user", "0"});
    EXPECT_TRUE(contains(root, "CapInh:\t" + none)) << root;
    EXPECT_TRUE(contains(root, "CapEff:\t00000000a80425fb")) << root;
    EXPECT_TRUE(contains(root, "CapBnd:\t00000000a80425fb")) << root;
    EXPECT_TRUE(contains(root, "CapAmb:\t" + none)) << root;
    const std::string other = status({"--user", "1234"});
    EXPECT_TRUE(contains(other, "CapPrm:\t" + none)) << other;
    EXPECT_TRUE(contains(other, "CapEff:\t" + none)) << other;
    const std::string one = status({"--user", "0", "--cap-drop", "ALL", "--cap-add", "kill"});
    EXPECT_TRUE(contains(one, "CapEff:\t0000000000000020")) << one;
    EXPECT_TRUE(contains(one, "CapBnd:\t0000000000000020")) << one;
}

TEST_P(Launcher, NewPrivilegesAreForbiddenUnlessWanted) {
    EXPECT_EQ(shell({}, "grep NoNewPrivs /proc/self/status").out, "NoNewPrivs:\t1\n");
    const Outcome outcome = shell({"--no-new-privs=false"}, "grep -E 'NoNewPrivs|CapEff' /proc/self/status");
    EXPECT_TRUE(contains(outcome.out, "NoNewPrivs:\t0\n")) << outcome;
    // CAP_SYS_ADMIN was there for the filter; bit 21.
    EXPECT_TRUE(contains(outcome.out, "00000000a80425fb") ||
                contains(outcome.out, "CapEff:\t0000000000000000"))
        << outcome;
}

TEST_P(Launcher, IdsAreThoseThatWereAskedFor) {
    EXPECT_EQ(shell({"--user", "7:8"}, "id -u; id -g; id -G").out, "7\n8\n8\n");
    EXPECT_EQ(shell({"--user", "9"}, "id -u; id -g").out, "9\n9\n");
    EXPECT_EQ(shell({"--user", "0"}, "id -u; id -g").out, "0\n0\n");
    const std::string own = caller() == Caller::user && is_root() ? std::to_string(somebody.uid)
                            : caller() == Caller::inner_root      ? "0"
                                                                  : std::to_string(geteuid());
    EXPECT_EQ(shell({}, "id -u").out, own + "\n");
}

TEST_P(LauncherInMode, StartsInAKnownState) {
    EXPECT_EQ(through_script("umask 077; exec \"$@\"", {"sh", "-c", "umask"}).out, "0022\n");
    const Outcome signals = through_script("trap '' PIPE TERM USR1; exec \"$@\"",
                                           {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
    EXPECT_EQ(signals.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n") << signals;
}

TEST_P(LauncherInMode, NoDescriptorOfTheHostIsLeftOpen) {
    const Outcome outcome =
        through_script("exec 7</ 9</dev/null; exec \"$@\"",
                       {"sh", "-c", "for f in /proc/self/fd/*; do [ -e $f ] && echo $f; done"});
    EXPECT_EQ(outcome.out, "/proc/self/fd/0\n/proc/self/fd/1\n/proc/self/fd/2\n") << outcome;
}

TEST_P(LauncherInMode, StandardDescriptorsThatAreClosedStayClosed) {
    const Outcome outcome =
        through_script("exec \"$@\" <&- 2>&-",
                       {"sh", "-c", "for f in 0 2; do [ -e /proc/self/fd/$f ] || echo $f; done; exit 4"});
    EXPECT_EQ(outcome.code, 4) << outcome;
    EXPECT_EQ(outcome.out, "0\n2\n") << outcome;
}

TEST_P(LauncherInMode, TheDirectoryIsProvenToLieInside) {
    const Outcome outcome = through_script("exec 7</; exec \"$@\"", {"-w", "/proc/self/fd/7", "--", "true"});
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.err, "lies outside of the container's root")) << outcome;
}

TEST_P(LauncherInMode, ADirectoryThatIsGoneIsAnErrorWithAWayOut) {
    const Outcome outcome = through_script("d=$(mktemp -d) && cd $d && rmdir $d && exec \"$@\"", {"true"});
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.err, "--workdir")) << outcome;
}

TEST_P(Launcher, ReportsWhatKeepsTheCommandFromRunning) {
    ScratchDirectory files;
    const auto make = [&](const std::string& name, const std::string& text, mode_t mode_bits) {
        std::ofstream(files.path() + "/" + name) << text;
        chmod((files.path() + "/" + name).c_str(), mode_bits);
        return files.path() + "/" + name;
    };
    const ScratchDirectory closed;  // to everybody but root
    ASSERT_EQ(chmod(closed.path().c_str(), 0700), 0);
    struct Case {
        Arguments arguments;
        int code;
        std::string words;
    };
    const Case cases[] = {
        {{"no-such-command"}, 127, "\"no-such-command\" in PATH ("},
        {{"-e", "PATH=" + closed.path() + ":/etc/passwd:/nowhere", "no-such-command"},
         127,
         "\"no-such-command\""},
        {{"-e", "PATH=/nowhere", "true"}, 127, "\"true\" in PATH (/nowhere)"},
        {{"/no/such/file"}, 127, "\"/no/such/file\""},
        {{make("interpreter", "#!/no/such/interpreter\n", 0755)}, 127, "interpreter"},
        {{make("plain", "x", 0644)}, 126, "may not be executed"},
        {{make("script", "echo hi\n", 0755)}, 126, "#! line"},
        {{"/etc"}, 126, "directory"},
        {{"-w", "/no/such/directory", "true"}, 125, "/no/such/directory: there is no such directory inside"},
        {{"--rootfs", "/no/such/root", "true"}, 125, "\"/no/such/root\""},
        {{"--rootfs", make("file", "", 0644), "true"}, 125, "it is not a directory"},
    };
    for (const Case& one : cases) {
        const Outcome outcome = start(one.arguments);
        EXPECT_EQ(outcome.code, one.code) << outcome;
        EXPECT_TRUE(contains(outcome.err, one.words)) << one.words << "\n" << outcome;
        EXPECT_EQ(outcome.out, "");
    }
}

// Root prepares a /proc that an ordinary user then meets.
Outcome user_meets(const std::string& mount, const std::string& mode) {
    const ScratchDirectory programs;
    const std::string who = std::to_string(somebody.uid);
    return run({"unshare", "-mpf", "sh", "-c",
                "mount -t proc proc /proc && " + mount + " && exec setpriv --reuid " + who + " --regid " +
                    who + " --clear-groups \"$@\"",
                "sh", programs.copy(ctr_binary()), "run", "--pidns=" + mode, "-w", "/", "--", "echo",
                "works"});
}

TEST_P(RootsLauncher, AMaskedProcIsNamedAndDoesNotDisturbOtherModes) {
    const std::string mode = GetParam();
    const Outcome outcome = user_meets("mount --bind /dev/null /proc/cmdline", mode);
    if (mode != "kernel") {
        EXPECT_EQ(outcome.out, "works\n") << outcome;
        return;
    }
    EXPECT_EQ(outcome.code, 125);
    for (const char* words :
         {"mount a fresh /proc", "EPERM", "mount too revealing", "/proc/cmdline", "--pidns=flat"})
        EXPECT_TRUE(contains(outcome.err, words)) << words << "\n" << outcome;
}

TEST_P(RootsLauncher, WorksUnderHidepid) {
    const Outcome outcome = user_meets("mount -t proc -o hidepid=2 proc /proc", GetParam());
    EXPECT_EQ(outcome.out, "works\n") << outcome;
}

TEST_P(LauncherInMode, QuotesTheLimitThatForbidsNamespaces) {
    if (run({"unshare", "-Urm", "true"}).code != 0) GTEST_SKIP() << "user namespaces are not available here";
    const auto limited = [](const std::string& limit, const Arguments& options) {
        return through(
            {"unshare", "-Urm", "sh", "-c", "echo 0 > /proc/sys/user/" + limit + " && exec \"$@\"", "sh"},
            options);
    };
    const bool kernel = std::string(GetParam()) == "kernel";
    const Outcome users = limited("max_user_namespaces", {"--userns=yes", "true"});
    EXPECT_EQ(users.code, 125);
    EXPECT_TRUE(contains(users.err, "user.max_user_namespaces = 0")) << users;
    EXPECT_EQ(limited("max_user_namespaces", {"true"}).code, 0) << "none is needed";
    const Outcome pids = limited("max_pid_namespaces", {"true"});
    EXPECT_EQ(pids.code, kernel ? 125 : 0);
    EXPECT_EQ(contains(pids.err, "user.max_pid_namespaces = 0"), kernel) << pids;
}

TEST_P(Launcher, StartsProgramsFromTheContainersPath) {
    ScratchDirectory files;
    std::ofstream(files.path() + "/tool") << "#!/bin/sh\necho \"tool $1\"\n";
    chmod((files.path() + "/tool").c_str(), 0755);
    EXPECT_EQ(start({"-e", "PATH=/nowhere:" + files.path() + ":/bin", "tool", "x"}).out, "tool x\n");
}

TEST_P(Launcher, TheEnvironmentIsTheCallersUnlessCleared) {
    RunOptions options;
    options.env = {{"FROM_OUTSIDE", "yes"}, {"TERM", "vt100"}};
    EXPECT_TRUE(contains(start({"env"}, options).out, "FROM_OUTSIDE=yes\n"));
    const std::string cleared =
        start({"--env-clear", "-e", "FROM_OUTSIDE", "-e", "B=a,b", "env"}, options).out;
    EXPECT_TRUE(contains(cleared, "FROM_OUTSIDE=yes\nB=a,b\n")) << cleared;
    EXPECT_FALSE(contains(start({"--env-clear", "env"}, options).out, "FROM_OUTSIDE"));
}

}  // namespace
}  // namespace ctr::test
