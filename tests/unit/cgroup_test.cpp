#include "cgroup/group.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cgroup/own_view.h"
#include "cgroup/trial.h"
#include "cgroup/v1.h"
#include "cgroup/v2.h"
#include "tests/support/process.h"

namespace ctr::cgroup {
namespace {

namespace fs = std::filesystem;

// A user without privileges, for the length of a scope.
class AsNobody {
  public:
    AsNobody() : root_(geteuid() == 0 && seteuid(65534) == 0) {}
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    ~AsNobody() {
        if (root_ && seteuid(0) != 0) ADD_FAILURE() << "can't become root again";
    }

  private:
    bool root_;
};

// Ordinary directories and files that look like a host's cgroup trees.
class FakeHost : public testing::Test {
  protected:
    std::string path(const std::string& name) const { return scratch_.path() + "/" + name; }
    Host host() const { return {path("proc"), path("sys"), false}; }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories(fs::path(path(name)).parent_path());
        std::ofstream(path(name)) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream stream(path(name));
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void make_directory(const std::string& name) const { fs::create_directories(path(name)); }

    std::string mount_line(const std::string& root, const std::string& point, const std::string& rest) const {
        return "31 23 0:28 " + root + " " + path(point) + " rw,relatime shared:9 - " + rest + "\n";
    }

    // A host with a v1 blkio hierarchy, the caller in group /user.
    void be_v1() const {
        write("proc/self/cgroup", "7:blkio:/user\n0::/user\n");
        write("proc/self/mountinfo", mount_line("/", "cg", "cgroup cgroup rw,blkio"));
        make_directory("cg/user");
    }

    // A host with v2 only, the caller in group /slice/user.
    void be_v2() const {
        write("proc/self/cgroup", "0::/slice/user\n");
        write("proc/self/mountinfo", mount_line("/", "cg", "cgroup2 cgroup2 rw"));
        for (const char* group : {"cg", "cg/slice", "cg/slice/user"}) {
            write(std::string(group) + "/cgroup.subtree_control", "cpu io memory\n");
        }
    }

    Result<Group> create_as_nobody() const {
        const AsNobody nobody;
        return Group::create("ctr-1-a", {io_controller}, {}, host());
    }

    void add_loop0() const {
        make_directory("sys/devices/virtual/block/loop0");
        make_directory("sys/dev/block");
        fs::create_symlink("../../devices/virtual/block/loop0", path("sys/dev/block/7:0"));
    }

