// Paths into /proc, in a world with one process: this test, which bears number 1.
#include "pidns/monitor/proc_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"

namespace ctr::pidns {
namespace {

class ProcPathTest : public testing::Test {
  protected:
    void SetUp() override {
        auto numbers = Numbers::create(Model::flat, 32768);
        ASSERT_TRUE(numbers) << numbers.error().message();
        numbers_.emplace(std::move(*numbers));
        numbers_->register_init(self_);
        auto nested = NestedNamespaces::create(*numbers_);
        ASSERT_TRUE(nested) << nested.error().message();
        nested_.emplace(std::move(*nested));
        translator_.emplace(*numbers_, *nested_);
        reader_.emplace(*translator_, mounts_);
        caller_ = {self_, self_, numbers_->namespace_of(self_)};
    }

    std::optional<ProcPath> read(std::string_view path, const std::string& base = "/") {
        return reader_->read(caller_, base, path);
    }
    // "TEXT -> PLACE", or what is special.
    std::string meaning(std::string_view path, const std::string& base = "/") {
        const auto found = read(path, base);
        if (!found) return "elsewhere";
        return found->text + " -> " + found->place() + (found->changed ? "" : " (unchanged)");
    }
    std::string host() const { return std::to_string(raw(self_)); }
    static std::string nobody_here() { return std::to_string(nobody); }

