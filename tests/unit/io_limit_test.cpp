#include "cgroup/io_limit.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ctr::cgroup {
namespace {

TEST(SplitLimit, SplitsAtTheLastColon) {
    struct Good {
        const char* text;
        const char* path;
        const char* rate;
    };
    for (const Good& good : std::initializer_list<Good>{
             {"/dev/sda:10mb", "/dev/sda", "10mb"},
             {"/dev/mapper/x:500mb", "/dev/mapper/x", "500mb"},
             {"/dev/disk/by-path/pci-0000:00:1f.2-ata-1:1.5GiB", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
              "1.5GiB"},
             {"a:b", "a", "b"},
             {"::1", ":", "1"},
             {"with blank:1", "with blank", "1"},
         }) {
        const Result<LimitText> parts = split_limit(good.text);
        ASSERT_TRUE(parts) << good.text;
        EXPECT_EQ(parts->path, good.path);
        EXPECT_EQ(parts->rate, good.rate);
    }
}

TEST(SplitLimit, RefusesWhatHasNoTwoPartsAndQuotesIt) {
    for (const char* bad : {"", ":", "/dev/sda", "/dev/sda:", ":10mb", "a:b:"}) {
        const Result<LimitText> parts = split_limit(bad);
        ASSERT_FALSE(parts) << bad;
        EXPECT_NE(parts.error().message().find('"' + std::string(bad) + '"'), std::string::npos);
        EXPECT_FALSE(parts.error().why.empty());
        EXPECT_FALSE(parts.error().hint.empty());
    }
}

TEST(SplitLimit, LosesNothingOfRandomText) {
    std::mt19937_64 random(99);
    for (int i = 0; i < 50000; ++i) {
        std::string text(random() % 10, '\0');
        for (char& c : text) c = random() % 3 == 0 ? ':' : static_cast<char>(random());
        if (const Result<LimitText> parts = split_limit(text)) {
            ASSERT_EQ(std::string(parts->path) + ":" + std::string(parts->rate), text);
            ASSERT_EQ(parts->rate.find(':'), std::string_view::npos);
        }
        std::vector<IoLimit> limits;
        const Status added = add_limit(limits, io_write_bytes, text);
        ASSERT_EQ(limits.size(), added ? 1U : 0U) << text;
    }
}

TEST(AddLimit, CollectsTheQuantitiesOfOnePath) {
    std::vector<IoLimit> limits;
    ASSERT_TRUE(add_limit(limits, io_read_bytes, "/dev/a:1mb"));
    ASSERT_TRUE(add_limit(limits, io_write_bytes, "/dev/b:2mb"));
    ASSERT_TRUE(add_limit(limits, io_write_operations, "/dev/a:30"));
    ASSERT_TRUE(add_limit(limits, io_read_operations, "/dev/a:40"));
    const std::vector<IoLimit> expected = {
        {.path = "/dev/a", .read_bytes = 1 << 20, .read_operations = 40, .write_operations = 30},
        {.path = "/dev/b", .write_bytes = 2 << 20},
    };
    EXPECT_EQ(limits, expected);
}

TEST(AddLimit, RefusesTheSameQuantityTwice) {
    std::vector<IoLimit> limits;
    ASSERT_TRUE(add_limit(limits, io_read_bytes, "/dev/a:1mb"));
    const Status again = add_limit(limits, io_read_bytes, "/dev/a:2mb");
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message().find("read bytes of /dev/a"), std::string::npos)
        << again.error().message();
    EXPECT_EQ(limits.front().read_bytes, 1U << 20);
}

TEST(AddLimit, RefusesABadRateAndQuotesTheWholeAndThePart) {
    std::vector<IoLimit> limits;
    const Status bad = add_limit(limits, io_write_bytes, "/dev/mapper/x:10x");
    ASSERT_FALSE(bad);
    const std::string message = bad.error().message();
    EXPECT_NE(message.find("\"/dev/mapper/x:10x\""), std::string::npos) << message;
    EXPECT_NE(message.find("\"10x\""), std::string::npos) << message;
    EXPECT_NE(message.find("\"x\" is not a unit"), std::string::npos) << message;
    EXPECT_FALSE(add_limit(limits, io_write_operations, "/dev/mapper/x:10mb"));
    EXPECT_TRUE(limits.empty());
}

