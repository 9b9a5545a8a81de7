// Which namespaces are a container's own, the caller's, or another process's.
#include "runtime/shared.h"

#include <gtest/gtest.h>

#include "cmd/options.h"
#include "runtime/caps.h"
#include "runtime/namespaces.h"
#include "runtime/plan.h"
#include "tests/support/host_facts.h"

namespace ctr {
namespace {

using test::root_facts;

Spec spec_of(const std::vector<std::string>& words) {
    const auto options = cmd::parse_run(words, {});
    EXPECT_TRUE(options) << options.error().message();
    return options ? options->spec : Spec{};
}

std::string refusal(const std::vector<std::string>& words) {
    const auto options = cmd::parse_run(words, {});
    return options ? "" : options.error().message();
}

void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    EXPECT_NE(refusal(words).find(part), std::string::npos) << refusal(words);
}

Plan plan_of(const Spec& spec, Shared shared = {}, const HostFacts& facts = root_facts()) {
    auto plan = make_plan(spec, facts, {}, std::move(shared));
    EXPECT_TRUE(plan) << plan.error().message();
    return plan ? std::move(*plan) : Plan{};
}

bool has(const Plan& plan, const std::string& text) {
    return describe(plan).find(text) != std::string::npos;
}

TEST(Scopes, WhatIsTheHostsIsNotMade) {
    EXPECT_EQ(plan_of(spec_of({"--ipc=host", "--uts=host", "true"})).clone_flags, uint64_t{CLONE_NEWNS});
    EXPECT_TRUE(has(plan_of(spec_of({"true"})), "hide the host's cgroups"));
    EXPECT_FALSE(has(plan_of(spec_of({"--cgroupns", "host", "true"})), "hide the host's cgroups"));
    expect_refused({"--ipc=mine", "true"}, "\"mine\"");
    expect_refused({"--uts=host", "--hostname", "box", "true"}, "--uts=host");
}

TEST(Scopes, TheHostsSharedMemoryComesWithItsIpcNamespace) {
    EXPECT_TRUE(has(plan_of(spec_of({"--rootfs=/", "--ipc=host", "true"})), "bind the host's /dev/shm"));
    EXPECT_TRUE(has(plan_of(spec_of({"--rootfs=/", "true"})), "private /dev/shm"));
}

TEST(Clocks, AreAheadByWhatIsSaid) {
    EXPECT_FALSE(spec_of({"--time=host", "true"}).clocks);
    const Spec spec = spec_of({"--time", "private,boottime=86400,monotonic=-5", "true"});
    EXPECT_TRUE(has(plan_of(spec), "time namespace of its own [monotonic -5 0, boottime 86400 0]"));
    for (const char* text : {"", "own", "private,", "private,boottime",
                             "private,boottime=", "private,boottime=1s", "private,x=1"})
        expect_refused({"--time=" + std::string(text), "true"}, "\"" + std::string(text) + "\"");
}

TEST(ShareWith, NamesAProcessAndKinds) {
    EXPECT_EQ(spec_of({"--share-with=7:mnt,net", "true"}).share_with->kinds,
              uint64_t{CLONE_NEWNS} | CLONE_NEWNET);
    EXPECT_EQ(spec_of({"--share-with", "7", "true"}).share_with->process, HostPid{7});
    expect_refused({"--share-with=7:mnt,nett", "true"}, "\"nett\" of \"7:mnt,nett\"");
    EXPECT_EQ(spec_of({"--share-with=7x:net", "true"}).share_with->name, "7x");
    for (const char* text : {"", "x y", "0", "-1"})
        expect_refused({"--share-with=" + std::string(text), "true"}, "--share-with");
    expect_refused({"--share-with=7:", "true"}, "\"7:\"");
}

TEST(ShareWith, MeansProcessNumbersUnderKernelOnly) {
    EXPECT_EQ(shared_kinds(spec_of({"true"})), 0U);
    EXPECT_EQ(shared_kinds(spec_of({"--share-with=7", "true"})), namespaces::all & ~uint64_t{CLONE_NEWPID});
    EXPECT_EQ(shared_kinds(spec_of({"--share-with=7", "--pidns=kernel", "true"})), namespaces::all);
    expect_refused({"--share-with=7:pid", "true"}, "--pidns=kernel");
    expect_refused({"--share-with=7:mnt", "--pidns=kernel", "true"}, "share pid as well");
}

TEST(ShareWith, GoesWithNothingThatWouldBeSetUpInWhatIsShared) {
    expect_refused({"--share-with=7", "--hostname=box", "true"}, "--hostname and a shared uts");
    expect_refused({"--share-with=7", "--rootfs=/", "true"}, "shared mount");
    expect_refused({"--share-with=7:mount", "--tmpfs=/tmp", "true"}, "shared mount");
    expect_refused({"--share-with=7:net", "--network=none", "true"}, "shared net");
    expect_refused({"--share-with=7:user", "--userns=yes", "true"}, "shared user");
    expect_refused({"--share-with=7:time", "--time=private", "true"}, "shared time");
    EXPECT_EQ(refusal({"--share-with=7:net", "--rootfs=/", "--hostname=box", "true"}), "");
}

TEST(ShareWith, MakesNoNewNamespaceOfAKindThatIsShared) {
    Shared shared;
    shared.kinds = CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
    shared.foreign = CLONE_NEWUTS;
    const Plan plan = plan_of(spec_of({"--share-with=7:uts,net,cgroup", "true"}), std::move(shared));
    EXPECT_EQ(plan.clone_flags, uint64_t{CLONE_NEWNS} | CLONE_NEWIPC);
    EXPECT_TRUE(has(plan, "joined namespaces: uts\n"));
    EXPECT_FALSE(has(plan, "hide the host's cgroups"));
}

TEST(Executing, IsInTheNamespacesThatWereMadeOrJoinedAndNoOthers) {
    Shared shared;
    shared.kinds = CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWIPC;
    shared.foreign = CLONE_NEWUTS;
    const Plan plan =
        plan_of(spec_of({"--share-with=7:uts,net,ipc", "--time=private", "true"}), std::move(shared));
    EXPECT_EQ(namespaces_of(plan), uint64_t{CLONE_NEWNS} | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWTIME);
    EXPECT_EQ(namespaces_of(plan_of(spec_of({"--cgroupns=host", "--ipc=host", "--uts=host", "true"}))),
              uint64_t{CLONE_NEWNS});
}

TEST(Executing, IsLimitedAsTheContainerIs) {
    const Spec spec = spec_of({"--seccomp=default", "--ulimit=nofile=64", "-t", "--init", "true"});
    const Plan container = plan_of(spec);
    ExecSpec exec;
    exec.command = {"id"};
    const auto plan = make_exec_plan(spec, root_facts(), container, exec);
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_TRUE(has(*plan, "limit resources"));
    EXPECT_TRUE(has(*plan, "profile \"default\""));
    EXPECT_EQ(plan->profile.filter.size(), container.profile.filter.size());
    EXPECT_FALSE(has(*plan, "terminal"));
    EXPECT_FALSE(has(*plan, "init as process 1"));
    EXPECT_EQ(plan->clone_flags, uint64_t{CLONE_PARENT});
}

TEST(Executing, InAJoinedUserNamespaceIsAnyUserOfIt) {
    const Spec spec = spec_of({"--share-with=7:user", "true"});
    Shared shared;
    shared.kinds = shared.foreign = CLONE_NEWUSER;
    shared.uids = shared.gids = {{0, 0, 10}};
    const Plan container = plan_of(spec, std::move(shared));
    ExecSpec exec;
    exec.command = {"id"};
    exec.user = User{7, 7};
    const auto plan = make_exec_plan(spec, root_facts(), container, exec);
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_TRUE(has(*plan, "become user 7 and group 7"));
    exec.user = User{77, 77};
    EXPECT_FALSE(make_exec_plan(spec, root_facts(), container, exec));
}

TEST(ShareWith, NothingIsMountedInASharedMountNamespace) {
    Shared shared;
    shared.kinds = shared.foreign = CLONE_NEWNS;
    const Plan plan = plan_of(spec_of({"--share-with=7:mount", "true"}), std::move(shared));
    EXPECT_FALSE(has(plan, "make all mounts private"));
    EXPECT_FALSE(has(plan, "read-only"));
    EXPECT_FALSE(has(plan, "/proc/1"));
    EXPECT_TRUE(has(plan, "enter the directory \"/\""));
}

TEST(ShareWith, AProcThatShowsOtherNumbersIsRefused) {
    Shared shared;
    shared.kinds = shared.foreign = CLONE_NEWNS;
    shared.same_pids = false;
    const auto plan =
        make_plan(spec_of({"--share-with=7:mount", "true"}), root_facts(), {}, std::move(shared));
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().message().find("another pid namespace"), std::string::npos);
}

Shared users(std::vector<IdMapping> map) {
    Shared shared;
    shared.kinds = shared.foreign = CLONE_NEWUSER;
    shared.uids = shared.gids = std::move(map);
    return shared;
}

TEST(ShareWith, InASharedUserNamespaceTheCallerIsWhoItIsThere) {
    HostFacts user = root_facts();
    user.uid = user.gid = 1000;
    user.effective = 0;
    const Spec spec = spec_of({"--share-with=7:user", "true"});
    const Plan same = plan_of(spec, users({{0, 1000, 1}}), user);
    EXPECT_FALSE(has(same, "become user"));
    EXPECT_FALSE(has(same, "uid_map"));
    EXPECT_EQ(same.clone_flags & CLONE_NEWUSER, 0U);
    // Root of the host is nobody in there.
    EXPECT_TRUE(has(plan_of(spec, users({{5, 1000, 1}})), "become user 5 and group 5"));
    const auto other =
        make_plan(spec_of({"--share-with=7:user", "--user=7", "true"}), user, {}, users({{0, 1000, 1}}));
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message().find("user 7"), std::string::npos);
}

}  // namespace
}  // namespace ctr
