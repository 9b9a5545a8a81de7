// What is written down about containers: the state as a value, whatever the file may hold, and the names.
#include "runtime/state.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/control.h"

namespace ctr {
namespace {

using Json = nlohmann::ordered_json;

State sample() {
    State state;
    state.id = "web-1";
    state.status = LifeStatus::stopped;
    state.pid = HostPid(4711);
    state.bundle = "/srv/debian";
    state.created = "2026-12-01T08:00:00.000000001Z";
    state.started = "2026-12-01T08:00:01.000000001Z";
    state.finished = "2026-12-01T08:00:02.000000001Z";
    state.command = {"sh", "-c", "echo \"x\"\n"};
    state.pidns = "flat";
    state.detached = true;
    state.remove = true;
    state.stop_signal = 15;
    state.cgroups = {"/sys/fs/cgroup/ctr-1-a"};
    state.limits.memory = 64 << 20;
    state.limits.cpu = 50'000;
    state.limits.io_weight = 200;
    state.limits.io = {{.path = "/srv",
                        .write_bytes = 5,
                        .read_operations = 7,
                        .write_operations = 8,
                        .write_bytes_pace = {cgroup::Strategy::token, 9},
                        .write_operations_pace = {cgroup::Strategy::leaky, 0},
                        .latency = 10}};
    state.exit = Exit{143, 15};
    return state;
}

TEST(State, ComesBackAsItWasWritten) {
    const State state = sample();
    const auto read = parse_state(to_json(state));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(to_json(*read), to_json(state));
    EXPECT_EQ(read->command, state.command);
    EXPECT_EQ(read->pid, state.pid);
    EXPECT_EQ(read->limits, state.limits);
    ASSERT_TRUE(read->exit);
    EXPECT_EQ(read->exit->status, 143);
    EXPECT_EQ(read->exit->signal, 15);
}

TEST(State, HasTheFieldsOfTheOciRuntimeSpecification) {
    const Json object = Json::parse(to_json(sample()));
    EXPECT_EQ(object["ociVersion"], "1.0.2");
    EXPECT_EQ(object["id"], "web-1");
    EXPECT_EQ(object["status"], "stopped");
    EXPECT_EQ(object["pid"], 4711);
    EXPECT_EQ(object["bundle"], "/srv/debian");
    EXPECT_TRUE(object["annotations"].is_object());
}

TEST(State, WithoutAnExitNobodySawIt) {
    State state = sample();
    state.exit.reset();
    const auto read = parse_state(to_json(state));
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->exit);
}

TEST(State, ACommandMayHoldAnyBytes) {
    State state = sample();
    state.command = {"\xff\xfe", std::string("a\0b", 3)};
    EXPECT_TRUE(parse_state(to_json(state)));
}

TEST(State, WhatIsNoStateIsRefused) {
    for (const char* text : {"", "{", "[]", "null", "7", "\"x\"", "{}", "{\"id\":\"x\"}", "\xff\xff"})
        EXPECT_FALSE(parse_state(text)) << text;
    EXPECT_FALSE(parse_state(std::string(2U << 20, ' ') + to_json(sample())));
    EXPECT_FALSE(parse_state(std::string(100'000, '[')));
}

TEST(State, EveryFieldOfAnotherTypeOrRangeIsRefused) {
    const Json good = Json::parse(to_json(sample()));
    ASSERT_TRUE(parse_state(good.dump()));
    const Json others[] = {nullptr, Json::array({1}), Json::object(), -1, 1e300, Json("x\n")};
    for (const auto& [name, value] : good.items()) {
        if (name == "ociVersion" || name == "annotations" || name == "name") continue;
        for (const Json& other : others) {
            // Free text is no more than that.
            if (value.is_string() && other.is_string() && name != "id" && name != "status") continue;
            if (name == "limits" && other.is_object()) continue;  // nothing is limited
            Json bad = good;
            bad[name] = other;
            EXPECT_FALSE(parse_state(bad.dump())) << name << " " << other;
        }
        Json less = good;
        less.erase(name);
        if (name != "exitStatus" && name != "limits") {
            EXPECT_FALSE(parse_state(less.dump())) << name;
        }
    }
}

TEST(State, PathsOfLimitsNeedNotBeUtf8) {
    State state = sample();
    state.limits.io = {{.path = "/\xc3\xa4", .read_bytes = 1}, {.path = "/\xff\xe4", .read_bytes = 2}};
    const std::string text = to_json(state);
    const auto read = parse_state(text);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->limits, state.limits);
    const Json devices = Json::parse(text)["limits"]["devices"];
    EXPECT_EQ(devices[0]["path"], "/\xc3\xa4");
    EXPECT_FALSE(devices[0].contains("pathBytes")) << "what others can read is enough";
}

TEST(State, LimitsThatNobodyCouldHaveSetAreRefused) {
    const Json good = Json::parse(to_json(sample()));
    for (const char* limits : {R"({"memory":-1})", R"({"pids":"7"})", R"({"cpuQuota":1.5})",
                               R"({"devices":{}})", R"({"devices":[7]})", R"({"devices":[{"readBytes":1}]})",
                               R"({"devices":[{"path":"/","readBytes":-1}]})",
                               R"({"devices":[{"path":"/","writeBytesStrategy":"none"}]})"}) {
        Json bad = good;
        bad["limits"] = Json::parse(limits);
        EXPECT_FALSE(parse_state(bad.dump())) << limits;
    }
}

// What is left in them is killed, and they are removed, when nobody is left to do it.
TEST(State, OnlyGroupsThatCtrCouldHaveMadeAreTaken) {
    for (const char* path : {"", "ctr-1", "/sys/fs/cgroup", "/sys/fs/cgroup/system.slice", "/", "/ctr-1/..",
                             "/a/../ctr-1", "/sys/fs/cgroup/xctr-1"}) {
        State state = sample();
        state.cgroups = {path};
        EXPECT_FALSE(parse_state(to_json(state))) << path;
    }
}

TEST(Names, AreWhatCanBeADirectoryAndAWord) {
    for (const char* name : {"a", "7a", "web", "web-1.x_y", "A"}) EXPECT_TRUE(check_name(name)) << name;
    EXPECT_TRUE(check_name(std::string(64, 'a')));
    for (const char* name :
         {"", ".", "..", "-a", "_a", ".a", "a/b", "a b", "a\n", "../a", "\xc3\xa4", "a\x01"})
        EXPECT_FALSE(check_name(name)) << name;
    EXPECT_TRUE(check_name("4711")) << "there may be one of that name";
    EXPECT_FALSE(check_new_name("4711")) << "could be a process";
    EXPECT_TRUE(check_new_name("4711a"));
    EXPECT_FALSE(check_new_name("a b"));
    EXPECT_FALSE(check_name(std::string(65, 'a')));
    EXPECT_FALSE(check_name(std::string("a\0b", 3)));
}

TEST(Names, ThatAreMadeUpAreGoodAndDiffer) {
    EXPECT_TRUE(check_new_name(random_name().value()));
    EXPECT_NE(random_name().value(), random_name().value());
}

// ---- orders to execute a command

TEST(Order, ComesBackAsItWasSentWhateverItsBytes) {
    ExecSpec exec;
    exec.command = {"sh", "\xff\xc3\xa4\x80", "", "a\nb"};
    exec.env = {{"A", "\xfe"}, {"B", ""}};
    exec.workdir = "/\xe4";
    exec.user = User{1, 2};
    exec.terminal = action::WindowSize{41, 65535};
    exec.detached = true;
    const auto read = parse_exec(to_json(exec));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->command, exec.command);
    EXPECT_EQ(read->env, exec.env);
    EXPECT_EQ(read->workdir, exec.workdir);
    EXPECT_EQ(read->user->uid, 1U);
    EXPECT_EQ(read->user->gid, 2U);
    EXPECT_EQ(read->terminal->rows, 41U);
    EXPECT_EQ(read->terminal->columns, 65535U);
    EXPECT_TRUE(read->detached);
    EXPECT_FALSE(parse_exec(to_json(ExecSpec{}))->terminal);
    EXPECT_FALSE(parse_exec(to_json(ExecSpec{}))->detached);
}

TEST(Order, WhatIsNoneIsRefused) {
    for (const char* text :
         {"", "{}", "[]", R"({"command":[],"env":[]})", R"({"command":[1],"env":[],"workdir":""})",
          R"({"command":[],"env":["A"],"workdir":""})", R"({"command":{},"env":[],"workdir":""})",
          R"({"command":[],"env":[],"workdir":7})", R"({"command":[],"env":[],"workdir":"","user":[1]})",
          R"({"command":[],"env":[],"workdir":"","user":[-1,1]})",
          R"({"command":[],"env":[],"workdir":"","terminal":[1]})",
          R"({"command":[],"env":[],"workdir":"","terminal":[1,65536]})",
          R"({"command":[],"env":[],"workdir":"","detached":1})",
          R"({"command":[],"env":[],"workdir":"","user":[4294967295,1]})"})
        EXPECT_FALSE(parse_exec(text)) << text;
}

}  // namespace
}  // namespace ctr
