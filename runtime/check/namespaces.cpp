#include <sched.h>

#include "runtime/check/probes.h"
#include "runtime/plan.h"

#ifndef CLONE_NEWTIME  // Linux 5.6
#define CLONE_NEWTIME 0x00000080
#endif

namespace ctr::check {

namespace {

constexpr const char* area = "namespaces";

struct Namespace {
    const char* name;
    uint64_t flag;
    bool by_unshare;  // as the launcher makes it; clone() can't make the last one
};
constexpr Namespace namespaces[] = {{"user", CLONE_NEWUSER, false},    {"mount", CLONE_NEWNS, false},
                                    {"pid", CLONE_NEWPID, false},      {"uts", CLONE_NEWUTS, false},
                                    {"ipc", CLONE_NEWIPC, false},      {"net", CLONE_NEWNET, false},
                                    {"cgroup", CLONE_NEWCGROUP, true}, {"time", CLONE_NEWTIME, true}};

Status make(const Namespace& one, uint64_t others) {
    if (!one.by_unshare) return attempt(one.flag | others, {});
    std::vector<Step> steps;
    steps.push_back({std::string("make a ") + one.name + " namespace", action::Unshare{one.flag}});
    return attempt(others, std::move(steps));
}

Item try_alone(const Namespace& one, bool user_namespaces) {
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
    for (const Namespace& one : namespaces) {
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
