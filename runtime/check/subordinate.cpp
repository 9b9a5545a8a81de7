#include "runtime/check/subordinate.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/subids.h"

namespace ctr::check {

namespace {

constexpr const char* step = "map another id into a user namespace";

// Our own rights will do, or not.
Status write_map(HostPid process, const std::string& map) {
    const std::string name = "/proc/" + std::to_string(raw(process)) + "/uid_map";
    const Fd file(open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return fail_call(step, "open");
    if (write(file.get(), map.data(), map.size()) != static_cast<ssize_t>(map.size()))
        return fail_call(step, "write");
    return {};
}

}  // namespace

Finding map_another_id(const Situation& situation) {
    constexpr const char* without =
        "ctr maps the caller's own id and needs no others; to have them: the package uidmap, and a line "
        "NAME:100000:65536 in /etc/subuid and /etc/subgid";
    const HostFacts& facts = situation.facts;
    constexpr uint32_t somebody = 65533;
    if (!numbers_agree(facts))
        return {State::no, "/proc shows other processes under the numbers of ours", without};
    HostFacts ranges = facts;
    subids::read(ranges);
    const std::string user = std::to_string(facts.uid);
    if (facts.privileged()) {
        const std::string map =
            "0 " + std::to_string(facts.uid) + " 1\n1 " + std::to_string(somebody) + " 1\n";
        Finding found = finding(
            attempt(CLONE_NEWUSER, {}, [&](const Launched& child) { return write_map(child.pid, map); }),
            "root maps any, without newuidmap", without);
        if (found.state == State::yes && !(ranges.subuids && ranges.subgids))
            return {State::limited, found.reason + "; but for --userns subids and keep-id there is no range",
                    "a line for user " + user + " in /etc/subuid and /etc/subgid"};
        return found;
    }
    if (!ranges.subuids) return {State::no, "/etc/subuid gives user " + user + " none", without};
    if (!ranges.subgids) return {State::no, "/etc/subgid gives user " + user + " none", without};
    return finding(attempt(CLONE_NEWUSER, {},
                           [&](const Launched& child) {
                               return subids::write(child.pid, subids::map(facts.uid, 0, *ranges.subuids),
                                                    subids::map(facts.gid, 0, *ranges.subgids));
                           }),
                   "newuidmap maps those from " + std::to_string(ranges.subuids->first) + " on", without);
}

}  // namespace ctr::check
