// Which paths into /proc the guest code follows itself, and with what text.
#include <gtest/gtest.h>

#include <string>

#include "pidns/guest/proc_name.h"

namespace ctr::pidns::guest {
namespace {

// "NUMBER NAME", "self NAME", " NAME", or "-".
std::string read(const char* path) {
    const auto named = proc_name_of(path);
    if (!named) return "-";
    const std::string whose = named->whose == ProcName::Whose::process ? std::to_string(named->number)
                              : named->whose == ProcName::Whose::self  ? "self"
                                                                       : "";
    return whose + " " + std::string(named->name);
}

TEST(GuestProcName, AProcessAndWhatItHas) {
    EXPECT_EQ(read("/proc/1"), "1 ");
    EXPECT_EQ(read("/proc/4711/stat"), "4711 stat");
    EXPECT_EQ(read("/proc/4194303/timerslack_ns"), "4194303 timerslack_ns");
    EXPECT_EQ(read("/proc/self"), "self ");
    EXPECT_EQ(read("/proc/self/maps"), "self maps");
}

TEST(GuestProcName, WhatIsNobodys) {
    EXPECT_EQ(read("/proc"), " ");
    EXPECT_EQ(read("/proc/uptime"), " uptime");
    EXPECT_EQ(read("/proc/selfish"), " selfish");
}

TEST(GuestProcName, NothingIsReadBehindWhatIsReadable) {
    EXPECT_TRUE(proc_name_of("/proc/12/stat", 14));
    for (size_t readable = 0; readable < 14; ++readable)
        EXPECT_FALSE(proc_name_of("/proc/12/stat", readable)) << readable;
}

TEST(GuestProcName, AllElseIsTheMonitors) {
    for (const char* path : {"",
                             "/",
                             "/proc/",
                             "/proc//1",
                             "/proc/1/",
                             "/proc/1//stat",
                             "/proc/1/stat/",
                             "/proc/1/.",
                             "/proc/1/..",
                             "/proc/1/../2",
                             "/proc/1/task/1",
                             "/proc/1/fd/0",
                             "/proc/1/ns/pid",
                             "/proc/1x",
                             "/proc/1x/stat",
                             "/proc/01/stat",
                             "/proc/0/stat",
                             "/proc/-1/stat",
                             "/proc/99999999999/stat",
                             "/proc/self/",

                             "/proc/self/task/1/stat",
                             "/proc/thread-self/stat",
                             "proc/1/stat",
                             "1/stat",
                             "./proc/1",
                             "/proc2/1",
                             "/proc/ 1",
                             "/PROC/1",
                             "/proc/1/STAT",
                             "/proc/1/a b",
                             "/proc/1/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop"})
        EXPECT_EQ(read(path), "-") << path;
}

TEST(GuestProcName, TheHostsTextNamesTheSame) {
    const ProcText file(4711, "stat");
    EXPECT_STREQ(file.text(), "/proc/4711/stat");
    EXPECT_EQ(file.place(), "4711/stat");
    const ProcText directory(4194303, "");
    EXPECT_STREQ(directory.text(), "/proc/4194303");
    EXPECT_EQ(directory.place(), "4194303");
}

TEST(GuestProcName, TheLongestNameHasRoom) {
    const std::string path = "/proc/1/" + std::string(55, 'a');
    const auto named = proc_name_of(path.c_str());
    ASSERT_TRUE(named);
    const ProcText text(4194303, named->name);
    EXPECT_EQ(std::string(text.text()), "/proc/4194303/" + std::string(55, 'a'));
}

}  // namespace
}  // namespace ctr::pidns::guest
