#include "runtime/plan.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <iterator>

#include "pidns/surface/filter.h"
#include "runtime/caps.h"
#include "runtime/environment.h"
#include "runtime/idmap.h"
#include "runtime/isolation.h"
#include "runtime/landlock.h"
#include "runtime/limiting.h"
#include "runtime/namespaces.h"
#include "runtime/rehearsal.h"
#include "runtime/rootfs.h"
#include "runtime/write_calls.h"

namespace ctr {

namespace {

constexpr mode_t usual_umask = 022;

// Everything that the builders below decide once and share.
struct Draft {
    const Spec& spec;
    const HostFacts& facts;
    const Shared& shared;
    idmap::Identity identity;
    uint64_t capabilities = 0;  // that the command may have
    Plan plan;

    void add(std::string what, Action action) { plan.steps.push_back({std::move(what), std::move(action)}); }
    void add(std::vector<Step> steps) {
        std::move(steps.begin(), steps.end(), std::back_inserter(plan.steps));
    }
    bool wants_numbers() const { return spec.pidns == PidMode::flat || spec.pidns == PidMode::multi; }

    // A process can have one notification listener only: inside another layer, numbering is left to that.
    bool monitored() const { return wants_numbers() && !facts.numbered; }

    // By a gate, if that turns out to be needed (limiting.h): only then the plan gets a filter for it.
    bool may_be_slowed() const { return may_slow_writers(spec, facts); }

    bool takes_filter() const { return monitored() || may_be_slowed(); }

    bool isolated() const { return facts.no_namespaces.empty(); }

    bool has_profile() const { return spec.seccomp != "off"; }

    // Landlock and seccomp want CAP_SYS_ADMIN from those who don't set no_new_privs.
    bool keeps_admin() const { return (takes_filter() || has_profile()) && !spec.no_new_privs; }

    // What an ipc namespace would keep apart, at least in part.
    bool scopes_sockets() const { return !isolated() && spec.ipc == Scope::own; }

