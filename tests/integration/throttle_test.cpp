// Writers slowed down in user space, judged by what they have written by the kernel's own counts.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "cgroup/hierarchy.h"
#include "cgroup/limits.h"
#include "runtime/contact.h"
#include "runtime/registry.h"
#include "tests/integration/launcher_fixture.h"
#include "tests/integration/scratch_disk.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t mib = 1024 * 1024;
constexpr uint64_t disk_size = 96 * mib;
constexpr double limit = 5 * mib;

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// What the kernel has counted for a process: bytes of pages that it has made dirty, or written directly.
uint64_t written_by(pid_t process) {
    const std::string text = content("/proc/" + std::to_string(process) + "/io");
    const size_t at = text.find("\nwrite_bytes: ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + 14));
}

// Host numbers of the processes that run dd with this text in an argument.
std::vector<pid_t> writers_to(const std::string& text) {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            content(entry.path() / "comm") == "dd\n" && contains(content(entry.path() / "cmdline"), text))
            found.push_back(std::stoi(name));
    }
    return found;
}

template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 2000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

// A disk of the test's own with a file system, that everybody may write to.
class Throttle : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = own_mounts(); !why.empty()) GTEST_SKIP() << why;
    }

    void make_disk(const std::string& type = "ext4", LoopDevice::Layout layout = LoopDevice::Layout::whole) {
        auto disk = ScratchDisk::make(scratch_.path(), disk_size, type, layout);
        if (!disk) GTEST_SKIP() << disk.error().message();
        disk_.emplace(std::move(*disk));
    }

    std::string file(const std::string& name) const { return scratch_.path() + "/" + name; }

    Arguments limited(const std::string& rate, const Arguments& command,
                      const Arguments& options = {}) const {
        Arguments argv{ctr_binary(), "run", "--io-throttle=user", "--device-write-bps",
                       scratch_.path() + ":" + rate};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.emplace_back("--");
        argv.insert(argv.end(), command.begin(), command.end());
        return argv;
    }

    Arguments dd(const std::string& name, const std::string& block, int count,
                 const std::string& more = "conv=notrunc") const {
        return {"dd", "if=/dev/zero", "of=" + file(name), "bs=" + block, "count=" + std::to_string(count),
                more, "status=none"};
    }

    ScratchDirectory scratch_;
    std::optional<ScratchDisk> disk_;
};

#define MAKE_DISK_OR_SKIP(...) \
    make_disk(__VA_ARGS__);    \
    if (IsSkipped() || HasFatalFailure()) return

