// What the launcher sets up, seen from inside real containers: by root, by an unprivileged user, and by the
// root of a small user namespace, in every numbering mode.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/base/sys.h"
#include "runtime/landlock.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

namespace fs = std::filesystem;

constexpr Identity somebody{54321, 54322};

bool is_root() {
    return geteuid() == 0;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A small root file system out of the host's own programs and their libraries.
class SmallRoot {
  public:
    explicit SmallRoot(std::optional<Identity> owner = {}) {
        for (const char* program : {"sh", "cat", "ls", "stat", "touch", "mknod", "readlink", "id", "mkdir"})
            add(program);
        if (!owner) return;
        for (const auto& entry : fs::recursive_directory_iterator(path())) own(entry.path(), *owner);
        own(path(), *owner);
    }
    std::string path() const { return directory_.path(); }

  private:
    void add(const std::string& name) {
        const Outcome where = run({"sh", "-c", "command -v " + name});
        const std::string file = where.out.substr(0, where.out.find('\n'));
        place(file, "/bin/" + name);
        std::istringstream words(run({"ldd", file}).out);
        for (std::string word; words >> word;)
            if (word.starts_with('/')) place(word, word);
    }
    void place(const std::string& from, const std::string& to) {
        const fs::path target = path() + to;
        fs::create_directories(target.parent_path());
        fs::copy_file(fs::canonical(from), target, fs::copy_options::skip_existing);
    }
    static void own(const fs::path& file, Identity owner) {
        if (lchown(file.c_str(), owner.uid, owner.gid) != 0)
            throw std::runtime_error("chown " + file.string());
    }

    ScratchDirectory directory_;
};

enum class Caller { root, user, inner_root };

// Runs `ctr run` in a numbering mode as one kind of caller.
class Launcher : public testing::TestWithParam<std::tuple<Caller, const char*>> {
  protected:
    void SetUp() override {
        if (caller() == Caller::root && !is_root()) GTEST_SKIP() << "needs root";
        if (caller() == Caller::inner_root && run({"unshare", "-Urm", "true"}).code != 0)
            GTEST_SKIP() << "user namespaces are not available here";
        if (caller() == Caller::user && run({"unshare", "-U", "true"}, as_user()).code != 0)
            GTEST_SKIP() << "user namespaces are not available here";
        binary_ = programs_.copy(ctr_binary());
    }

    static Caller caller() { return std::get<0>(GetParam()); }
    static std::string mode() { return std::get<1>(GetParam()); }
    static std::optional<Identity> owner() {
        return caller() == Caller::user && is_root() ? std::optional(somebody) : std::nullopt;
    }

    Outcome start(const Arguments& arguments, const RunOptions& given = {}) const {
        RunOptions options = given;
        if (caller() == Caller::user) options.identity = as_user().identity;
        Arguments argv;
        if (caller() == Caller::inner_root) argv = {"unshare", "-Urm"};
        argv.insert(argv.end(), {binary_, "run", "--pidns=" + mode()});
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        if (options.cwd.empty()) options.cwd = "/";
        return run(argv, options);
    }
    Outcome shell(Arguments options, const std::string& script) const {
        options.insert(options.end(), {"--", "sh", "-c", script});
        return start(options);
    }

  private:
    static RunOptions as_user() {
        RunOptions options;
        if (is_root()) options.identity = somebody;
        return options;
    }

    ScratchDirectory programs_;
    std::string binary_;
};

std::string name_of(const testing::TestParamInfo<std::tuple<Caller, const char*>>& parameters) {
    const char* const callers[] = {"root", "user", "inner_root"};
    return std::string(callers[static_cast<int>(std::get<0>(parameters.param))]) + "_" +
           std::get<1>(parameters.param);
}

INSTANTIATE_TEST_SUITE_P(Everybody, Launcher,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "kernel", "host")),
                         name_of);

