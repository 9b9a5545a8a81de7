// Calls about all processes of a user reach the container's only, though the host has others of the same
// user.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr uid_t somebody = 61235;

class Users : public testing::TestWithParam<Arguments> {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "skipped: only root can start processes of another user";
    }

    static Outcome in_container(const Arguments& command) {
        Arguments arguments = GetParam();
        arguments.emplace_back("--");
        arguments.insert(arguments.end(), command.begin(), command.end());
        return ctr_run(arguments);
    }

    // renice asks for the value before it sets it.
    static constexpr const char* renice = "renice -n 19 -u 61235";
};

TEST_P(Users, OfTheHostKeepTheirNiceValue) {
    RunOptions options;
    options.identity = Identity{somebody, somebody};
    const Background outside({"sh", "-c", "echo there; exec sleep 600"}, options);
    ASSERT_TRUE(outside.wait_for_output("there"));
    const Outcome outcome = in_container({"sh", "-c", renice});
    EXPECT_NE(outcome.code, 0) << outcome;
    EXPECT_NE(outcome.err.find("No such process"), std::string::npos) << outcome;
    EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(outside.pid())), getpriority(PRIO_PROCESS, 0));
}

TEST_P(Users, OfTheContainerGetTheirs) {
    const std::string as_somebody = "setpriv --reuid 61235 ";
    const Outcome outcome =
        in_container({"sh", "-c",
                      as_somebody + "sleep 600 & until grep -q '^Uid:.61235' /proc/$!/status; do :; done; " +
                          as_somebody + renice + " >/dev/null; echo $(ps -o ni= -p $!) $(ps -o ni= -p $$)"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "19 " + std::to_string(getpriority(PRIO_PROCESS, 0)) + "\n") << outcome;
}

INSTANTIATE_TEST_SUITE_P(Modes, Users,
                         testing::Values(Arguments{"--pidns=kernel"}, Arguments{"--pidns=flat"},
                                         Arguments{"--pidns=multi"},
                                         Arguments{"--pidns=flat", "--pid-fastpath=off"}));

}  // namespace
}  // namespace ctr::test