double seconds(steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

// Bytes of all of them, and between when and when the last look at one of them was.
struct Reading {
    steady_clock::time_point begin = steady_clock::now();
    double bytes = 0;
    steady_clock::time_point end = {};

    explicit Reading(const std::vector<pid_t>& writers) {
        for (const pid_t writer : writers) bytes += static_cast<double>(written_by(writer));
        end = steady_clock::now();
    }
};

struct Writing {
    int writers;
    const char* type;
    const char* mode;
    const char* flag;  // of dd
};

class ThrottledWriters : public Throttle, public testing::WithParamInterface<Writing> {};

// That they don't get more holds always. That they get it all takes a machine that lets them: one of three
// tries.
TEST_P(ThrottledWriters, GetTheirLimitWithin5PercentOver5Seconds) {
    const Writing& writing = GetParam();
    MAKE_DISK_OR_SKIP(writing.type);
    double share = 0;
    for (int attempt = 0; attempt < 3 && share < 0.95; ++attempt) {
        // One process for each, which doesn't end before the test does. Process 1 of a kernel's namespace
        // gets no signal that it doesn't take.
        std::string script = "trap exit TERM; ";
        for (int i = 0; i < writing.writers; ++i)
            script += "dd if=/dev/zero of=" + file(std::to_string(i)) + " bs=128k count=350 status=none " +
                      writing.flag + " & ";
        Background ctr(
            limited("5mb", {"sh", "-c", script + "wait"}, {std::string("--pidns=") + writing.mode}));
        std::vector<pid_t> writers;
        ASSERT_TRUE(eventually([&] {
            writers = writers_to("of=" + file(""));
            return writers.size() == static_cast<size_t>(writing.writers) && Reading(writers).bytes > 0;
        })) << ctr.err();
        const Reading before(writers);
        std::this_thread::sleep_for(std::chrono::seconds(5));
        const Reading after(writers);
        const double bytes = after.bytes - before.bytes;
        EXPECT_LE(bytes, 1.05 * limit * seconds(after.end - before.begin));
        share = bytes / (limit * seconds(after.begin - before.end));
        RecordProperty("percent_of_the_limit_" + std::to_string(attempt), std::to_string(100 * share));
        ctr.kill(SIGTERM);
        ctr.wait();
    }
    EXPECT_GE(share, 0.95);
}

INSTANTIATE_TEST_SUITE_P(, ThrottledWriters,
                         testing::Values(Writing{1, "ext4", "flat", ""}, Writing{2, "ext2", "flat", ""},
                                         Writing{4, "ext4", "kernel", ""},
                                         Writing{1, "ext2", "host", "oflag=direct"},
                                         Writing{2, "ext4", "multi", "oflag=dsync"}),
                         [](const auto& tested) {
                             const std::string flag = tested.param.flag;
                             return std::to_string(tested.param.writers) + std::string(tested.param.type) +
                                    tested.param.mode +
                                    (flag.empty()             ? "Buffered"
                                     : flag == "oflag=direct" ? "Direct"
                                                              : "Synchronous");
                         });

class WaysToWrite : public Throttle, public testing::WithParamInterface<const char*> {};

// Two MiB at four MiB a second, but for what the bucket makes up for.
TEST_P(WaysToWrite, AreAllSlowedDown) {
    MAKE_DISK_OR_SKIP();
    const Outcome outcome = run(limited("4mb", {victim("writeways"), GetParam(), file("f"), "65536", "32"}));
    ASSERT_EQ(outcome.code, 0) << outcome;
    EXPECT_GE(std::stoi(outcome.out), 390) << outcome;
    EXPECT_EQ(fs::file_size(file("f")), 2 * mib);
}

INSTANTIATE_TEST_SUITE_P(, WaysToWrite,
                         testing::Values("write", "pwrite", "writev", "pwritev", "pwritev2", "splice", "aio"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(Throttle, WhatCopiesWholeFilesInOneCallIsToldToReadAndWrite) {
    MAKE_DISK_OR_SKIP();
    ASSERT_EQ(run(dd("f.source", "1M", 2)).code, 0);
    const auto said = [&](const char* way) {
        return run(limited("4mb", {victim("writeways"), way, file("f"), "65536", "1"})).out;
    };
    EXPECT_EQ(said("copy"), "copy: EXDEV\n");
    EXPECT_EQ(said("sendfile"), "sendfile: EINVAL\n");
    const auto begin = steady_clock::now();
    const Outcome copied = run(limited("1mb", {"cp", "--reflink=never", file("f.source"), file("copy")}));
    EXPECT_EQ(copied.code, 0) << copied;
    EXPECT_GE(seconds(steady_clock::now() - begin), 1.9);
    EXPECT_EQ(fs::file_size(file("copy")), 2 * mib);
}

TEST_F(Throttle, OtherDisksAndReadersDontWait) {
    MAKE_DISK_OR_SKIP();
    ASSERT_EQ(run(dd("f", "1M", 16)).code, 0);
    const ScratchDirectory elsewhere;
    // At a byte a second whoever waits waits for ever.
    const std::string script = "dd if=" + file("f") +
                               " of=/dev/null bs=1M status=none; dd if=/dev/zero of=" + elsewhere.path() +
                               "/f bs=1M count=16 status=none; dd if=/dev/zero bs=1M count=16 "
                               "status=none | cat >/dev/null; : > " +
                               file("empty");
    const Outcome outcome = run(limited("1b", {"sh", "-c", script}));
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(fs::file_size(elsewhere.path() + "/f"), 16 * mib);
}

TEST_F(Throttle, OperationsAreCountedByTheCall) {
    MAKE_DISK_OR_SKIP();
    const auto begin = steady_clock::now();
    const Outcome outcome =
        run({ctr_binary(), "run", "--io-throttle=user", "--io-max", scratch_.path() + ": wiops=20", "--",
             "dd", "if=/dev/zero", "of=" + file("f"), "bs=1k", "count=41", "status=none"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_GE(seconds(steady_clock::now() - begin), 1.9);
}

TEST_F(Throttle, APartitionCountsAgainstItsDisk) {
    MAKE_DISK_OR_SKIP("ext2", LoopDevice::Layout::one_partition);
    const auto begin = steady_clock::now();
    Arguments argv{ctr_binary(),
                   "run",
                   "--io-throttle=user",
                   "--device-write-bps",
                   disk_->device + ":1mb",
                   "--",
                   "sh",
                   "-c",
                   "dd if=/dev/zero of=" + file("f") + " bs=512k count=2 status=none; dd if=/dev/zero of=" +
                       disk_->loop.path() + " bs=64k count=8 seek=1 status=none"};
    const Outcome outcome = run(argv);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.err, "counts against its whole disk")) << outcome.err;
    EXPECT_GE(seconds(steady_clock::now() - begin), 1.4);
}

TEST_F(Throttle, ADeviceOfTheDeviceMapperIsADiskOfItsOwn) {
    MAKE_DISK_OR_SKIP("ext2", LoopDevice::Layout::one_partition);
    if (!available("dmsetup")) GTEST_SKIP() << "dmsetup is not installed";
    { const MountedDevice ended = std::move(disk_->mounted); }
    const std::string name = "ctr-test-" + std::to_string(getpid()) + ":x";
    const bool had_mapper = fs::exists("/dev/mapper");
    const Outcome made = run({"dmsetup", "create", "--noudevsync", "--noudevrules", name, "--table",
                              "0 131072 linear " + disk_->device + " 0"});
    if (made.code != 0) {
        if (!had_mapper) fs::remove_all("/dev/mapper");  // dmsetup has made it
        GTEST_SKIP() << "no device mapper: " << made.err;
    }
    const auto begin = steady_clock::now();
    const std::string path = "/dev/mapper/" + name;
    const Outcome outcome =
        run({ctr_binary(), "run", "--io-throttle=user", "--device-write-bps", path + ":1mb", "--", "dd",
             "if=/dev/zero", "of=" + path, "bs=512k", "count=3", "status=none"});
    const double took = seconds(steady_clock::now() - begin);
    EXPECT_EQ(run({"dmsetup", "remove", "--noudevsync", name}).code, 0);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.err, path + " is dm-")) << outcome.err;
    EXPECT_GE(took, 1.4);
}

// Its gigabyte would take the others' minutes.
TEST_F(Throttle, WhoIsKilledWhileItWaitsDoesNotKeepOthersWaiting) {
    MAKE_DISK_OR_SKIP();
    const auto begin = steady_clock::now();
    const std::string script = "dd if=/dev/zero of=" + file("large") +
                               " bs=1G count=1 status=none & sleep 1; "
                               "kill -9 $!; dd if=/dev/zero of=" +
                               file("small") + " bs=1k count=1 status=none";
    const Outcome outcome = run(limited("5mb", {"sh", "-c", script}));
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_LT(seconds(steady_clock::now() - begin), 50);
    EXPECT_EQ(fs::file_size(file("large")), 0U);
    EXPECT_EQ(fs::file_size(file("small")), 1024U);
}

TEST_F(Throttle, AnOrdinaryUserWithoutACgroupIsHeard) {
    MAKE_DISK_OR_SKIP();
    const ScratchDirectory programs;
    RunOptions as_user;
    as_user.identity = somebody;
    as_user.env = {{"HOME", "/nonexistent"}};
    const auto begin = steady_clock::now();
    const Outcome outcome =
        run({programs.copy(ctr_binary()), "run", "--device-write-bps", scratch_.path() + ":1mb", "--", "dd",
             "if=/dev/zero", "of=" + file("f"), "bs=256k", "count=8", "status=none"},
            as_user);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_GE(seconds(steady_clock::now() - begin), 1.9);
    EXPECT_TRUE(contains(outcome.err, "slowed down in user space: ")) << outcome.err;
}

TEST_F(Throttle, TheKernelAloneWarnsOfWhatItDoesNotLimit) {
    MAKE_DISK_OR_SKIP();
    const auto hierarchy = cgroup::find_hierarchy(cgroup::io_controller);
    if (!hierarchy || hierarchy->version != cgroup::Version::v1)
        GTEST_SKIP() << "no io controller of cgroup v1";
    const auto said = [&](const char* who) {
        return run({ctr_binary(), "run", std::string("--io-throttle=") + who, "--device-write-bps",
                    scratch_.path() + ":100mb", "--", "true"})
            .err;
    };
    EXPECT_TRUE(contains(said("kernel"), "warning: cgroup v1 doesn't throttle buffered writes"))
        << said("kernel");
    EXPECT_FALSE(contains(said("auto"), "warning")) << said("auto");
    EXPECT_TRUE(contains(said("auto"), "slowed down in user space: cgroup v1 doesn't")) << said("auto");
}

TEST_F(Throttle, InsideOfANumberedContainerItIsRefusedWithAReason) {
    MAKE_DISK_OR_SKIP();
    const Outcome outcome = run({ctr_binary(), "run", "--", ctr_binary(), "run", "--io-throttle=user",
                                 "--device-write-bps", scratch_.path() + ":5mb", "--", "true"});
    EXPECT_EQ(outcome.code, 125) << outcome;
    EXPECT_TRUE(contains(outcome.err, "the one listener")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "--io-throttle=kernel")) << outcome.err;
}