    // Only root keeps capabilities through execve; the bounding set holds for programs that regain some.
    uint64_t held() const { return identity.uid == 0 ? capabilities : 0; }
};

pidns::Model model_for(const Spec& spec) {
    if (spec.pidns == PidMode::flat) return pidns::Model::flat;
    return spec.pid_lookup == PidLookup::list ? pidns::Model::list : pidns::Model::hash;
}

std::vector<pidns::CoveredFile> covered_by(const std::vector<action::Placement>& placements) {
    std::vector<pidns::CoveredFile> files;
    for (const action::Placement& placement : placements) {
        struct stat copy {};
        if (fstat(placement.expected.get(), &copy) == 0)
            files.push_back({placement.name, copy.st_dev, copy.st_ino});
    }
    return files;
}

Result<idmap::Identity> choose_identity(const Spec& spec, const HostFacts& facts, const Shared& shared) {
    return shared.joins(CLONE_NEWUSER) ? idmap::choose_shared(spec, facts, shared)
                                       : idmap::choose(spec, facts);
}

uint64_t all_capabilities(const HostFacts& facts) {
    return caps::bit(facts.last_capability + 1) - 1;
}

Result<uint64_t> choose_capabilities(const Spec& spec, const HostFacts& facts,
                                     const idmap::Identity& identity) {
    const uint64_t available =
        identity.other_user_namespace() ? all_capabilities(facts) : facts.effective & facts.bounding;
    if (!spec.cap_add.empty() && identity.uid != 0 && spec.no_new_privs)
        return fail_input(
            "choose capabilities",
            "user " + std::to_string(identity.uid) +
                " inside could not use them: a user other than 0 loses its capabilities when the command "
                "is executed, and no_new_privs keeps programs from regaining any",
            "--user 0, or leave --cap-add out");
    return caps::choose(spec.cap_add, spec.cap_drop, available);
}

uint64_t clone_flags(const Draft& draft) {
    const Spec& spec = draft.spec;
    if (!draft.isolated()) return 0;
    uint64_t flags = isolation::wanted(spec);
    if (draft.identity.new_user_namespace) flags |= CLONE_NEWUSER;
    const bool layer_makes_it = draft.wants_numbers() && draft.facts.numbered;
    if (spec.pidns == PidMode::kernel || layer_makes_it) flags |= CLONE_NEWPID;
    return flags & ~draft.shared.kinds;
}

void add_process_steps(Draft& draft) {
    draft.add(idmap::map_steps(draft.identity, draft.facts));
    // Before the next step, which closes timens_offsets too.
    if (const auto& clocks = draft.spec.clocks)
        draft.add("enter a time namespace of its own",
                  action::EnterOwnTime{"monotonic " + std::to_string(clocks->monotonic) + " 0\nboottime " +
                                       std::to_string(clocks->boottime) + " 0"});
    // CVE-2016-9962: while descriptors of the host are open, no process of the container may look into this
    // one. execve of the command makes it dumpable again.
    draft.add("close this process to others", action::Control{PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE"});
    draft.add("start a new session", action::NewSession{});
    if (draft.monitored())
        draft.add("adopt orphans", action::Control{PR_SET_CHILD_SUBREAPER, 1, "PR_SET_CHILD_SUBREAPER"});
}

void add_namespace_steps(Draft& draft) {
    // After the parent has put this process into its cgroup, so that the new namespace's root is that one.
    if (draft.isolated() && draft.spec.cgroupns == Scope::own && (draft.shared.kinds & CLONE_NEWCGROUP) == 0)
        draft.add("hide the host's cgroups", action::Unshare{CLONE_NEWCGROUP});
    if (!draft.spec.hostname.empty())
        draft.add("set the host name to \"" + draft.spec.hostname + "\"",
                  action::SetHostname{draft.spec.hostname});
    if (draft.spec.network == Network::none)
        draft.add("bring the loopback interface up", action::LoopbackUp{});
}

void add_resource_steps(Draft& draft, action::WindowSize window) {
    if (draft.spec.terminal)
        draft.add("open a terminal of its own", action::OpenTerminal{draft.identity.uid, window});
    if (!draft.spec.ulimits.empty()) draft.add("limit resources", action::LimitResources{draft.spec.ulimits});
}

void add_privilege_steps(Draft& draft) {
    const idmap::Identity& identity = draft.identity;
    const uint64_t bounding =
        identity.other_user_namespace() ? all_capabilities(draft.facts) : draft.facts.bounding;
    // Who lacks the privilege to make namespaces may lack this one, too. Then no_new_privs has to do.
    const bool may_bound = draft.isolated() || (draft.facts.effective & caps::bit(CAP_SETPCAP)) != 0;
    if (const uint64_t surplus = bounding & ~draft.capabilities; surplus != 0 && may_bound)
        draft.add("bound capabilities", action::DropBounding{surplus});
    if (identity.change)
        draft.add(
            "become user " + std::to_string(identity.uid) + " and group " + std::to_string(identity.gid),
            action::SetIds{identity.clear_groups, identity.uid, identity.gid});
    draft.add("die with the supervisor", action::DieWithParent{});
    const uint64_t until_filter = draft.keeps_admin() ? caps::bit(CAP_SYS_ADMIN) : 0;
    draft.add("set capabilities", caps::set_exactly(draft.held() | until_filter, false));
    if (draft.spec.no_new_privs)
        draft.add("forbid new privileges", action::Control{PR_SET_NO_NEW_PRIVS, 1, "PR_SET_NO_NEW_PRIVS"});
}

// A scope is of one process and what descends from it: a command that is executed later would be in another,
// and could neither signal the container's processes nor be signalled by them.
void add_signal_scope(Draft& draft) {
    if (draft.monitored() && draft.facts.landlock_abi >= landlock::signal_scope_abi)
        draft.add(draft.scopes_sockets() ? "keep signals and abstract sockets inside" : "keep signals inside",
                  action::Confine{draft.scopes_sockets()});
}

void find_command(Draft& draft) {
    const std::string& name = draft.spec.command.front();
    const auto path = environment::find(draft.plan.env, "PATH").value_or("");
    const bool searched = name.find('/') == std::string::npos;
    draft.add("find the command \"" + name + "\"" + (searched ? " in PATH (" + path + ")" : ""),
              action::FindCommand{environment::candidates(name, path), searched});
}

bool starts_where_the_caller_is(const Draft& draft) {
    return draft.spec.rootfs.empty() && !draft.shared.joins(CLONE_NEWNS);
}

void add_command_steps(Draft& draft) {
    const Spec& spec = draft.spec;
    std::string directory = spec.workdir;
    if (directory.empty())
        directory = starts_where_the_caller_is(draft) ? draft.facts.working_directory : "/";
    draft.add("enter the directory \"" + directory + "\"", action::ChangeDirectory{directory});
    draft.add("set the umask", action::SetUmask{usual_umask});

    if (!spec.rehearse) find_command(draft);
    draft.add("reset signals", action::ResetSignals{});
    draft.add("close the host's descriptors", action::CloseDescriptors{});
    // execve of a command would do that; the monitor must be able to look.
    if (spec.rehearse)
        draft.add("open this process to the monitor", action::Control{PR_SET_DUMPABLE, 1, "PR_SET_DUMPABLE"});
    if (draft.takes_filter())
        draft.add(draft.monitored() ? "install the filter of the pid layer"
                                    : "install the filter of the write throttle, if it is needed",
                  action::InstallFilter{});
    // Before the profile, which may forbid what an init does.
    if (spec.init)
        draft.add("leave an init as process 1", action::LeaveInit{caps::set_exactly(draft.held(), true)});
    if (draft.has_profile())
        draft.add("allow only the system calls of the profile \"" + spec.seccomp + "\"",
                  action::InstallProfile{});
    // A larger set is left in one case only; what is wanted then is made true after the last user of
    // CAP_SYS_ADMIN.
    if (draft.keeps_admin()) draft.add("give up CAP_SYS_ADMIN", caps::set_exactly(draft.held(), true));
    if (spec.rehearse)
        draft.add("rehearse", action::Finish{rehearsal::life(spec.pidns)});
    else
        draft.add("execute \"" + spec.command.front() + "\"", action::Execute{});
}

}  // namespace

Result<Plan> make_plan(const Spec& spec, const HostFacts& facts, std::vector<action::Placement> placements,
                       Shared shared) {
    if (const auto valid = validate(spec); !valid) return std::unexpected(valid.error());
    if (!facts.own_proc && !facts.numbered && spec.pidns != PidMode::kernel)
        return fail_input(
            "look at processes in /proc",
            "the /proc that is mounted here shows another pid namespace: its numbers mean other processes",
            "mount -t proc proc /proc (unshare has --mount-proc), or --pidns=kernel");
    if ((shared.kinds & CLONE_NEWNS) != 0 && (shared.kinds & CLONE_NEWPID) == 0 && !shared.same_pids)
        return fail_input("join the mount namespace",
                          "its /proc shows another pid namespace: its numbers mean other processes",
                          "--pidns=kernel, which shares that namespace too");
    const auto identity = choose_identity(spec, facts, shared);
    if (!identity) return std::unexpected(identity.error());
    const auto capabilities = choose_capabilities(spec, facts, *identity);
    if (!capabilities) return std::unexpected(capabilities.error());

    Draft draft{spec, facts, shared, *identity, *capabilities, {}};
    draft.plan.clone_flags = clone_flags(draft);
    draft.plan.uids = identity->uids;
    draft.plan.gids = identity->gids;
    draft.plan.argv = spec.command;
    draft.plan.env = environment::compose(spec, facts, identity->uid);
    if (draft.monitored()) {
        draft.plan.numbered = true;
        draft.plan.filter = pidns::filter();
        draft.plan.monitor.model = model_for(spec);
        if (spec.pid_max != 0) draft.plan.monitor.pid_max = spec.pid_max;
        draft.plan.monitor.covered = covered_by(placements);
    }
    if (draft.has_profile()) {
        const auto profile = seccomp::find(spec.seccomp);
        if (!profile) return std::unexpected(profile.error());
        auto program = seccomp::compile(*profile, {draft.capabilities, facts.kernel});
        if (!program) return std::unexpected(program.error());
        draft.plan.profile = std::move(*program);
    }
    draft.plan.limits = spec.limits;
    const rootfs::Situation situation{identity->other_user_namespace()};
    if (!draft.isolated()) draft.plan.warnings.push_back(isolation::remark(spec, facts));
    auto root = (shared.kinds & CLONE_NEWNS) != 0 || !draft.isolated()
                    ? std::vector<Step>()
                    : rootfs::steps(spec, facts, situation, std::move(placements));
    if (!root) return std::unexpected(root.error());

    add_process_steps(draft);
    draft.add(std::move(*root));
    add_namespace_steps(draft);
    add_resource_steps(draft, facts.window);
    add_privilege_steps(draft);
    add_signal_scope(draft);
    add_command_steps(draft);
    draft.plan.shared = std::move(shared);
    return std::move(draft.plan);
}

Result<Plan> make_exec_plan(const Spec& spec, const HostFacts& facts, const Plan& container,
                            const ExecSpec& exec) {
    const auto first = choose_identity(spec, facts, container.shared);
    if (!first) return std::unexpected(first.error());
    const auto capabilities = choose_capabilities(spec, facts, *first);
    if (!capabilities) return std::unexpected(capabilities.error());

    Spec changed = spec;
    changed.command = exec.command;
    changed.init = false;
    changed.registration.reset();  // what a detached container can't have, such as a terminal, this may
    changed.terminal = exec.terminal.has_value();
    if (!exec.workdir.empty()) changed.workdir = exec.workdir;
    if (exec.user) changed.user = exec.user;
    if (const auto valid = validate(changed); !valid) return std::unexpected(valid.error());
    // In no other user namespace than the container's.
    if (facts.no_namespaces.empty() && !first->other_user_namespace()) changed.userns = UserNamespace::no;
    const auto identity = choose_identity(changed, facts, container.shared);
    if (!identity) return std::unexpected(identity.error());
    const bool has_one_id = first->new_user_namespace && first->uids.empty();
    if (has_one_id && (identity->uid != first->uid || identity->gid != first->gid))
        return fail_input("choose user and group",
                          "the container's user namespace has user " + std::to_string(first->uid) +
                              " and group " + std::to_string(first->gid) + " only",
                          "leave --user out");

    Draft draft{changed, facts, container.shared, *identity, *capabilities, {}};
    draft.plan.clone_flags = CLONE_PARENT;
    draft.plan.argv = changed.command;
    draft.plan.env = environment::with(container.env, exec.env);
    if (changed.terminal) environment::set_terminal(draft.plan.env);
    draft.plan.profile = container.profile;
    draft.plan.filter = container.filter;
    draft.add("close this process to others", action::Control{PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE"});
    draft.add("start a new session", action::NewSession{});
    add_resource_steps(draft, exec.terminal.value_or(action::WindowSize{}));
    add_privilege_steps(draft);
    add_command_steps(draft);
    return std::move(draft.plan);
}

void watch_writes(Plan& plan) {
    const auto watched = write_calls::watched();
    plan.own_filter =
        plan.numbered ? pidns::filter_with(watched) : pidns::filter_of(watched, write_calls::absent());
    plan.filter = plan.own_filter;
    plan.monitor.watched.calls.assign(watched.begin(), watched.end());
}

uint64_t namespaces_of(const Plan& plan) {
    uint64_t kinds = (plan.clone_flags & namespaces::all) | plan.shared.foreign;
    for (const Step& step : plan.steps) {
        if (const auto* unshare = std::get_if<action::Unshare>(&step.action)) kinds |= unshare->flags;
        if (std::holds_alternative<action::EnterOwnTime>(step.action)) kinds |= CLONE_NEWTIME;
    }
    return kinds;
}

}  // namespace ctr