IoLimit only(const char* text, const IoQuantity& quantity = io_write_bytes) {
    std::vector<IoLimit> limits;
    const Status added = add_limit(limits, quantity, text);
    EXPECT_TRUE(added) << added.error().message();
    return limits.empty() ? IoLimit{} : limits.front();
}

TEST(AddLimit, ReadsTheOriginalControllersForm) {
    EXPECT_EQ(only("/dev/a:5mb:leaky"),
              (IoLimit{.path = "/dev/a", .write_bytes = 5 << 20, .write_bytes_pace = {Strategy::leaky, 0}}));
    EXPECT_EQ(only("/dev/a:5mb:token"),
              (IoLimit{.path = "/dev/a", .write_bytes = 5 << 20, .write_bytes_pace = {Strategy::token, 0}}));
    EXPECT_EQ(
        only("/dev/a:5mb:token:10mb"),
        (IoLimit{.path = "/dev/a", .write_bytes = 5 << 20, .write_bytes_pace = {Strategy::token, 10 << 20}}));
    EXPECT_EQ(
        only("/dev/a:50:token:7", io_write_operations),
        (IoLimit{.path = "/dev/a", .write_operations = 50, .write_operations_pace = {Strategy::token, 7}}));
}

TEST(AddLimit, ReadsNamesThatLookLikeThatForm) {
    EXPECT_EQ(only("/dev/disk/by-path/pci-0000:00:02.0:5mb:token:1mb").path,
              "/dev/disk/by-path/pci-0000:00:02.0");
    for (const char* path : {"/x:token", "/x:leaky", "token", "leaky"}) {
        const IoLimit limit = only((std::string(path) + ":5mb").c_str());
        EXPECT_EQ(limit.path, path);
        EXPECT_EQ(limit.write_bytes, 5U << 20);
        EXPECT_EQ(limit.write_bytes_pace.strategy, Strategy::any);
    }
}

TEST(AddLimit, RefusesNonsenseInThatFormAndQuotesThePart) {
    struct Bad {
        const char* text;
        const char* quoted;
    };
    for (const Bad& bad : std::initializer_list<Bad>{{"/dev/a:5mb:tokn", "\"tokn\""},
                                                     {"/dev/a:5mb:token:", "after the last"},
                                                     {"/dev/a:5mb:token:0", "\"0\""},
                                                     {"/dev/a:5mb:token:1x", "\"1x\""},
                                                     {"/dev/a:5x:token:1mb", "\"5x\""},
                                                     {"/dev/a:5mb:leaky:1mb", "\"1mb\""},
                                                     {"/dev/a:5mb:0:1mb", "\"/dev/a:5mb:0:1mb\""}}) {
        std::vector<IoLimit> limits;
        const Status added = add_limit(limits, io_write_bytes, bad.text);
        if (std::string(bad.text) == "/dev/a:5mb:0:1mb") {  // a name with colons, and a rate
            EXPECT_TRUE(added);
            EXPECT_EQ(limits.front().path, "/dev/a:5mb:0");
            continue;
        }
        ASSERT_FALSE(added) << bad.text;
        EXPECT_NE(added.error().message().find(bad.quoted), std::string::npos) << added.error().message();
        EXPECT_TRUE(limits.empty());
    }
    std::vector<IoLimit> limits;
    const Status reads = add_limit(limits, io_read_bytes, "/dev/a:5mb:leaky");
    ASSERT_FALSE(reads);
    EXPECT_NE(reads.error().message().find("\"leaky\""), std::string::npos) << reads.error().message();
}

IoLimit only_io_max(const char* text) {
    std::vector<IoLimit> limits;
    const Status added = add_io_max(limits, text);
    EXPECT_TRUE(added) << added.error().message();
    return limits.empty() ? IoLimit{} : limits.front();
}

