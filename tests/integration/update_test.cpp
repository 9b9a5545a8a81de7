// Other limits on what is written, while a container runs: by the write gate's own counts, and by the
// kernel's files.
#include <signal.h>

#include "cgroup/hierarchy.h"
#include "runtime/base/sys.h"
#include "runtime/contact.h"
#include "runtime/holder.h"
#include "tests/integration/life_fixture.h"
#include "tests/integration/scratch_disk.h"

namespace ctr::test {
namespace {

constexpr uint64_t mib = 1 << 20;

class Update : public Life {
  protected:
    void SetUp() override {
        if (const std::string why = own_mounts(); !why.empty()) GTEST_SKIP() << why;
        auto disk = ScratchDisk::make(place_.path(), 64 * mib);
        if (!disk) GTEST_SKIP() << disk.error().message();
        disk_.emplace(std::move(*disk));
    }
    void TearDown() override {
        Life::TearDown();
        disk_.reset();
    }

    // With a limit on the disk that the gate keeps.
    Outcome detach_gated(const std::string& rate, const std::string& script, Arguments options = {}) const {
        options.insert(options.end(),
                       {"--io-throttle=user", "--device-write-bps", place_.path() + ":" + rate});
        return detach(script, options);
    }
    Outcome update(const std::string& rate, Arguments more = {}) const {
        more.insert(more.begin(), {"update", "--device-write-bps", place_.path() + ":" + rate});
        more.emplace_back("c");
        return ctr(more);
    }
    std::string file(const std::string& name) const { return place_.path() + "/" + name; }
    std::string writing_for_ever() const {
        return "while :; do dd if=/dev/zero of=" + file("f") +
               " bs=64k count=64 conv=notrunc status=none; done";
    }
    Json device_limit(Json limits) const {
        limits["path"] = place_.path();
        return Json{{"devices", Json::array({std::move(limits)})}};
    }

    template <class Answer>
    Answer ask(Result<Answer> (Contact::*question)() const) const {
        const auto registry = Registry::open(state_directory());
        const auto entry = registry->find("c");
        if (!entry) return {};
        const auto contact = Contact::make(*entry);
        if (!contact) return {};
        return ((*contact).*question)().value_or(Answer());
    }
    GateSettings gate() const { return ask(&Contact::gate).value_or(GateSettings{}); }
    uint64_t written() const {
        uint64_t sum = 0;
        for (const auto& counters : ask(&Contact::throttled)) sum += counters.write_bytes;
        return sum;
    }
    double bytes_per_second() const {
        const auto begin = std::chrono::steady_clock::now();
        const uint64_t before = written();
        std::this_thread::sleep_for(std::chrono::seconds(2));
        const uint64_t after = written();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        return static_cast<double>(after - before) / time.count();
    }