// Nobody is numbered, but the outer container's writers are slowed down.
TEST_F(Throttle, InsideOfAContainerThatIsSlowedDownTheKernelIsLeft) {
    MAKE_DISK_OR_SKIP();
    const auto nested = [&](const Arguments& options) {
        Arguments inner{ctr_binary(), "run", "--pidns=kernel"};
        inner.insert(inner.end(), options.begin(), options.end());
        inner.insert(inner.end(), {"--", "sh", "-c", "echo x > " + file("f") + "; echo inside"});
        // The inner one wants a /proc of its own.
        return run(limited("5mb", inner, {"--pidns=kernel", "--system-paths=host"}));
    };
    EXPECT_EQ(nested({}).out, "inside\n");
    const Arguments slower{"--device-write-bps", scratch_.path() + ":1mb"};
    const Outcome automatic = nested(slower);
    if (automatic.code != 0) {  // where the cgroups are closed to it
        EXPECT_TRUE(contains(automatic.err, "ctr can't slow writers down itself")) << automatic;
        EXPECT_TRUE(contains(automatic.err, "outer container")) << automatic;
    } else {
        EXPECT_EQ(automatic.out, "inside\n") << automatic;
        EXPECT_EQ(automatic.err.find("slowed down in user space", automatic.err.find("1MiB/s")),
                  std::string::npos)
            << automatic;
    }
    const Outcome wanted = nested({slower[0], slower[1], "--io-throttle=user"});
    EXPECT_EQ(wanted.code, 125) << wanted;
    EXPECT_TRUE(contains(wanted.err, "the one listener")) << wanted;
    EXPECT_FALSE(contains(wanted.err, "EBUSY")) << wanted;
}

