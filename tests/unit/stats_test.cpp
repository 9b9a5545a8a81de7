// What containers use: the kernel's texts, and ours.
#include "runtime/stats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cgroup/usage.h"
#include "cmd/stats_format.h"

namespace ctr {
namespace {

using cmd::Reading;
using Json = nlohmann::json;

TEST(Usage, NumbersStandBehindTheirKeys) {
    constexpr std::string_view text = "usage_usec 1234\nuser_usec 1000\nbad x\nusage_usec_2 7\n";
    EXPECT_EQ(cgroup::keyed_number(text, "usage_usec"), 1234U);
    EXPECT_EQ(cgroup::keyed_number(text, "user_usec"), 1000U);
    EXPECT_FALSE(cgroup::keyed_number(text, "usage"));
    EXPECT_FALSE(cgroup::keyed_number(text, "bad"));
    EXPECT_FALSE(cgroup::keyed_number("", "usage_usec"));
}

TEST(Usage, DevicesAreNamedOnceByLinesOfBothVersions) {
    const std::vector<cgroup::DeviceNumber> both{{7, 0}, {254, 16}};
    EXPECT_EQ(cgroup::devices_in("7:0 Read 1\n7:0 Write 2\n254:16 Read 0\nTotal 3\n"), both);
    EXPECT_EQ(cgroup::devices_in("7:0 rbytes=1 wbytes=2\n254:16\n"), both);
    EXPECT_TRUE(cgroup::devices_in("").empty());
}

// The name may hold what looks like the end of it.
constexpr std::string_view stat_text =
    "4711 (a) R 1) S 1 4711 4711 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 5 0 12345 8192 77 1844674407\n";

TEST(Processes, TimesOfWaitedForChildrenCountToo) {
    EXPECT_EQ(ticks_in_stat(stat_text), 11U + 22U + 33U + 44U);
    EXPECT_EQ(threads_in_stat(stat_text), 5U);
    for (const char* text : {"", "4711", "4711 (x)", "4711 (x) S 1 2 3", ")"}) {
        EXPECT_FALSE(ticks_in_stat(text)) << text;
        EXPECT_FALSE(threads_in_stat(text)) << text;
    }
}

TEST(Processes, NumbersStandBehindTheirLabels) {
    EXPECT_EQ(labelled_number("Rss:  4 kB\nPss:                 123 kB\nPss_Dirty: 9 kB\n", "Pss:"), 123U);
    EXPECT_EQ(labelled_number("rchar: 7\nread_bytes: 4096\nwrite_bytes: 0\n", "read_bytes:"), 4096U);
    EXPECT_FALSE(labelled_number("rchar: 7\n", "read_bytes:"));
    EXPECT_FALSE(labelled_number("Pss:\n", "Pss:"));
}

Stats sample() {
    Stats stats;
    stats.name = "web";
    stats.init = HostPid(4711);
    stats.taken = std::chrono::steady_clock::time_point(std::chrono::seconds(100));
    stats.cpu = 2'500'000;
    stats.memory = 48 << 20;
    stats.memory_limit = 64 << 20;
    stats.pids = 3;
    stats.io = {1536, 1 << 20, 3, 16};
    stats.devices = {{{254, 0}, {1536, 1 << 20, 3, 16}, {}}};
    stats.cpu_counted = stats.memory_counted = stats.pids_counted = stats.io_counted = Counted::by_cgroup;
    return stats;
}

TEST(Stats, AShareIsOfOneProcessor) {
    const Stats before = sample();
    Stats after = before;
    after.taken += std::chrono::seconds(2);
    EXPECT_EQ(cpu_percent(before, after), 0);
    after.cpu += 3'000'000;
    EXPECT_DOUBLE_EQ(cpu_percent(before, after), 150);
    EXPECT_EQ(cpu_percent(after, before), 0) << "time doesn't go back";
    after.cpu = before.cpu - 1;
    EXPECT_EQ(cpu_percent(before, after), 0) << "who took the time has gone, and nobody waited for it";
}

TEST(Stats, BytesAreRoundedToAUnit) {
    EXPECT_EQ(cmd::rounded_bytes(0), "0B");
    EXPECT_EQ(cmd::rounded_bytes(1023), "1023B");
    EXPECT_EQ(cmd::rounded_bytes(1024), "1.0KiB");
    EXPECT_EQ(cmd::rounded_bytes((1U << 20) - 1), "1.0MiB");
    EXPECT_EQ(cmd::rounded_bytes(1536U << 20), "1.5GiB");
    EXPECT_EQ(cmd::rounded_bytes(UINT64_MAX), "16.0EiB");
}

TEST(Stats, TheTableSaysWhatNoGroupHasCounted) {
    EXPECT_EQ(cmd::as_table({{sample(), 12.34}}),
              "NAME  CPU %  CPU TIME  MEMORY   LIMIT    MEM %  PIDS  READ    WRITTEN  READS  WRITES\n"
              "web   12.3%  2.50s     48.0MiB  64.0MiB  75.0%  3     1.5KiB  1.0MiB   3      16\n");
    Stats stats = sample();
    stats.memory_limit.reset();
    stats.memory_counted = Counted::as_resident;
    stats.io = {1, 2, {}, {}};
    stats.io_counted = Counted::nowhere;
    const std::string table = cmd::as_table({{stats, 0}});
    EXPECT_NE(table.find("48.0MiB*  -      -      3     -     -        -      -\n"), std::string::npos)
        << table;
    EXPECT_NE(table.find("\n* no cgroup counts it: added up from the processes; memory as RSS"),
              std::string::npos)
        << table;
}

TEST(Stats, AFootnoteIsOfWhatHasAStar) {
    Stats stats = sample();
    stats.io_counted = Counted::in_processes;
    const std::string table = cmd::as_table({{stats, 0}});
    EXPECT_NE(table.find("1.5KiB*"), std::string::npos) << table;
    EXPECT_TRUE(table.ends_with("\n* no cgroup counts it: added up from the processes\n")) << table;
}

TEST(Stats, TheJsonHasEachDevice) {
    Stats stats = sample();
    stats.devices[0].throttled = cgroup::Throttled{5, 70'000};
    const Json array = Json::parse(cmd::as_json({{stats, 50}}, false));
    ASSERT_EQ(array.size(), 1U);
    const Json& web = array[0];
    EXPECT_EQ(web["name"], "web");
    EXPECT_EQ(web["pid"], 4711);
    EXPECT_EQ(web["cpu"]["percent"], 50);
    EXPECT_EQ(web["memory"]["limit"], 64 << 20);
    EXPECT_EQ(web["memory"]["counted"], "cgroup");
    EXPECT_TRUE(web["pids"]["limit"].is_null());
    EXPECT_EQ(web["io"]["devices"][0]["device"], "254:0");
    EXPECT_EQ(web["io"]["devices"][0]["writeOperations"], 16);
    EXPECT_EQ(web["io"]["devices"][0]["throttled"]["times"], 5);
    EXPECT_EQ(cmd::as_json({}, true), "[]\n");
}

}  // namespace
}  // namespace ctr
