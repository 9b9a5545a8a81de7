// What `ctr check` reads and prints, as values, and its tables.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cmd/check_format.h"
#include "cmd/check_options.h"
#include "runtime/check/probes.h"
#include "runtime/plan.h"
#include "runtime/rehearsal.h"

namespace ctr::cmd {
namespace {

using check::Answer;
using check::State;

const Answer answer{{{"namespaces", "user", State::yes, "", ""},
                     {"namespaces", "net", State::limited, "together only", ""},
                     {"fast path", "/li\x1b[b", State::no, "it is odd", "the monitor"}},
                    false};

TEST(CheckFormat, TextIsAlignedAndSafeForATerminal) {
    EXPECT_EQ(as_text(answer),
              "namespaces\n"
              "  user       yes\n"
              "  net        limited  together only\n"
              "fast path\n"
              "  /li\\x1b[b  no       it is odd\n"
              "                      > the monitor\n"
              "ctr run doesn't work here with its defaults.\n");
    EXPECT_EQ(as_text({{{"a", "a name of 19 bytes.", State::yes, "so", ""}, {"a", "b", State::yes, "so", ""}},
                       true}),
              "a\n"
              "  a name of 19 bytes.  yes      so\n"
              "  b                   yes      so\n"
              "ctr run works here.\n");
}

TEST(CheckFormat, JsonHasAllOfIt) {
    const auto json = nlohmann::json::parse(as_json(answer));
    EXPECT_EQ(json["works"], false);
    ASSERT_EQ(json["items"].size(), 3u);
    EXPECT_EQ(json["items"][2], (nlohmann::json{{"area", "fast path"},
                                                {"name", "/li\x1b[b"},
                                                {"state", "no"},
                                                {"reason", "it is odd"},
                                                {"advice", "the monitor"}}));
    EXPECT_EQ(json["items"][1]["state"], "limited");
    EXPECT_TRUE(nlohmann::json::accept(as_json({{{"a", "\xff", State::yes, "", ""}}, true})));
    EXPECT_TRUE(nlohmann::json::accept(as_json({{}, true})));
}

TEST(CheckOptions, EveryOptionIsRead) {
    const auto options = parse_check({"--json", "--rootfs", "/r", "a", "/b"});
    ASSERT_TRUE(options) << options.error().message();
    EXPECT_TRUE(options->json);
    EXPECT_FALSE(options->help);
    EXPECT_EQ(options->request.rootfs, "/r");
    EXPECT_EQ(options->request.files, (std::vector<std::string>{"a", "/b"}));
    EXPECT_TRUE(parse_check({"-h"})->help);
    EXPECT_FALSE(parse_check({"--nope"}));
    EXPECT_TRUE(parse_check({})->request.rootfs.empty());
}

TEST(CheckTable, NamesNothingTwice) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const check::Probe& probe : check::probes()) {
        EXPECT_TRUE(seen.emplace(probe.area, probe.name).second) << probe.area << ' ' << probe.name;
        EXPECT_NE(probe.look, nullptr);
    }
}

TEST(Findings, ReasonsNameTheCallAndItsCause) {
    const Error error{"step", "mount", EPERM, "it is hidden", "flat"};
    EXPECT_EQ(check::reason_of(error), "mount: EPERM: it is hidden");
    EXPECT_EQ(check::reason_of({"step", "", 0, "odd", ""}), "odd");
    EXPECT_EQ(check::reason_of({"step", "", 0, "", ""}), "step");
    const check::Finding found = check::finding(std::unexpected(error), "there", "other");
    EXPECT_EQ(found.state, State::no);
    EXPECT_EQ(found.advice, "flat");
    EXPECT_EQ(check::finding({}, "there", "other").advice, "");
}

// All that a launch does, but for the command.
TEST(Rehearsal, HasThePlanOfALaunch) {
    HostFacts facts;
    facts.initial_user_namespace = true;
    facts.uids = facts.gids = {{0, UINT32_MAX}};
    facts.effective = facts.bounding = ~uint64_t{0};
    facts.working_directory = "/";
    Spec spec;
    spec.command = {"true"};
    const auto launch = make_plan(spec, facts);
    spec.command.clear();
    EXPECT_FALSE(make_plan(spec, facts));
    spec.rehearse = true;
    const auto rehearsal = make_plan(spec, facts);
    ASSERT_TRUE(launch && rehearsal);
    EXPECT_EQ(launch->clone_flags, rehearsal->clone_flags);
    EXPECT_EQ(launch->filter.size(), rehearsal->filter.size());
    std::set<std::string> done;
    for (const Step& step : rehearsal->steps) done.insert(step.what);
    for (const Step& step : launch->steps) {
        const bool command = step.what.starts_with("find the command") || step.what.starts_with("execute");
        EXPECT_EQ(done.contains(step.what), !command) << step.what;
    }
    EXPECT_TRUE(std::holds_alternative<action::Finish>(rehearsal->steps.back().action));
    EXPECT_NE(rehearsal::life(PidMode::flat), rehearsal::life(PidMode::host));
}

}  // namespace
}  // namespace ctr::cmd
