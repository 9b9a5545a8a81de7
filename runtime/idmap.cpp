#include "runtime/idmap.h"

namespace ctr::idmap {

namespace {

constexpr const char* step = "choose user and group";

std::string ranges_text(const std::vector<IdRange>& ranges) {
    std::string text;
    for (const IdRange& range : ranges) {
        if (!text.empty()) text += ", ";
        text += std::to_string(range.first);
        if (range.count > 1) text += "-" + std::to_string(uint64_t{range.first} + range.count - 1);
    }
    return text.empty() ? "none" : text;
}

Step map_step(const char* file, const char* what, uint32_t inside, uint32_t outside) {
    return {std::string("map the ") + what + " of the new user namespace",
            action::WriteOwn{file, std::to_string(inside) + " " + std::to_string(outside) + " 1\n"}};
}

// Why the wanted ids can't be had in the caller's own namespace; empty if they can.
std::string obstacle(const User& wanted, const HostFacts& facts) {
    const std::string ids = std::to_string(wanted.uid) + ":" + std::to_string(wanted.gid);
    if (!contains(facts.uids, wanted.uid))
        return "user " + std::to_string(wanted.uid) + " of " + ids +
               " doesn't exist in this user namespace (it has " + ranges_text(facts.uids) + ")";
    if (!contains(facts.gids, wanted.gid))
        return "group " + std::to_string(wanted.gid) + " of " + ids +
               " doesn't exist in this user namespace (it has " + ranges_text(facts.gids) + ")";
    return {};
}

}  // namespace

Result<Identity> choose(const Spec& spec, const HostFacts& facts) {
    const User own{facts.uid, facts.gid};
    const User wanted = spec.user.value_or(own);
    Identity identity{.uid = wanted.uid, .gid = wanted.gid};
    const std::string problem = spec.user ? obstacle(wanted, facts) : std::string();

    switch (spec.userns) {
        case UserNamespace::yes: identity.new_user_namespace = true; break;
        case UserNamespace::automatic:
            identity.new_user_namespace = !facts.privileged() || !problem.empty();
            break;
        case UserNamespace::no:
            if (!facts.privileged())
                return fail_input("choose namespaces",
                                  "--userns=no needs CAP_SYS_ADMIN, which this process does not have",
                                  "run as root, or leave --userns=no out");
            if (!problem.empty()) return fail_input(step, problem, "leave --userns=no out");
    }
    if (!identity.new_user_namespace && spec.user) {
        identity.change = true;
        identity.clear_groups = facts.setgroups_allowed;
    }
    return identity;
}

std::vector<Step> map_steps(const Identity& identity, const HostFacts& facts) {
    std::vector<Step> steps;
    if (!identity.new_user_namespace) return steps;
    steps.push_back({"give up setgroups in the new user namespace", action::WriteOwn{"setgroups", "deny"}});
    steps.push_back(map_step("gid_map", "group", identity.gid, facts.gid));
    steps.push_back(map_step("uid_map", "user", identity.uid, facts.uid));
    return steps;
}

}  // namespace ctr::idmap
