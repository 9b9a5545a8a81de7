#include "runtime/isolation.h"

#include <algorithm>
#include <cerrno>
#include <variant>

#include "runtime/attempt.h"
#include "runtime/idmap.h"
#include "runtime/landlock.h"
#include "runtime/namespaces.h"
#include "runtime/plan.h"

namespace ctr::isolation {

namespace {

// Of the moment, not of the host.
bool is_passing(const Error& error) {
    return error.err == EAGAIN || error.err == ENOMEM;
}

bool takes_namespaces(const Action& action) {
    return std::holds_alternative<action::WriteOwn>(action) ||
           std::holds_alternative<action::PrivateMounts>(action);
}

const char* confinement(const Spec& spec, const HostFacts& facts) {
    if (spec.pidns == PidMode::host) return "processes have the host's numbers, and end with the container";
    return facts.landlock_abi >= landlock::signal_scope_abi
               ? "processes have numbers of their own (no fast path), end with the container, and "
                 "can't signal others (Landlock)"
               : "processes have numbers of their own (no fast path) and end with the container; "
                 "hostile ones can signal this user's others, for want of Landlock's signal scope "
                 "(Linux 6.12)";
}

}  // namespace

uint64_t wanted(const Spec& spec) {
    uint64_t kinds = CLONE_NEWNS;
    if (spec.uts == Scope::own) kinds |= CLONE_NEWUTS;
    if (spec.ipc == Scope::own) kinds |= CLONE_NEWIPC;
    if (spec.network == Network::none) kinds |= CLONE_NEWNET;
    return kinds;
}

bool is_dispensable(const Spec& spec, const HostFacts& facts) {
    const bool root_of_the_host = facts.privileged() && facts.initial_user_namespace;
    return !root_of_the_host && !facts.numbered && spec.no_new_privs && spec.pidns != PidMode::kernel &&
           spec.userns == UserNamespace::automatic && spec.network == Network::host && spec.rootfs.empty() &&
           spec.hostname.empty() && spec.mounts.empty() && !spec.read_only && !spec.user && !spec.clocks &&
           !spec.share_with;
}

std::string reason(const Error& error) {
    std::string text = error.call + ": " + errno_name(error.err);
    if (!error.why.empty()) text += ": " + error.why;
    return text;
}

bool is_refusal(const Error& error, const Plan& plan) {
    if (is_passing(error)) return false;
    return error.call == "clone3" || std::ranges::any_of(plan.steps, [&](const Step& step) {
               return step.what == error.step && takes_namespaces(step.action);
           });
}

void look(const Spec& spec, HostFacts& facts) {
    if (!is_dispensable(spec, facts)) return;
    const auto identity = idmap::choose(spec, facts);
    if (!identity) return;
    std::vector<Step> steps = idmap::map_steps(*identity, facts);
    steps.push_back({"make all mounts private", action::PrivateMounts{}});
    const uint64_t user = identity->new_user_namespace ? CLONE_NEWUSER : 0;
    const auto made = attempt(wanted(spec) | user, std::move(steps));
    if (!made && !is_passing(made.error())) facts.no_namespaces = reason(made.error());
}

std::string remark(const Spec& spec, const HostFacts& facts) {
    uint64_t shared = wanted(spec);
    if (spec.cgroupns == Scope::own) shared |= CLONE_NEWCGROUP;
    return "not isolated: no namespaces can be made here (" + facts.no_namespaces +
           "), so these are the host's: " + namespaces::names(shared) + "; " + confinement(spec, facts);
}

}  // namespace ctr::isolation
