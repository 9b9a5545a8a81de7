// What help, man pages and completion have in common: each verb's text and options.
#include "cmd/manual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cmd/help.h"
#include "cmd/life_options.h"
#include "cmd/man_page.h"
#include "cmd/options.h"
#include "cmd/suggestion.h"

namespace ctr::cmd {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Manual, EveryVerbHasAllThatIsToBeSaid) {
    std::set<std::string> seen;
    for (const Manual& manual : manuals()) {
        EXPECT_TRUE(seen.insert(manual.verb).second) << manual.verb;
        EXPECT_STRNE(manual.summary, "") << manual.verb;
        EXPECT_STRNE(manual.description, "") << manual.verb;
        EXPECT_STRNE(manual.status, "") << manual.verb;
        EXPECT_FALSE(manual.examples.empty()) << manual.verb;
        std::istringstream others(manual.see_also);
        for (std::string verb; others >> verb;)
            EXPECT_NE(manual_of(verb), nullptr) << manual.verb << " points to " << verb;
    }
    for (const LifeVerb& verb : life_verbs()) EXPECT_TRUE(seen.contains(verb.name)) << verb.name;
    EXPECT_EQ(manual_of("nope"), nullptr);
}

// An example must be about the verb, and be a command line that it takes.
TEST(Manual, ExamplesAreRight) {
    for (const Manual& manual : manuals())
        for (const Example& example : manual.examples)
            EXPECT_TRUE(contains(example.line, std::string("ctr ") + manual.verb))
                << manual.verb << ": " << example.line;
    size_t tried = 0;
    for (const Manual* manual : {manual_of("run"), &overview()})
        for (const Example& example : manual->examples) {
            std::istringstream lines(example.line);
            for (std::string line; std::getline(lines, line);) {
                if (!line.starts_with("ctr run ") || contains(line, "'")) continue;
                std::istringstream split(line.substr(8));
                std::vector<std::string> words;
                for (std::string word; split >> word;) {
                    if (const size_t at = word.find("\"$PWD\""); at != std::string::npos)
                        word.replace(at, 6, "/here");
                    words.push_back(word);
                }
                const auto options = parse_run(words, {});
                EXPECT_TRUE(options) << line << "\n" << (options ? "" : options.error().message());
                ++tried;
            }
        }
    EXPECT_GT(tried, 10U);
}

TEST(Manual, TheOverviewTeachesWhatThereIs) {
    const std::string text = overview_text();
    for (const Manual& manual : manuals()) EXPECT_TRUE(contains(text, manual.summary)) << manual.verb;
    for (const char* task : {"bind", "overlay", "limit", "detach", "exec", "stop", "share", "nest", "check",
                             "--name", "-v ", "--overlay", "-m ", "--share-with", "--device-write-bps"})
        EXPECT_TRUE(contains(text, task)) << task;
}

TEST(Manual, HelpNamesEveryOptionAndFitsTheTerminal) {
    for (const Manual& manual : manuals()) {
        const std::string help = help_text(manual);
        for (const Option& option : *manual.options)
            EXPECT_TRUE(contains(help, std::string("--") + option.name)) << manual.verb << " " << option.name;
        EXPECT_TRUE(contains(help, "Usage: ctr " + std::string(manual.verb) + " [options]")) << help;
        EXPECT_TRUE(contains(help, "\nExamples:\n")) << help;
        EXPECT_TRUE(contains(help, "\nExit status: ")) << help;
        std::istringstream lines(help);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
    }
}

TEST(Manual, PagesHaveTheUsualSections) {
    std::vector<const Manual*> all{&overview()};
    for (const Manual& manual : manuals()) all.push_back(&manual);
    for (const Manual* manual : all) {
        const std::string page = man_page(*manual, "1.2.3");
        for (const char* section :
             {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"})
            EXPECT_TRUE(contains(page, std::string("\n.SH ") + section + "\n")) << manual->verb << section;
        for (const Option& option : *manual->options) {
            std::string name = option.name;
            for (size_t i = 0; (i = name.find('-', i)) != std::string::npos; i += 2)
                name.replace(i, 1, "\\-");
            EXPECT_TRUE(contains(page, "\\-\\-" + name)) << manual->verb << " " << name;
        }
        EXPECT_TRUE(contains(page, "ctr 1.2.3"));
    }
    EXPECT_TRUE(contains(man_page(*manual_of("run"), ""), "\n.SH FILES\n"));
    EXPECT_TRUE(contains(man_page(*manual_of("run"), ""), "\n.SH ENVIRONMENT\n"));
    EXPECT_FALSE(contains(man_page(*manual_of("image"), ""), "\n.SH FILES\n"));
    EXPECT_EQ(man_page_name(overview()), "ctr.1");
    EXPECT_EQ(man_page_name(*manual_of("run")), "ctr-run.1");
}

// A line that begins with a point or an apostrophe would be a request, a backslash an escape.
TEST(Manual, TextStaysTextInPages) {
    Manual manual = *manual_of("version");
    manual.description = ".SH EVIL\n'quoted' \\n";
    const std::string page = man_page(manual, "");
    EXPECT_TRUE(contains(page, "\n\\&.SH EVIL\n\\&\\(aqquoted\\(aq \\en\n")) << page;
}

// What completion offers for an option's value is what the option takes.
TEST(OptionTable, CandidatesAreTaken) {
    size_t tried = 0;
    for (const Option& option : run_options()) {
        std::istringstream candidates(option.candidates);
        for (std::string word; candidates >> word;) {
            if (word.starts_with('<')) continue;
            std::vector<std::string> words{std::string("--") + option.name + "=" + word};
            if (std::string(option.name) == "rm") words.insert(words.begin(), "--name=x");
            words.emplace_back("true");
            const auto options = parse_run(words, {});
            EXPECT_TRUE(options) << words.front() << ": " << (options ? "" : options.error().message());
            ++tried;
        }
    }
    EXPECT_GT(tried, 30U);
}

// ... and a value that is refused is told the same words.
TEST(OptionTable, CandidatesAreAllThatTheRefusalNames) {
    for (const char* name : {"pidns", "pid-lookup", "pid-fastpath", "network", "userns", "ipc", "uts",
                             "cgroupns", "log-level", "log-format", "no-new-privs", "rm"}) {
        const auto refused = parse_run({"--name=x", std::string("--") + name + "=nonsense", "true"}, {});
        ASSERT_FALSE(refused) << name;
        std::string words = by_name(run_options(), name)->candidates;
        for (size_t i = 0; (i = words.find(' ', i)) != std::string::npos; i += 2) words.replace(i, 1, ", ");
        EXPECT_EQ(refused.error().hint, "one of " + words) << name;
    }
}

TEST(Suggestion, IsTheNearestWord) {
    const std::vector<std::string_view> words{"run", "exec", "list", "inspect", "resume", "rm", "ps"};
    EXPECT_EQ(nearest("lsit", words), "list");
    EXPECT_EQ(nearest("rnu", words), "run");
    EXPECT_EQ(nearest("exce", words), "exec");
    EXPECT_EQ(nearest("resmue", words), "resume");
    EXPECT_EQ(nearest("ins", words), "inspect") << "a beginning";
    EXPECT_EQ(nearest("r", words), "") << "a beginning of several";
    EXPECT_EQ(nearest("walk", words), "");
    EXPECT_EQ(nearest("", words), "");
    EXPECT_EQ(nearest(std::string(100000, 'x'), words), "");
}

}  // namespace
}  // namespace ctr::cmd