    test::ScratchDirectory scratch_;
};

// ---- where the hierarchy is ----

TEST(GroupPath, FindsAControllerAmongCoMountedOnes) {
    constexpr std::string_view text =
        "12:cpu,cpuacct:/a\n11:net_cls,blkio,net_prio:/with:colon\n1:name=systemd:/init.scope\n0::/unified\n";
    EXPECT_EQ(group_path(text, "blkio"), "/with:colon");
    EXPECT_EQ(group_path(text, "cpuacct"), "/a");
    EXPECT_EQ(group_path(text, "name=systemd"), "/init.scope");
    EXPECT_EQ(group_path(text, ""), "/unified");
    EXPECT_EQ(group_path(text, "blki"), std::nullopt);
    EXPECT_EQ(group_path(text, "io"), std::nullopt);
    EXPECT_EQ(group_path("", "blkio"), std::nullopt);
    EXPECT_EQ(group_path("garbage\n\n:::\n", "blkio"), std::nullopt);
}

TEST(OwnView, IsWhereHierarchiesAreMountedAndSeen) {
    constexpr std::string_view groups = "7:cpu,cpuacct:/a/b\n1:name=systemd:/\n0::/a\n";
    constexpr std::string_view mounts =
        "30 1 0:1 / /sys/fs/cgroup/old rw - cgroup2 x rw\n"
        "31 1 0:2 / /sys/fs/cgroup rw - tmpfs x rw\n"
        "32 31 0:3 /a /sys/fs/cgroup/cpu rw - cgroup x rw,xattr,cpu,cpuacct\n"
        "33 31 0:4 / /sys/fs/cgroup/systemd rw - cgroup x rw,name=systemd\n"
        "34 31 0:5 / /sys/fs/cgroup/unified rw - cgroup2 x rw\n"
        "35 31 0:6 / /sys/fs/cgroupx rw - cgroup2 x rw\n";
    const auto views = view_points(groups, mounts);
    ASSERT_EQ(views.size(), 3U);
    EXPECT_EQ(views[0], (ViewPoint{"/sys/fs/cgroup/cpu", "/a", "cpu"}));
    EXPECT_EQ(own_below(views[0], groups), "b");
    EXPECT_EQ(own_below(views[1], groups), std::nullopt) << "all of it is its own";
    EXPECT_EQ(own_below(views[2], groups), "a");
    EXPECT_EQ(own_below(views[0], "7:cpu,cpuacct:/ab\n"), std::nullopt) << "beside";
    EXPECT_EQ(own_below(views[2], "0::/../b\n"), std::nullopt);
    EXPECT_EQ(own_below(views[2], ""), std::nullopt);
}

TEST(DirectoryOf, MapsThroughTheMountsRoot) {
    const Mount whole{.root = "/", .point = "/mnt/blkio"};
    EXPECT_EQ(directory_of(whole, "/"), "/mnt/blkio");
    EXPECT_EQ(directory_of(whole, "/a/b"), "/mnt/blkio/a/b");
    const Mount part{.root = "/docker/12", .point = "/mnt/blkio"};
    EXPECT_EQ(directory_of(part, "/docker/12"), "/mnt/blkio");
    EXPECT_EQ(directory_of(part, "/docker/12/x"), "/mnt/blkio/x");
    EXPECT_EQ(directory_of(part, "/docker/123"), std::nullopt);
    EXPECT_EQ(directory_of(part, "/"), std::nullopt);
}

TEST(DirectoryOf, NeverLeavesTheCgroupNamespace) {
    const Mount whole{.root = "/", .point = "/mnt"};
    EXPECT_EQ(directory_of(whole, "/.."), std::nullopt);
    EXPECT_EQ(directory_of(whole, "/../../other"), std::nullopt);
    EXPECT_EQ(directory_of(whole, "relative"), std::nullopt);
    EXPECT_EQ(directory_of({.root = "/../..", .point = "/mnt"}, "/"), std::nullopt);
}

TEST(ParseMountinfo, ReadsEscapesAndOptionalFields) {
    const std::vector<Mount> mounts = parse_mountinfo(
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        "38 31 0:35 /a\\040b /mnt/c\\134d\\012e rw shared:1 master:2 - cgroup none\\043 rw,blkio\n"
        "not a line\n"
        "39 31 0:35 / /no/separator rw cgroup none rw\n"
        "40 31 0:35 / /broken\\9 rw - ext4 /dev/x rw");
    ASSERT_EQ(mounts.size(), 3U);
    EXPECT_EQ(mounts[0].id, 22U);
    EXPECT_EQ(mounts[0].type, "proc");
    EXPECT_EQ(mounts[1].root, "/a b");
    EXPECT_EQ(mounts[1].point, "/mnt/c\\d\ne");
    EXPECT_EQ(mounts[1].source, "none#");
    EXPECT_EQ(mounts[1].options, "rw,blkio");
    EXPECT_EQ(mounts[2].point, "/broken\\9");
}

TEST_F(FakeHost, V1IsChosenOnAHybridHost) {
    be_v1();
    write("proc/self/mountinfo", mount_line("/", "unified", "cgroup2 cgroup2 rw") +
                                     mount_line("/", "systemd", "cgroup cgroup rw,name=systemd") +
                                     mount_line("/", "cg", "cgroup cgroup rw,net_cls,blkio"));
    make_directory("unified/user");
    make_directory("systemd/user");
    const Result<Hierarchy> found = find_hierarchy(io_controller, host());
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, (Hierarchy{Version::v1, path("cg"), path("cg/user")}));
}

TEST_F(FakeHost, V2IsChosenWhereThereIsNoBlkio) {
    be_v2();
    const Result<Hierarchy> found = find_hierarchy(io_controller, host());
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, (Hierarchy{Version::v2, path("cg"), path("cg/slice/user")}));
}

TEST_F(FakeHost, AMountThatDoesNotShowTheOwnGroupIsPassedOver) {
    be_v1();
    write("proc/self/mountinfo", mount_line("/user", "part", "cgroup cgroup rw,blkio") +
                                     mount_line("/other", "cg", "cgroup cgroup rw,blkio"));
    make_directory("part");
    EXPECT_EQ(find_hierarchy(io_controller, host()).value(),
              (Hierarchy{Version::v1, path("part"), path("part")}));
}