// One that is reached by its name, and what it says of how it was slowed down.
class ThrottleCounts : public Throttle, public testing::WithParamInterface<const char*> {
  protected:
    std::vector<cgroup::ThrottleCounters> counters() const {
        const auto registry = Registry::open(state_.path());
        if (!registry) return {};
        const auto entry = registry->find("counted");
        if (!entry) return {};
        const auto contact = Contact::make(*entry);
        if (!contact) return {};
        return contact->throttled().value_or(std::vector<cgroup::ThrottleCounters>());
    }

    Arguments named(const std::string& rate, const Arguments& command) const {
        return limited(
            rate, command,
            {"--name", "counted", "--state-dir", state_.path(), std::string("--pidns=") + GetParam()});
    }

    ScratchDirectory state_;
};

// By the kernel or by ctr, but not by the one after the other.
TEST_F(Throttle, AWriterIsSlowedDownOnce) {
    MAKE_DISK_OR_SKIP();
    const auto begun = steady_clock::now();
    const Outcome outcome =
        run({ctr_binary(), "run", "--device-write-bps", scratch_.path() + ":2mb", "--", "dd", "if=/dev/zero",
             "of=" + file("direct"), "bs=1M", "count=6", "oflag=direct"});
    const auto took = std::chrono::duration<double>(steady_clock::now() - begun).count();
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_GT(took, 2.0) << outcome;
    EXPECT_LT(took, 4.5) << outcome;
}

