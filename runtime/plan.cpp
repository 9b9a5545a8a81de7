#include "runtime/plan.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <iterator>

#include "pidns/surface/filter.h"
#include "runtime/caps.h"
#include "runtime/environment.h"
#include "runtime/idmap.h"
#include "runtime/landlock.h"
#include "runtime/rehearsal.h"
#include "runtime/rootfs.h"

namespace ctr {

namespace {

constexpr mode_t usual_umask = 022;

// Everything that the builders below decide once and share.
struct Draft {
    const Spec& spec;
    const HostFacts& facts;
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

    // Landlock and seccomp want CAP_SYS_ADMIN from those who don't set no_new_privs.
    bool keeps_admin() const { return monitored() && !spec.no_new_privs; }

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

uint64_t all_capabilities(const HostFacts& facts) {
    return caps::bit(facts.last_capability + 1) - 1;
}

Result<uint64_t> choose_capabilities(const Spec& spec, const HostFacts& facts,
                                     const idmap::Identity& identity) {
    const uint64_t available =
        identity.new_user_namespace ? all_capabilities(facts) : facts.effective & facts.bounding;
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
    uint64_t flags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
    if (draft.identity.new_user_namespace) flags |= CLONE_NEWUSER;
    if (spec.network == Network::none) flags |= CLONE_NEWNET;
    const bool layer_makes_it = draft.wants_numbers() && draft.facts.numbered;
    if (spec.pidns == PidMode::kernel || layer_makes_it) flags |= CLONE_NEWPID;
    return flags;
}

void add_process_steps(Draft& draft) {
    draft.add(idmap::map_steps(draft.identity, draft.facts));
    // CVE-2016-9962: while descriptors of the host are open, no process of the container may look into this
    // one. execve of the command makes it dumpable again.
    draft.add("close this process to others", action::Control{PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE"});
    draft.add("start a new session", action::NewSession{});
    if (draft.monitored())
        draft.add("adopt orphans", action::Control{PR_SET_CHILD_SUBREAPER, 1, "PR_SET_CHILD_SUBREAPER"});
}

void add_namespace_steps(Draft& draft) {
    // After the parent has put this process into its cgroup, so that the new namespace's root is that one.
    draft.add("hide the host's cgroups", action::Unshare{CLONE_NEWCGROUP});
    if (!draft.spec.hostname.empty())
        draft.add("set the host name to \"" + draft.spec.hostname + "\"",
                  action::SetHostname{draft.spec.hostname});
    if (draft.spec.network == Network::none)
        draft.add("bring the loopback interface up", action::LoopbackUp{});
}

void add_privilege_steps(Draft& draft) {
    const idmap::Identity& identity = draft.identity;
    const uint64_t bounding =
        identity.new_user_namespace ? all_capabilities(draft.facts) : draft.facts.bounding;
    if (const uint64_t surplus = bounding & ~draft.capabilities; surplus != 0)
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
        draft.add("keep signals inside", action::ScopeSignals{});
}

void find_command(Draft& draft) {
    const std::string& name = draft.spec.command.front();
    const auto path = environment::find(draft.plan.env, "PATH").value_or("");
    const bool searched = name.find('/') == std::string::npos;
    draft.add("find the command \"" + name + "\"" + (searched ? " in PATH (" + path + ")" : ""),
              action::FindCommand{environment::candidates(name, path), searched});
}

void add_command_steps(Draft& draft) {
    const Spec& spec = draft.spec;
    std::string directory = spec.workdir;
    if (directory.empty()) directory = spec.rootfs.empty() ? draft.facts.working_directory : "/";
    draft.add("enter the directory \"" + directory + "\"", action::ChangeDirectory{directory});
    draft.add("set the umask", action::SetUmask{usual_umask});

    if (!spec.rehearse) find_command(draft);
    draft.add("reset signals", action::ResetSignals{});
    draft.add("close the host's descriptors", action::CloseDescriptors{});
    // execve of a command would do that; the monitor must be able to look.
    if (spec.rehearse)
        draft.add("open this process to the monitor", action::Control{PR_SET_DUMPABLE, 1, "PR_SET_DUMPABLE"});
    if (draft.monitored()) draft.add("install the filter of the pid layer", action::InstallFilter{});
    // A larger set is left in one case only; what is wanted then is made true after the last user of
    // CAP_SYS_ADMIN.
    if (draft.keeps_admin()) draft.add("give up CAP_SYS_ADMIN", caps::set_exactly(draft.held(), true));
    if (spec.init) draft.add("leave an init as process 1", action::LeaveInit{});
    if (spec.rehearse)
        draft.add("rehearse", action::Finish{rehearsal::life(spec.pidns)});
    else
        draft.add("execute \"" + spec.command.front() + "\"", action::Execute{});
}

}  // namespace

Result<Plan> make_plan(const Spec& spec, const HostFacts& facts, std::vector<action::Placement> placements) {
    if (const auto valid = validate(spec); !valid) return std::unexpected(valid.error());
    if (!facts.own_proc && !facts.numbered && spec.pidns != PidMode::kernel)
        return fail_input(
            "look at processes in /proc",
            "the /proc that is mounted here shows another pid namespace: its numbers mean other processes",
            "mount -t proc proc /proc (unshare has --mount-proc), or --pidns=kernel");
    const auto identity = idmap::choose(spec, facts);
    if (!identity) return std::unexpected(identity.error());
    const auto capabilities = choose_capabilities(spec, facts, *identity);
    if (!capabilities) return std::unexpected(capabilities.error());

    Draft draft{spec, facts, *identity, *capabilities, {}};
    draft.plan.clone_flags = clone_flags(draft);
    draft.plan.argv = spec.command;
    draft.plan.env = environment::compose(spec, facts, identity->uid);
    if (draft.monitored()) {
        draft.plan.filter = pidns::build_filter();
        draft.plan.monitor.model = model_for(spec);
        if (spec.pid_max != 0) draft.plan.monitor.pid_max = spec.pid_max;
        draft.plan.monitor.covered = covered_by(placements);
    }
    auto root = rootfs::steps(spec, facts, {identity->new_user_namespace}, std::move(placements));
    if (!root) return std::unexpected(root.error());

    add_process_steps(draft);
    draft.add(std::move(*root));
    add_namespace_steps(draft);
    add_privilege_steps(draft);
    add_signal_scope(draft);
    add_command_steps(draft);
    return std::move(draft.plan);
}

Result<Plan> make_exec_plan(const Spec& spec, const HostFacts& facts, const std::vector<std::string>& env,
                            const ExecSpec& exec) {
    const auto containers = idmap::choose(spec, facts);
    if (!containers) return std::unexpected(containers.error());
    const auto capabilities = choose_capabilities(spec, facts, *containers);
    if (!capabilities) return std::unexpected(capabilities.error());

    Spec changed = spec;
    changed.command = exec.command;
    changed.init = false;
    if (!exec.workdir.empty()) changed.workdir = exec.workdir;
    if (exec.user) changed.user = exec.user;
    if (const auto valid = validate(changed); !valid) return std::unexpected(valid.error());
    idmap::Identity identity = *containers;
    if (!identity.new_user_namespace) {
        changed.userns = UserNamespace::no;
        const auto wanted = idmap::choose(changed, facts);
        if (!wanted) return std::unexpected(wanted.error());
        identity = *wanted;
    } else if (exec.user && (exec.user->uid != identity.uid || exec.user->gid != identity.gid)) {
        return fail_input("choose user and group",
                          "the container's user namespace has user " + std::to_string(identity.uid) +
                              " and group " + std::to_string(identity.gid) + " only",
                          "leave --user out");
    }

    Draft draft{changed, facts, identity, *capabilities, {}};
    draft.plan.clone_flags = CLONE_PARENT;
    draft.plan.argv = changed.command;
    draft.plan.env = environment::with(env, exec.env);
    if (draft.monitored()) draft.plan.filter = pidns::build_filter();
    draft.add("close this process to others", action::Control{PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE"});
    draft.add("start a new session", action::NewSession{});
    add_privilege_steps(draft);
    add_command_steps(draft);
    return std::move(draft.plan);
}

}  // namespace ctr