TEST_F(FakeHost, AHierarchyThatIsNotMountedIsAnErrorThatSaysHowToMountIt) {
    be_v1();
    write("proc/self/mountinfo", "");
    const Result<Hierarchy> v1 = find_hierarchy(io_controller, host());
    ASSERT_FALSE(v1);
    EXPECT_NE(v1.error().message().find("blkio"), std::string::npos);
    EXPECT_NE(v1.error().hint.find("mount -t cgroup -o blkio"), std::string::npos);
    write("proc/self/cgroup", "0::/slice/user\n");
    EXPECT_NE(find_hierarchy(io_controller, host()).error().hint.find("mount -t cgroup2"), std::string::npos);
    write("proc/self/cgroup", "1:name=systemd:/\n");
    EXPECT_NE(find_hierarchy(io_controller, host()).error().why.find("no blkio"), std::string::npos);
}

TEST_F(FakeHost, ATreeThatIsNotCgroupfsIsNotBelieved) {
    be_v1();
    Host lie = host();
    lie.genuine = true;
    EXPECT_FALSE(find_hierarchy(io_controller, lie));
}

// ---- the texts of the control files ----

TEST(V1Texts, ThrottleLinesAreAddedByDevice) {
    LimitsByDevice limits;
    v1::add_throttle_lines("7:0 5242880\n8:16 100\nDefault 7\n8:17\nx:y 3\n", io_write_bytes, limits);
    v1::add_throttle_lines("7:0 30\n", io_read_operations, limits);
    ASSERT_EQ(limits.size(), 2U);
    EXPECT_EQ(limits.at({7, 0}).write_bytes, 5242880U);
    EXPECT_EQ(limits.at({7, 0}).read_operations, 30U);
    EXPECT_EQ(limits.at({8, 16}).write_bytes, 100U);
}

TEST(V1Texts, CountersAreReadByDeviceAndDirection) {
    constexpr std::string_view text =
        "7:0 Read 4096\n7:0 Write 10485760\n7:0 Total 10489856\n17:0 Read 9\nTotal 10489865\n";
    EXPECT_EQ(v1::counter(text, {7, 0}, "Read"), 4096U);
    EXPECT_EQ(v1::counter(text, {7, 0}, "Write"), 10485760U);
    EXPECT_EQ(v1::counter(text, {17, 0}, "Read"), 9U);
    EXPECT_EQ(v1::counter(text, {17, 0}, "Write"), 0U);
    EXPECT_EQ(v1::counter("Total 0\n", {7, 0}, "Read"), 0U);
    EXPECT_EQ(v1::counter("", {7, 0}, "Read"), 0U);
}

TEST(V2Texts, IoMaxNamesOnlyWhatIsLimited) {
    EXPECT_EQ(v2::io_max_line({7, 0}, {.path = "x", .write_bytes = 5242880}), "7:0 wbps=5242880");
    EXPECT_EQ(
        v2::io_max_line(
            {8, 16},
            {.path = "x", .read_bytes = 1, .write_bytes = 2, .read_operations = 3, .write_operations = 4}),
        "8:16 rbps=1 wbps=2 riops=3 wiops=4");
}

TEST(V2Texts, CountersAreReadByDevice) {
    constexpr std::string_view text =
        "7:0 rbytes=4096 wbytes=10485760 rios=1 wios=40 dbytes=7 dios=8\n"
        "8:0\n"
        "7:1 rbytes=x wbytes=5 cost.vrate=100.00\n";
    EXPECT_EQ(v2::counters(text, {7, 0}), (IoCounters{4096, 10485760, 1, 40}));
    EXPECT_EQ(v2::counters(text, {8, 0}), IoCounters{});
    EXPECT_EQ(v2::counters(text, {7, 1}), (IoCounters{0, 5, 0, 0}));
    EXPECT_EQ(v2::counters(text, {9, 9}), IoCounters{});
}

// ---- back ends on ordinary files ----

