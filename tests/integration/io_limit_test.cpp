// Limits on real block devices, judged by the kernel's own counters: through the cgroup library, and through
// ctr.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cgroup/group.h"
#include "tests/support/loop_device.h"
#include "tests/support/process.h"

namespace ctr::cgroup {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr uint64_t mib = 1024 * 1024;
constexpr uint64_t disk_size = 64 * mib;
constexpr size_t block = 65536;

// A process of the test that does something in the group until it is killed.
class Worker {
  public:
    Worker(const Group& group, const std::function<void()>& work) : pid_(fork()) {
        if (pid_ != 0) return;
        // Beyond this line nothing of the test's objects may be destroyed: they belong to the parent.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!group.join(HostPid{getpid()})) _exit(99);
        work();
        _exit(98);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() { kill(); }

    HostPid pid() const { return HostPid{pid_}; }
    int kill() {
        if (pid_ <= 0) return status_;
        ::kill(pid_, SIGKILL);
        return wait();
    }
    int wait() {
        if (pid_ > 0) waitpid(std::exchange(pid_, -1), &status_, 0);
        return status_;
    }

  private:
    pid_t pid_;
    int status_ = 0;
};

enum class Direction { read, write };

// Direct reads or writes over a device or file, from its start to its end and again, for ever.
std::function<void()> transfer(std::string path, Direction direction, size_t size, uint64_t length) {
    return [=] {
        const Fd fd(open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
        void* buffer = std::aligned_alloc(4096, size);
        if (!fd || !buffer) _exit(97);
        for (uint64_t offset = 0;; offset = (offset + size) % length) {
            const auto at = static_cast<off_t>(offset);
            const ssize_t done = direction == Direction::read ? pread(fd.get(), buffer, size, at)
                                                              : pwrite(fd.get(), buffer, size, at);
            if (done != static_cast<ssize_t>(size)) _exit(96);
        }
    };
}

// The rates of a group on a device over five seconds, after half a second to get over the burst that the
// kernel allows at the start.
struct Rates {
    double read_bytes;
    double write_bytes;
    double read_operations;
    double write_operations;
};
Rates measure(const std::function<IoCounters()>& counters) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const auto begin = steady_clock::now();
    const IoCounters before = counters();
    std::this_thread::sleep_for(std::chrono::seconds(5));
    const IoCounters after = counters();
    const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    const auto rate = [&](uint64_t IoCounters::*member) {
        return static_cast<double>(after.*member - before.*member) / seconds;
    };
    return {rate(&IoCounters::read_bytes), rate(&IoCounters::write_bytes), rate(&IoCounters::read_operations),
            rate(&IoCounters::write_operations)};
}

void expect_within_5_percent(double rate, double limit) {
    testing::Test::RecordProperty("percent_of_the_limit", std::to_string(100 * rate / limit));
    EXPECT_GE(rate, 0.95 * limit);
    EXPECT_LE(rate, 1.05 * limit);
}

// Waits for what must come, ten seconds at most.
bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 10000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

class IoLimits : public testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "loop devices and cgroups need root";
        // Mounts of these tests are seen by nobody else, and end with the test program.
        if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            GTEST_SKIP() << "no mount namespace of its own: " << errno_name(errno);
        }
        if (const Result<Hierarchy> hierarchy = find_hierarchy(io_controller); !hierarchy)
            GTEST_SKIP() << hierarchy.error().message();
    }

    // Absent, and the test skipped, only where the kernel has no loop devices.
    void attach(test::LoopDevice::Layout layout = test::LoopDevice::Layout::whole) {
        Result<test::LoopDevice> loop = test::attach_loop_device(disk_size, layout);
        if (!loop) GTEST_SKIP() << "no loop device: " << loop.error().message();
        loop_ = std::make_unique<test::LoopDevice>(*std::move(loop));
    }

    DeviceNumber number() const { return {loop_->major_number(), loop_->minor_number()}; }

    // A group with one limit on the loop device.
    Result<Group> limited(IoLimit limit) const {
        if (limit.path.empty()) limit.path = loop_->path();
        return Group::create(unique_group_name().value(), {io_controller}, {.io = {limit}});
    }

    std::unique_ptr<test::LoopDevice> loop_;
    test::ScratchDirectory scratch_;
};

