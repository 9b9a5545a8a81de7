// What a command line can go on with.
#include "cmd/completion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ctr::cmd {
namespace {

using Words = std::vector<std::string>;

const Surroundings surroundings{[](const std::string& directory) -> std::vector<Candidate> {
                                    if (directory == "/elsewhere") return {{"other", "running"}};
                                    return {{"web", "running sleep"}, {"db", "stopped"}};
                                },
                                {"LANG=C", "HOME=/root"}};

Words offered(const Words& words) {
    Words names;
    for (const Candidate& candidate : complete(words, surroundings).candidates)
        names.push_back(candidate.word);
    return names;
}
bool offers(const Words& words, const std::string& word) {
    return std::ranges::count(offered(words), word) == 1;
}
std::pair<Beside, size_t> beside(const Words& words) {
    const Completion completion = complete(words, surroundings);
    return {completion.beside, completion.at};
}

TEST(Completion, VerbsComeFirst) {
    for (const char* verb : {"run", "exec", "list", "stop", "check", "completion", "help"})
        EXPECT_TRUE(offers({""}, verb)) << verb;
    EXPECT_EQ(offered({"-"}), (Words{"--help", "--version"}));
    EXPECT_TRUE(offered({"nope", ""}).empty());
    EXPECT_TRUE(offered({}).empty());
}

TEST(Completion, OptionsMayStandBeforeTheVerb) {
    EXPECT_TRUE(offers({"--state-dir", "/x", ""}, "stop"));
    EXPECT_TRUE(offers({"--log-format=json", ""}, "run"));
    EXPECT_TRUE(offers({"--log-format", ""}, "json"));
    EXPECT_EQ(beside({"--state-dir", ""}).first, Beside::directories);
    EXPECT_TRUE(offers({"--log-format", "json", "stop", "--"}, "--time"));
    EXPECT_EQ(beside({"--log-format", "json", "run", "l"}), beside({"run", "--log-format", "json", "l"}));
}

TEST(Completion, OptionsAreTheVerbs) {
    EXPECT_TRUE(offers({"run", "--"}, "--rootfs"));
    EXPECT_TRUE(offers({"run", "-"}, "--seccomp"));
    EXPECT_TRUE(offers({"stop", "--"}, "--time"));
    EXPECT_FALSE(offers({"stop", "--"}, "--rootfs"));
    EXPECT_TRUE(offers({"list", "--"}, "--log-format"));
}

TEST(Completion, ValuesAreWords) {
    EXPECT_EQ(offered({"run", "--pidns", ""}), (Words{"flat", "multi", "kernel", "host"}));
    EXPECT_EQ(offered({"run", "--pidns=k"}),
              (Words{"--pidns=flat", "--pidns=multi", "--pidns=kernel", "--pidns=host"}));
    EXPECT_EQ(offered({"run", "--rm="}), (Words{"--rm=true", "--rm=false"}));
    EXPECT_TRUE(offers({"run", "--cap-add", ""}, "NET_ADMIN"));
    EXPECT_TRUE(offers({"run", "--cap-drop", ""}, "ALL"));
    EXPECT_TRUE(offers({"run", "--stop-signal", ""}, "TERM"));
    EXPECT_TRUE(offers({"kill", "-s", ""}, "HUP"));
    EXPECT_TRUE(offers({"run", "--ulimit", ""}, "nofile="));
    EXPECT_TRUE(offers({"run", "-e", ""}, "LANG"));
    EXPECT_TRUE(offered({"run", "--hostname", ""}).empty());
    EXPECT_TRUE(offered({"run", "--read-only="}).empty()) << "it takes none";
}

TEST(Completion, FilesAreTheShells) {
    EXPECT_EQ(beside({"run", "--rootfs", "/s"}), std::pair(Beside::directories, size_t{0}));
    EXPECT_EQ(beside({"run", "--rootfs=/s"}), std::pair(Beside::directories, size_t{9}));
    EXPECT_EQ(beside({"run", "-v", ""}), std::pair(Beside::files, size_t{0}));
    EXPECT_EQ(beside({"check", ""}), std::pair(Beside::files, size_t{0}));
    EXPECT_EQ(beside({"run", "--seccomp", ""}), std::pair(Beside::files, size_t{0}));
    EXPECT_EQ(offered({"run", "--seccomp", ""}), (Words{"default", "off"}));
    EXPECT_EQ(beside({"run", "--hostname", ""}).first, Beside::nothing);
}

TEST(Completion, NamesAreOfContainers) {
    EXPECT_EQ(offered({"stop", ""}), (Words{"web", "db"}));
    EXPECT_EQ(offered({"stop", "web", ""}), (Words{"web", "db"})) << "several";
    EXPECT_EQ(offered({"stop", "-t", "3", ""}), (Words{"web", "db"}));
    EXPECT_EQ(offered({"logs", ""}), (Words{"web", "db"}));
    EXPECT_TRUE(offered({"logs", "web", ""}).empty()) << "one";
    EXPECT_EQ(offered({"stop", "--state-dir", "/elsewhere", ""}), Words{"other"});
    EXPECT_EQ(offered({"stop", "--state-dir=/elsewhere", ""}), Words{"other"});
    EXPECT_EQ(offered({"run", "--share-with", ""}), (Words{"web", "db"}));
}

// From the word where it begins; its own options and their values are none of ours.
TEST(Completion, ACommandIsACommandLineOfItsOwn) {
    EXPECT_EQ(beside({"run", ""}), std::pair(Beside::command, size_t{1}));
    EXPECT_EQ(beside({"run", "--pidns", "flat", "l"}), std::pair(Beside::command, size_t{3}));
    EXPECT_EQ(beside({"run", "-it", "--", "ls", "-"}), std::pair(Beside::command, size_t{3}));
    EXPECT_EQ(beside({"run", "ls", "--pidns="}), std::pair(Beside::command, size_t{1}));
    EXPECT_TRUE(offered({"run", "ls", "--"}).empty());
    EXPECT_EQ(beside({"exec", "web", ""}), std::pair(Beside::command, size_t{2}));
    EXPECT_EQ(beside({"exec", "-u", "1", "web", "ls", ""}), std::pair(Beside::command, size_t{4}));
    EXPECT_EQ(offered({"exec", ""}), (Words{"web", "db"}));
    EXPECT_EQ(beside({"exec", ""}).first, Beside::nothing);
}

TEST(Completion, LinesSayWhatTheShellAddsAndWhatEachWordIs) {
    const std::string lines = to_lines({{{"--x", "a\xC3\xA4"}, {"y", ""}}, Beside::files, 4});
    EXPECT_EQ(lines, ":files 4\n--x\ta\xC3\xA4\ny\n");
    EXPECT_EQ(to_lines({}), ":nothing 0\n");
    const std::string longer = to_lines({{{"x", std::string(30, 'a') + " " + std::string(60, 'b')}}, {}, 0});
    EXPECT_EQ(longer, ":nothing 0\nx\t" + std::string(30, 'a') + " ...\n");
}

}  // namespace
}  // namespace ctr::cmd