TEST_F(FakeHost, V1WritesALineToEachThrottleFile) {
    make_directory("group");
    for (const char* file : {"read_bps", "write_bps", "read_iops", "write_iops"}) {
        write("group/blkio.throttle." + std::string(file) + "_device", "");
    }
    const Directory group = Directory::open(path("group"), "test").value();
    ASSERT_TRUE(v1_backend().limit(group, {7, 0},
                                   {.path = "x", .read_bytes = 1, .write_bytes = 2, .write_operations = 4}));
    EXPECT_EQ(read("group/blkio.throttle.read_bps_device"), "7:0 1");
    EXPECT_EQ(read("group/blkio.throttle.write_bps_device"), "7:0 2");
    EXPECT_EQ(read("group/blkio.throttle.read_iops_device"), "");
    EXPECT_EQ(read("group/blkio.throttle.write_iops_device"), "7:0 4");
}

TEST_F(FakeHost, AKernelWithoutThrottlingIsAnErrorThatNamesTheOption) {
    make_directory("group");
    const Directory group = Directory::open(path("group"), "test").value();
    const Status status = v1_backend().limit(group, {7, 0}, {.path = "x", .read_bytes = 1});
    ASSERT_FALSE(status);
    const std::string message = status.error().message();
    EXPECT_NE(message.find("limit the read bytes of device 7:0"), std::string::npos) << message;
    EXPECT_NE(message.find(path("group/blkio.throttle.read_bps_device")), std::string::npos) << message;
    EXPECT_NE(message.find("CONFIG_BLK_DEV_THROTTLING"), std::string::npos) << message;
}

TEST_F(FakeHost, V1CountsWhatGroupsBelowDidWhereTheKernelDoes) {
    write("group/blkio.throttle.io_service_bytes", "7:0 Read 1\n7:0 Write 2\n");
    write("group/blkio.throttle.io_serviced", "7:0 Read 3\n7:0 Write 4\n");
    const Directory group = Directory::open(path("group"), "test").value();
    EXPECT_EQ(v1_backend().read_counters(group, {7, 0}).value(), (IoCounters{1, 2, 3, 4}));
    write("group/blkio.throttle.io_service_bytes_recursive", "7:0 Read 10\n7:0 Write 20\n");
    write("group/blkio.throttle.io_serviced_recursive", "7:0 Read 30\n7:0 Write 40\n");
    EXPECT_EQ(v1_backend().read_counters(group, {7, 0}).value(), (IoCounters{10, 20, 30, 40}));
}

TEST_F(FakeHost, V2WritesOneLineToIoMaxAndKillsThroughCgroupKill) {
    write("group/io.max", "");
    write("group/cgroup.kill", "");
    const Directory group = Directory::open(path("group"), "test").value();
    ASSERT_TRUE(v2_backend().limit(group, {7, 0}, {.path = "x", .write_bytes = 2}));
    ASSERT_TRUE(v2_backend().kill(group));
    EXPECT_EQ(read("group/io.max"), "7:0 wbps=2");
    EXPECT_EQ(read("group/cgroup.kill"), "1");
}

TEST_F(FakeHost, AControlFileThatIsASymbolicLinkIsNotWritten) {
    write("victim", "");
    make_directory("group");
    fs::create_symlink(path("victim"), path("group/io.max"));
    const Directory group = Directory::open(path("group"), "test").value();
    EXPECT_FALSE(v2_backend().limit(group, {7, 0}, {.path = "x", .write_bytes = 2}));
    EXPECT_EQ(read("victim"), "");
}

// ---- groups ----

TEST_F(FakeHost, AGroupIsMadeBelowTheOwnOneAndRemovedWithItsObject) {
    be_v1();
    {
        Result<Group> group = Group::create("ctr-1-a", {io_controller}, {}, host());
        ASSERT_TRUE(group) << group.error().message();
        EXPECT_EQ(group->io_version(), Version::v1);
        EXPECT_EQ(group->directories(), std::vector{path("cg/user/ctr-1-a")});
        EXPECT_TRUE(fs::is_directory(path("cg/user/ctr-1-a")));
        const Group moved = *std::move(group);
        EXPECT_TRUE(fs::is_directory(path("cg/user/ctr-1-a")));
    }
    EXPECT_FALSE(fs::exists(path("cg/user/ctr-1-a")));
}

TEST_F(FakeHost, RemovingAGroupTwiceIsNoError) {
    be_v1();
    Group group = Group::create("ctr-1-a", {io_controller}, {}, host()).value();
    EXPECT_TRUE(group.remove());
    EXPECT_FALSE(fs::exists(path("cg/user/ctr-1-a")));
    EXPECT_TRUE(group.directories().empty());
    EXPECT_TRUE(group.remove());
}