#define ATTACH_OR_SKIP(...) \
    attach(__VA_ARGS__);    \
    if (IsSkipped()) return

#define ASSERT_MADE(result) ASSERT_TRUE(result) << (result).error().message()

TEST_F(IoLimits, AWriteLimitHoldsWithin5PercentOver5Seconds) {
    ATTACH_OR_SKIP();
    const Result<Group> group = limited({.path = "", .write_bytes = 5 * mib});
    ASSERT_MADE(group);
    const Worker writer(*group, transfer(loop_->path(), Direction::write, block, disk_size));
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    expect_within_5_percent(rates.write_bytes, 5 * mib);
    EXPECT_EQ(rates.read_bytes, 0);
}

TEST_F(IoLimits, AReadLimitHoldsWithin5PercentOver5Seconds) {
    ATTACH_OR_SKIP();
    const Result<Group> group = limited({.path = "", .read_bytes = 5 * mib});
    ASSERT_MADE(group);
    const Worker reader(*group, transfer(loop_->path(), Direction::read, block, disk_size));
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    expect_within_5_percent(rates.read_bytes, 5 * mib);
    EXPECT_EQ(rates.write_bytes, 0);
}

TEST_F(IoLimits, OperationLimitsHoldForEachDirectionOnItsOwn) {
    ATTACH_OR_SKIP();
    const Result<Group> group = limited({.path = "", .read_operations = 200, .write_operations = 100});
    ASSERT_MADE(group);
    const Worker reader(*group, transfer(loop_->path(), Direction::read, 4096, disk_size));
    const Worker writer(*group, transfer(loop_->path(), Direction::write, 4096, disk_size));
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    expect_within_5_percent(rates.read_operations, 200);
    expect_within_5_percent(rates.write_operations, 100);
}

TEST_F(IoLimits, ALimitIsSharedByTheProcessesOfTheGroupAndConcernsNobodyElse) {
    ATTACH_OR_SKIP();
    const Result<Group> group = limited({.path = "", .write_bytes = 5 * mib});
    const Result<Group> free = Group::create(unique_group_name().value(), {io_controller}, {});
    ASSERT_MADE(group);
    ASSERT_MADE(free);
    const Worker first(*group, transfer(loop_->path(), Direction::write, block, disk_size));
    const Worker second(*group, transfer(loop_->path(), Direction::write, block, disk_size));
    const Worker outsider(*free, transfer(loop_->path(), Direction::write, block, disk_size));
    const IoCounters before = free->read_counters(number()).value();
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    const IoCounters after = free->read_counters(number()).value();
    expect_within_5_percent(rates.write_bytes, 5 * mib);
    EXPECT_GT(after.write_bytes - before.write_bytes, 100 * mib);
}

TEST_F(IoLimits, ALimitOnAPartitionHoldsAndCountsAgainstItsDisk) {
    ATTACH_OR_SKIP(test::LoopDevice::Layout::one_partition);
    const std::string partition = loop_->path() + "p1";
    if (!fs::exists(partition)) GTEST_SKIP() << "the kernel shows no partition on a loop device";
    const Result<Group> group = limited({.path = partition, .write_bytes = 5 * mib});
    ASSERT_MADE(group);
    ASSERT_FALSE(group->warnings().empty());
    EXPECT_TRUE(std::regex_search(group->warnings()[0],
                                  std::regex("partition loop[0-9]+p1 .* whole disk loop[0-9]+ \\(7:")))
        << group->warnings()[0];
    const Worker writer(*group, transfer(partition, Direction::write, block, disk_size / 2));
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    expect_within_5_percent(rates.write_bytes, 5 * mib);
}

TEST_F(IoLimits, ALimitOnAFileHoldsForTheDeviceBelowItsFileSystem) {
    ATTACH_OR_SKIP();
    if (!test::available("mkfs.ext2")) GTEST_SKIP() << "mkfs.ext2 is not installed";
    const test::Outcome made = test::run({"mkfs.ext2", "-q", loop_->path()});
    ASSERT_EQ(made.code, 0) << made.err;
    const auto mounted = test::MountedDevice::mount(loop_->path(), scratch_.path(), "ext2");
    if (!mounted) GTEST_SKIP() << mounted.error().message();
    const std::string file = scratch_.path() + "/file:with:colons";
    ASSERT_EQ(test::run({"dd", "if=/dev/zero", "of=" + file, "bs=1M", "count=16", "conv=fsync"}).code, 0);

    const Result<Group> group = limited({.path = file, .write_bytes = 5 * mib});
    ASSERT_MADE(group);
    ASSERT_FALSE(group->notes().empty());
    EXPECT_NE(group->notes()[0].find("(" + loop_->number() + ")"), std::string::npos) << group->notes()[0];
    const Worker writer(*group, transfer(file, Direction::write, block, 16 * mib));
    const Rates rates = measure([&] { return group->read_counters(number()).value(); });
    expect_within_5_percent(rates.write_bytes, 5 * mib);
}

