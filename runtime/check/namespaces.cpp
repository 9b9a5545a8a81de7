#include "runtime/namespaces.h"

#include "runtime/check/probes.h"
#include "runtime/plan.h"

namespace ctr::check {

namespace {

constexpr const char* area = "namespaces";

// As the launcher makes it; clone() can't make a time namespace.
bool is_made_by_unshare(const namespaces::Kind& one) {
    return one.flag == CLONE_NEWCGROUP || one.flag == CLONE_NEWTIME;
}

Status make(const namespaces::Kind& one, uint64_t others) {
    if (!is_made_by_unshare(one)) return attempt(one.flag | others, {});
    std::vector<Step> steps;
    steps.push_back({std::string("make a ") + one.name + " namespace", action::Unshare{one.flag}});
    return attempt(others, std::move(steps));
}

Item try_alone(const namespaces::Kind& one, bool user_namespaces) {
    const Status alone = make(one, 0);
    if (alone) return {area, one.name, State::yes, "", ""};
    // What stands in the way of the user namespace is said in its own line.
    const Status inside = user_namespaces ? make(one, CLONE_NEWUSER) : alone;
    if (inside) return {area, one.name, State::limited, "together with a user namespace only", ""};
    const Error& error = inside.error();
    return {area, one.name, State::no, reason_of(error), error.hint};
}

}  // namespace

std::vector<Item> check_namespaces(const Situation& situation) {
    std::vector<Item> items;
    bool user_namespaces = false;
    for (const namespaces::Kind& one : namespaces::kinds) {
        items.push_back(try_alone(one, user_namespaces));
        if (one.flag == CLONE_NEWUSER) user_namespaces = items.back().state == State::yes;
    }
    constexpr uint64_t always = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
    const bool user = situation.identity.new_user_namespace;
    const Finding together =
        finding(attempt(user ? always | CLONE_NEWUSER : always, {}),
                user ? "user mount uts ipc, in one call" : "mount uts ipc, in one call", "");
    items.push_back({area, "together", together.state, together.reason, together.advice});
    return items;
}

}  // namespace ctr::check
