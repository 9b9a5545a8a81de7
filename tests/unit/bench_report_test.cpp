#include "cmd/bench/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cmd/bench/plot.h"
#include "tests/support/process.h"

namespace ctr::bench {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Ten rounds of a host and of something that takes half as long again; one has failed.
Report sample_report() {
    Recording recording;
    Plan& plan = recording.plan;
    plan.title = "a <job>, \"quoted\"";
    plan.metrics = {
        {"wall", "s", Better::lower}, {"spawn", "lps", Better::higher}, {"start", "ms", Better::lower}};
    plan.subjects = with_again({{"host", "", false}, {"flat", "ctr run & co", false}, {"kernel", "", false}});
    plan.shown = {"wall", "spawn"};
    plan.seed = 42;
    recording.rounds = 10;
    recording.seconds = 12.3;
    recording.samples.resize(4);
    for (unsigned i = 0; i < recording.rounds; ++i) {
        const double jitter = 1 + 0.001 * (i % 3);
        recording.samples[0].push_back({2 * jitter, 600.0, 1.0});
        recording.samples[1].push_back({2.002 * jitter, 600.5, 1.001});
        recording.samples[2].push_back({(i == 4 ? 9 : 3) * jitter, 570.0, 5.0});
        recording.samples[3].push_back({});
    }
    recording.failures = {{3, 0, "run the command: it ended with status 1"}};
    recording.notes = {"flat: ctr: warning: something"};
    Report report;
    report.date = "2026-12-01T00:00:00Z";
    report.command = "ctr bench run -- job";
    report.machine.facts = {{"kernel", "Linux version 6.1 (x)", false},
                            {"cores", "4", false},
                            {"load before", "0.10 0.10 0.10", true},
                            {"load after", "1.00 0.10 0.10", true}};
    report.recordings = {recording};
    report.skipped = {{"dbench", "it isn't installed"}};
    return report;
}

TEST(BenchReport, TheTableHasValuesAndWhatTheyMean) {
    const std::string text = as_text(sample_report());
    EXPECT_TRUE(contains(text, "configuration  wall, s"));
    EXPECT_TRUE(contains(text, "spawn, lps"));
    EXPECT_TRUE(contains(text, "flat           3.003"));
    EXPECT_TRUE(contains(text, "  slowdown     50.0 % (50.0 to 50.0 %)  5.0 % (5.0 to 5.0 %)\n")) << text;
    EXPECT_TRUE(contains(text, "  noise        0.1 % (0.1 to 0.1 %)"));
    EXPECT_TRUE(contains(text, "5.0 times (5.0 to 5.0)")) << "of start";
    EXPECT_TRUE(contains(text, "failed"));
    EXPECT_TRUE(contains(text, "kernel failed in round 1: run the command: it ended with status 1"));
    EXPECT_TRUE(contains(text, "(higher is better: spawn)"));
    EXPECT_TRUE(contains(text, "wall, flat: 1 of 10, round 5\n")) << "the outlier";
    EXPECT_TRUE(contains(text, "seed 42"));
    EXPECT_TRUE(contains(text, "dbench\nskipped: it isn't installed"));
    EXPECT_TRUE(contains(text, "ctr: warning: something"));
    EXPECT_TRUE(contains(text, "\nMachine:\n  kernel       Linux version 6.1 (x)\n"));
    EXPECT_FALSE(contains(text, "Beware"));
}

TEST(BenchReport, ABusyMachineIsSaidToBeOne) {
    Report report = sample_report();
    report.machine.facts[2].value = "3.90 1 1";
    EXPECT_TRUE(contains(as_text(report), "Beware: the machine was busy"));
    EXPECT_TRUE(contains(as_html(report), "Beware: the machine was busy"));
}

TEST(BenchReport, AnInterruptedOneSaysSo) {
    Report report = sample_report();
    report.recordings[0].interrupted = true;
    EXPECT_TRUE(contains(as_text(report), "interrupted: this is what was measured until then"));
    report.recordings[0].rounds = 0;
    for (auto& samples : report.recordings[0].samples) samples.clear();
    EXPECT_TRUE(contains(as_text(report), "0 rounds"));
    EXPECT_FALSE(contains(as_text(report), "configuration"));
}

TEST(BenchReport, JsonIsReadAgain) {
    const Report report = sample_report();
    const std::string json = as_json(report);
    const auto again = parse_report(json);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(as_json(*again), json);
    EXPECT_EQ(as_text(*again), as_text(report));
}

TEST(BenchReport, JsonThatIsNoneOfOursIsRefused) {
    const std::string json = as_json(sample_report());
    for (const std::string& text : {std::string(), std::string("{}"), std::string("[1]"),
                                    std::string("{\"ctrBench\":1}"), json.substr(0, json.size() / 2)})
        EXPECT_FALSE(parse_report(text)) << text;
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = json;
        changed.replace(changed.find(from), from.size(), to);
        return parse_report(changed);
    };
    EXPECT_FALSE(with("\"rounds\": 10", "\"rounds\": 11"));
    EXPECT_FALSE(with("\"rounds\": 10", "\"rounds\": \"x\""));
    EXPECT_FALSE(with("\"subject\": 3", "\"subject\": 4"));
    EXPECT_FALSE(with("\"ctrBench\": 1", "\"ctrBench\": 2"));
    EXPECT_TRUE(with("\"rounds\": 10", "\"rounds\": 10 "));
}