TEST_F(IoLimits, ATmpfsIsRefusedByName) {
    ASSERT_EQ(mount("none", scratch_.path().c_str(), "tmpfs", 0, nullptr), 0);
    const Result<Group> group = limited({.path = scratch_.path(), .write_bytes = 1});
    umount2(scratch_.path().c_str(), MNT_DETACH);
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message().find("tmpfs"), std::string::npos) << group.error().message();
    EXPECT_NE(group.error().message().find(scratch_.path()), std::string::npos);
}

TEST_F(IoLimits, AnOverlayIsRefusedWithTheDirectoryOfItsUpperLayer) {
    const std::string& base = scratch_.path();
    for (const char* name : {"/t", "/merged"}) ASSERT_TRUE(fs::create_directory(base + name));
    ASSERT_EQ(mount("none", (base + "/t").c_str(), "tmpfs", 0, nullptr), 0);
    for (const char* name : {"/t/lower", "/t/up", "/t/work"}) ASSERT_TRUE(fs::create_directory(base + name));
    const std::string options =
        "lowerdir=" + base + "/t/lower,upperdir=" + base + "/t/up,workdir=" + base + "/t/work";
    if (mount("overlay", (base + "/merged").c_str(), "overlay", 0, options.c_str()) != 0) {
        umount2((base + "/t").c_str(), MNT_DETACH);
        GTEST_SKIP() << "the kernel mounts no overlay: " << errno_name(errno);
    }
    const Result<Group> group = limited({.path = base + "/merged", .write_bytes = 1});
    umount2((base + "/merged").c_str(), MNT_DETACH);
    umount2((base + "/t").c_str(), MNT_DETACH);
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message().find("overlay"), std::string::npos) << group.error().message();
    EXPECT_NE(group.error().message().find(base + "/t/up"), std::string::npos) << group.error().message();
}

TEST_F(IoLimits, AFileSystemThatNeedsADeviceIsFoundWhereverItIsMounted) {
    const Result<BlockDevice> here = find_device("/");
    if (!here) GTEST_SKIP() << "the root file system has no block device: " << here.error().message();
    EXPECT_EQ(find_device("/etc/passwd").value().number, here->number);
}

TEST_F(IoLimits, AWriteLimitUnderV1WarnsOfBufferedWritesAndAReadLimitDoesNot) {
    ATTACH_OR_SKIP();
    const Result<Group> writes = limited({.path = "", .write_operations = 5});
    const Result<Group> reads = limited({.path = "", .read_bytes = 5 * mib});
    ASSERT_MADE(writes);
    ASSERT_MADE(reads);
    EXPECT_TRUE(reads->warnings().empty());
    EXPECT_NE(reads->notes()[0].find("writes: not limited"), std::string::npos) << reads->notes()[0];
    if (writes->io_version() != Version::v1) GTEST_SKIP() << "this host has cgroup v2";
    EXPECT_TRUE(reads->unlimited_writes().empty());
    ASSERT_EQ(writes->unlimited_writes().size(), 1U);
    EXPECT_NE(writes->unlimited_writes()[0].find("buffered writes"), std::string::npos);
    EXPECT_NE(writes->unlimited_writes()[0].find(loop_->number()), std::string::npos);
}

TEST_F(IoLimits, TheLowestOfSeveralLimitsOnOneDeviceHolds) {
    ATTACH_OR_SKIP();
    const std::string same = scratch_.path() + "/link";
    fs::create_symlink(loop_->path(), same);
    const Result<Group> group =
        Group::create(unique_group_name().value(), {io_controller},
                      {.io = {{.path = loop_->path(), .read_bytes = 20 * mib},
                              {.path = same, .read_bytes = 5 * mib, .write_operations = 7}}});
    ASSERT_MADE(group);
    EXPECT_NE(group->warnings()[0].find("lowest"), std::string::npos);
    const Worker reader(*group, transfer(loop_->path(), Direction::read, block, disk_size));
    expect_within_5_percent(measure([&] { return group->read_counters(number()).value(); }).read_bytes,
                            5 * mib);
}

