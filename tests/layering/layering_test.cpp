#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/layering/include_graph.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

std::string lines(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations)
        text += violation.file + ":" + std::to_string(violation.line) + ": " + violation.why + "\n";
    return text;
}

TEST(Layering, TheTreeFollowsTheArrows) {
    ASSERT_GT(count_sources(CTR_SOURCE_DIRECTORY), 30u);
    EXPECT_EQ(lines(check_tree(CTR_SOURCE_DIRECTORY)), "");
}

struct Case {
    const char* file;
    const char* include;
    bool allowed;
};

class Arrow : public testing::TestWithParam<Case> {};

TEST_P(Arrow, IsJudged) {
    const auto [file, include, allowed] = GetParam();
    const auto violations = check_file(file, std::string("#pragma once\n#include ") + include + "\nint x;\n");
    EXPECT_EQ(violations.empty(), allowed) << file << " includes " << include << "\n" << lines(violations);
    for (const Violation& violation : violations) EXPECT_TRUE(violation.line == 2 || violation.line == 0);
}

INSTANTIATE_TEST_SUITE_P(Layering, Arrow,
                         testing::Values(Case{"cmd/run.cpp", "\"runtime/container.h\"", true},
                                         Case{"cmd/options.cpp", "\"cgroup/io_limit.h\"", true},
                                         Case{"runtime/container.cpp", "\"pidns/monitor/monitor.h\"", true},
                                         Case{"runtime/container.cpp", "\"cgroup/group.h\"", true},
                                         Case{"runtime/container.cpp", "\"cmd/options.h\"", false},
                                         Case{"runtime/base/error.cpp", "\"runtime/spec.h\"", false},
                                         Case{"runtime/base/error.cpp", "\"runtime/base/sys.h\"", true},
                                         Case{"pidns/monitor/monitor.cpp", "\"pidns/model/flat.h\"", true},
                                         Case{"pidns/monitor/monitor.cpp", "\"runtime/base/fd.h\"", true},
                                         Case{"pidns/monitor/monitor.cpp", "\"runtime/spec.h\"", false},
                                         Case{"pidns/monitor/monitor.cpp", "\"cgroup/group.h\"", false},
                                         Case{"pidns/surface/filter.cpp", "\"pidns/monitor/monitor.h\"",
                                              false},
                                         Case{"pidns/surface/filter.cpp", "<seccomp.h>", true},
                                         Case{"cgroup/v1.cpp", "\"pidns/surface/mark.h\"", false},
                                         Case{"cgroup/v1.cpp", "\"runtime/container.h\"", false},
                                         Case{"cgroup/v1.cpp", "\"runtime/base/error.h\"", true},
                                         Case{"pidns/model/flat.h", "<cstdint>", true},
                                         Case{"pidns/model/flat.h", "<atomic>", true},
                                         Case{"pidns/model/flat.h", "<vector>", false},
                                         Case{"pidns/model/flat.h", "<unistd.h>", false},
                                         Case{"pidns/model/flat.h", "\"runtime/base/ids.h\"", true},
                                         Case{"pidns/model/flat.h", "\"runtime/base/error.h\"", false},
                                         Case{"pidns/model/flat.h", "\"pidns/monitor/monitor.h\"", false},
                                         Case{"pidns/surface/mark.h", "<string>", false},
                                         Case{"pidns/surface/contents.cpp", "<string>", false},
                                         Case{"pidns/surface/contents.cpp", "<string_view>", true},
                                         Case{"pidns/surface/text.h", "\"pidns/surface/calls.h\"", false},
                                         Case{"runtime/plan.cpp", "\"spec.h\"", false},
                                         Case{"tests/conformance/wait.c", "\"conformance.h\"", true},
                                         Case{"tests/unit/plan_test.cpp", "\"runtime/plan.h\"", true},
                                         Case{"examples/embed.cpp", "\"runtime/container.h\"", true},
                                         Case{"examples/spawn.cpp", "\"pidns/surface/mark.h\"", false},
                                         Case{"somewhere/else.cpp", "<vector>", false}));

TEST(Layering, SpacingDoesNotHideAnInclude) {
    EXPECT_FALSE(check_file("cgroup/v1.cpp", "  #  include  \"runtime/spec.h\"").empty());
    EXPECT_TRUE(check_file("cgroup/v1.cpp", "// see #include \"runtime/spec.h\"").empty());
}

TEST(Layering, AViolationInATreeIsFound) {
    const ScratchDirectory top;
    for (const char* room : {"/cgroup", "/pidns", "/pidns/model", "/build"})
        std::filesystem::create_directory(top.path() + room);
    std::ofstream(top.path() + "/cgroup/fine.h") << "#include \"runtime/base/error.h\"\n";
    std::ofstream(top.path() + "/build/generated.h") << "#include \"nonsense\"\n";
    EXPECT_EQ(lines(check_tree(top.path())), "");
    std::ofstream(top.path() + "/cgroup/wrong.cpp") << "\n#include \"pidns/model/flat.h\"\n";
    std::ofstream(top.path() + "/pidns/model/hosted.h") << "#include <string>\n";
    const auto violations = check_tree(top.path());
    EXPECT_EQ(violations.size(), 2u) << lines(violations);
    EXPECT_EQ(count_sources(top.path()), 3u);
}

}  // namespace
}  // namespace ctr::test