TEST_F(FakeHost, AnExistingDirectoryIsNeitherTakenOverNorRemoved) {
    be_v1();
    make_directory("cg/user/mine");
    const Result<Group> group = Group::create("mine", {io_controller}, {}, host());
    ASSERT_FALSE(group);
    EXPECT_EQ(group.error().err, EEXIST);
    EXPECT_TRUE(fs::is_directory(path("cg/user/mine")));
}

TEST_F(FakeHost, AFailureToSetALimitLeavesNothingBehind) {
    be_v1();
    add_loop0();
    const std::string node = path("node");
    if (mknod(node.c_str(), S_IFBLK | 0600, 7 << 8) != 0) GTEST_SKIP() << "creating a device node needs root";
    const Result<Group> group =
        Group::create("ctr-1-a", {io_controller}, {.io = {{.path = node, .write_bytes = 1}}}, host());
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message().find("blkio.throttle.write_bps_device"), std::string::npos);
    EXPECT_FALSE(fs::exists(path("cg/user/ctr-1-a")));
}

TEST_F(FakeHost, ABadNameIsRefused) {
    be_v1();
    for (const std::string& bad : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                   std::string("a\nb"), std::string("a\0b", 3), std::string(300, 'x')}) {
        const Result<Group> group = Group::create(bad, {io_controller}, {}, host());
        ASSERT_FALSE(group);
        EXPECT_NE(group.error().message().find('"' + bad + '"'), std::string::npos);
    }
}

TEST_F(FakeHost, ALimitThatTheKernelWouldCutOffOrThatLimitsNothingIsRefused) {
    be_v1();
    const Result<Group> large =
        Group::create("a", {io_controller}, {.io = {{.path = "/x", .read_operations = 4294967296}}}, host());
    ASSERT_FALSE(large);
    EXPECT_NE(large.error().message().find("4294967296 read operations"), std::string::npos)
        << large.error().message();
    const Result<Group> none = Group::create("a", {io_controller}, {.io = {{.path = "/x"}}}, host());
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message().find("\"/x\""), std::string::npos);
}

TEST_F(FakeHost, WithoutPrivilegeTheMessageNamesTheDirectoryAndTheMissingDelegation) {
    be_v1();
    fs::permissions(path("cg/user"), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                         fs::perms::others_exec | fs::perms::group_read |
                                         fs::perms::group_exec);
    const Result<Group> group = create_as_nobody();
    ASSERT_FALSE(group);
    const std::string message = group.error().message();
    EXPECT_EQ(group.error().err, EACCES);
    EXPECT_NE(message.find(path("cg/user/ctr-1-a")), std::string::npos) << message;
    EXPECT_NE(message.find("not delegated"), std::string::npos) << message;
    EXPECT_NE(message.find("chown"), std::string::npos) << message;
}

TEST_F(FakeHost, WithoutPrivilegeV2SaysHowToDelegate) {
    be_v2();
    for (const char* group : {"cg", "cg/slice", "cg/slice/user"})
        write(std::string(group) + "/cgroup.subtree_control", "cpu\n");
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to have files of another user";
    const Result<Group> group = create_as_nobody();
    ASSERT_FALSE(group);
    const std::string message = group.error().message();
    EXPECT_NE(message.find("enable the io controller below " + path("cg/slice/user")), std::string::npos)
        << message;
    EXPECT_NE(message.find("Delegate=cpu io memory pids"), std::string::npos) << message;
}

TEST_F(FakeHost, V2UsesTheNearestGroupThatPassesTheControllerOn) {
    be_v2();
    fs::remove(path("cg/slice/user/cgroup.subtree_control"));
    const Result<Group> group = Group::create("ctr-1-a", {io_controller}, {}, host());
    ASSERT_TRUE(group) << group.error().message();
    EXPECT_EQ(group->io_version(), Version::v2);
    EXPECT_EQ(group->directories(), std::vector{path("cg/slice/ctr-1-a")});
    ASSERT_EQ(group->notes().size(), 1U);
    EXPECT_NE(group->notes()[0].find("beside"), std::string::npos);
    EXPECT_TRUE(group->warnings().empty());
}

