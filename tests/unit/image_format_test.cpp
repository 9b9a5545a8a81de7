// What `ctr image` reads and prints, as values.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <nlohmann/json.hpp>

#include "cmd/image_format.h"
#include "cmd/image_options.h"
#include "cmd/option_table.h"

namespace ctr::cmd {
namespace {

using namespace pidns::image;

Findings some_findings() {
    Findings findings;
    findings.others = 7;
    findings.sites = {{0x1234, SYS_fork, Entry::create, State::patched, ""},
                      {0x5678, dynamic_number, Entry::generic, State::left, "of \"this\""},
                      {0x9abc, SYS_ioctl, Entry::prepare, State::patched, ""}};
    return findings;
}

TEST(ImageText, BeginsWithASummary) {
    EXPECT_EQ(as_text(some_findings()),
              "3 system calls can carry a process number: 2 patched, 1 left. 7 others can't.\n"
              "ADDRESS     CALL                  STATE\n"
              "1234        fork                  patched, made near\n"
              "5678        any                   left: of \"this\"\n"
              "9abc        ioctl                 patched, passed on\n");
    EXPECT_EQ(as_text({}), "0 system calls can carry a process number: 0 patched, 0 left. 0 others can't.\n");
}

TEST(ImageJson, IsOneObject) {
    const auto object = nlohmann::json::parse(as_json(some_findings()));
    EXPECT_EQ(object["patched"], 2);
    EXPECT_EQ(object["left"], 1);
    EXPECT_EQ(object["others"], 7);
    ASSERT_EQ(object["sites"].size(), 3u);
    EXPECT_EQ(object["sites"][0]["address"], 0x1234);
    EXPECT_EQ(object["sites"][0]["call"], "fork");
    EXPECT_EQ(object["sites"][0]["why"], nullptr);
    EXPECT_EQ(object["sites"][1]["number"], nullptr);
    EXPECT_EQ(object["sites"][1]["why"], "of \"this\"");
    EXPECT_EQ(object["sites"][2]["entry"], "passed on");
}

TEST(ImageOptions, AreReadAndDescribed) {
    const auto options = parse_image({"--json", "/bin/true"});
    ASSERT_TRUE(options);
    EXPECT_TRUE(options->json);
    EXPECT_EQ(options->file, "/bin/true");
    EXPECT_TRUE(parse_image({"--help"})->help);
    for (const auto& wrong : {std::vector<std::string>{}, {"a", "b"}, {"--nope", "a"}})
        EXPECT_FALSE(parse_image(wrong));
}

}  // namespace
}  // namespace ctr::cmd