TEST(AddIoMax, ReadsTheKernelsWords) {
    const IoLimit all{.path = "/srv",
                      .read_bytes = 1 << 20,
                      .write_bytes = 2 << 20,
                      .read_operations = 3,
                      .write_operations = 4};
    EXPECT_EQ(only_io_max("/srv: rbps=1mb wbps=2mb riops=3 wiops=4"), all);
    EXPECT_EQ(only_io_max("/srv:wiops=4   riops=3 wbps=2097152 rbps=1mb "), all);
    EXPECT_EQ(only_io_max("/srv: wbps=max riops=3"),
              (IoLimit{.path = "/srv", .write_bytes = unlimited, .read_operations = 3}));
    EXPECT_EQ(only_io_max("/a:b: c: wbps=1mb").path, "/a:b: c");
    EXPECT_EQ(only_io_max("/a: wbps=1: rbps=1mb").path, "/a: wbps=1");
    EXPECT_EQ(only_io_max("/a: wbps=1mb:token:5mb wiops=9:leaky"),
              (IoLimit{.path = "/a",
                       .write_bytes = 1 << 20,
                       .write_operations = 9,
                       .write_bytes_pace = {Strategy::token, 5 << 20},
                       .write_operations_pace = {Strategy::leaky, 0}}));
}

TEST(AddIoMax, RefusesNonsenseAndQuotesThePart) {
    struct Bad {
        const char* text;
        const char* quoted;
    };
    for (const Bad& bad : std::initializer_list<Bad>{{"", "\"\""},
                                                     {"/a", "\"/a\""},
                                                     {"/a:", "\"/a:\""},
                                                     {"/a:1mb", "\"/a:1mb\""},
                                                     {": wbps=1mb", "\": wbps=1mb\""},
                                                     {"wbps=1mb", "\"wbps=1mb\""},
                                                     {"/a: wbps=1mb foo", "\"foo\" has no '='"},
                                                     {"/a: wbps=1mb foo=1", "\"foo=1\" is no limit"},
                                                     {"/a: wbps=", "it is empty"},
                                                     {"/a: wbps=1x", "\"1x\""},
                                                     {"/a: wbps=1mb wbps=2mb", "have a limit already"},
                                                     {"/a: wbps=1mb:token:x", "\"x\""},
                                                     {"/a: rbps=1mb:token", "\"token\""},
                                                     {"/a: wbps=max:token", "takes a rate"}}) {
        std::vector<IoLimit> limits;
        const Status added = add_io_max(limits, bad.text);
        ASSERT_FALSE(added) << bad.text;
        EXPECT_NE(added.error().message().find(bad.quoted), std::string::npos) << added.error().message();
        EXPECT_TRUE(limits.empty()) << bad.text;
    }
}

TEST(AddLimit, TakesThatThereIsNone) {
    for (const char* none : {"0", "-1", "max"}) {
        std::vector<IoLimit> limits;
        EXPECT_TRUE(add_limit(limits, io_write_bytes, std::string("/a:") + none));
        EXPECT_TRUE(add_limit(limits, io_read_operations, std::string("/a:") + none));
        EXPECT_TRUE(add_latency(limits, std::string("/a:") + none));
        EXPECT_EQ(limits, (std::vector<IoLimit>{{.path = "/a",
                                                 .write_bytes = unlimited,
                                                 .read_operations = unlimited,
                                                 .latency = unlimited}}));
        EXPECT_FALSE(add_limit(limits, io_write_operations, std::string("/a:") + none + ":token"));
    }
}

TEST(AddIoMax, TakesRandomTextOrRefusesIt) {
    std::mt19937_64 random(7);
    const char* const words[] = {"/a", ":",     " ",   "wbps=", "riops=", "1mb",
                                 "7",  "token", "max", "=",     "x",      "leaky"};
    size_t taken = 0;
    for (int i = 0; i < 200000; ++i) {
        std::string text;
        for (size_t n = random() % 12; n > 0; --n) text += words[random() % std::size(words)];
        std::vector<IoLimit> limits;
        const Status added = add_io_max(limits, text);
        ASSERT_EQ(limits.size(), added ? 1U : 0U) << text;
        if (!added) continue;
        ++taken;
        ASSERT_TRUE(text.starts_with(limits[0].path + ":")) << text;
        ASSERT_TRUE(limits_reads(limits[0]) || limits_writes(limits[0])) << text;
    }
    EXPECT_GT(taken, 100U);
}