TEST_F(FakeHost, V2SwitchesTheControllersOnWhereTheyAreOff) {
    be_v2();
    write("cg/slice/user/cgroup.subtree_control", "io\n");
    const Result<Group> group = Group::create("ctr-1-a", {io_controller}, {}, host());
    ASSERT_TRUE(group) << group.error().message();
    EXPECT_EQ(group->directories(), std::vector{path("cg/slice/user/ctr-1-a")});
    EXPECT_EQ(read("cg/slice/user/cgroup.subtree_control"), "+memory");
}

TEST_F(FakeHost, NobodyAndTheWriterItselfAreNotMoved) {
    be_v1();
    const Group group = Group::create("ctr-1-a", {io_controller}, {}, host()).value();
    EXPECT_FALSE(group.join(HostPid::none));
    EXPECT_FALSE(group.join(HostPid{-1}));
}

// As systemd's hybrid layout has it: what v1 doesn't list is v2's.
TEST_F(FakeHost, EachControllerIsFoundInItsOwnHierarchy) {
    write("proc/self/cgroup", "7:memory:/a\n6:cpu,cpuacct:/b\n0::/c\n");
    write("proc/self/mountinfo", mount_line("/", "m", "cgroup cgroup rw,memory") +
                                     mount_line("/", "c", "cgroup cgroup rw,cpu,cpuacct") +
                                     mount_line("/", "u", "cgroup2 cgroup2 rw"));
    for (const char* group : {"m/a", "c/b", "u/c"}) make_directory(group);
    write("u/cgroup.subtree_control", "pids\n");
    write("u/c/cgroup.subtree_control", "pids\n");
    EXPECT_EQ(find_hierarchy(memory_controller, host())->own, path("m/a"));
    EXPECT_EQ(find_hierarchy(cpu_controller, host())->own, path("c/b"));
    EXPECT_EQ(find_hierarchy(pids_controller, host())->version, Version::v2);
    const std::vector all{memory_controller, cpu_controller, pids_controller};
    const auto possible = possible_directories("ctr-1-a", all, host());
    ASSERT_TRUE(possible) << possible.error().message();
    EXPECT_EQ(*possible, (std::vector{path("c/b/ctr-1-a"), path("m/a/ctr-1-a"), path("u/c/ctr-1-a"),
                                      path("u/ctr-1-a")}));
    const Result<Group> group = Group::create("ctr-1-a", all, {}, host());
    ASSERT_TRUE(group) << group.error().message();
    EXPECT_EQ(group->directories(),
              (std::vector{path("c/b/ctr-1-a"), path("m/a/ctr-1-a"), path("u/c/ctr-1-a")}));
}

// Nothing else is made, and what was made goes.
TEST_F(FakeHost, AControllerThatIsMissingLeavesNoGroupInTheOtherHierarchy) {
    write("proc/self/cgroup", "7:memory:/a\n0::/c\n");
    write("proc/self/mountinfo",
          mount_line("/", "m", "cgroup cgroup rw,memory") + mount_line("/", "u", "cgroup2 cgroup2 rw"));
    for (const char* group : {"m/a", "u/c"}) make_directory(group);
    const Result<Group> group = Group::create("ctr-1-a", {memory_controller, pids_controller}, {}, host());
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message().find("enable the pids controller"), std::string::npos)
        << group.error().message();
    EXPECT_FALSE(fs::exists(path("m/a/ctr-1-a")));
}

TEST_F(FakeHost, ThePossibleDirectoriesOfAGroupAreKnownBeforeItExists) {
    be_v1();
    EXPECT_EQ(possible_directories("ctr-1-a", {io_controller}, host()).value(),
              std::vector{path("cg/user/ctr-1-a")});
    EXPECT_FALSE(fs::exists(path("cg/user/ctr-1-a")));
    EXPECT_FALSE(possible_directories("../x", {io_controller}, host()));
}

TEST_F(FakeHost, UnderV2TheyAreTheOwnGroupAndAllAboveUpToTheMount) {
    be_v2();
    const std::vector<std::string> expected = {path("cg/slice/user/ctr-1-a"), path("cg/slice/ctr-1-a"),
                                               path("cg/ctr-1-a")};
    EXPECT_EQ(possible_directories("ctr-1-a", {io_controller}, host()).value(), expected);
    fs::remove(path("cg/slice/user/cgroup.subtree_control"));
    fs::remove(path("cg/slice/cgroup.subtree_control"));
    const Group group = Group::create("ctr-1-a", {io_controller}, {}, host()).value();
    EXPECT_EQ(group.directories(), std::vector{expected.back()});
}

