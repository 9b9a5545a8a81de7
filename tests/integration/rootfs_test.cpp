// Containers with a root file system of their own, and roots that are set as traps.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

class Rootfs : public Launcher {};
class RootsRootfs : public RootsLauncher {};

INSTANTIATE_TEST_SUITE_P(Everybody, Rootfs,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "kernel", "host")),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Modes, RootsRootfs, testing::Values("flat", "kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Rootfs, ARootOfItsOwnHasPrivateDevTmpProcAndSys) {
    const SmallRoot root(owner());
    const Outcome outcome = shell({"--rootfs", root.path()}, R"(
echo /dev/*
echo x > /dev/null && echo written
stat -c %t:%T /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty
stat -c %a /tmp /dev/shm
readlink /dev/ptmx /dev/fd /dev/stdin
touch /tmp/left-by-rootfs-test /dev/shm/left-by-rootfs-test && echo private
touch /sys/x 2>/dev/null || echo sys-closed
(: >> /proc/sys/kernel/core_uses_pid) 2>/dev/null || echo proc-closed
cat /proc/self/comm
pwd
echo $PATH $HOME
)");
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(
        contains(outcome.out,
                 "/dev/fd /dev/full /dev/null /dev/ptmx /dev/pts /dev/random /dev/shm /dev/stderr /dev/stdin "
                 "/dev/stdout /dev/tty /dev/urandom /dev/zero\n"
                 "written\n1:3\n1:5\n1:7\n1:8\n1:9\n5:0\n1777\n1777\n"
                 "pts/ptmx\n/proc/self/fd\n/proc/self/fd/0\nprivate\nsys-closed\nproc-closed\ncat\n/\n"
                 "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /"))
        << outcome;
    EXPECT_FALSE(fs::exists("/tmp/left-by-rootfs-test"));
    EXPECT_TRUE(fs::is_empty(root.path() + "/tmp"));
    EXPECT_TRUE(fs::is_empty(root.path() + "/dev"));
}

TEST_P(Rootfs, TheHostsRootIsOutOfReachFromARootOfItsOwn) {
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
        // Instrumented copies lie over the libraries.
        EXPECT_TRUE(point == "/" || point.starts_with("/dev") || point == "/tmp" ||
                    point.starts_with("/proc") || point.starts_with("/sys") ||
                    (point.starts_with("/lib") && mode() == "flat"))
            << line;
    }
}

TEST_P(RootsRootfs, NodesMadeInARootOfItsOwnCannotBeOpened) {
    const SmallRoot root;
    const Outcome outcome =
        run(command({"--rootfs", root.path(), "--", "sh", "-c",
                     "mknod /node c 1 3 && mknod /tmp/node c 1 3 && cat /node; cat /tmp/node"}));
    EXPECT_NE(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.err, "/node: Permission denied")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "/tmp/node: Permission denied")) << outcome;
}

TEST_P(Rootfs, LinksInTheRootLeadNowhereOutside) {
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

TEST_P(Rootfs, AProcThatIsALinkIsRefused) {
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

// The kernel follows links, in its own numbers. Images have such links for their logs.
TEST_P(Rootfs, ALinkToTheFirstProcessLeadsToIt) {
    if (mode() == "host") return;  // there the host's is the first
    const std::string links = R"(
ln -s /proc/1/fd/1 $at/log && echo logged >> $at/log
ln -s /proc/1 $at/one && cat $at/one/comm /proc/1/comm
readlink $at/one/root $at/one/cwd
rm $at/log $at/one
)";
    const std::string seen = "logged\nsh\nsh\n/\n/\n";
    const SmallRoot root(owner());
    const Outcome in_own_root = shell({"--rootfs", root.path()}, "at=/tmp" + links);
    EXPECT_EQ(in_own_root.out, seen) << in_own_root;
    const Outcome in_hosts_root = shell({}, "at=$(mktemp -d)" + links + "rmdir $at");
    EXPECT_EQ(in_hosts_root.out, seen) << in_hosts_root;
}

TEST_P(RootsRootfs, AnEmptyReadOnlyRootIsAnErrorWithWords) {
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

// A directory on a tmpfs, with all that the host has, in a mount namespace of its own; then $1 is dropped.
constexpr const char* into_chroot = R"(
mount -t tmpfs none "$1" && mkdir "$1/root" || exit 99
for at in /*; do
    if [ -L $at ]; then cp -P $at "$1/root/"
    elif [ -d $at ]; then mkdir "$1/root$at" && mount --rbind $at "$1/root$at"
    fi
done
root=$1/root
shift
exec chroot "$root" "$@"
)";

TEST_P(RootsRootfs, AChrootThatIsNoMountPointWillDo) {
    const ScratchDirectory place;
    const auto in_chroot = [&](const Arguments& options) {
        return through({"unshare", "-m", "sh", "-c", into_chroot, "sh", place.path()}, options);
    };
    const Outcome as_it_is =
        in_chroot({"--", "sh", "-c", "readlink /proc/self/root; cat /proc/self/comm; pwd"});
    EXPECT_EQ(as_it_is.code, 0) << as_it_is;
    EXPECT_TRUE(contains(as_it_is.out, "/\ncat\n/\n")) << as_it_is;
    const SmallRoot root;
    const Outcome with_root = in_chroot({"--rootfs", root.path(), "--", "sh", "-c", "ls /; ls /../.."});
    const std::string top = "bin\ndev\nlib\nlib64\nproc\nsys\ntmp\n";
    EXPECT_EQ(with_root.out, top + top) << with_root;
    // What is mounted inside stays inside.
    const Outcome mounting = in_chroot({"--cap-add", "SYS_ADMIN", "--", "sh", "-c",
                                        "mount -t tmpfs inner /mnt && grep -c inner /proc/self/mounts"});
    EXPECT_EQ(mounting.out, "1\n") << mounting;
}

}  // namespace
}  // namespace ctr::test