// Under v1 the kernel doesn't apply a group's limit to the groups below it; under v2 it does. Either way a
// limited process can't get more by making a group.
TEST_F(IoLimits, AGroupMadeByALimitedProcessIsNoWayOut) {
    ATTACH_OR_SKIP();
    Result<Group> outer = limited({.path = "", .write_bytes = 5 * mib});
    ASSERT_MADE(outer);
    if (outer->io_version() != Version::v1) GTEST_SKIP() << "cgroup v2 passes limits on by itself";
    const std::string inner_name = unique_group_name().value();
    Worker writer(*outer, [&] {
        const Result<Group> inner = limited({.path = "", .write_bytes = 50 * mib});
        if (!inner || !inner->join(HostPid{getpid()})) _exit(95);
        transfer(loop_->path(), Direction::write, block, disk_size)();
    });
    const Rates rates = measure([&] { return outer->read_counters(number()).value(); });
    expect_within_5_percent(rates.write_bytes, 5 * mib);
    writer.kill();
    EXPECT_TRUE(outer->remove()) << "the group that the killed process left inside goes too";
}

TEST_F(IoLimits, NothingIsLeftOfAGroupWhoseProcessWasKilled) {
    ATTACH_OR_SKIP();
    std::vector<std::string> directories;
    {
        const Result<Group> group = limited({.path = "", .write_bytes = mib});
        ASSERT_MADE(group);
        directories = group->directories();
        Worker writer(*group, transfer(loop_->path(), Direction::write, block, disk_size));
        ASSERT_TRUE(eventually([&] { return group->read_counters(number()).value().write_bytes > 0; }));
        EXPECT_EQ(processes_in(directories[0]).value(), std::vector{writer.pid()});
        EXPECT_TRUE(WIFSIGNALED(writer.kill()));
        for (const std::string& directory : directories) EXPECT_TRUE(fs::is_directory(directory));
    }
    for (const std::string& directory : directories) EXPECT_FALSE(fs::exists(directory)) << directory;
}

TEST_F(IoLimits, ASurvivorRemovesTheDirectoriesByTheirPaths) {
    int channel[2];
    ASSERT_EQ(pipe2(channel, O_CLOEXEC), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        const Result<Group> group = Group::create(unique_group_name().value(), {io_controller}, {});
        if (!group) _exit(1);
        const std::string& directory = group->directories()[0];
        if (write(channel[1], directory.data(), directory.size()) < 0) _exit(2);
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(owner, &status, 0), owner);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(channel[1]);
    char text[4096];
    const ssize_t length = read(channel[0], text, sizeof text);
    close(channel[0]);
    ASSERT_GT(length, 0);
    const std::string directory(text, static_cast<size_t>(length));
    EXPECT_TRUE(fs::is_directory(directory));
    const Status removed = remove_directories({directory});
    EXPECT_TRUE(removed) << removed.error().message();
    EXPECT_FALSE(fs::exists(directory));
}

TEST_F(IoLimits, KillEndsEveryProcessOfTheGroupInAForkStormToo) {
    Result<Group> group = Group::create(unique_group_name().value(), {io_controller}, {});
    ASSERT_MADE(group);
    Worker storm(*group, [] {
        signal(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 20; ++i) {
            if (fork() == 0) break;
        }
        while (true) {
            if (const pid_t child = fork(); child == 0) _exit(0);
        }
    });
    ASSERT_TRUE(eventually([&] { return processes_in(group->directories()[0]).value().size() >= 20; }));
    const Status killed = group->kill();
    EXPECT_TRUE(killed) << killed.error().message();
    EXPECT_TRUE(WIFSIGNALED(storm.wait()));
    const std::string directory = group->directories()[0];
    const Status removed = group->remove();
    EXPECT_TRUE(removed) << removed.error().message();
    EXPECT_FALSE(fs::exists(directory));
}

