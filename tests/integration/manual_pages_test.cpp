// The man pages, as those who read and install them see them.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

class ManualPages : public testing::Test {
  protected:
    void SetUp() override {
        const Outcome written = run({ctr_binary(), "help", "--man-pages", directory_.path() + "/man1"});
        ASSERT_EQ(written.code, 0) << written;
        for (const auto& entry : fs::directory_iterator(directory_.path() + "/man1"))
            pages_.push_back(entry.path().string());
        ASSERT_GT(pages_.size(), 15U);
    }

    ScratchDirectory directory_;
    Arguments pages_;
};

// They have no date: the same source gives the same pages.
TEST_F(ManualPages, ALintHasNothingToSayButThatTheyHaveNoDate) {
    if (!available("mandoc")) GTEST_SKIP() << "there is no mandoc here";
    Arguments argv{"mandoc", "-Tlint", "-Wwarning"};
    argv.insert(argv.end(), pages_.begin(), pages_.end());
    std::istringstream said(run(argv).out);
    for (std::string line; std::getline(said, line);) EXPECT_TRUE(contains(line, "missing date")) << line;
}

TEST_F(ManualPages, GroffHasNothingToSay) {
    if (!available("man") || !available("groff")) GTEST_SKIP() << "there is no man or no groff here";
    RunOptions options;
    options.env = {{"MANWIDTH", "100"}, {"LC_ALL", "C.UTF-8"}};
    for (const std::string& page : pages_) {
        const Outcome shown = run({"man", "--warnings", "-l", page}, options);
        EXPECT_EQ(shown.code, 0) << page << shown;
        EXPECT_EQ(shown.err, "") << page;
        EXPECT_TRUE(contains(shown.out, "SEE ALSO")) << page;
    }
}

TEST_F(ManualPages, ArePrintedByHelpToo) {
    const Outcome page = run({ctr_binary(), "help", "--man", "run"});
    EXPECT_EQ(page.code, 0);
    EXPECT_TRUE(contains(page.out, ".SH SYNOPSIS")) << page;
    EXPECT_EQ(run({ctr_binary(), "help", "--man-pages", "/proc/nowhere"}).code, 125);
}

}  // namespace
}  // namespace ctr::test