TEST(BenchReport, CsvHasALineForEachSample) {
    const std::string csv = as_csv(sample_report());
    EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 30 + 30 + 30);
    EXPECT_TRUE(csv.starts_with("title,metric,unit,configuration,round,value,outlier\n"));
    EXPECT_TRUE(contains(csv, "\"a <job>, \"\"quoted\"\"\",wall,s,flat,5,9.009000000,1\n")) << csv;
    EXPECT_FALSE(contains(csv, "kernel"));
}

TEST(BenchReport, HtmlNeedsNothingElseAndEscapes) {
    const std::string html = as_html(sample_report());
    EXPECT_TRUE(contains(html, "a &lt;job&gt;, &quot;quoted&quot;"));
    EXPECT_TRUE(contains(html, "ctr run &amp; co"));
    EXPECT_FALSE(contains(html, "<job>"));
    EXPECT_FALSE(contains(html, "src="));
    EXPECT_FALSE(contains(html, "href="));
    EXPECT_FALSE(contains(html, "<script"));
    EXPECT_TRUE(contains(html, "class=\"outlier\""));
    EXPECT_TRUE(contains(html, "kernel: no value"));
}

// Thirty dots, inside of the picture.
TEST(BenchReport, PlotsShowEverySample) {
    const std::string svg = plot_svg(sample_report().recordings[0], 0);
    size_t dots = 0;
    for (size_t at = svg.find("<circle cx=\""); at != std::string::npos;
         at = svg.find("<circle cx=\"", at + 1)) {
        const double x = std::stod(svg.substr(at + 12));
        EXPECT_GE(x, 170);
        EXPECT_LE(x, 760);
        ++dots;
    }
    EXPECT_EQ(dots, 30U);
    Recording nothing = sample_report().recordings[0];
    for (auto& samples : nothing.samples)
        for (auto& sample : samples) sample.clear();
    EXPECT_EQ(plot_svg(nothing, 0), "");
    Recording equal = sample_report().recordings[0];
    for (auto& samples : equal.samples)
        for (auto& sample : samples) sample = {5.0, 0.0, 0.0};
    EXPECT_FALSE(contains(plot_svg(equal, 0), "nan"));
    EXPECT_FALSE(contains(plot_svg(equal, 1), "nan"));
}

TEST(BenchReport, GnuplotGetsQuotedText) {
    Report report = sample_report();
    report.recordings[0].plan.title = "it's\nquit";
    const std::string script = as_gnuplot(report, "svg", "/tmp/a'b");
    EXPECT_TRUE(contains(script, "set output '/tmp/a''b'\n"));
    EXPECT_TRUE(contains(script, "set title 'it''s quit'"));
}