TEST_F(IoLimits, RemovingAGroupInUseIsAnErrorThatNamesAProcess) {
    Result<Group> group = Group::create(unique_group_name().value(), {io_controller}, {});
    ASSERT_MADE(group);
    Worker sleeper(*group, [] { pause(); });
    ASSERT_TRUE(eventually([&] { return !processes_in(group->directories()[0]).value().empty(); }));
    const Status removed = group->remove();
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().err, EBUSY);
    EXPECT_NE(removed.error().message().find(std::to_string(raw(sleeper.pid()))), std::string::npos)
        << removed.error().message();
}

TEST_F(IoLimits, JoiningWithAProcessThatIsGoneIsAnError) {
    const Result<Group> group = Group::create(unique_group_name().value(), {io_controller}, {});
    ASSERT_MADE(group);
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, nullptr, 0);
    const Status joined = group->join(HostPid{gone});
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().err, ESRCH);
}

// ---- the same through the command ----

class CtrIoLimits : public IoLimits {
  protected:
    void SetUp() override {
        IoLimits::SetUp();
        if (!IsSkipped() && !std::getenv("CTR_BIN")) GTEST_SKIP() << "CTR_BIN doesn't name the built ctr";
    }

    // The group that the running `ctr` made: the one whose name has its pid.
    std::string group_of(const test::Background& ctr) const {
        const std::string prefix = "ctr-" + std::to_string(ctr.pid()) + "-";
        std::string found;
        eventually([&] { return !(found = find_group(prefix)).empty(); });
        return found;
    }

    static std::string find_group(const std::string& prefix) {
        const Hierarchy hierarchy = find_hierarchy(io_controller).value();
        for (const std::string& parent : {hierarchy.own, fs::path(hierarchy.own).parent_path().string()}) {
            std::error_code error;
            for (const auto& entry : fs::directory_iterator(parent, error)) {
                if (entry.path().filename().string().starts_with(prefix)) return entry.path();
            }
        }
        return {};
    }
};

