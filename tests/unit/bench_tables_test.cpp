// The tables and curves that are made from recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "cmd/bench/curves.h"
#include "cmd/bench/decimal.h"
#include "cmd/bench/digest.h"
#include "cmd/bench/io.h"
#include "cmd/bench/scaling.h"
#include "cmd/bench/seeds.h"
#include "cmd/bench/workloads.h"

namespace ctr::bench {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Ten rounds, in which each subject takes its factor times as long as the first.
Recording recording_of(const std::string& title, const Metric& metric,
                       const std::vector<std::pair<std::string, double>>& factors) {
    Recording recording;
    recording.plan.title = title;
    recording.plan.metrics = {metric};
    std::vector<Subject> subjects;
    for (const auto& [name, factor] : factors) subjects.push_back({name, "", false});
    recording.plan.subjects = with_again(subjects);
    recording.rounds = 10;
    recording.samples.resize(recording.plan.subjects.size());
    for (unsigned round = 0; round < recording.rounds; ++round)
        for (size_t i = 0; i < recording.samples.size(); ++i) {
            const double factor = i == 0 ? 1 : factors[i - 1].second;
            recording.samples[i].push_back({2 * factor * (1 + 0.001 * (round % 3))});
        }
    return recording;
}

TEST(BenchTables, SpreadHasTheLayoutOfIoThrottle) {
    const Recording recording =
        recording_of("mkfs", {"wall", "s", Better::lower}, {{"without", 1}, {"with", 1.5}});
    const std::string text = spread_table(recording, 0);
    EXPECT_TRUE(std::regex_search(text, std::regex("wall, s +min +avg +max +sdev +spread +overhead")));
    EXPECT_TRUE(std::regex_search(text, std::regex("without +2.000 +2.002 +2.004 +0.002 +0.004 +-\n")))
        << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("with +3.000 .* +50.0 % \\(50.0 to 50.0 %\\)"))) << text;
}

TEST(BenchTables, SpreadSaysWhoFailed) {
    Recording recording = recording_of("mkfs", {"wall", "s", Better::lower}, {{"without", 1}, {"with", 1}});
    recording.failures = {{2, 0, "it ended with 1"}};
    for (Sample& sample : recording.samples[2]) sample.clear();
    EXPECT_TRUE(contains(spread_table(recording, 0), "failed"));
}

TEST(BenchTables, IoHasItsSourceBelow) {
    Report report;
    EXPECT_EQ(io_digest(report), "");
    report.recordings = {
        recording_of(mkfs_title, {"wall", "s", Better::lower}, {{"no cgroup", 1}, {"limit", 1.25}})};
    const std::string text = io_digest(report);
    EXPECT_TRUE(contains(text, "25.0 % (25.0 to 25.0 %)"));
    EXPECT_TRUE(contains(text, "80.836")) << "what was found in 2009";
}