// What doesn't depend on who calls.
class LauncherInMode : public testing::TestWithParam<const char*> {
  protected:
    static Arguments command(const Arguments& options) {
        Arguments argv{ctr_binary(), "run", std::string("--pidns=") + GetParam()};
        argv.insert(argv.end(), options.begin(), options.end());
        return argv;
    }
    // A shell script that ends in "$@" goes before the launcher.
    static Outcome through(const Arguments& prefix, const Arguments& options) {
        Arguments argv = prefix;
        const Arguments launcher = command(options);
        argv.insert(argv.end(), launcher.begin(), launcher.end());
        return run(argv);
    }
    static Outcome through_script(const std::string& script, const Arguments& options) {
        return through({"sh", "-c", script, "sh"}, options);
    }
};

// Likewise, for root.
class RootsLauncher : public LauncherInMode {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "needs root";
    }
};

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

TEST_P(Launcher, ARootOfItsOwnHasPrivateDevTmpProcAndSys) {
    const SmallRoot root(owner());
    const Outcome outcome = shell({"--rootfs", root.path()}, R"(
ls /dev | tr -s '\n' ' ' 2>/dev/null || ls -x /dev
echo x > /dev/null && echo written
stat -c %t:%T /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty
stat -c %a /tmp /dev/shm
readlink /dev/ptmx /dev/fd /dev/stdin
touch /tmp/file /dev/shm/file && echo private
touch /sys/x 2>/dev/null || echo sys-closed
(echo 1 > /proc/sys/kernel/core_uses_pid) 2>/dev/null || echo proc-closed
cat /proc/self/comm
pwd
echo $PATH $HOME
)");
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(
        contains(outcome.out,
                 "written\n1:3\n1:5\n1:7\n1:8\n1:9\n5:0\n1777\n1777\n"
                 "pts/ptmx\n/proc/self/fd\n/proc/self/fd/0\nprivate\nsys-closed\nproc-closed\ncat\n/\n"
                 "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /"))
        << outcome;
    EXPECT_FALSE(fs::exists("/tmp/file"));
    EXPECT_TRUE(fs::is_empty(root.path() + "/tmp"));
    EXPECT_TRUE(fs::is_empty(root.path() + "/dev"));
}

TEST_P(Launcher, TheHostsRootIsOutOfReachFromARootOfItsOwn) {
    const SmallRoot root(owner());
    const Outcome outcome =
        shell({"--rootfs", root.path()}, "ls /; ls /../../..; ls -d /root /usr /home; true");
    const std::string top = "bin\ndev\nlib\nlib64\nproc\nsys\ntmp\n";
    EXPECT_EQ(outcome.out, top + top) << outcome;
    // Nothing of the old root is left mounted.
    const Outcome mounts = shell({"--rootfs", root.path()}, "cat /proc/self/mountinfo");
    std::istringstream lines(mounts.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string skip;
        std::string point;
        fields >> skip >> skip >> skip >> skip >> point;
        EXPECT_TRUE(point == "/" || point.starts_with("/dev") || point == "/tmp" ||
                    point.starts_with("/proc") || point.starts_with("/sys"))
            << line;
    }
}

TEST_P(RootsLauncher, NodesMadeInARootOfItsOwnCannotBeOpened) {
    const SmallRoot root;
    const Outcome outcome =
        run(command({"--rootfs", root.path(), "--", "sh", "-c",
                     "mknod /node c 1 3 && mknod /tmp/node c 1 3 && cat /node; cat /tmp/node"}));
    EXPECT_NE(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.err, "/node: Permission denied")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "/tmp/node: Permission denied")) << outcome;
}

TEST_P(Launcher, LinksInTheRootLeadNowhereOutside) {
    const ScratchDirectory outside;
    const SmallRoot root(owner());
    fs::create_directory(root.path() + "/inner");
    if (owner()) {
        ASSERT_EQ(chown((root.path() + "/inner").c_str(), owner()->uid, owner()->gid), 0);
    }
    fs::create_symlink("../../../../../../inner", root.path() + "/tmp");  // the host has no such directory
    fs::create_symlink(outside.path(), root.path() + "/dev");             // exists outside, not inside
    const Outcome trap = shell({"--rootfs", root.path()}, "true");
    EXPECT_EQ(trap.code, 125);
    EXPECT_TRUE(contains(trap.err, "/dev: a link that leads nowhere")) << trap;
    EXPECT_TRUE(fs::is_empty(outside.path()));
    fs::remove(root.path() + "/dev");
    const Outcome inside = shell({"--rootfs", root.path()}, "touch /inner/x && ls /tmp");
    EXPECT_EQ(inside.out, "x\n") << inside;
    EXPECT_TRUE(fs::is_empty(root.path() + "/inner"));
}

