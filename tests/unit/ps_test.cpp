// What `ctr ps` reads and prints, as values.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cmd/option_table.h"
#include "cmd/ps_format.h"
#include "cmd/ps_options.h"
#include "runtime/processes.h"

namespace ctr::cmd {
namespace {

// ---- /proc

constexpr const char* stat_tail = " S 7 10 10 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 99 0\n";

TEST(ParseStat, ReadsNumberNameStateParentAndStart) {
    const auto process = parse_stat(std::string("42 (sh)") + stat_tail);
    ASSERT_TRUE(process) << process.error().message();
    EXPECT_EQ(process->here, HostPid(42));
    EXPECT_EQ(process->comm, "sh");
    EXPECT_EQ(process->state, 'S');
    EXPECT_EQ(process->parent, HostPid(7));
    EXPECT_EQ(process->start, 4711u);
}

TEST(ParseStat, TheNameMayHoldAnything) {
    for (const char* name : {"", " ", ")", "(", ") R 1 (", "a\nb", ") S 1 1 1", "((("}) {
        const auto process = parse_stat("42 (" + std::string(name) + ")" + stat_tail);
        ASSERT_TRUE(process) << name;
        EXPECT_EQ(process->comm, name);
        EXPECT_EQ(process->parent, HostPid(7)) << name;
    }
}

TEST(ParseStat, WhatIsNoneIsRefused) {
    for (const char* text : {"", "42", "42 (sh", "42 sh) S 7", ") (", "42 (sh) S 7 1 1", "x (sh)",
                             "-1 (sh) S 7 10 10 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 99 0"})
        EXPECT_FALSE(parse_stat(text)) << text;
}

TEST(ParseNumbers, AreThoseOfTheLine) {
    EXPECT_EQ(parse_numbers("Name:\tx\nPid:\t5\nNSpid:\t5\t3\t1\nNSpgid:\t9\n"), (std::vector{5, 3, 1}));
    EXPECT_EQ(parse_numbers("Name:\tx\nNSpid:\t5\n"), std::vector{5});
    EXPECT_EQ(parse_numbers("Name:\tNSpid:\nPid:\t5\n"), std::vector<int>());
    EXPECT_EQ(parse_numbers(""), std::vector<int>());
}

TEST(ParseArguments, EndInZeroBytes) {
    using Words = std::vector<std::string>;
    const auto text = [](std::string_view bytes) { return std::string(bytes); };
    EXPECT_EQ(parse_arguments(""), Words());
    EXPECT_EQ(parse_arguments(text({"sh\0-c\0", 6})), (Words{"sh", "-c"}));
    EXPECT_EQ(parse_arguments(text({"sh\0\0x", 5})), (Words{"sh", "", "x"}));
}

// ---- Options

TEST(PsOptions, EveryOptionIsRead) {
    const auto none = parse_ps({});
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->request.all || none->tree || none->json || none->help);
    EXPECT_TRUE(none->request.containers.empty());
    const auto all = parse_ps({"-a", "12", "--tree", "--json", "--", "4194303"});
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_TRUE(all->request.all && all->tree && all->json);
    EXPECT_EQ(all->request.containers, (std::vector{HostPid(12), HostPid(4194303)}));
    EXPECT_TRUE(parse_ps({"--help"})->help);
    const auto names = parse_ps({"web", "1x", "--state-dir", "/s"});
    ASSERT_TRUE(names);
    EXPECT_EQ(names->names, (std::vector<std::string>{"web", "1x"}));
    EXPECT_EQ(names->state_directory, "/s");
}

TEST(PsOptions, WhatIsNotUnderstoodIsQuoted) {
    for (const char* word : {"0", "", " 1", "+1", "99999999999", "a/b", "-"}) {
        const auto options = parse_ps({word});
        ASSERT_FALSE(options) << word;
        EXPECT_NE(options.error().message().find("\"" + std::string(word) + "\""), std::string::npos);
        EXPECT_EQ(options.error().exit_code, 125);
    }
    EXPECT_FALSE(parse_ps({"--nope"}));
    EXPECT_FALSE(parse_ps({"--json=x"}));
}

// ---- Formats

ListedProcess listed(int container, int here, int parent, std::vector<int> numbers, std::optional<int> ppid,
                     std::vector<std::string> args) {
    ListedProcess one;
    one.container = HostPid(container);
    one.process.here = HostPid(here);
    one.process.parent = HostPid(parent);
    one.process.state = 'S';
    one.process.comm = "comm";
    one.process.args = std::move(args);
    for (const int number : numbers) one.numbers.push_back(VirtPid(number));
    if (ppid) one.parent = VirtPid(*ppid);
    return one;
}

const std::vector<ListedProcess>& some() {
    static const std::vector<ListedProcess> processes{
        listed(100, 100, 99, {1}, 0, {"sh", "-c", "x"}),
        listed(100, 101, 104, {0, 3}, {}, {"late"}),
        listed(100, 104, 100, {5, 1}, 1, {"inner"}),
        listed(100, 1205, 100, {}, 1, {}),
        listed(0, 7, 1, {7}, 1, {"other"}),
    };
    return processes;
}

TEST(PsFormat, ATableIsAligned) {
    EXPECT_EQ(as_table(some()),
              "CONTAINER  HOST  PID  PPID  STAT  COMMAND\n"
              "      100   100    1     0  S     sh -c x\n"
              "      100   101  -/3     -  S     late\n"
              "      100   104  5/1     1  S     inner\n"
              "      100  1205    -     1  S     [comm]\n"
              "        -     7    7     1  S     other\n");
    EXPECT_EQ(as_table({}), "CONTAINER  HOST  PID  PPID  STAT  COMMAND\n");
}

TEST(PsFormat, ATreeHasEveryProcessBelowItsParent) {
    EXPECT_EQ(as_tree(some()),
              "CONTAINER  HOST  PID  PPID  STAT  COMMAND\n"
              "      100   100    1     0  S     sh -c x\n"
              "      100   104  5/1     1  S      \\_ inner\n"
              "      100   101  -/3     -  S          \\_ late\n"
              "      100  1205    -     1  S      \\_ [comm]\n"
              "        -     7    7     1  S     other\n");
}

TEST(PsFormat, ATerminalIsNotAtACommandsMercy) {
    const auto shown = [](const std::string& argument) {
        const std::string text = as_table({listed(1, 1, 0, {1}, 0, {argument})});
        const size_t start = text.rfind("S     ") + 6;
        return text.substr(start, text.size() - start - 1);
    };
    EXPECT_EQ(shown("a\x1b[31m\n\t\x7f"), "a\\x1b[31m\\x0a\\x09\\x7f");
    EXPECT_EQ(shown("gr\xC3\xBC\xC3\x9F, \xE6\x97\xA5, \xF0\x9F\x90\xA7"),
              "gr\xC3\xBC\xC3\x9F, \xE6\x97\xA5, \xF0\x9F\x90\xA7");
    EXPECT_EQ(shown("\xC2\x9B"
                    "31m"),
              "\\xc2\\x9b"
              "31m");
    EXPECT_EQ(shown("\x9B|\xC3|\xE6\x97|\xE0\x82\x9B|\xFF"), "\\x9b|\\xc3|\\xe6\\x97|\\xe0\\x82\\x9b|\\xff");
}

TEST(PsFormat, JsonHoldsWhateverThereIs) {
    auto processes = some();
    processes[0].process.args = {"\x1b\xFF", "new\nline", "\"quoted\""};
    const auto list = nlohmann::json::parse(as_json(processes));
    ASSERT_EQ(list.size(), processes.size());
    EXPECT_EQ(list[0]["container"], 100);
    EXPECT_EQ(list[0]["host"], 100);
    EXPECT_EQ(list[0]["pids"], nlohmann::json({1}));
    EXPECT_EQ(list[0]["ppid"], 0);
    EXPECT_EQ(list[0]["state"], "S");
    EXPECT_EQ(list[0]["comm"], "comm");
    EXPECT_EQ(list[0]["args"][1], "new\nline");
    EXPECT_EQ(list[1]["pids"], nlohmann::json({0, 3}));
    EXPECT_TRUE(list[1]["ppid"].is_null());
    EXPECT_EQ(list[3]["pids"], nlohmann::json::array());
    EXPECT_TRUE(list[4]["container"].is_null());
    EXPECT_EQ(nlohmann::json::parse(as_json({})), nlohmann::json::array());
}

}  // namespace
}  // namespace ctr::cmd