TEST(UniqueGroupName, NeverComesTwice) {
    std::set<std::string> names;
    for (int i = 0; i < 1000; ++i) names.insert(unique_group_name().value());
    EXPECT_EQ(names.size(), 1000U);
    EXPECT_TRUE(names.begin()->starts_with("ctr-" + std::to_string(getpid()) + "-"));
}

TEST_F(FakeHost, DirectoriesAreRemovedWithAllBelowAndThoseGoneAreNoError) {
    make_directory("a/b/c");
    make_directory("a/d");
    make_directory("e");
    EXPECT_TRUE(remove_directories({path("a"), path("missing"), path("e")}));
    EXPECT_FALSE(fs::exists(path("a")));
    EXPECT_FALSE(fs::exists(path("e")));
    EXPECT_TRUE(remove_directories({}));
}

TEST_F(FakeHost, ADirectoryThatCannotBeRemovedIsAnErrorAndTheOthersAreRemovedStill) {
    write("a/file", "a file that isn't the kernel's");
    make_directory("b");
    const Status status = remove_directories({path("a"), path("b")});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().err, ENOTEMPTY);
    EXPECT_NE(status.error().message().find(path("a")), std::string::npos);
    EXPECT_FALSE(fs::exists(path("b")));
}

TEST_F(FakeHost, ProcessesAreListedWithThoseOfTheGroupsBelow) {
    write("a/cgroup.procs", "12\n7\n0\nx\n-3\n");
    write("a/b/cgroup.procs", "9\n");
    EXPECT_EQ(processes_in(path("a")).value(), (std::vector{HostPid{7}, HostPid{9}, HostPid{12}}));
    EXPECT_TRUE(processes_in(path("missing")).value().empty());
}

TEST(DescribeLayout, TellsTheVersionsApart) {
    EXPECT_EQ(describe_layout("0::/\n"), "v2");
    EXPECT_EQ(describe_layout("2:cpu:/\n1:name=systemd:/\n"), "v1");
    EXPECT_EQ(describe_layout("1:cpu:/\n0::/\n"), "v1 and v2 (hybrid)");
    EXPECT_EQ(describe_layout(""), "");
}

Result<std::string> attempt(const std::string& name, const Host& host) {
    for (const Ability& ability : abilities())
        if (ability.name == name) return ability.attempt("g", host);
    return fail_input("find the ability", "there is none");
}

TEST_F(FakeHost, ATrialSaysWhereAndLeavesNothing) {
    be_v1();
    const auto found = attempt("io", host());
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, "v1, below " + path("cg/user"));
    EXPECT_TRUE(fs::is_empty(path("cg/user")));
}

TEST_F(FakeHost, ATrialSwitchesAControllerOffThatItHasSwitchedOn) {
    be_v2();
    ASSERT_TRUE(attempt("cpu", host()));
    EXPECT_EQ(read("cg/slice/user/cgroup.subtree_control"), "cpu io memory\n");
    ASSERT_TRUE(attempt("pids", host()));
    EXPECT_TRUE(read("cg/slice/user/cgroup.subtree_control").starts_with("-pids"));
    EXPECT_FALSE(fs::exists(path("cg/slice/user/g")));
}

TEST_F(FakeHost, WhatATrialNeedsAndIsNotThereIsAnErrorAndLeavesNothing) {
    be_v2();
    const auto frozen = attempt("freeze", host());
    ASSERT_FALSE(frozen);
    EXPECT_NE(frozen.error().call.find("cgroup.freeze"), std::string::npos) << frozen.error().message();
    EXPECT_FALSE(fs::exists(path("cg/slice/user/g")));
    be_v1();
    EXPECT_FALSE(attempt("memory", host()));
}

TEST_F(FakeHost, TheDirectoriesOfTrialsAreKnownBefore) {
    be_v2();
    const auto directories = trial_directories("g", host());
    EXPECT_EQ(std::set<std::string>(directories.begin(), directories.end()),
              (std::set<std::string>{path("cg/g"), path("cg/slice/g"), path("cg/slice/user/g")}));
}

}  // namespace
}  // namespace ctr::cgroup
