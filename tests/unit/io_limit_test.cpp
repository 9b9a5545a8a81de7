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
}

}  // namespace
}  // namespace ctr::cgroup
