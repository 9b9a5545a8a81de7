#include "pidns/monitor/proc_mounts.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ctr::pidns {
namespace {

using Mounts = ProcMounts::Mounts;

Mounts parse(const std::string& text) {
    return ProcMounts::parse(text);
}

TEST(Components, AreWhatIsBetweenSlashes) {
    EXPECT_EQ(components_of("/a/bc/d"), (Components{"a", "bc", "d"}));
    EXPECT_EQ(components_of("/"), Components{});
    EXPECT_EQ(components_of(""), Components{});
    EXPECT_EQ(components_of("//a//b/"), (Components{"a", "b"}));
    EXPECT_EQ(join({"a", "b"}), "/a/b");
    EXPECT_EQ(join({}), "/");
}

TEST(ProcMounts, AreWholeOrPartsOfAProcfs) {
    const Mounts mounts = parse(
        "25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "31 25 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw\n"
        "32 25 0:22 /sys/kernel /srv/a/b ro - proc proc rw\n");
    ASSERT_EQ(mounts.procs.size(), 2u);
    EXPECT_EQ(mounts.procs[0].point, Components{"proc"});
    EXPECT_EQ(mounts.procs[0].below, Components{});
    EXPECT_EQ(mounts.procs[1].point, (Components{"srv", "a", "b"}));
    EXPECT_EQ(mounts.procs[1].below, (Components{"sys", "kernel"}));
    EXPECT_TRUE(mounts.cgroups.empty());
}

TEST(ProcMounts, HaveCgroupsOfBothVersions) {
    const Mounts mounts = parse(
        "56 55 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n"
        "60 55 0:33 /user\\040s/1 /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "61 55 0:33 /../.. /outside rw - cgroup2 none rw\n");
    ASSERT_EQ(mounts.cgroups.size(), 3u);
    EXPECT_EQ(mounts.cgroups[0].id, 56);
    EXPECT_EQ(mounts.cgroups[0].device, "0:29");
    EXPECT_FALSE(mounts.cgroups[0].unified);
    EXPECT_EQ(mounts.cgroups[0].point, (Components{"sys", "fs", "cgroup", "cpu"}));
    EXPECT_EQ(mounts.cgroups[0].root, "/");
    EXPECT_TRUE(mounts.cgroups[1].unified);
    EXPECT_EQ(mounts.cgroups[1].root, "/user s/1");
    // Above what this process's cgroup namespace shows.
    EXPECT_EQ(mounts.cgroups[2].root, "/../..");
    EXPECT_TRUE(mounts.procs.empty());
}

TEST(ProcMounts, AreToldByTypeNotByNames) {
    const Mounts mounts = parse(
        "1 0 0:1 / /proc rw - tmpfs proc rw\n"
        "2 0 0:2 / /x rw - procfs proc rw\n"
        "3 0 0:3 / /y rw - fuse.proc proc rw\n"
        "4 0 0:4 / /cgroup rw - cgroup3 cgroup rw\n"
        "5 0 0:5 / /elsewhere rw - proc tmpfs rw\n");
    ASSERT_EQ(mounts.procs.size(), 1u);
    EXPECT_EQ(mounts.procs[0].point, Components{"elsewhere"});
    EXPECT_TRUE(mounts.cgroups.empty());
}

TEST(ProcMounts, MayBeCoveredInPart) {
    const Mounts mounts = parse(
        "1 0 0:1 / / rw - ext4 a rw\n"
        "2 1 0:2 / /proc rw - proc p rw\n"
        "3 2 0:3 / /proc/sys/x rw - tmpfs t rw\n"
        "4 3 0:4 / /proc/sys/x/y rw - tmpfs t rw\n"
        "5 2 0:5 /null /proc/loadavg rw - devtmpfs d rw\n"
        "6 1 0:6 / /procurement rw - tmpfs t rw\n");
    ASSERT_EQ(mounts.procs.size(), 4u);
    EXPECT_FALSE(mounts.procs[0].covers);
    EXPECT_TRUE(mounts.procs[1].covers);
    EXPECT_EQ(mounts.procs[2].point, (Components{"proc", "sys", "x", "y"}));
    EXPECT_TRUE(mounts.procs[2].covers);
    EXPECT_EQ(mounts.procs[3].point, (Components{"proc", "loadavg"}));
    EXPECT_TRUE(mounts.procs[3].covers);
    EXPECT_EQ(mounts.procs[3].below, Components{});
}

TEST(ProcMounts, MayHaveOddNames) {
    const Mounts mounts = parse(
        "1 0 0:1 / /a\\040b\\011c\\012d\\134e rw - proc p rw\n"
        "2 0 0:1 / /ends\\04 rw - proc p rw\n"
        "3 0 0:1 / /a\\040-\\040proc rw shared:1 master:2 propagate_from:3 - proc p - proc rw\n"
        "4 0 0:1 / /deep//x/ rw - proc \\040 rw\n");
    ASSERT_EQ(mounts.procs.size(), 4u);
    EXPECT_EQ(mounts.procs[0].point, Components{"a b\tc\nd\\e"});
    EXPECT_EQ(mounts.procs[1].point, Components{"ends\\04"});
    EXPECT_EQ(mounts.procs[2].point, Components{"a - proc"});
    EXPECT_EQ(mounts.procs[3].point, (Components{"deep", "x"}));
}

TEST(ProcMounts, InOtherFormsAreLeftOut) {
    const Mounts mounts = parse(
        "\n"
        " - \n"
        " - proc\n"
        "1 0 0:1 / - proc p rw\n"
        "one 0 0:1 / /x rw - proc p rw\n"
        "1 0 0:1 / /x rw -proc p rw\n"
        "1 0 0:1 / /x rw - \n"
        "no newline at the end, and 1 0 0:1 / /proc rw");
    EXPECT_TRUE(mounts.procs.empty());
    EXPECT_TRUE(mounts.cgroups.empty());
    EXPECT_TRUE(parse("").procs.empty());
}

TEST(ProcMounts, OfThisProcessIncludeItsProcfs) {
    ProcMounts mounts;
    const auto self = HostPid(getpid());
    const auto has_proc = [&] {
        for (const ProcMounts::Mount& mount : mounts.of(self))
            if (mount.below.empty() && join(mount.point) == "/proc") return true;
        return false;
    };
    EXPECT_TRUE(has_proc());
    EXPECT_TRUE(has_proc()) << "kept";
    mounts.forget_unused();
    EXPECT_TRUE(has_proc());
}

TEST(ProcMounts, OfAProcessThatIsGoneAreNone) {
    ProcMounts mounts;
    EXPECT_TRUE(mounts.of(HostPid(0x07ffffff)).empty());
    EXPECT_TRUE(mounts.cgroups_of(HostPid(0x07ffffff)).empty());
}

}  // namespace
}  // namespace ctr::pidns