    ScratchDirectory place_;
    std::optional<ScratchDisk> disk_;
};
INSTANTIATE_TEST_SUITE_P(Modes, Update, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

// Upwards, downwards, and none. A busy host may slow them down further.
TEST_P(Update, WritersFollowTheNewRate) {
    ASSERT_EQ(detach_gated("1mb", writing_for_ever()).code, 0);
    ASSERT_TRUE(eventually([&] { return written() > 0; }));
    for (const unsigned rate : {8U, 2U, 4U}) {
        const Outcome updated = update(std::to_string(rate) + "mb");
        ASSERT_EQ(updated.code, 0) << updated;
        EXPECT_EQ(updated.err, "");
        EXPECT_EQ(state()["limits"], device_limit({{"writeBytes", rate * mib}}));
        const double got = bytes_per_second();
        EXPECT_GE(got, 0.5 * rate * mib);
        EXPECT_LE(got, 1.1 * rate * mib);
    }
    const uint64_t before = written();
    ASSERT_EQ(update("0").code, 0);
    EXPECT_EQ(state()["limits"], Json::object());
    EXPECT_TRUE(gate().disks.empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(ask(&Contact::throttled).size(), 1U) << "what was counted stays";
    EXPECT_LE(written() - before, mib) << "who isn't limited isn't counted";
    ASSERT_EQ(update("1mb:token:1mb").code, 0);
    EXPECT_LE(bytes_per_second(), 2 * mib);
    EXPECT_EQ(
        state()["limits"],
        device_limit({{"writeBytes", mib}, {"writeBytesStrategy", "token"}, {"writeBytesBucket", mib}}));
}

TEST_P(Update, WhoWaitsAlreadyNeedNotWaitForTheOldRate) {
    ASSERT_EQ(detach_gated("1b", "for i in 1 2 3; do dd if=/dev/zero of=" + file("f") +
                                     " bs=1M count=1 status=none; echo written; done; sleep 60")
                  .code,
              0);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(ctr({"logs", "c"}).out, "");
    ASSERT_EQ(update("4mb").code, 0);
    EXPECT_TRUE(logged("written\nwritten\nwritten\n"));
    ASSERT_EQ(update("1b").code, 0);
    Background waiting(command({"exec", "c", "sh", "-c", "echo x > " + file("g") + "; echo through"}),
                       with_state());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(fs::file_size(file("g")), 0U);
    ASSERT_EQ(update("max").code, 0);
    EXPECT_TRUE(waiting.wait_for_output("through"));
}

TEST_P(Update, ReachesDisksThatWereNotLimited) {
    const auto other = attach_loop_device(16 * mib);
    if (!other) GTEST_SKIP() << "no loop device: " << other.error().message();
    ASSERT_EQ(detach_gated("100mb", "sleep 60").code, 0);
    const Outcome updated = ctr({"update", "--device-write-bps", other->path() + ":1mb:token",
                                 "--device-write-iops", place_.path() + ":1000", "c"});
    ASSERT_EQ(updated.code, 0) << updated;
    const GateSettings now = gate();
    EXPECT_TRUE(now.all_writes);
    ASSERT_EQ(now.disks.size(), 2U);
    for (const GatedDisk& disk : now.disks) {
        const bool first = "/dev/" + disk.name == disk_->loop.path();
        EXPECT_EQ(disk.limit.write_bytes, first ? 100 * mib : mib);
        EXPECT_EQ(disk.limit.write_operations, first ? 1000U : 0U);
        EXPECT_EQ(disk.limit.write_bytes_pace.strategy,
                  first ? cgroup::Strategy::any : cgroup::Strategy::token);
    }
    const auto begin = std::chrono::steady_clock::now();
    const Outcome wrote =
        exec("dd if=/dev/zero of=" + other->path() + " bs=256k count=8 conv=notrunc status=none");
    EXPECT_EQ(wrote.code, 0) << wrote;
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900)) << "but a bucketful";
}

TEST_P(Update, OfSeveralPathsToADiskTheLowestHolds) {
    ASSERT_EQ(detach_gated("4mb", "sleep 60").code, 0);
    const auto limit_of = [&](const std::string& rate) {
        const Outcome updated = ctr({"update", "--device-write-bps", disk_->loop.path() + ":" + rate, "c"});
        EXPECT_EQ(updated.code, 0) << updated;
        const size_t said = updated.err.find("the lowest holds");
        EXPECT_EQ(said == std::string::npos, rate == "0") << updated;
        EXPECT_EQ(updated.err.find("the lowest holds", said + 1), std::string::npos) << "once is enough";
        const GateSettings now = gate();
        return now.disks.size() == 1 ? now.disks[0].limit.write_bytes : 0;
    };
    EXPECT_EQ(limit_of("8mb"), 4 * mib);
    EXPECT_EQ(limit_of("2mb"), 2 * mib);
    EXPECT_EQ(limit_of("0"), 4 * mib);
}

TEST_P(Update, APathThatIsGoneStandsInNoOthersWay) {
    fs::create_directory(file("gone"));
    ASSERT_EQ(detach_gated("4mb", "sleep 60", {"--device-write-bps", file("gone") + ":8mb"}).code, 0);
    fs::remove(file("gone"));
    const Outcome other = ctr({"update", "--pids-limit", "9", "c"});
    EXPECT_EQ(other.code, 0) << other;
    EXPECT_EQ(other.err, "");
    const Outcome updated = update("2mb");
    EXPECT_EQ(updated.code, 0) << updated;
    EXPECT_TRUE(contains(updated.err, "an earlier limit is left out")) << updated;
    EXPECT_TRUE(contains(updated.err, file("gone"))) << updated;
    ASSERT_EQ(gate().disks.size(), 1U);
    EXPECT_EQ(gate().disks[0].limit.write_bytes, 2 * mib);
}

// Each sends all of the gate's settings.
TEST_P(Update, ManyAtOnceLoseNothing) {
    fs::create_directory(scratch_.path() + "/other");
    auto other = ScratchDisk::make(scratch_.path() + "/other", 64 * mib);
    if (!other) GTEST_SKIP() << "no second disk: " << other.error().message();
    ASSERT_EQ(detach_gated("4mb", "sleep 60", {"--device-write-bps", scratch_.path() + "/other:4mb"}).code,
              0);
    for (unsigned round = 1; round <= 5; ++round) {
        const std::string rate = std::to_string(round) + "mb";
        std::thread second([&] {
            EXPECT_EQ(ctr({"update", "--device-write-bps", scratch_.path() + "/other:" + rate, "c"}).code, 0);
        });
        EXPECT_EQ(update(rate).code, 0);
        second.join();
        const GateSettings now = gate();
        ASSERT_EQ(now.disks.size(), 2U);
        EXPECT_EQ(now.disks[0].limit.write_bytes, round * mib);
        EXPECT_EQ(now.disks[1].limit.write_bytes, round * mib);
    }
    EXPECT_EQ(ctr({"rm", "-f", "c"}).code, 0);
}

// Who gave up waiting for an answer, and asked for what was before.
TEST_P(Update, WhatIsTakenBackStaysSoWhenTheMonitorGoesOn) {
    ASSERT_EQ(detach_gated("4mb", "sleep 60").code, 0);
    const GateSettings before = gate();
    ASSERT_EQ(before.disks.size(), 1U);
    GateSettings changed = before;
    changed.disks[0].limit.write_bytes = mib;
    const auto registry = Registry::open(state_directory());
    const auto entry = registry->find("c");
    ASSERT_TRUE(entry);
    const auto monitor = find_monitor(*entry);
    ASSERT_TRUE(monitor);
    {
        const auto contact = Contact::make(*entry);
        ASSERT_TRUE(contact) << contact.error().message();
        ASSERT_EQ(sys::pidfd_send_signal(monitor->pidfd.get(), SIGSTOP), 0);
        const auto unanswered = contact->change_gate(changed);
        EXPECT_FALSE(unanswered);
        EXPECT_TRUE(contact->restore_gate(before));
    }
    ASSERT_EQ(sys::pidfd_send_signal(monitor->pidfd.get(), SIGCONT), 0);
    EXPECT_EQ(gate(), before) << "it takes connections in turn";
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(gate(), before);
}

TEST_P(Update, AContainerThatHasEndedIsSaidToHave) {
    ASSERT_EQ(detach_gated("4mb", "sleep 60").code, 0);
    const auto registry = Registry::open(state_directory());
    const auto entry = registry->find("c");
    ASSERT_TRUE(entry);
    const auto contact = Contact::make(*entry);
    ASSERT_TRUE(contact) << contact.error().message();
    ASSERT_EQ(ctr({"kill", "c"}).code, 0);
    const auto gate = contact->gate();
    ASSERT_FALSE(gate);
    EXPECT_TRUE(contains(gate.error().message(), "it has ended")) << gate.error().message();
}

TEST_P(Update, AStrategyTakesAGate) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const Outcome refused = update("1mb:token");
    EXPECT_EQ(refused.code, 125);
    EXPECT_TRUE(contains(refused.err, "nobody slows them down")) << refused;
    EXPECT_TRUE(contains(refused.err, "--io-throttle=user")) << refused;
    EXPECT_EQ(state()["limits"], Json::object());
}

// A group of the test's own, which containers are started in.
class Outer {
  public:
    Outer(const cgroup::Controller& controller, const std::string& file, const std::string& text) {
        const auto hierarchy = cgroup::find_hierarchy(controller);
        if (!hierarchy || hierarchy->version != cgroup::Version::v1) return;
        path_ = hierarchy->own + "/test-update-" + std::to_string(getpid());
        std::error_code error;
        fs::create_directory(path_, error);
        std::ofstream(path_ + "/" + file) << text;
        good_ = !error && contains(content(path_ + "/" + file), text);
    }
    Outer(const Outer&) = delete;
    Outer& operator=(const Outer&) = delete;
    ~Outer() {
        if (path_.empty()) return;
        EXPECT_TRUE(eventually([&] { return rmdir(path_.c_str()) == 0; }));
    }
    bool good() const { return good_; }