TEST_F(CtrIoLimits, AWriteLimitHoldsWithin5PercentOver5SecondsAndTheGroupGoes) {
    ATTACH_OR_SKIP();
    std::string directory;
    {
        test::Background ctr({test::ctr_binary(), "run", "--io-throttle=kernel", "--device-write-bps",
                              loop_->path() + ":5mb", "--", "dd", "if=/dev/zero", "of=" + loop_->path(),
                              "bs=64k", "count=600", "oflag=direct"});
        directory = group_of(ctr);
        ASSERT_FALSE(directory.empty()) << ctr.err();
        const Backend& backend =
            find_hierarchy(io_controller)->version == Version::v1 ? v1_backend() : v2_backend();
        const Directory group = Directory::open(directory, "look at the group of ctr").value();
        const Rates rates = measure([&] { return backend.read_counters(group, number()).value(); });
        expect_within_5_percent(rates.write_bytes, 5 * mib);
        const test::Outcome outcome = ctr.wait();
        EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    EXPECT_FALSE(fs::exists(directory)) << directory;
}

// By the kernel where that can (v2), else by ctr. Eight MiB at four a second.
TEST_F(CtrIoLimits, BufferedWritesAreLimitedByWhoeverCan) {
    for (const char* type : {"ext2", "ext4"}) {
        ATTACH_OR_SKIP();
        const std::string program = std::string("mkfs.") + type;
        if (!test::available(program)) GTEST_SKIP() << program << " is not installed";
        const test::Outcome made = test::run({program, "-q", loop_->path()});
        ASSERT_EQ(made.code, 0) << made.err;
        const auto mounted = test::MountedDevice::mount(loop_->path(), scratch_.path(), type);
        if (!mounted) GTEST_SKIP() << mounted.error().message();
        const auto begin = steady_clock::now();
        const test::Outcome outcome =
            test::run({test::ctr_binary(), "run", "--pidns=kernel", "--device-write-bps",
                       scratch_.path() + ":4mb", "--", "dd", "if=/dev/zero", "of=" + scratch_.path() + "/f",
                       "bs=64k", "count=128", "conv=fsync"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
        // The kernel lets something through at the beginning.
        EXPECT_GE(std::chrono::duration<double>(steady_clock::now() - begin).count(), 1.5) << type;
    }
}

TEST_F(CtrIoLimits, AWeightIsWrittenDownWhereTheKernelHasOne) {
    test::Background ctr({test::ctr_binary(), "run", "--pidns=kernel", "--blkio-weight", "200", "--", "sh",
                          "-c", "echo running; sleep 60"});
    if (!ctr.wait_for_output("running")) {
        if (ctr.err().find("weighs no devices") != std::string::npos) GTEST_SKIP() << ctr.err();
        FAIL() << ctr.err();
    }
    const Directory group = Directory::open(group_of(ctr), "look at the group of ctr").value();
    size_t found = 0;
    for (const char* file : {"blkio.bfq.weight", "blkio.weight", "io.bfq.weight", "io.weight"}) {
        if (!group.has(file)) continue;
        ++found;
        const std::string text = group.read(file, "read the weight").value();
        EXPECT_TRUE(text == "200\n" || text == "default 200\n") << file << ": " << text;
    }
    EXPECT_GT(found, 0U);
}

TEST_F(CtrIoLimits, ALatencyIsWrittenDownWhereTheKernelHasOneAndElseAnError) {
    ATTACH_OR_SKIP();
    test::Background ctr({test::ctr_binary(), "run", "--pidns=kernel", "--io-latency",
                          loop_->path() + ":25ms", "--", "sh", "-c", "echo running; sleep 60"});
    if (!ctr.wait_for_output("running")) {
        EXPECT_NE(ctr.err().find("latency of device " + loop_->number()), std::string::npos) << ctr.err();
        return;
    }
    const Directory group = Directory::open(group_of(ctr), "look at the group of ctr").value();
    EXPECT_EQ(group.read("io.latency", "read the latency").value(), loop_->number() + " target=25000\n");
}

TEST_F(CtrIoLimits, NoGroupIsLeftWhenCtrIsKilledWhileTheCommandRuns) {
    ATTACH_OR_SKIP();
    test::Background ctr({test::ctr_binary(), "run", "--io-throttle=kernel", "--device-write-bps",
                          loop_->path() + ":5mb", "--", "sh", "-c", "echo running; sleep 60"});
    ASSERT_TRUE(ctr.wait_for_output("running")) << ctr.err();
    const std::string directory = group_of(ctr);
    ASSERT_FALSE(directory.empty()) << ctr.err();
    ctr.kill(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !fs::exists(directory); })) << directory;
}

// The moment that matters: the group exists, and whoever made it may not have told anybody yet.
TEST_F(CtrIoLimits, NoGroupIsLeftWhenCtrIsKilledAsSoonAsItIsThere) {
    ATTACH_OR_SKIP();
    for (int round = 0; round < 50; ++round) {
        test::Background ctr({test::ctr_binary(), "run", "--io-throttle=kernel", "--device-write-bps",
                              loop_->path() + ":5mb", "--", "sleep", "60"});
        const std::string prefix = "ctr-" + std::to_string(ctr.pid()) + "-";
        std::string directory;
        while (directory.empty() && ctr.running()) directory = find_group(prefix);
        ASSERT_FALSE(directory.empty()) << ctr.err();
        ctr.kill(SIGKILL);
        const bool gone = eventually([&] { return !fs::exists(directory); });
        if (!gone) static_cast<void>(remove_directories({directory}));
        ASSERT_TRUE(gone) << directory << " was left in round " << round;
    }
}

TEST_F(CtrIoLimits, BadLimitsAreRefusedWithTheirPartQuotedAnd125) {
    ATTACH_OR_SKIP();
    struct Bad {
        std::string text;
        std::string quoted;
    };
    for (const Bad& bad : std::initializer_list<Bad>{{loop_->path() + ":10x", "\"10x\""},
                                                     {loop_->path() + ":0", "\"0\""},
                                                     {loop_->path() + ":-5mb", "\"-5mb\""},
                                                     {loop_->path(), loop_->path()},
                                                     {"/no/such/device:5mb", "/no/such/device"},
                                                     {"/dev/null:5mb", "character device"},
                                                     {"/proc:5mb", "proc"}}) {
        const test::Outcome outcome = test::ctr_run({"--device-write-bps", bad.text, "--", "true"});
        EXPECT_EQ(outcome.code, 125) << bad.text;
        EXPECT_NE(outcome.err.find(bad.quoted), std::string::npos) << bad.text << ": " << outcome.err;
    }
}

}  // namespace
}  // namespace ctr::cgroup
