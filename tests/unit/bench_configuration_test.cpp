#include "cmd/bench/configuration.h"

#include <gtest/gtest.h>

#include <random>

#include "cmd/bench/call.h"
#include "cmd/bench/workload.h"

namespace ctr::bench {
namespace {

Configuration parsed(const std::string& text) {
    auto configuration = parse_configuration(text);
    EXPECT_TRUE(configuration) << (configuration ? "" : configuration.error().message());
    return configuration ? std::move(*configuration) : Configuration{};
}

void expect_refused(const std::string& text, const std::string& part) {
    const auto configuration = parse_configuration(text);
    ASSERT_FALSE(configuration) << text;
    EXPECT_NE(configuration.error().message().find(part), std::string::npos)
        << configuration.error().message();
    EXPECT_NE(configuration.error().message().find(text), std::string::npos) << "it isn't quoted";
}

std::string line(const std::string& text) {
    return join_words(command_line(parsed(text), "/ctr", {"job", "-x"}));
}

TEST(BenchConfiguration, KindsAreCommandLines) {
    EXPECT_EQ(line("host"), "job -x");
    EXPECT_EQ(line("flat"), "/ctr run --pidns=flat --die-with-parent -- job -x");
    EXPECT_EQ(line("multi:list"), "/ctr run --pidns=multi --pid-lookup=list --die-with-parent -- job -x");
    EXPECT_EQ(line("unnumbered"), "/ctr run --pidns=host --die-with-parent -- job -x");
    for (const std::string& kind : kinds()) EXPECT_EQ(parsed(kind).name, kind);
}

TEST(BenchConfiguration, DepthIsContainersInContainers) {
    EXPECT_EQ(
        line("kernel@2"),
        "/ctr run --pidns=kernel --cap-add=SYS_ADMIN --die-with-parent -- /ctr run --pidns=kernel -- job -x");
    EXPECT_EQ(join_words(command_line(parsed("flat@2"), "ctr", {"x"}, false)),
              "ctr run --pidns=flat --die-with-parent -- ctr run --pidns=flat -- x");
    EXPECT_EQ(parsed("flat@31").depth, 31U);
    EXPECT_EQ(parsed("flat@1").name, "flat");
}

TEST(BenchConfiguration, NamespacesAreOnOrOff) {
    EXPECT_EQ(line("flat,-uts,+net,-ipc"),
              "/ctr run --pidns=flat --die-with-parent --uts=host --network=none --ipc=host -- job -x");
    const Configuration outside = parsed("host,+uts,+mnt");
    EXPECT_TRUE(outside.native());
    EXPECT_EQ(outside.namespaces, (Words{"+uts", "+mnt"}));
}

TEST(BenchConfiguration, OptionsOfTheContainerFollow) {
    const Configuration limited = parsed("limited=flat@2 -m 512m --device-write-bps '/a b:1gb'");
    EXPECT_EQ(limited.name, "limited");
    EXPECT_EQ(limited.options, (Words{"-m", "512m", "--device-write-bps", "/a b:1gb"}));
    EXPECT_EQ(line("x=flat -m 512m"), "/ctr run --pidns=flat --die-with-parent -m 512m -- job -x");
    EXPECT_TRUE(has_own_root(parsed("flat --rootfs /srv/debian")));
    EXPECT_FALSE(has_own_root(limited));
}

TEST(BenchConfiguration, AreTheSameReadAgain) {
    for (const char* text : {"host", "host,+uts", "flat@8,-uts,+net", "a.b-c=multi:list@3", "x=flat -m 512m",
                             "flat --tmpfs '/a b'", "kernel --env 'A=it'\\''s'"}) {
        const Configuration once = parsed(text);
        const Configuration twice = parsed(to_text(once));
        EXPECT_EQ(once.name, twice.name);
        EXPECT_EQ(once.options, twice.options);
        EXPECT_EQ(once.namespaces, twice.namespaces);
        EXPECT_EQ(std::pair(once.kind, once.depth), std::pair(twice.kind, twice.depth));
    }
}

TEST(BenchConfiguration, WhatIsntUnderstoodIsRefused) {
    expect_refused("", "it is empty");
    expect_refused("flta", "did you mean flat?");
    expect_refused("=flat", "is no name");
    expect_refused("a/b=flat", "is no name");
    expect_refused("flat@0", "0");
    expect_refused("flat@32", "32");
    expect_refused("flat@2x", "2x");
    expect_refused("flat@", "depth");
    expect_refused("host@2", "no depth");
    expect_refused("flat,uts", "neither +NAMESPACE nor -NAMESPACE");
    expect_refused("flat,+nope", "no kind of namespace");
    expect_refused("flat,-mnt", "isn't ctr run's to choose");
    expect_refused("host,-uts", "there is none to be without");
    expect_refused("host,+user", "by itself");
    expect_refused("host -m 1g", "takes no options");
    expect_refused("flat -m", "-m");
    expect_refused("flat --nope", "nope");
    expect_refused("flat true", "no option of ctr run");
    expect_refused("flat --", "no option of ctr run");
    expect_refused("flat -d", "in the foreground");
    expect_refused("flat --name x", "in the foreground");
    expect_refused("flat -t", "in the foreground");
    expect_refused("flat --dry-run", "in the foreground");
    expect_refused("flat 'a", "no second '");
    expect_refused("flat a\\", "backslash");
}

// Whatever comes in is taken or refused, and what is taken says the same again.
TEST(BenchConfiguration, HoldsWithAnyText) {
    std::mt19937 chance(11);
    const Words pieces{"flat", "multi:list", "host", "@", "8",  ",", "+",  "-",       "uts", "net",  "=",
                       " ",    "-m",         "1g",   "'", "\\", "x", "\"", "--tmpfs", "/t",  "\x80", "\n"};
    size_t taken = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (unsigned count = chance() % 8; count > 0; --count) text += pieces[chance() % pieces.size()];
        const auto configuration = parse_configuration(text);
        if (!configuration) continue;
        ++taken;
        const auto again = parse_configuration(to_text(*configuration));
        ASSERT_TRUE(again) << text << "\n" << again.error().message();
        EXPECT_EQ(to_text(*again), to_text(*configuration)) << text;
    }
    EXPECT_GT(taken, 100U);
}

TEST(BenchConfiguration, WordsAreSplitAsByAShell) {
    EXPECT_EQ(*split_words(" a  'b c' \"d'e\" f\\ g '' "), (Words{"a", "b c", "d'e", "f g", ""}));
    EXPECT_EQ(*split_words(join_words({"it's", "", "a b", "$x"})), (Words{"it's", "", "a b", "$x"}));
}

Result<Call> called(const Words& words) {
    return parse_call(words);
}

TEST(BenchCall, IsAVerbOptionsAndACommand) {
    const auto call = called({"run", "--rounds", "3", "-c", "flat", "--", "ls", "-l"});
    ASSERT_TRUE(call);
    EXPECT_EQ(call->verb, "run");
    EXPECT_EQ(call->operands, (Words{"ls", "-l"}));
    EXPECT_EQ(call->given.of("rounds"), Words{"3"});
    EXPECT_EQ(called({"--rounds=3", "run", "ls", "--help"})->operands, (Words{"ls", "--help"}));
    EXPECT_TRUE(called({"--help"})->help);
    EXPECT_FALSE(called({}));
    EXPECT_FALSE(called({"rnu"}));
    EXPECT_FALSE(called({"compare", "--rounds", "3", "a", "b"})) << "compare takes no rounds";
}

TEST(BenchCall, HostIsAlwaysThereAndTheReferenceComesFirst) {
    const auto names = [](const Words& words) {
        Words found;
        const auto all = take_configurations(called(words)->given);
        if (all)
            for (const Configuration& one : *all) found.push_back(one.name);
        return found;
    };
    EXPECT_EQ(names({"run", "x"}), (Words{"host", "flat", "multi", "kernel"}));
    EXPECT_EQ(names({"run", "-c", "flat", "x"}), (Words{"host", "flat"}));
    EXPECT_EQ(names({"run", "-c", "flat", "-c", "host", "x"}), (Words{"host", "flat"}));
    EXPECT_EQ(names({"run", "-c", "flat", "-c", "kernel", "--reference", "kernel", "x"}),
              (Words{"kernel", "host", "flat"}));
    EXPECT_EQ(names({"run", "--reference", "nope", "x"}), Words{});
}

TEST(BenchFigure, IsTheLastMatchOfItsPattern) {
    const Figure figure = *parse_figure("lps:higher=: ([0-9.]+) lps$");
    EXPECT_EQ(figure.metric.unit, "lps");
    EXPECT_EQ(figure.metric.better, Better::higher);
    EXPECT_EQ(**find_figure(figure, "spawn: 1.5 lps\nspawn: 579.1 lps\nbye\n"), 579.1);
    EXPECT_FALSE(find_figure(figure, "nothing of it")->has_value());
    EXPECT_EQ(parse_figure("s=([0-9]+)")->metric.better, Better::lower);
    EXPECT_FALSE(find_figure(*parse_figure("s=(.*)"), "1x")) << "no number";
    EXPECT_EQ(**find_figure(*parse_figure("s=x*([0-9]*)"), "42"), 42) << "it may also match nothing";
}

TEST(BenchFigure, IsRefusedIfItCantBeOne) {
    for (const char* text : {"", "lps", "=x", "lps=no group", "lps=([", "lps:up=(1)"})
        EXPECT_FALSE(parse_figure(text)) << text;
}

}  // namespace
}  // namespace ctr::bench