TEST(BenchReport, TwoAreComparedWithTheirMachines) {
    const Report before = sample_report();
    Report after = sample_report();
    EXPECT_TRUE(contains(compare_text(before, after), "The machines' records are the same."));
    after.machine.facts[0].value = "Linux version 6.9 (x)";
    for (Sample& sample : after.recordings[0].samples[2]) sample[0] = *sample[0] * 1.2;
    after.recordings[0].plan.subjects[3].name = "other";
    const std::string text = compare_text(before, after);
    EXPECT_TRUE(contains(text, "Beware: the machines differ")) << text;
    EXPECT_TRUE(contains(text, "Linux version 6.9"));
    EXPECT_TRUE(contains(text, "wall, s     flat           3.003   3.604  20.0 % (")) << text;
    EXPECT_TRUE(contains(text, "wall, s     host           2.002   2.002  none measurable (within 0."))
        << text;
    EXPECT_FALSE(contains(text, "s     kernel"));
    after.recordings[0].plan.title = "something else";
    EXPECT_TRUE(contains(compare_text(before, after), "\"something else\" is only in the report after."));
    after = before;
    after.machine.facts[3].value = "7 7 7";
    EXPECT_FALSE(contains(compare_text(before, after), "the machines differ")) << "loads come and go";
}

TEST(BenchMachine, IsReadFromItsFiles) {
    const ctr::test::ScratchDirectory root;
    const auto put = [&](const std::string& name, const std::string& text) {
        const std::filesystem::path path = root.path() + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    };
    put("/proc/version", "Linux version 6.1.0-test (me) #1\n");
    put("/proc/cpuinfo", "processor : 0\nmodel name\t: A: chip\nflags\t\t: fpu hypervisor sse\n");
    put("/proc/meminfo", "MemTotal:        2097152 kB\n");
    put("/proc/loadavg", "1.50 2.00 3.00 1/200 4242\n");
    put("/proc/1/stat", "");
    put("/proc/42/stat", "");
    put("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux\"\n");
    put("/sys/devices/system/cpu/online", "0-3\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
    put("/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    put("/sys/fs/cgroup/cgroup.controllers", "cpu io\n");
    Machine machine = look_at_machine(root.path());
    const auto value = [&](const char* name) {
        return machine.find(name) == nullptr ? "?" : machine.find(name)->value;
    };
    EXPECT_EQ(value("kernel"), "Linux version 6.1.0-test (me) #1");
    EXPECT_EQ(value("processor"), "A: chip");
    EXPECT_EQ(value("memory"), "2048 MiB");
    EXPECT_EQ(value("load before"), "1.50 2.00 3.00");
    EXPECT_EQ(value("processes"), "2");
    EXPECT_EQ(value("system"), "Some Linux");
    EXPECT_EQ(value("governor"), "powersave");
    EXPECT_EQ(value("mitigations"), "meltdown: Mitigation: PTI");
    EXPECT_EQ(value("virtualisation"), "virtual machine, QEMU");
    EXPECT_EQ(value("cgroups"), "v2");
    put("/proc/loadavg", "0.10 2.00 3.00 1/200 4242\n");
    look_again(machine, root.path());
    EXPECT_EQ(value("load after"), "0.10 2.00 3.00");
    EXPECT_TRUE(contains(in_one_line(machine), "Linux 6.1.0-test"));
}

// What isn't there is said to be unknown, not left out.
TEST(BenchMachine, ARootWithoutFilesIsNoError) {
    const ctr::test::ScratchDirectory root;
    const Machine machine = look_at_machine(root.path());
    ASSERT_NE(machine.find("processor"), nullptr);
    EXPECT_EQ(machine.find("processor")->value, "?");
    EXPECT_EQ(machine.find("virtualisation")->value, "none");
    EXPECT_EQ(busy(machine), "");
}

}  // namespace
}  // namespace ctr::bench