    Outcome run(const Arguments& command, const RunOptions& options) const {
        Arguments argv{"sh", "-c", "echo $$ > " + path_ + "/cgroup.procs && exec \"$@\"", "sh"};
        argv.insert(argv.end(), command.begin(), command.end());
        return test::run(argv, options);
    }

  private:
    std::string path_;
    bool good_ = false;
};

std::string file_of(const Json& state, const std::string& name) {
    for (const Json& directory : state["cgroups"])
        if (const std::string text = content(directory.get<std::string>() + "/" + name); !text.empty())
            return text;
    return "no such file";
}

TEST_P(Update, IsAllOrNothing) {
    const Outer outer(cgroup::cpu_controller, "cpu.cfs_quota_us", "50000");
    if (!outer.good()) GTEST_SKIP() << "no cpu controller of cgroup v1, which refuses more than there is";
    const Outcome started =
        outer.run(command({"run", "-d", "--name", "c", std::string("--pidns=") + GetParam(), "-m", "64m",
                           "--io-throttle=user", "--device-write-bps", place_.path() + ":4mb", "--", "sh",
                           "-c", "sleep 60", mark_}),
                  with_state());
    ASSERT_EQ(started.code, 0) << started;
    const Json before = state();
    const std::string memory = file_of(before, "memory.limit_in_bytes");
    const Outcome refused = update("1mb", {"-m", "32m", "--cpus", "2", "--pids-limit", "9"});
    EXPECT_EQ(refused.code, 125);
    EXPECT_TRUE(contains(refused.err, "the group above allows less")) << refused;
    EXPECT_EQ(state()["limits"], before["limits"]);
    EXPECT_EQ(file_of(before, "memory.limit_in_bytes"), memory);
    EXPECT_EQ(file_of(before, "memory.limit_in_bytes"), "67108864\n");
    EXPECT_EQ(file_of(before, "pids.max"), "max\n");
    ASSERT_EQ(gate().disks.size(), 1U);
    EXPECT_EQ(gate().disks[0].limit.write_bytes, 4 * mib);
    EXPECT_EQ(update("1mb", {"-m", "32m", "--cpus", "0.25"}).code, 0);
    EXPECT_EQ(file_of(before, "memory.limit_in_bytes"), "33554432\n");
    EXPECT_EQ(gate().disks[0].limit.write_bytes, mib);
    EXPECT_EQ(ctr({"rm", "-f", "c"}).code, 0);
}

TEST_P(Update, ALimitThatIsLiftedLeavesTheOneOfTheGroupAbove) {
    const std::string number = disk_->loop.number();
    const std::string name = "blkio.throttle.write_bps_device";
    const Outer outer(cgroup::io_controller, name, number + " 4194304");
    if (!outer.good()) GTEST_SKIP() << "no io controller of cgroup v1, which doesn't pass limits on";
    const Outcome started = outer.run(
        command({"run", "-d", "--name", "c", std::string("--pidns=") + GetParam(), "--io-throttle=kernel",
                 "--device-write-bps", place_.path() + ":1mb", "--", "sh", "-c", "sleep 60", mark_}),
        with_state());
    ASSERT_EQ(started.code, 0) << started;
    const Json now = state();
    EXPECT_EQ(file_of(now, name), number + " 1048576\n");
    EXPECT_EQ(update("100mb").code, 0);
    EXPECT_EQ(file_of(now, name), number + " 4194304\n");
    EXPECT_EQ(update("2mb").code, 0);
    EXPECT_EQ(file_of(now, name), number + " 2097152\n");
    EXPECT_EQ(update("0").code, 0);
    EXPECT_EQ(file_of(now, name), number + " 4194304\n");
    EXPECT_EQ(state()["limits"], Json::object());
    EXPECT_EQ(ctr({"rm", "-f", "c"}).code, 0);
}

}  // namespace
}  // namespace ctr::test