TEST_P(Launcher, AProcThatIsALinkIsRefused) {
    const SmallRoot root(owner());
    fs::create_directory(root.path() + "/elsewhere");
    if (owner()) {
        ASSERT_EQ(chown((root.path() + "/elsewhere").c_str(), owner()->uid, owner()->gid), 0);
    }
    fs::create_symlink("elsewhere", root.path() + "/proc");
    const Outcome outcome = shell({"--rootfs", root.path()}, "true");
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.err, "ELOOP") && contains(outcome.err, "a link is in the way")) << outcome;
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

TEST_P(RootsLauncher, AnEmptyReadOnlyRootIsAnErrorWithWords) {
    const SmallRoot root;
    const std::string script =
        "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    const Outcome outcome =
        through({"unshare", "-m", "sh", "-c", script, "sh", root.path()}, {"--rootfs", root.path(), "true"});
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(
        contains(outcome.err, "/dev: the directory is missing, and the root file system is read-only"))
        << outcome;
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

TEST(LauncherOnOlderKernels, DoesWithoutCloneThreeMountSetattrAndLandlock) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    constexpr long missing[] = {SYS_clone3, SYS_mount_setattr, SYS_landlock_create_ruleset};
    const Outcome outcome =
        on_an_older_kernel(missing, {"--rootfs", root.path(), "--", "sh", "-c",
                                     "touch /sys/x || touch /sys/fs/cgroup/x || echo closed; mknod /n c 1 3; "
                                     "cat /n || echo inert; exit 6"});
    EXPECT_EQ(outcome.code, 6) << outcome;
    EXPECT_TRUE(contains(outcome.out, "closed\n")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "inert\n")) << outcome;
}

TEST(LauncherOnOlderKernels, SaysWhatIsMissingWhereThereIsNoWay) {
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
        if (landlock::scope_signals() != nullptr) _exit(2);
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

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
    const Outcome version = run({ctr_binary(), "--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("ctr ")) << version;
    for (const Arguments& words : {Arguments{"--help"}, Arguments{"run", "--help"}}) {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), words.begin(), words.end());
        const Outcome help = run(argv);
        EXPECT_EQ(help.code, 0);
        EXPECT_TRUE(contains(help.out, "Usage: ctr")) << help;
        EXPECT_EQ(help.err, "");
    }
}

TEST(CommandLine, MistakesEndWith125AndPointToTheHelp) {
    const Arguments mistakes[] = {{"run"},
                                  {"run", "--"},
                                  {"run", "--nope", "true"},
                                  {"run", "--pidns=fancy", "true"},
                                  {"run", "--user", "10x", "true"},
                                  {"run", "--device-read-bps", "/dev/null:10q", "true"},
                                  {"run", "--device-read-bps", "/dev/null", "true"}};
    for (const Arguments& words : mistakes) {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), words.begin(), words.end());
        const Outcome outcome = run(argv);
        EXPECT_EQ(outcome.code, 125) << outcome;
        EXPECT_TRUE(contains(outcome.err, "See ctr run --help.")) << outcome;
        EXPECT_EQ(outcome.out, "");
    }
    EXPECT_EQ(run({ctr_binary()}).code, 125);
    EXPECT_EQ(run({ctr_binary(), "walk"}).code, 125);
}

TEST(CommandLine, ADryRunPrintsThePlanAndDoesNothing) {
    const Outcome outcome = ctr_run({"--dry-run", "--hostname", "box", "--", "sh", "-c", "echo ran"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(outcome.out.starts_with("new namespaces:")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "host name to \"box\"")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "ran\n")) << outcome;
}

}  // namespace
}  // namespace ctr::test