TEST_P(ThrottleCounts, SayHowOftenAndHowLong) {
    MAKE_DISK_OR_SKIP();
    Background ctr(named(
        "1mb", {"sh", "-c",
                "dd if=/dev/zero of=" + file("f") + " bs=128k count=8 status=none; echo written; sleep 60"}));
    ASSERT_TRUE(ctr.wait_for_output("written")) << ctr.err();
    const auto found = counters();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_string(found[0].device), disk_->loop.number());
    EXPECT_EQ("/dev/" + found[0].name, disk_->loop.path());
    EXPECT_EQ(found[0].write_bytes, mib);
    EXPECT_EQ(found[0].write_operations, 8U);
    // Not before it is paid; who comes late by less than the credit waits shorter, or not at all.
    EXPECT_GE(found[0].throttled, 1U);
    EXPECT_LE(found[0].throttled, 8U);
    EXPECT_GT(found[0].time, std::chrono::milliseconds(70));

    const Outcome stats =
        run({ctr_binary(), "stats", "--no-stream", "--json", "--state-dir", state_.path(), "counted"});
    const auto shown = nlohmann::json::parse(stats.out, nullptr, false);
    ASSERT_FALSE(shown.is_discarded()) << stats;
    bool said = false;
    for (const auto& device : shown[0]["io"]["devices"])
        said = said || (device["device"] == disk_->loop.number() &&
                        device["throttled"]["times"] == found[0].throttled);
    EXPECT_TRUE(said) << stats;
}

TEST_P(ThrottleCounts, PartsOfAWriteMayLieInMemoryThatTheContainerServes) {
    MAKE_DISK_OR_SKIP();
    const ScratchDirectory place;
    const Outcome outcome = run(limited("100mb", {victim("servedpath"), place.path(), file("f")},
                                        {"--cap-add", "ALL", std::string("--pidns=") + GetParam()}));
    if (outcome.code == 77) GTEST_SKIP() << "no FUSE here";
    EXPECT_EQ(outcome.out, "servedpath: written\n") << outcome;
    EXPECT_EQ(content(file("f")), "12345678");
}

TEST_P(ThrottleCounts, ATokenBucketLetsItsSizeThroughAtOnce) {
    MAKE_DISK_OR_SKIP();
    Background ctr(named("1b:token:8mb", {"sh", "-c",
                                          "dd if=/dev/zero of=" + file("f") +
                                              " bs=1M count=8 status=none; echo "
                                              "written; printf %0100d 7 > " +
                                              file("g")}));
    ASSERT_TRUE(ctr.wait_for_output("written")) << ctr.err();
    const auto found = counters();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].write_bytes, 8 * mib);
    EXPECT_EQ(found[0].throttled, 0U);
    EXPECT_EQ(found[0].time.count(), 0);
    // What comes next waits for minutes.
    EXPECT_TRUE(eventually([&] { return fs::exists(file("g")); }));
    EXPECT_EQ(fs::file_size(file("g")), 0U);
}

TEST_P(ThrottleCounts, WhatIsExecutedLaterIsSlowedDownAsWell) {
    MAKE_DISK_OR_SKIP();
    Background ctr(named("1mb", {"sh", "-c", "echo running; sleep 60"}));
    ASSERT_TRUE(ctr.wait_for_output("running")) << ctr.err();
    Arguments argv{ctr_binary(), "exec", "--state-dir", state_.path(), "counted"};
    for (const std::string& word : dd("f", "256k", 8)) argv.push_back(word);
    const auto begin = steady_clock::now();
    const Outcome outcome = run(argv);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_GE(seconds(steady_clock::now() - begin), 1.9);
    const auto found = counters();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].write_bytes, 2 * mib);
}

INSTANTIATE_TEST_SUITE_P(, ThrottleCounts, testing::Values("flat", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace ctr::test
