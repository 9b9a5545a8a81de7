#include "cgroup/rate.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace ctr::cgroup {
namespace {

constexpr uint64_t kib = 1024;
constexpr uint64_t mib = 1024 * kib;
constexpr uint64_t gib = 1024 * mib;
constexpr uint64_t tib = 1024 * gib;

struct GoodRate {
    const char* text;
    uint64_t bytes;
};

TEST(ParseRate, ReadsWhatUsersWrite) {
    for (const GoodRate& good : std::initializer_list<GoodRate>{
             {"1", 1},
             {"5242880", 5 * mib},
             {"5242880b", 5 * mib},
             {"007", 7},
             {"10mb", 10 * mib},
             {"10MB", 10 * mib},
             {"10m", 10 * mib},
             {"10MiB", 10 * mib},
             {"10mib", 10 * mib},
             {"500kb", 500 * kib},
             {"500K", 500 * kib},
             {"1.5GiB", 3 * gib / 2},
             {"1.5g", 3 * gib / 2},
             {"400MB/s", 400 * mib},
             {"12/s", 12},
             {"12b/s", 12},
             {"2t", 2 * tib},
             {"0.5kb", 512},
             {"0.001kb", 1},
             {"1.999999k", 2047},
             {"1.000001t", tib + 1099511},
             {"18446744073709551615", std::numeric_limits<uint64_t>::max()},
             {"16777215t", 16777215 * tib},
             {"16777215.999999t", 16777215 * tib + 1099510528264},
         }) {
        const Result<uint64_t> rate = parse_rate(good.text);
        ASSERT_TRUE(rate) << good.text << ": " << rate.error().message();
        EXPECT_EQ(*rate, good.bytes) << good.text;
    }
}

struct BadRate {
    std::string text;
    const char* words;  // that the message must contain
};

void expect_refused(const BadRate& bad, const Result<uint64_t>& result) {
    ASSERT_FALSE(result) << '"' << bad.text << "\" was read as " << *result;
    const Error& error = result.error();
    EXPECT_NE(error.message().find('"' + bad.text + '"'), std::string::npos) << error.message();
    EXPECT_NE(error.why.find(bad.words), std::string::npos) << error.message();
    EXPECT_FALSE(error.hint.empty());
    EXPECT_EQ(error.exit_code, 125);
}

TEST(ParseRate, RefusesAllElseAndQuotesIt) {
    for (const BadRate& bad : std::initializer_list<BadRate>{
             {"", "empty"},
             {"x", "\"x\" is not a digit"},
             {"mb", "\"m\" is not a digit"},
             {".5mb", "\".\" is not a digit"},
             {"-1", "negative"},
             {"-1mb", "negative"},
             {"+1", "\"+\" is not a digit"},
             {" 1", "\" \" is not a digit"},
             {"1 ", "\" \" is not a unit"},
             {"1 mb", "\" mb\" is not a unit"},
             {"10x", "\"x\" is not a unit"},
             {"10mbx", "\"mbx\" is not a unit"},
             {"10mb/s/s", "\"mb/s\" is not a unit"},
             {"10mb/", "\"mb/\" is not a unit"},
             {"10mb/m", "is not a unit"},
             {"10bb", "\"bb\" is not a unit"},
             {"10ib", "\"ib\" is not a unit"},
             {"10mi", "\"mi\" is not a unit"},
             {"10mbit", "bits"},
             {"10Mbps", "bits"},
             {"10bps", "bits"},
             {"10p", "\"p\" is not a unit"},
             {"0x10", "\"x10\" is not a unit"},
             {"1e6", "\"e6\" is not a unit"},
             {"1,5mb", "is not a unit"},
             {"1.mb", "no digit"},
             {"1.5", "fraction"},
             {"1.5b", "fraction"},
             {"1.5.5mb", "is not a unit"},
             {"1.1234567mb", "six digits"},
             {"0", "zero"},
             {"0mb", "zero"},
             {"0.0mb", "zero"},
             {"0.0001kb", "zero"},
             {"18446744073709551616", "2^64-1"},
             {"99999999999999999999999999999", "2^64-1"},
             {"16777216t", "2^64-1"},
             {"18014398509481984k", "2^64-1"},
             {"inf", "is not a digit"},
             {"nan", "is not a digit"},
             {"\xd9\xa1\xd9\xa0", "is not a digit"},
             {std::string("1\0", 2), "is not a unit"},
         }) {
        expect_refused(bad, parse_rate(bad.text));
    }
}

TEST(ParseOperations, ReadsWholeNumbers) {
    for (const GoodRate& good : std::initializer_list<GoodRate>{
             {"1", 1}, {"100", 100}, {"100/s", 100}, {"4294967295", 4294967295}}) {
        const Result<uint64_t> rate = parse_operations(good.text);
        ASSERT_TRUE(rate) << good.text << ": " << rate.error().message();
        EXPECT_EQ(*rate, good.bytes) << good.text;
    }
}

TEST(ParseOperations, RefusesAllElseAndQuotesIt) {
    for (const BadRate& bad : std::initializer_list<BadRate>{{"", "empty"},
                                                             {"0", "zero"},
                                                             {"0/s", "zero"},
                                                             {"-5", "negative"},
                                                             {"+5", "is not a digit"},
                                                             {" 5", "is not a digit"},
                                                             {"5 ", "\" \" follows"},
                                                             {"5k", "\"k\" follows"},
                                                             {"5mb", "\"mb\" follows"},
                                                             {"1.5", "\".5\" follows"},
                                                             {"5/m", "\"/m\" follows"},
                                                             {"5/s/s", "\"/s/s\" follows"},
                                                             {"4294967296", "4294967295"},
                                                             {"18446744073709551616", "4294967295"}}) {
        expect_refused(bad, parse_operations(bad.text));
    }
}

TEST(FormatRate, IsTheShortestExactSpelling) {
    EXPECT_EQ(format_rate(5 * mib), "5MiB/s");
    EXPECT_EQ(format_rate(1000), "1000B/s");
    EXPECT_EQ(format_rate(3 * gib / 2), "1536MiB/s");
    EXPECT_EQ(format_rate(4096 * tib), "4096TiB/s");
    EXPECT_EQ(format_rate(0), "0B/s");
}

TEST(FormatRate, IsReadBackToTheSameNumber) {
    std::mt19937_64 random(20240229);
    for (int i = 0; i < 20000; ++i) {
        const uint64_t rate = (random() >> (random() % 64)) << (random() % 41);
        if (rate == 0) continue;
        const Result<uint64_t> back = parse_rate(format_rate(rate));
        ASSERT_TRUE(back) << rate << ": " << back.error().message();
        ASSERT_EQ(*back, rate);
    }
}

// Random texts, made of what rates consist of so that many are nearly right.
TEST(ParseRate, SurvivesRandomTextAndReadsOnlyWhatPrintsBack) {
    constexpr std::string_view alphabet("0123456789999....kKmMgGtTiIbB/s/s-+ ex\0\xff\x80", 41);
    std::mt19937_64 random(4711);
    int accepted = 0;
    for (int i = 0; i < 200000; ++i) {
        std::string text(random() % 12, '\0');
        for (char& c : text)
            c = random() % 8 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
        if (const Result<uint64_t> rate = parse_rate(text)) {
            ++accepted;
            ASSERT_NE(*rate, 0U) << text;
            ASSERT_EQ(parse_rate(format_rate(*rate)).value_or(0), *rate) << text;
        } else {
            ASSERT_NE(rate.error().message().find(text), std::string::npos);
        }
        if (const Result<uint64_t> operations = parse_operations(text)) {
            ASSERT_EQ(parse_operations(std::to_string(*operations)).value_or(0), *operations) << text;
            ASSERT_EQ(parse_rate(text).value_or(0), *operations) << text;
        }
    }
    EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace ctr::cgroup
