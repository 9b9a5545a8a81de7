// Whose a kept overlay is, also before its directory is there.
#include "runtime/overlay.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/support/process.h"

namespace ctr {
namespace {

namespace fs = std::filesystem;

class OverlayClaims : public testing::Test {
  protected:
    std::string upper() const { return scratch_.path() + "/upper"; }
    Plan plan() const {
        action::OverlayRoot overlay;
        overlay.upper = upper();
        overlay.work = upper() + ".work";
        Plan plan;
        plan.steps.push_back({"lay an overlay", std::move(overlay)});
        return plan;
    }
    static bool fresh(const Plan& plan) {
        return std::get<action::OverlayRoot>(plan.steps.front().action).fresh;
    }

    test::ScratchDirectory scratch_;
};

TEST_F(OverlayClaims, OfTwoStartsWithOneNewDirectoryOneGetsIt) {
    Plan first_plan = plan();
    std::optional first(OverlayClaim::make(first_plan));
    ASSERT_TRUE(*first) << first->error().message();
    EXPECT_TRUE(fresh(first_plan));
    fs::create_directories(upper() + "/empty");
    Plan second_plan = plan();
    {
        const auto second = OverlayClaim::make(second_plan);
        ASSERT_FALSE(second);
        EXPECT_NE(second.error().message().find("another container writes to it"), std::string::npos);
    }
    EXPECT_FALSE(fresh(second_plan));
    EXPECT_TRUE(fs::exists(upper() + "/empty")) << "it is the first one's";
    first.reset();
    EXPECT_TRUE(fs::is_empty(scratch_.path())) << "that one came to nothing";
}

TEST_F(OverlayClaims, WhatWasThereOrWasConfirmedStays) {
    Plan first_plan = plan();
    {
        auto first = OverlayClaim::make(first_plan);
        ASSERT_TRUE(first) << first.error().message();
        ASSERT_TRUE(first->confirm());
    }
    EXPECT_TRUE(fs::is_directory(upper()));
    Plan second_plan = plan();
    { ASSERT_TRUE(OverlayClaim::make(second_plan)); }
    EXPECT_FALSE(fresh(second_plan));
    EXPECT_TRUE(fs::is_directory(upper()));
}

}  // namespace
}  // namespace ctr