TEST(AddLatency, ReadsTimesAndRefusesNonsense) {
    std::vector<IoLimit> limits;
    ASSERT_TRUE(add_latency(limits, "/dev/a:b:10ms"));
    ASSERT_TRUE(add_latency(limits, "/c:500us"));
    ASSERT_TRUE(add_latency(limits, "/d:1s"));
    ASSERT_TRUE(add_limit(limits, io_write_bytes, "/c:1mb"));
    EXPECT_EQ(limits, (std::vector<IoLimit>{{.path = "/dev/a:b", .latency = 10000},
                                            {.path = "/c", .write_bytes = 1 << 20, .latency = 500},
                                            {.path = "/d", .latency = 1000000}}));
    for (const char* bad :
         {"", "/c", ":1ms", "/x:", "/x:1", "/x:0ms", "/x:-1ms", "/x:1.5ms", "/x:61s", "/x:1h", "/x:ms"}) {
        const Status added = add_latency(limits, bad);
        ASSERT_FALSE(added) << bad;
        EXPECT_NE(added.error().message().find('"' + std::string(bad) + '"'), std::string::npos);
    }
    EXPECT_FALSE(add_latency(limits, "/c:1ms"));
    EXPECT_EQ(limits.size(), 3U);
}

TEST(MergeLimits, TheLowestHoldsWithItsPace) {
    IoLimit into{.path = "a", .write_bytes = 5, .write_bytes_pace = {Strategy::leaky, 0}};
    EXPECT_TRUE(merge(
        {.path = "b", .read_bytes = 7, .write_bytes = 3, .write_bytes_pace = {Strategy::token, 9}}, into));
    EXPECT_EQ(
        into,
        (IoLimit{.path = "a", .read_bytes = 7, .write_bytes = 3, .write_bytes_pace = {Strategy::token, 9}}));
    EXPECT_TRUE(merge({.path = "b", .write_bytes = 4}, into));
    EXPECT_EQ(into.write_bytes_pace.strategy, Strategy::token);
    EXPECT_FALSE(merge({.path = "b", .write_bytes = 3}, into));
}

TEST(DeviceNumber, IsReadBackAsItIsPrinted) {
    for (const DeviceNumber number :
         {DeviceNumber{7, 0}, DeviceNumber{259, 1048575}, DeviceNumber{0, 4294967295}}) {
        EXPECT_EQ(parse_device_number(to_string(number)), number);
        EXPECT_EQ(parse_device_number(to_string(number) + "\n"), number);
    }
}

TEST(DeviceNumber, NothingElseIsRead) {
    for (const char* bad : {"", ":", "7", "7:", ":0", "7:0:0", "7:0 ", " 7:0", "-7:0", "7:-0", "7.0", "7:x",
                            "7:0\n\n", "4294967296:0", "0:4294967296"}) {
        EXPECT_EQ(parse_device_number(bad), std::nullopt) << bad;
    }
}

TEST(DescribeRates, SaysWhatIsLimitedAndWhatIsNot) {
    EXPECT_EQ(describe_rates({.path = "x", .write_bytes = 5 << 20}), "reads: not limited; writes: 5MiB/s");
    EXPECT_EQ(describe_rates({.path = "x", .read_bytes = 1000, .read_operations = 7, .write_operations = 8}),
              "reads: 1000B/s and 7 operations/s; writes: 8 operations/s");
    EXPECT_EQ(describe_rates({.path = "x",
                              .write_bytes = 5 << 20,
                              .write_operations = 9,
                              .write_bytes_pace = {Strategy::token, 10 << 20},
                              .write_operations_pace = {Strategy::leaky, 0}}),
              "reads: not limited; writes: 5MiB/s (token bucket of 10MiB) and 9 operations/s (leaky bucket)");
}

}  // namespace
}  // namespace ctr::cgroup
