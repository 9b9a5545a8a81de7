#include "runtime/check/groups.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cgroup/group.h"
#include "cgroup/hierarchy.h"
#include "cgroup/removal.h"
#include "cgroup/trial.h"
#include "runtime/base/path.h"
#include "runtime/base/sys.h"
#include "runtime/check/attempt.h"
#include "runtime/report.h"

namespace ctr::check {

namespace {

constexpr const char* area = "cgroup";

// In a session of its own: a kill of the caller's process group doesn't reach it.
[[noreturn]] void make_trials(const std::string& group, const Fd& reports) {
    setsid();
    for (const cgroup::Ability& ability : cgroup::abilities()) {
        auto found = ability.attempt(group, {});
        if (found)
            send_report(reports, Notice{Notice::Kind::information, *found});
        else
            send_report(reports, Failed{std::move(found).error()});
    }
    _exit(0);
}

Item item_of(const char* name, std::optional<Report> report) {
    Item item{area, name, State::no, "the trial was killed", {}};
    if (!report) return item;
    if (const auto* notice = std::get_if<Notice>(&*report)) {
        item.state = State::yes;
        item.reason = notice->text;
    } else if (const auto* failed = std::get_if<Failed>(&*report)) {
        item.reason = reason_of(failed->error);
        item.advice = failed->error.hint;
    }
    return item;
}

Item layout() {
    const auto groups = path::read_text("/proc/self/cgroup");
    const std::string found = groups ? cgroup::describe_layout(*groups) : "";
    if (found.empty())
        return {area, "version", State::no,
                groups ? "this process is in no hierarchy" : reason_of(groups.error()),
                "limits need a kernel with cgroups; without limits ctr needs none"};
    return {area, "version", State::yes, found, {}};
}

std::vector<Item> all_failed(const Error& error) {
    std::vector<Item> items;
    for (const cgroup::Ability& ability : cgroup::abilities())
        items.push_back({area, ability.name, State::no, reason_of(error), error.hint});
    return items;
}

std::vector<Item> trials() {
    const auto group = cgroup::unique_group_name();
    if (!group) return all_failed(group.error());
    auto pipe = make_report_pipe();
    if (!pipe) return all_failed(pipe.error());
    const auto directories = cgroup::trial_directories(*group);
    const pid_t child = sys::fork_blocked();
    if (child == 0) make_trials(*group, pipe->sender);
    if (child < 0) return all_failed(fail_call("try cgroups", "fork").error());
    pipe->sender.reset();
    std::vector<Item> items;
    for (const cgroup::Ability& ability : cgroup::abilities())
        items.push_back(item_of(ability.name, receive_report(pipe->receiver)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status)) (void)cgroup::remove_directories(directories);
    return items;
}

}  // namespace

std::vector<Item> check_groups() {
    std::vector<Item> items{layout()};
    for (Item& item : trials()) items.push_back(std::move(item));
    return items;
}

}  // namespace ctr::check
