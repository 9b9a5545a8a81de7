#include "runtime/idmap.h"

#include <algorithm>
#include <optional>

#include "runtime/subids.h"

namespace ctr::idmap {

namespace {

constexpr const char* step = "choose user and group";

std::optional<uint32_t> inside(const std::vector<IdMapping>& map, uint32_t outside) {
    for (const IdMapping& one : map)
        if (outside >= one.outside && outside - one.outside < one.count)
            return one.inside + (outside - one.outside);
    return std::nullopt;
}

bool has(const std::vector<IdMapping>& map, uint32_t id) {
    return std::ranges::any_of(
        map, [id](const IdMapping& one) { return id >= one.inside && id - one.inside < one.count; });
}

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

Result<Identity> choose_with_subids(const Spec& spec, const HostFacts& facts) {
    if (!facts.subuids || !facts.subgids)
        return fail_input(step,
                          std::string(facts.subuids ? "/etc/subgid" : "/etc/subuid") +
                              " has no range for user " + std::to_string(facts.uid),
                          "as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 NAME");
    const bool keep = spec.userns == UserNamespace::keep_id;
    const User own = keep ? User{facts.uid, facts.gid} : User{0, 0};
    const User wanted = spec.user.value_or(own);
    Identity identity{.uid = wanted.uid, .gid = wanted.gid, .new_user_namespace = true};
    identity.uids = subids::map(facts.uid, own.uid, *facts.subuids);
    identity.gids = subids::map(facts.gid, own.gid, *facts.subgids);
    if (!has(identity.uids, wanted.uid) || !has(identity.gids, wanted.gid))
        return fail_input(step,
                          "user " + std::to_string(wanted.uid) + " or group " + std::to_string(wanted.gid) +
                              " is beyond the ranges of /etc/subuid and /etc/subgid",
                          "--user with smaller numbers, or larger ranges");
    identity.change = identity.clear_groups = wanted.uid != own.uid || wanted.gid != own.gid;
    return identity;
}

}  // namespace

Result<Identity> choose(const Spec& spec, const HostFacts& facts) {
    if (wants_subids(spec.userns)) return choose_with_subids(spec, facts);
    const User own{facts.uid, facts.gid};
    const User wanted = spec.user.value_or(own);
    Identity identity{.uid = wanted.uid, .gid = wanted.gid};
    const std::string problem = spec.user ? obstacle(wanted, facts) : std::string();

    switch (spec.userns) {
        case UserNamespace::yes: identity.new_user_namespace = true; break;
        case UserNamespace::subids:
        case UserNamespace::keep_id: break;
        case UserNamespace::automatic:
            identity.new_user_namespace =
                facts.no_namespaces.empty() && (!facts.privileged() || !problem.empty());
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

Result<Identity> choose_shared(const Spec& spec, const HostFacts& facts, const Shared& shared) {
    if (shared.uids.empty() || shared.gids.empty())
        return fail_input(step, "the user namespace that is to be shared has no ids");
    const auto uid = inside(shared.uids, facts.uid);
    const auto gid = inside(shared.gids, facts.gid);
    const User usual{uid.value_or(shared.uids.front().inside), gid.value_or(shared.gids.front().inside)};
    const User wanted = spec.user.value_or(usual);
    if (!has(shared.uids, wanted.uid) || !has(shared.gids, wanted.gid))
        return fail_input(step,
                          "user " + std::to_string(wanted.uid) + " or group " + std::to_string(wanted.gid) +
                              " doesn't exist in the user namespace that is to be shared",
                          "leave --user out");
    const bool change = uid != wanted.uid || gid != wanted.gid;
    return Identity{.uid = wanted.uid,
                    .gid = wanted.gid,
                    .joined_user_namespace = true,
                    .change = change,
                    .clear_groups = change && shared.setgroups_allowed};
}

std::vector<Step> map_steps(const Identity& identity, const HostFacts& facts) {
    std::vector<Step> steps;
    if (!identity.new_user_namespace || !identity.uids.empty()) return steps;
    steps.push_back({"give up setgroups in the new user namespace", action::WriteOwn{"setgroups", "deny"}});
    steps.push_back(map_step("gid_map", "group", identity.gid, facts.gid));
    steps.push_back(map_step("uid_map", "user", identity.uid, facts.uid));
    return steps;
}

}  // namespace ctr::idmap
