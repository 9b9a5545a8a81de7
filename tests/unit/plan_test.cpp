#include "runtime/plan.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>

#include "runtime/caps.h"
#include "runtime/environment.h"
#include "tests/support/host_facts.h"

namespace ctr {
namespace {

using test::root_facts;

HostFacts user_facts() {
    HostFacts facts = root_facts();
    facts.uid = facts.gid = 1000;
    facts.effective = 0;
    return facts;
}

Spec spec_of(PidMode mode) {
    Spec spec;
    spec.command = {"ls", "-l"};
    spec.pidns = mode;
    return spec;
}

Plan plan_of(const Spec& spec, const HostFacts& facts) {
    auto plan = make_plan(spec, facts);
    EXPECT_TRUE(plan) << plan.error().message();
    return plan ? std::move(*plan) : Plan{};
}

// The position of the first step whose line in the description contains TEXT; -1 if there is none.
int position(const Plan& plan, const std::string& text) {
    const std::string lines = describe(plan);
    const size_t found = lines.find(text);
    if (found == std::string::npos) return -1;
    return static_cast<int>(
        std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
}

bool has(const Plan& plan, const std::string& text) {
    return position(plan, text) >= 0;
}

template <class Kind>
std::vector<const Kind*> all(const Plan& plan) {
    std::vector<const Kind*> found;
    for (const Step& step : plan.steps)
        if (const auto* action = std::get_if<Kind>(&step.action)) found.push_back(action);
    return found;
}

HostFacts facts_without_namespaces() {
    HostFacts facts = user_facts();
    facts.no_namespaces = "clone3: EPERM: a filter";
    return facts;
}

TEST(Plan, WhereThereAreNoNamespacesNothingIsDoneThatTakesOneAndThatIsSaid) {
    const Plan plan = plan_of(spec_of(PidMode::flat), facts_without_namespaces());
    EXPECT_EQ(plan.clone_flags, 0U);
    EXPECT_TRUE(all<action::WriteOwn>(plan).empty());
    EXPECT_TRUE(all<action::PrivateMounts>(plan).empty());
    EXPECT_TRUE(all<action::ReadOnly>(plan).empty());
    EXPECT_TRUE(all<action::ShowAsFirst>(plan).empty());
    EXPECT_TRUE(all<action::Unshare>(plan).empty());
    EXPECT_TRUE(all<action::DropBounding>(plan).empty()) << "there is no CAP_SETPCAP";
    EXPECT_EQ(all<action::InstallFilter>(plan).size(), 1U);
    ASSERT_EQ(plan.warnings.size(), 1U);
    for (const char* words : {"clone3: EPERM: a filter", "mount uts ipc cgroup", "Landlock"})
        EXPECT_NE(plan.warnings[0].find(words), std::string::npos) << plan.warnings[0];
    EXPECT_TRUE(plan_of(spec_of(PidMode::flat), user_facts()).warnings.empty());
}

TEST(Plan, WithoutAnIpcNamespaceLandlockKeepsAbstractSocketsApart) {
    const auto sockets = [](const Spec& spec, const HostFacts& facts) {
        const Plan plan = plan_of(spec, facts);
        const auto confined = all<action::Confine>(plan);
        EXPECT_EQ(confined.size(), 1U);
        return confined.size() == 1 && confined[0]->sockets;
    };
    Spec spec = spec_of(PidMode::flat);
    EXPECT_FALSE(sockets(spec, user_facts()));
    EXPECT_TRUE(sockets(spec, facts_without_namespaces()));
    spec.ipc = Scope::host;
    EXPECT_FALSE(sockets(spec, facts_without_namespaces()));
}

TEST(Plan, RootWithoutNamespacesStillBoundsItsCapabilities) {
    HostFacts facts = root_facts();
    facts.effective &= ~caps::bit(CAP_SYS_ADMIN);
    facts.no_namespaces = "clone3: EPERM: a filter";
    EXPECT_EQ(all<action::DropBounding>(plan_of(spec_of(PidMode::flat), facts)).size(), 1U);
}

TEST(Plan, ATerminalIsOpenedOnTheFinalDevAndBelongsToTheUserInside) {
    Spec spec = spec_of(PidMode::flat);
    spec.rootfs = "/";
    spec.user = User{7, 8};
    EXPECT_FALSE(has(plan_of(spec, root_facts()), "open a terminal"));
    spec.terminal = true;
    HostFacts facts = root_facts();
    facts.window = {24, 80};
    const Plan plan = plan_of(spec, facts);
    EXPECT_TRUE(has(plan, "open a terminal of its own [24 rows, 80 columns]"));
    ASSERT_EQ(all<action::OpenTerminal>(plan).size(), 1U);
    EXPECT_EQ(all<action::OpenTerminal>(plan)[0]->owner, 7U);
    EXPECT_LT(position(plan, "start a new session"), position(plan, "open a terminal"));
    EXPECT_LT(position(plan, "the root\n"), position(plan, "open a terminal"));
    EXPECT_LT(position(plan, "open a terminal"), position(plan, "become user"));
}

TEST(Plan, WithATerminalThereIsAlwaysATerm) {
    Spec spec = spec_of(PidMode::host);
    spec.terminal = true;
    HostFacts facts = root_facts();
    EXPECT_EQ(environment::find(plan_of(spec, facts).env, "TERM"), "vt100");
    facts.env = {"PATH=/bin"};
    EXPECT_EQ(environment::find(plan_of(spec, facts).env, "TERM"), "xterm");
    spec.terminal = false;
    EXPECT_FALSE(environment::find(plan_of(spec, facts).env, "TERM"));
}

// Also in a container that has none, and in a detached one, which can have none.
TEST(ExecPlan, ATerminalIsTheCommandsOwn) {
    Spec spec = spec_of(PidMode::flat);
    spec.registration = Registration{.root = {}, .name = "c", .detached = true, .remove = false};
    HostFacts facts = root_facts();
    std::erase(facts.env, "TERM=vt100");
    const Plan container = plan_of(spec, facts);
    ExecSpec exec;
    exec.command = {"sh"};
    const auto without = make_exec_plan(spec, facts, container, exec);
    ASSERT_TRUE(without) << without.error().message();
    EXPECT_TRUE(all<action::OpenTerminal>(*without).empty());
    EXPECT_FALSE(environment::find(without->env, "TERM"));
    exec.terminal = action::WindowSize{41, 97};
    exec.user = User{7, 8};
    const auto with = make_exec_plan(spec, facts, container, exec);
    ASSERT_TRUE(with) << with.error().message();
    ASSERT_EQ(all<action::OpenTerminal>(*with).size(), 1U);
    EXPECT_EQ(all<action::OpenTerminal>(*with)[0]->owner, 7U);
    EXPECT_EQ(all<action::OpenTerminal>(*with)[0]->size.columns, 97U);
    EXPECT_LT(position(*with, "start a new session"), position(*with, "open a terminal of its own"));
    EXPECT_EQ(environment::find(with->env, "TERM"), "xterm");
    exec.env = {{"TERM", "linux"}};
    EXPECT_EQ(environment::find(make_exec_plan(spec, facts, container, exec)->env, "TERM"), "linux");
}

TEST(Plan, LimitsAreSaid) {
    Spec spec = spec_of(PidMode::host);
    spec.limits.memory = 64 << 20;
    spec.limits.cpu = 50'000;
    spec.ulimits = {{RLIMIT_NOFILE, 100, 200}, {RLIMIT_CORE, 0, RLIM_INFINITY}};
    const Plan plan = plan_of(spec, root_facts());
    EXPECT_TRUE(has(plan, "limits: 64MiB of memory; 0.5 processors"));
    EXPECT_TRUE(has(plan, "limit resources [nofile=100:200 core=0:unlimited]"));
    EXPECT_LT(position(plan, "limit resources"), position(plan, "bound capabilities"));
    EXPECT_FALSE(has(plan_of(spec_of(PidMode::host), root_facts()), "limit"));
}

// The layer's filter comes first: a profile may forbid what its installation takes.
TEST(Plan, AProfileIsTheLastButTheCommand) {
    Spec spec = spec_of(PidMode::flat);
    EXPECT_TRUE(plan_of(spec, root_facts()).profile.filter.empty());
    spec.seccomp = "default";
    const Plan plan = plan_of(spec, root_facts());
    EXPECT_FALSE(plan.profile.filter.empty());
    EXPECT_LT(position(plan, "filter of the pid layer"), position(plan, "profile \"default\""));
    EXPECT_EQ(position(plan, "profile \"default\"") + 1, position(plan, "execute"));
    spec.no_new_privs = false;
    spec.pidns = PidMode::host;
    const Plan privileged = plan_of(spec, root_facts());
    EXPECT_LT(position(privileged, "profile \"default\""), position(privileged, "give up CAP_SYS_ADMIN"));
    spec.seccomp = "/no/such/file";
    EXPECT_FALSE(make_plan(spec, root_facts()));
}

const PidMode modes[] = {PidMode::flat, PidMode::kernel, PidMode::host};

TEST(Plan, NamespacesFollowModeNetworkAndPrivilege) {
    constexpr uint64_t always = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
    EXPECT_EQ(plan_of(spec_of(PidMode::flat), root_facts()).clone_flags, always);
    EXPECT_EQ(plan_of(spec_of(PidMode::host), root_facts()).clone_flags, always);
    EXPECT_EQ(plan_of(spec_of(PidMode::kernel), root_facts()).clone_flags, always | CLONE_NEWPID);
    EXPECT_EQ(plan_of(spec_of(PidMode::flat), user_facts()).clone_flags, always | CLONE_NEWUSER);
    Spec spec = spec_of(PidMode::host);
    spec.network = Network::none;
    EXPECT_EQ(plan_of(spec, root_facts()).clone_flags, always | CLONE_NEWNET);
    EXPECT_TRUE(has(plan_of(spec, root_facts()), "loopback"));
}

TEST(Plan, TheFilterAndItsKinBelongToFlatAlone) {
    for (const PidMode mode : modes) {
        const Plan plan = plan_of(spec_of(mode), root_facts());
        const bool flat = mode == PidMode::flat;
        EXPECT_EQ(!plan.filter.empty(), flat);
        EXPECT_EQ(has(plan, "install the filter"), flat);
        EXPECT_EQ(has(plan, "PR_SET_CHILD_SUBREAPER"), flat);
        EXPECT_EQ(has(plan, "keep signals inside"), flat);
        EXPECT_EQ(all<action::ShowAsFirst>(plan).size(), flat ? 1U : 0U);
    }
}

TEST(Plan, InsideAnotherLayerTheOuterOneSaysWhoIsFirst) {
    HostFacts facts = root_facts();
    facts.numbered = true;
    EXPECT_TRUE(all<action::ShowAsFirst>(plan_of(spec_of(PidMode::flat), facts)).empty());
}

TEST(Plan, SignalsAreScopedOnlyWhereTheKernelCan) {
    HostFacts facts = root_facts();
    facts.landlock_abi = 5;
    EXPECT_FALSE(has(plan_of(spec_of(PidMode::flat), facts), "keep signals inside"));
}

TEST(Plan, EndsWithTheFilterAndTheCommand) {
    const Plan plan = plan_of(spec_of(PidMode::flat), root_facts());
    ASSERT_GE(plan.steps.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<action::Execute>(plan.steps.back().action));
    EXPECT_TRUE(std::holds_alternative<action::InstallFilter>(plan.steps[plan.steps.size() - 2].action));
}

TEST(Plan, OrdersWhatDependsOnEachOther) {
    Spec spec = spec_of(PidMode::flat);
    spec.rootfs = "/";
    spec.user = User{1000, 1000};
    const Plan plan = plan_of(spec, root_facts());
    const char* const order[] = {"PR_SET_DUMPABLE",  "new session",         "mounts private",
                                 "bind the root",    "private /dev [",      "fresh /proc",
                                 "mask /proc/kcore", "links to /proc/1",    "\"/\" the root",
                                 "host's cgroups",   "bound capabilities",  "become user 1000",
                                 "die with",         "set capabilities",    "new privileges",
                                 "signals inside",   "enter the directory", "find the command",
                                 "reset signals",    "host's descriptors",  "filter",
                                 "execute \"ls\""};
    int last = 0;
    for (const char* text : order) {
        const int now = position(plan, text);
        EXPECT_GT(now, last) << text << "\n" << describe(plan);
        last = now;
    }
}

TEST(Plan, TheParentsDeathIsWatchedAgainAfterTheIdsChange) {
    Spec spec = spec_of(PidMode::host);
    spec.user = User{1000, 1000};
    const Plan plan = plan_of(spec, root_facts());
    EXPECT_GT(position(plan, "die with the supervisor"), position(plan, "become user"));
}

TEST(Plan, MapsComeFirst) {
    const Plan plan = plan_of(spec_of(PidMode::host), user_facts());
    EXPECT_EQ(position(plan, "[setgroups deny]"), 1);
    EXPECT_EQ(position(plan, "[gid_map 1000 1000 1]"), 2);
    EXPECT_EQ(position(plan, "[uid_map 1000 1000 1]"), 3);
}

TEST(Plan, TheHostsRootIsLeftAlone) {
    for (const PidMode mode : modes) {
        const Plan plan = plan_of(spec_of(mode), root_facts());
        EXPECT_TRUE(has(plan, "make all mounts private"));
        EXPECT_FALSE(has(plan, "mask /"));
        EXPECT_TRUE(all<action::PivotRoot>(plan).empty());
        EXPECT_EQ(all<action::Mount>(plan).size(), mode == PidMode::kernel ? 1U : 0U)
            << "a /proc for new numbers only";
    }
}

std::vector<action::Placement> one_placement() {
    std::vector<action::Placement> placements;
    placements.push_back({.target = "/lib/libc.so.6", .name = "libc.so.6", .copy = "/var/cache/copy"});
    return placements;
}

TEST(Plan, ImagesArePlacedOnPrivateMountsOnly) {
    const auto plan = make_plan(spec_of(PidMode::flat), root_facts(), one_placement());
    ASSERT_TRUE(plan);
    EXPECT_GT(position(*plan, "instrumented images in place [/lib/libc.so.6]"),
              position(*plan, "mounts private"));
    EXPECT_FALSE(has(plan_of(spec_of(PidMode::flat), root_facts()), "instrumented"));
}

// The copies lie outside; and a mount of the container's may hide an image.
TEST(Plan, InARootOfItsOwnImagesArePlacedLast) {
    Spec spec = spec_of(PidMode::flat);
    spec.rootfs = "/";
    const auto plan = make_plan(spec, root_facts(), one_placement());
    ASSERT_TRUE(plan);
    EXPECT_GT(position(*plan, "instrumented images in place"), position(*plan, "read-only"));
    EXPECT_EQ(position(*plan, "instrumented images in place"), position(*plan, "\"/\" the root") - 1);
}

TEST(Plan, ProcIsFreshWhereTheKernelPermitsAndBoundElsewhere) {
    struct Case {
        PidMode mode;
        HostFacts facts;
        bool fresh;
    };
    HostFacts inner_root = root_facts();
    inner_root.initial_user_namespace = false;
    const Case cases[] = {{PidMode::flat, root_facts(), true},   {PidMode::host, root_facts(), true},
                          {PidMode::flat, user_facts(), false},  {PidMode::host, user_facts(), false},
                          {PidMode::kernel, user_facts(), true}, {PidMode::flat, inner_root, false},
                          {PidMode::kernel, inner_root, true}};
    for (const Case& one : cases) {
        Spec spec = spec_of(one.mode);
        spec.rootfs = "/";
        const Plan plan = plan_of(spec, one.facts);
        EXPECT_EQ(has(plan, "mount a fresh /proc"), one.fresh) << describe(plan);
        EXPECT_EQ(has(plan, "bind the host's /proc"), !one.fresh) << describe(plan);
    }
}

TEST(Plan, ARootOfItsOwnHasPrivateDevicesThatNobodyCanMake) {
    Spec spec = spec_of(PidMode::flat);
    spec.rootfs = "/";
    const Plan plan = plan_of(spec, root_facts());
    EXPECT_EQ(all<action::BindDevice>(plan).size(), 6U);
    for (const action::Mount* mount : all<action::Mount>(plan))
        EXPECT_EQ((mount->attributes & MOUNT_ATTR_NODEV) != 0, mount->type != "devpts") << mount->target;
    EXPECT_TRUE(has(plan, "gid=5"));
    EXPECT_FALSE(has(plan_of(spec, user_facts()), "gid=5")) << "an id that isn't mapped";
}

TEST(Plan, AMissingRootIsNamed) {
    Spec spec = spec_of(PidMode::host);
    spec.rootfs = "/no/such/root";
    const auto plan = make_plan(spec, root_facts());
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().message().find("\"/no/such/root\""), std::string::npos);
    EXPECT_EQ(plan.error().err, ENOENT);
    spec.rootfs = "/dev/null";
    EXPECT_EQ(make_plan(spec, root_facts()).error().err, ENOTDIR);
}

TEST(Plan, RootKeepsTheDefaultCapabilitiesAndOthersNone) {
    const auto held = [](const Spec& spec, const HostFacts& facts) {
        const Plan plan = plan_of(spec, facts);
        return all<action::SetCapabilities>(plan).back()->effective;
    };
    Spec spec = spec_of(PidMode::host);
    EXPECT_EQ(held(spec, root_facts()), caps::defaults);
    EXPECT_EQ(held(spec, user_facts()), 0U);
    spec.user = User{0, 0};
    EXPECT_EQ(held(spec, user_facts()), caps::defaults) << "root of its user namespace";
    spec.user = User{1000, 1000};
    EXPECT_EQ(held(spec, root_facts()), 0U);
}

TEST(Plan, TheBoundingSetLosesAllThatIsNotChosen) {
    Spec spec = spec_of(PidMode::host);
    spec.cap_drop = {"ALL"};
    const HostFacts facts = root_facts();
    EXPECT_EQ(all<action::DropBounding>(plan_of(spec, facts)).at(0)->capabilities, facts.bounding);
    spec.cap_drop.clear();
    spec.cap_add = {"ALL"};
    EXPECT_TRUE(all<action::DropBounding>(plan_of(spec, facts)).empty());
}

TEST(Plan, CapabilitiesThatWouldBeOfNoUseAreRefused) {
    Spec spec = spec_of(PidMode::host);
    spec.user = User{1000, 1000};
    spec.cap_add = {"KILL"};
    const auto plan = make_plan(spec, root_facts());
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().message().find("user 1000"), std::string::npos);
    spec.no_new_privs = false;  // set-user-id programs can use what the bounding set has
    EXPECT_TRUE(make_plan(spec, root_facts()));
}

TEST(Plan, WithoutNoNewPrivsCapSysAdminStaysForTheFilterOnly) {
    Spec spec = spec_of(PidMode::flat);
    spec.no_new_privs = false;
    for (const HostFacts& facts : {root_facts(), user_facts()}) {
        const Plan plan = plan_of(spec, facts);
        const auto sets = all<action::SetCapabilities>(plan);
        ASSERT_EQ(sets.size(), 2U);
        EXPECT_NE(sets[0]->effective & caps::bit(CAP_SYS_ADMIN), 0U);
        EXPECT_EQ(sets[1]->effective & caps::bit(CAP_SYS_ADMIN), 0U);
        EXPECT_TRUE(sets[1]->after_filter);
        EXPECT_LT(position(plan, "filter of the pid layer"), position(plan, "give up CAP_SYS_ADMIN"));
        EXPECT_LT(position(plan, "give up CAP_SYS_ADMIN"), position(plan, "execute"));
        EXPECT_FALSE(has(plan, "PR_SET_NO_NEW_PRIVS"));
    }
    spec.no_new_privs = true;
    EXPECT_EQ(all<action::SetCapabilities>(plan_of(spec, root_facts())).size(), 1U);
}

TEST(Plan, TheDirectoryIsTheCallersOrTheRootsTop) {
    const auto directory = [](const Spec& spec) {
        return all<action::ChangeDirectory>(plan_of(spec, root_facts())).at(0)->target;
    };
    Spec spec = spec_of(PidMode::host);
    EXPECT_EQ(directory(spec), "/home/somebody");
    spec.rootfs = "/";
    EXPECT_EQ(directory(spec), "/");
    spec.workdir = "/var";
    EXPECT_EQ(directory(spec), "/var");
}

TEST(Plan, TheHostNameIsSetOnlyWhenAsked) {
    Spec spec = spec_of(PidMode::host);
    EXPECT_TRUE(all<action::SetHostname>(plan_of(spec, root_facts())).empty());
    spec.hostname = "box";
    EXPECT_TRUE(has(plan_of(spec, root_facts()), "host name to \"box\""));
}

TEST(Plan, IsMadeOfAValidSpecOnly) {
    EXPECT_FALSE(make_plan(Spec{}, root_facts()));
}

TEST(Environment, IsTheCallersOnTheHostsRoot) {
    Spec spec = spec_of(PidMode::host);
    spec.env = {{"LANG", "de"}, {"NEW", "1"}};
    EXPECT_EQ(environment::compose(spec, root_facts(), 0),
              (std::vector<std::string>{"PATH=/opt/bin:/bin", "HOME=/home/somebody", "TERM=vt100", "LANG=de",
                                        "NEW=1"}));
}

TEST(Environment, IsSmallInARootOfItsOwn) {
    Spec spec = spec_of(PidMode::host);
    spec.rootfs = "/r";
    const std::string path = "PATH=" + std::string(environment::usual_path);
    EXPECT_EQ(environment::compose(spec, root_facts(), 0),
              (std::vector<std::string>{path, "HOME=/root", "TERM=vt100"}));
    EXPECT_EQ(environment::compose(spec, root_facts(), 7),
              (std::vector<std::string>{path, "HOME=/", "TERM=vt100"}));
    spec.rootfs.clear();
    spec.env_clear = true;
    EXPECT_EQ(environment::compose(spec, root_facts(), 0),
              (std::vector<std::string>{path, "HOME=/home/somebody", "TERM=vt100"}));
}

TEST(Environment, CommandsAreLookedForInAbsoluteDirectoriesOnly) {
    using Files = std::vector<std::string>;
    EXPECT_EQ(environment::candidates("ls", "/bin:/usr/bin"), (Files{"/bin/ls", "/usr/bin/ls"}));
    EXPECT_EQ(environment::candidates("ls", ":.:/bin::bin:"), Files{"/bin/ls"});
    EXPECT_EQ(environment::candidates("ls", ""), Files{});
    EXPECT_EQ(environment::candidates("./ls", "/bin"), Files{"./ls"});
    EXPECT_EQ(environment::candidates("/x/ls", ""), Files{"/x/ls"});
}

TEST(Environment, TheCommandIsFoundThroughTheContainersPath) {
    Spec spec = spec_of(PidMode::host);
    spec.env = {{"PATH", "/only/here"}};
    const Plan plan = plan_of(spec, root_facts());
    EXPECT_EQ(all<action::FindCommand>(plan).at(0)->candidates, std::vector<std::string>{"/only/here/ls"});
    EXPECT_TRUE(has(plan, "in PATH (/only/here)"));
}

}  // namespace
}  // namespace ctr
