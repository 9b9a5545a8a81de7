#include "cmd/options.h"

#include <gtest/gtest.h>

#include <csignal>

#include "cmd/life_options.h"
#include "cmd/limit_values.h"
#include "cmd/option_table.h"
#include "cmd/values.h"

namespace ctr::cmd {
namespace {

using Words = std::vector<std::string>;

RunOptions parsed(const Words& words, const Environment& environment = {}) {
    auto options = parse_run(words, environment);
    EXPECT_TRUE(options) << options.error().message();
    return options ? std::move(*options) : RunOptions{};
}

void expect_refused(const Words& words, const std::string& part) {
    const auto options = parse_run(words, {});
    ASSERT_FALSE(options) << part;
    EXPECT_NE(options.error().message().find(part), std::string::npos) << options.error().message();
    EXPECT_EQ(options.error().exit_code, 125);
}

TEST(RunOptions, DefaultsAreTheSpecs) {
    const RunOptions options = parsed({"true"});
    EXPECT_EQ(options.spec.command, Words{"true"});
    EXPECT_EQ(options.spec.pidns, PidMode::flat);
    EXPECT_EQ(options.spec.pid_fastpath, PidFastpath::automatic);
    EXPECT_EQ(options.spec.network, Network::host);
    EXPECT_EQ(options.spec.userns, UserNamespace::automatic);
    EXPECT_TRUE(options.spec.no_new_privs);
    EXPECT_FALSE(options.spec.user);
    EXPECT_EQ(options.spec.status_fd, -1);
    EXPECT_EQ(options.log.level, "info");
    EXPECT_EQ(options.log.format, LogFormat::text);
}

TEST(RunOptions, EndAtTheFirstWordThatIsNone) {
    EXPECT_EQ(parsed({"ls", "-l", "--help"}).spec.command, (Words{"ls", "-l", "--help"}));
    EXPECT_EQ(parsed({"--pidns", "host", "ls", "--pidns=flat"}).spec.command, (Words{"ls", "--pidns=flat"}));
    EXPECT_EQ(parsed({"--env-clear", "env", "--", "x"}).spec.command, (Words{"env", "--", "x"}));
}

TEST(RunOptions, EndAtTwoDashesWhichAreNotPartOfTheCommand) {
    EXPECT_EQ(parsed({"--", "-odd-name", "x"}).spec.command, (Words{"-odd-name", "x"}));
    EXPECT_EQ(parsed({"--pidns=host", "--", "--", "x"}).spec.command, (Words{"--", "x"}));
}

TEST(RunOptions, AValueMayLookLikeAnOption) {
    EXPECT_EQ(parsed({"-e", "-x=1", "ls"}).spec.env.at(0), (std::pair<std::string, std::string>("-x", "1")));
}

TEST(CountOptionWords, KnowsWhichOptionsTakeTheNextWord) {
    EXPECT_EQ(count_option_words({}), 0U);
    EXPECT_EQ(count_option_words({"ls"}), 0U);
    EXPECT_EQ(count_option_words({"-"}), 0U);
    EXPECT_EQ(count_option_words({"--", "ls"}), 0U);
    EXPECT_EQ(count_option_words({"--rootfs", "/", "ls"}), 2U);
    EXPECT_EQ(count_option_words({"--rootfs=/", "ls"}), 1U);
    EXPECT_EQ(count_option_words({"-w/", "ls"}), 1U);
    EXPECT_EQ(count_option_words({"-w", "/", "ls"}), 2U);
    EXPECT_EQ(count_option_words({"--no-new-privs", "false"}), 1U);
    EXPECT_EQ(count_option_words({"--env-clear", "--dry-run", "ls"}), 2U);
    EXPECT_EQ(count_option_words({"--rootfs"}), 1U);
}

TEST(RunOptions, EveryOptionIsRead) {
    const RunOptions options = parsed({"--pidns=kernel",
                                       "--rootfs",
                                       "/r",
                                       "-w",
                                       "/w",
                                       "--hostname",
                                       "h",
                                       "--env-clear",
                                       "-u",
                                       "1:2",
                                       "--userns=yes",
                                       "--network",
                                       "none",
                                       "--cap-add",
                                       "KILL",
                                       "--cap-add=CHOWN",
                                       "--cap-drop",
                                       "ALL",
                                       "--no-new-privs=false",
                                       "--device-read-bps",
                                       "/dev/a:10mb",
                                       "--device-write-iops=/dev/a:7",
                                       "--status-fd",
                                       "3",
                                       "--log-level",
                                       "debug",
                                       "--log-format=json",
                                       "--dry-run",
                                       "ls"});
    const Spec& spec = options.spec;
    EXPECT_EQ(spec.pidns, PidMode::kernel);
    EXPECT_EQ(spec.rootfs, "/r");
    EXPECT_EQ(spec.workdir, "/w");
    EXPECT_EQ(spec.hostname, "h");
    EXPECT_TRUE(spec.env_clear);
    ASSERT_TRUE(spec.user);
    EXPECT_EQ(spec.user->uid, 1U);
    EXPECT_EQ(spec.user->gid, 2U);
    EXPECT_EQ(spec.userns, UserNamespace::yes);
    EXPECT_EQ(spec.network, Network::none);
    EXPECT_EQ(spec.cap_add, (Words{"KILL", "CHOWN"}));
    EXPECT_EQ(spec.cap_drop, Words{"ALL"});
    EXPECT_FALSE(spec.no_new_privs);
    ASSERT_EQ(spec.limits.io.size(), 1U);
    EXPECT_EQ(spec.limits.io[0].path, "/dev/a");
    EXPECT_EQ(spec.limits.io[0].read_bytes, 10U << 20);
    EXPECT_EQ(spec.limits.io[0].write_operations, 7U);
    EXPECT_EQ(spec.status_fd, 3);
    EXPECT_EQ(options.log.level, "debug");
    EXPECT_EQ(options.log.format, LogFormat::json);
    EXPECT_TRUE(options.dry_run);
}

TEST(RunOptions, WhatHasANameOrGoesOnIsWrittenDown) {
    EXPECT_FALSE(parsed({"x"}).spec.registration);
    EXPECT_FALSE(parsed({"--rm", "x"}).spec.registration) << "nothing stays anyway";
    const auto named = parsed({"--name", "web", "x"}).spec.registration;
    ASSERT_TRUE(named);
    EXPECT_EQ(named->name, "web");
    EXPECT_EQ(named->root, "");
    EXPECT_FALSE(named->detached);
    EXPECT_TRUE(named->remove);
    const RunOptions detached = parsed({"-d", "--state-dir", "/t", "x"});
    EXPECT_TRUE(detached.detach);
    ASSERT_TRUE(detached.spec.registration);
    EXPECT_EQ(detached.spec.registration->root, "/t");
    EXPECT_TRUE(detached.spec.registration->detached);
    EXPECT_FALSE(detached.spec.registration->remove);
    EXPECT_TRUE(parsed({"-d", "--rm", "x"}).spec.registration->remove);
    EXPECT_FALSE(parsed({"--name=a", "--rm=false", "x"}).spec.registration->remove);
    expect_refused({"--rm=false", "x"}, "without a name");
    expect_refused({"--state-dir", "/t", "x"}, "isn't written down");
    expect_refused({"--name", "a/b", "x"}, "a/b");
    expect_refused({"--name", "", "x"}, "empty");
    expect_refused({"-d", "--die-with-parent", "x"}, "detached");
    expect_refused({"-d", "-t", "x"}, "detached");
}

TEST(RunOptions, AValueBehindEqualsOnlyIsNotTakenForTheCommand) {
    expect_refused({"--no-new-privs", "false", "--", "x"}, "--no-new-privs=false");
    expect_refused({"--rm", "false", "--", "x"}, "--rm=false");
    expect_refused({"--rootfs", "/r", "--overlay=", "x"}, "--overlay");
    EXPECT_EQ(parsed({"--no-new-privs", "false"}).spec.command, std::vector<std::string>{"false"});
    EXPECT_EQ(parsed({"--init", "env", "--", "x"}).spec.command.front(), "env");
}

TEST(RunOptions, ACapabilityThatIsNoneIsCorrected) {
    expect_refused({"--cap-add", "net_amin", "x"}, "did you mean NET_ADMIN?");
    expect_refused({"--cap-drop", "CAP_KIL", "x"}, "did you mean KILL?");
    EXPECT_EQ(parsed({"--cap-drop", "all", "--cap-add", "cap_kill", "x"}).spec.cap_drop.front(), "all");
}

TEST(RunOptions, ASignalIsANameOrANumber) {
    EXPECT_EQ(parsed({"x"}).spec.stop_signal, SIGTERM);
    for (const char* text : {"INT", "SIGINT", "int", "SigInt", "2"})
        EXPECT_EQ(parsed({"--stop-signal", text, "x"}).spec.stop_signal, SIGINT) << text;
    for (const char* text : {"", "0", "SIG", "SIGSIGINT", "65", "2x", "-2"})
        expect_refused({"--stop-signal", text, "x"}, "\"" + std::string(text) + "\"");
}

TEST(LifeOptions, ExecEndsItsOptionsAtTheName) {
    const LifeVerb& exec = life_verb("exec");
    const auto call = parse_life(exec, {"-u", "1", "--env=A=1", "web", "ls", "-u", "--help"});
    ASSERT_TRUE(call) << call.error().message();
    EXPECT_EQ(call->names, Words{"web"});
    EXPECT_EQ(call->command, (Words{"ls", "-u", "--help"}));
    EXPECT_EQ(call->given.of("user"), Words{"1"});
    EXPECT_EQ(parse_life(exec, {"web", "--", "ls"})->command, Words{"ls"});
    EXPECT_FALSE(parse_life(exec, {"web"}));
    EXPECT_FALSE(parse_life(exec, {}));
    EXPECT_TRUE(parse_life(exec, {"--help"})->help);
}

TEST(LifeOptions, EachVerbTakesItsNumberOfNames) {
    EXPECT_TRUE(parse_life(life_verb("list"), {"--json"}));
    EXPECT_FALSE(parse_life(life_verb("list"), {"web"}));
    EXPECT_FALSE(parse_life(life_verb("logs"), {"a", "b"}));
    EXPECT_FALSE(parse_life(life_verb("stop"), {}));
    EXPECT_EQ(parse_life(life_verb("stop"), {"a", "-t", "3", "b"})->names, (Words{"a", "b"}));
    EXPECT_EQ(parse_life(life_verb("rm"), {"a"})->state_directory, "");
    EXPECT_EQ(parse_life(life_verb("rm"), {"a", "--state-dir=/t"})->state_directory, "/t");
}

TEST(LifeOptions, UpdateTakesTheLimitsOfRun) {
    const auto call =
        parse_life(life_verb("update"), {"-m", "64m", "--cpus=0.5", "--device-write-iops", "/srv:7", "web"});
    ASSERT_TRUE(call) << call.error().message();
    EXPECT_EQ(call->names, Words{"web"});
    cgroup::Limits limits;
    ASSERT_TRUE(take_limits(call->given, limits));
    EXPECT_EQ(limits.memory, 64U << 20);
    EXPECT_EQ(limits.cpu, 50'000U);
    EXPECT_EQ(limits.pids, 0U);
    ASSERT_EQ(limits.io.size(), 1U);
    EXPECT_EQ(limits.io[0].write_operations, 7U);
    EXPECT_FALSE(parse_life(life_verb("update"), {"--hostname", "x", "web"})) << "that isn't one";
}

TEST(RunOptions, ADevicePathMayContainColons) {
    const auto limits = parsed({"--device-write-bps", "/dev/disk/by-path/pci-0:1:2:5mb", "x"}).spec.limits.io;
    ASSERT_EQ(limits.size(), 1U);
    EXPECT_EQ(limits[0].path, "/dev/disk/by-path/pci-0:1:2");
    EXPECT_EQ(limits[0].write_bytes, 5U << 20);
}

TEST(RunOptions, VariablesKeepCommasAndEqualSigns) {
    const auto env = parsed({"-eA=1,2", "--env", "B=x=y", "-e", "C=", "ls"}).spec.env;
    EXPECT_EQ(env, (std::vector<std::pair<std::string, std::string>>{{"A", "1,2"}, {"B", "x=y"}, {"C", ""}}));
}

TEST(RunOptions, AVariableWithoutValueIsTheCallers) {
    const auto env =
        parsed({"-e", "HERE", "-e", "ABSENT", "-e", "EMPTY", "ls"}, {"HERE=a=b", "EMPTY="}).spec.env;
    EXPECT_EQ(env, (std::vector<std::pair<std::string, std::string>>{{"HERE", "a=b"}, {"EMPTY", ""}}));
}

TEST(RunOptions, AUserWithoutGroupHasTheGroupOfTheSameNumber) {
    EXPECT_EQ(parsed({"-u1000", "x"}).spec.user->gid, 1000U);
}

TEST(RunOptions, WhatIsNotUnderstoodIsQuoted) {
    expect_refused({"--nope", "x"}, "nope");
    expect_refused({"--pidns"}, "pidns");
    expect_refused({"--pidns", "fancy", "x"}, "\"fancy\"");
    expect_refused({"--pidns=", "x"}, "\"\"");
    expect_refused({"--userns=maybe", "x"}, "\"maybe\"");
    expect_refused({"--network", "bridge", "x"}, "\"bridge\"");
    expect_refused({"--no-new-privs=1", "x"}, "\"1\"");
    expect_refused({"--log-level", "loud", "x"}, "\"loud\"");
    expect_refused({"--log-format", "xml", "x"}, "\"xml\"");
    expect_refused({"--rotfs", "/", "x"}, "did you mean --rootfs?");
    expect_refused({"--env-clear=yes", "x"}, "\"yes\"");
    expect_refused({"--dry-run=no", "x"}, "\"no\"");
    expect_refused({"-e", "", "x"}, "NAME=VALUE");
    expect_refused({"-e", "=v", "x"}, "\"=v\"");
    expect_refused({"--rootfs", "", "x"}, "empty");
    expect_refused({"--hostname=", "x"}, "empty");
    expect_refused({"--device-read-bps", "/dev/a", "x"}, "\"/dev/a\"");
    expect_refused({"--device-read-bps", "/dev/a:10q", "x"}, "\"10q\"");
    expect_refused({"--device-read-iops", "/dev/a:10mb", "x"}, "10mb");
}

// The parser is told of those options only that some word may mean.
TEST(RunOptions, EveryWayToMeanAnOptionIsKnown) {
    const auto joined = parsed({"-itv/a:/b", "-u", "5", "x"});
    EXPECT_TRUE(joined.spec.terminal);
    EXPECT_EQ(joined.spec.mounts.size(), 1U);
    EXPECT_EQ(joined.spec.user->uid, 5U);
    EXPECT_EQ(parsed({"-e", "--pidns=host", "x"}, {}).spec.pidns, PidMode::flat);
    EXPECT_EQ(parsed({"--pidns", "multi", "--pid-max=301", "x"}).spec.pid_max, 301U);
    EXPECT_EQ(parsed({"-e", "-u5", "-w/", "x"}, {"-u5=v"}).spec.workdir, "/");
    EXPECT_EQ(parsed({"-e-w=/x", "x"}).spec.env.front().first, "-w");
    expect_refused({"--pid", "x"}, "\"pid\"");
    expect_refused({"--pidnsx=host", "x"}, "\"pidnsx\"");
    expect_refused({"-iq", "x"}, "\"q\"");
}

TEST(RunOptions, TheFastPathIsAutomaticOrOff) {
    EXPECT_EQ(parsed({"--pid-fastpath=off", "x"}).spec.pid_fastpath, PidFastpath::off);
    EXPECT_EQ(parsed({"--pid-fastpath", "auto", "x"}).spec.pid_fastpath, PidFastpath::automatic);
    EXPECT_EQ(parsed({"--pid-fastpath=off", "--pidns=kernel", "x"}).spec.pid_fastpath, PidFastpath::off);
    expect_refused({"--pid-fastpath=on", "x"}, "\"on\"");
    expect_refused({"--pid-fastpath", "x"}, "\"x\"");
}

TEST(RunOptions, NumbersAreReadStrictlyAndWhole) {
    for (const char* text : {"10x", "x10", "", " 1", "1 ", "+1", "-1", "0x1", "1.0", "4294967295",
                             "99999999999999999999", "1:", ":1", "1:2:3", "1:x"})
        expect_refused({"--user", text, "x"}, "--user");
    for (const char* text : {"3x", "-1", "", "2147483648"})
        expect_refused({"--status-fd", text, "x"}, "--status-fd");
}

TEST(RunOptions, ACommandIsNeededUnlessHelpIsWanted) {
    expect_refused({}, "there is none");
    expect_refused({"--"}, "there is none");
    expect_refused({"--pidns=host"}, "there is none");
    EXPECT_TRUE(parsed({"--help"}).help);
    EXPECT_TRUE(parsed({"-h"}).help);
}

TEST(RunOptions, TheLastOfSeveralValuesHolds) {
    EXPECT_EQ(parsed({"--hostname", "a", "--hostname", "b", "x"}).spec.hostname, "b");
}

TEST(RunOptions, LimitsProfileAndTerminal) {
    const Spec spec = parsed({"-m", "64m", "--cpus=1.5", "--pids-limit", "20", "--ulimit", "nofile=1:2",
                              "--ulimit", "core=0", "--seccomp", "default", "-it", "sh"})
                          .spec;
    EXPECT_EQ(spec.limits.memory, 64U << 20);
    EXPECT_EQ(spec.limits.cpu, 150'000U);
    EXPECT_EQ(spec.limits.pids, 20U);
    EXPECT_EQ(spec.ulimits, (std::vector<Ulimit>{{RLIMIT_NOFILE, 1, 2}, {RLIMIT_CORE, 0, 0}}));
    EXPECT_EQ(spec.seccomp, "default");
    EXPECT_TRUE(spec.terminal);
    EXPECT_EQ(spec.command, Words{"sh"});
    EXPECT_FALSE(parsed({"-i", "sh"}).spec.terminal);
    EXPECT_EQ(parsed({"sh"}).spec.seccomp, "off");
}

// The spellings that users know from docker, podman and bubblewrap.
TEST(RunOptions, AreSpelledAsElsewhere) {
    const Words lines[] = {{"--rootfs", "/r", "--read-only"},
                           {"-v", "/a:/b", "-v", "/a:/c:ro"},
                           {"--bind", "/a:/b"},
                           {"--ro-bind", "/a:/b"},
                           {"--tmpfs", "/t"},
                           {"--tmpfs", "/t:size=1m"},
                           {"--hostname", "h"},
                           {"-u", "1"},
                           {"--user", "1:2"},
                           {"--userns", "yes"},
                           {"-w", "/w"},
                           {"--workdir", "/w"},
                           {"-e", "K=V"},
                           {"--env", "K=V"},
                           {"--env-clear"},
                           {"--cap-add", "KILL"},
                           {"--cap-drop", "KILL"},
                           {"--seccomp", "/file"},
                           {"--seccomp", "default"},
                           {"--seccomp", "off"},
                           {"--no-new-privs"},
                           {"-m", "1g"},
                           {"--memory", "1g"},
                           {"--cpus", "2"},
                           {"--pids-limit", "9"},
                           {"--ulimit", "core=0"},
                           {"--device-read-bps", "/dev/a:1mb"},
                           {"--device-write-bps", "/dev/a:1mb"},
                           {"--device-read-iops", "/dev/a:1"},
                           {"--device-write-iops", "/dev/a:1"},
                           {"--network", "host"},
                           {"--network", "none"},
                           {"-i"},
                           {"-t"},
                           {"-d"},
                           {"--detach"},
                           {"--rm"},
                           {"--name", "n"},
                           {"--init"},
                           {"--stop-signal", "INT"},
                           {"--status-fd", "3"}};
    for (Words line : lines) {
        const std::string first = line.front();
        line.insert(line.end(), {"--", "true"});
        const auto options = parse_run(line, {});
        EXPECT_TRUE(options) << first << ": " << (options ? "" : options.error().message());
    }
    EXPECT_TRUE(parsed({"true"}).spec.no_new_privs) << "on by default";
    EXPECT_EQ(parsed({"true"}).spec.network, Network::host) << "host by default";
}

TEST(RunOptions, BadLimitsAreQuoted) {
    expect_refused({"--memory", "12q", "sh"}, "\"12q\"");
    expect_refused({"--cpus", "two", "sh"}, "\"two\"");
    expect_refused({"--pids-limit", "0", "sh"}, "\"0\"");
    expect_refused({"--memory", "max", "sh"}, "\"max\"");
    expect_refused({"--blkio-weight", "-1", "sh"}, "\"-1\"");
    expect_refused({"--io-latency", "/:0", "sh"}, "\"0\"");
    expect_refused({"--ulimit", "files=1", "sh"}, "\"files\"");
    expect_refused({"--ulimit", "core=0", "--ulimit", "core=1", "sh"}, "contradict");
    expect_refused({"--seccomp", "", "sh"}, "--seccomp");
}

}  // namespace
}  // namespace ctr::cmd