    const HostPid self_{getpid()};
    std::optional<Numbers> numbers_;
    std::optional<NestedNamespaces> nested_;
    std::optional<Translator> translator_;
    ProcMounts mounts_;
    std::optional<PathReader> reader_;
    Caller caller_;
};

TEST_F(ProcPathTest, NumbersBecomeTheHosts) {
    EXPECT_EQ(meaning("/proc/1/stat"), "/proc/" + host() + "/stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("/proc/1"), "/proc/" + host() + " -> " + host());
    EXPECT_EQ(meaning("/proc/1/"), "/proc/" + host() + "/ -> " + host());
    EXPECT_EQ(meaning("//proc///1/./stat"), "//proc///" + host() + "/./stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("/proc/1/task/1/stat"),
              "/proc/" + host() + "/task/" + host() + "/stat -> " + host() + "/task/" + host() + "/stat");
}

TEST_F(ProcPathTest, UnknownNumbersBecomeNobodys) {
    for (const std::string number : {"2", "7", "31999"})
        EXPECT_EQ(meaning("/proc/" + number), "/proc/" + nobody_here() + " -> " + nobody_here()) << number;
    // The host's own must not pass.
    if (raw(self_) != 1) {
        EXPECT_EQ(meaning("/proc/" + host() + "/stat"),
                  "/proc/" + nobody_here() + "/stat -> " + nobody_here() + "/stat");
    }
}

TEST_F(ProcPathTest, WhatIsNoNumberToTheKernelStays) {
    for (const std::string name :
         {"01", "+1", "-1", "1x", "x1", "0x1", "1 ", "12345678901", "meminfo", "sys"})
        EXPECT_EQ(meaning("/proc/" + name), "/proc/" + name + " -> " + name + " (unchanged)") << name;
    EXPECT_EQ(meaning("/proc/sys/1"), "/proc/sys/1 -> sys/1 (unchanged)");
    EXPECT_EQ(meaning("/proc/1/fd/1"), "/proc/" + host() + "/fd/1 -> " + host() + "/fd/1");
}

TEST_F(ProcPathTest, DotsLeadInAndOut) {
    EXPECT_EQ(meaning("/proc/../proc/1/stat"), "/proc/../proc/" + host() + "/stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("/proc/1/../1/stat"),
              "/proc/" + host() + "/../" + host() + "/stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("/../../proc/1"), "/../../proc/" + host() + " -> " + host());
    EXPECT_EQ(meaning("/proc/.."), "elsewhere");
    EXPECT_EQ(meaning("/proc/../etc/passwd"), "elsewhere");
    // Elsewhere, but through a directory that has a number.
    EXPECT_EQ(meaning("/proc/1/../../etc"), "/proc/" + host() + "/../../etc -> ");
}

TEST_F(ProcPathTest, ElsewhereIsElsewhere) {
    for (const std::string path : {"/", "/etc/proc/1", "/procs/1", "/pro", "/tmp/1/stat", "1/stat"})
        EXPECT_EQ(meaning(path), "elsewhere") << path;
}

TEST_F(ProcPathTest, RelativePathsStartAtTheirBase) {
    EXPECT_EQ(meaning("1/stat", "/proc"), host() + "/stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("proc/1/stat", "/"), "proc/" + host() + "/stat -> " + host() + "/stat");
    // A base is the kernel's text, so its numbers are the host's.
    EXPECT_EQ(meaning("stat", "/proc/" + host()), "stat -> " + host() + "/stat (unchanged)");
    EXPECT_EQ(meaning("1/stat", "/proc/" + host() + "/task"),
              host() + "/stat -> " + host() + "/task/" + host() + "/stat");
    EXPECT_EQ(meaning("../1", "/proc/" + host()), "../" + host() + " -> " + host());
    EXPECT_EQ(meaning("../../etc", "/proc/" + host()), "elsewhere");
    EXPECT_EQ(meaning("/proc/1", "/etc"), "/proc/" + host() + " -> " + host()) << "absolute";
}

TEST_F(ProcPathTest, SelfIsALinkOnlyAtTheEnd) {
    const auto itself = read("/proc/self");
    ASSERT_TRUE(itself);
    EXPECT_TRUE(itself->is_self);
    EXPECT_FALSE(itself->changed);
    const auto slash = read("/proc/self/");
    ASSERT_TRUE(slash);
    EXPECT_FALSE(slash->is_self);
    EXPECT_EQ(slash->process(), self_);
    EXPECT_EQ(meaning("/proc/self/stat"), "/proc/self/stat -> " + host() + "/stat (unchanged)");
    EXPECT_EQ(meaning("/proc/thread-self/stat"),
              "/proc/thread-self/stat -> " + host() + "/task/" + host() + "/stat (unchanged)");
}

TEST_F(ProcPathTest, LinksOfAProcessAreFollowed) {
    EXPECT_EQ(meaning("/proc/self/root/proc/1/stat"),
              "/proc/self/root/proc/" + host() + "/stat -> " + host() + "/stat");
    EXPECT_EQ(meaning("/proc/1/cwd/x"), "/proc/" + host() + "/cwd/x -> ");
    // Not at the end: the call is about the link itself, or the kernel follows it.
    EXPECT_EQ(meaning("/proc/1/cwd"), "/proc/" + host() + "/cwd -> " + host() + "/cwd");
}

TEST_F(ProcPathTest, PlacesHaveNames) {
    EXPECT_TRUE(read("/proc")->is_root());
    EXPECT_TRUE(read("/proc/")->is_root());
    EXPECT_TRUE(read("/proc/1/task")->is_task_list());
    EXPECT_FALSE(read("/proc/1/task/1")->is_task_list());
    EXPECT_TRUE(read("/proc/1/ns/pid")->is_namespace());
    EXPECT_FALSE(read("/proc/1/ns/mnt")->is_namespace());
    EXPECT_EQ(read("/proc/1/stat")->process(), self_);
    EXPECT_EQ(read("/proc/meminfo")->process(), HostPid::none);
    EXPECT_EQ(read("/proc")->process(), HostPid::none);
}

TEST_F(ProcPathTest, WhatTheKernelNamesIsInHostsNumbers) {
    const auto place = reader_->place_of(caller_, "/proc/" + host() + "/task");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->process(), self_);
    EXPECT_TRUE(place->is_task_list());
    EXPECT_FALSE(reader_->place_of(caller_, "/etc"));
    EXPECT_FALSE(reader_->place_of(caller_, "socket:[1]"));
}

TEST_F(ProcPathTest, MostPathsNeedNoReading) {
    EXPECT_TRUE(reader_->may_be_proc("/proc/1"));
    EXPECT_FALSE(reader_->may_be_proc("/usr/lib/libc.so.6"));
    reader_->note_mount_point("/srv/root/proc");
    EXPECT_FALSE(reader_->may_be_proc("/usr/lib/libc.so.6"));
    reader_->note_mount_point("/somewhere");
    EXPECT_TRUE(reader_->may_be_proc("/usr/lib/libc.so.6"));
}

}  // namespace
}  // namespace ctr::pidns