TEST(BenchTables, SeedsHaveThenAndNow) {
    const Seed& models = seeds().front();
    Report report;
    report.recordings = {
        recording_of("spawn", {"lps", "lps", Better::higher},
                     {{"host", 1}, {"multi:list", 0.5}, {"flat", 1}, {"multi", 0.9}, {"kernel", 1}})};
    const std::string text = seed_table(models, report);
    EXPECT_TRUE(std::regex_search(
        text,
        std::regex(
            "list multilevel +spawn, lps +579.1 +570.7 +1.5 % +2.00. \\(.*\\) +1.00. \\(.*\\) +50.0 % \\(")))
        << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\nflat +spawn, lps .* none measurable \\("))) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("execl, lps .* not measured"))) << text;
    report.skipped = {{"execl", "it isn't installed"}};
    EXPECT_TRUE(
        std::regex_search(seed_table(models, report), std::regex("execl, lps .* skipped, see below")));
}

TEST(BenchTables, SeedsAskForWorkloadsThatThereAre) {
    for (const Seed& seed : seeds())
        for (const Finding& finding : seed.findings) {
            const auto& all = built_in_workloads();
            EXPECT_TRUE(std::ranges::any_of(all, [&](const BuiltIn& one) {
                return std::string(one.name) == finding.workload;
            })) << finding.workload;
            // Those of ours, which need no package, also have the figure.
            const auto workload = make_workload(finding.workload, true);
            if (workload) {
                EXPECT_TRUE(std::ranges::any_of(
                    workload->figures,
                    [&](const Figure& figure) { return figure.metric.name == finding.metric; }))
                    << finding.workload << ": " << finding.metric;
            }
        }
}

TEST(BenchTables, SeedsAskForSubjectsThatAreMeasured) {
    for (const Seed& seed : seeds()) {
        const auto all = configurations_of(seed.against, "1");
        for (const Finding& finding : seed.findings)
            EXPECT_TRUE(std::ranges::any_of(
                all, [&](const Configuration& one) { return one.name == finding.subject; }))
                << seed.name << ": " << finding.subject;
    }
}

TEST(BenchTables, ScalingHasARowForEachPoint) {
    const Axis& axis = axes().front();
    Report report;
    EXPECT_EQ(scaling_table(axis, report), "");
    EXPECT_EQ(scaling_svg(axis, report), "");
    for (const unsigned depth : {1U, 8U})
        report.recordings.push_back(
            recording_of("depth " + std::to_string(depth), {"lps", "lps", Better::higher},
                         {{"host", 1}, {"flat", 0.8}, {"multi", 0.5}, {"kernel", 1}}));
    report.recordings[1].failures = {{4, 0, "no namespaces"}};
    const std::string text = scaling_table(axis, report);
    EXPECT_TRUE(std::regex_search(text, std::regex("\n1 +2.00. +1.60. +20.0 % .* 50.0 % .* none measurable")))
        << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\n8 .* failed, see below"))) << text;
    const std::string svg = scaling_svg(axis, report);
    for (const char* name : {">host<", ">flat<", ">multi<", ">kernel<", "<polyline"})
        EXPECT_TRUE(contains(svg, name));
}

TEST(BenchTables, DigestsAreInAllForms) {
    Report report;
    report.digests = {{"a <title>", "a <table>\n", "<svg>plot</svg>"}};
    EXPECT_TRUE(contains(as_text(report), "a <title>\na <table>\n"));
    EXPECT_TRUE(contains(as_html(report), "a &lt;table&gt;"));
    EXPECT_TRUE(contains(as_html(report), "<svg>plot</svg>"));
    const auto again = parse_report(as_json(report));
    ASSERT_TRUE(again) << again.error().message();
    ASSERT_EQ(again->digests.size(), 1U);
    EXPECT_EQ(again->digests[0].text, "a <table>\n");
}

TEST(BenchCurves, AreDrawnFromWhatThereIs) {
    EXPECT_EQ(curves_svg("t", "x", {1, 2}, {{"none", {std::nullopt, std::nullopt}}}), "");
    const std::string svg = curves_svg("a & b", "x", {1, 10, 100}, {{"one", {1.0, std::nullopt, 100.0}}});
    EXPECT_TRUE(contains(svg, "a &amp; b"));
    // The ends of both axes; values have a margin.
    EXPECT_TRUE(std::regex_search(svg, std::regex("polyline points=\"80\\.0,[0-9.]+ 630\\.0,[0-9.]+\"")))
        << svg;
    EXPECT_FALSE(contains(svg, "nan"));
    EXPECT_FALSE(contains(curves_svg("t", "x", {1}, {{"one", {1.0}}}), "nan")) << "a single point";
}

TEST(BenchDecimal, LogarithmsAreExactEnough) {
    EXPECT_NEAR(decimal_logarithm(1), 0, 1e-9);
    EXPECT_NEAR(decimal_logarithm(1000), 3, 1e-9);
    EXPECT_NEAR(decimal_logarithm(2), 0.30103, 1e-5);
    EXPECT_NEAR(decimal_logarithm(9.99), 0.999565, 1e-5);
    EXPECT_NEAR(decimal_logarithm(0.05), -1.30103, 1e-5);
}

}  // namespace
}  // namespace ctr::bench
