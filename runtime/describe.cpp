// Plans as text: for people (ctr run --dry-run) and tests.
#include <sched.h>
#include <sys/mount.h>

#include <array>
#include <sstream>

#include "runtime/caps.h"
#include "runtime/plan.h"

namespace ctr {

namespace {

struct Namespace {
    uint64_t flag;
    const char* name;
};
constexpr Namespace namespaces[] = {{CLONE_NEWUSER, "user"},    {CLONE_NEWNS, "mount"}, {CLONE_NEWUTS, "uts"},
                                    {CLONE_NEWIPC, "ipc"},      {CLONE_NEWNET, "net"},  {CLONE_NEWPID, "pid"},
                                    {CLONE_NEWCGROUP, "cgroup"}};

std::string namespace_names(uint64_t flags) {
    std::string names;
    for (const Namespace& one : namespaces)
        if ((flags & one.flag) != 0) names += (names.empty() ? "" : " ") + std::string(one.name);
    return names;
}

std::string octal(mode_t mode) {
    std::ostringstream text;
    text << '0' << std::oct << mode;
    return text.str();
}

// What a step's words don't say already.
struct Detail {
    std::string operator()(const action::WriteOwn& a) const {
        return a.file + " " + (a.text.ends_with('\n') ? a.text.substr(0, a.text.size() - 1) : a.text);
    }
    std::string operator()(const action::Mount& a) const {
        std::string text = a.type + " on " + a.target;
        for (const auto& [key, value] : a.options) text += " " + key + (value.empty() ? "" : "=" + value);
        return text;
    }
    std::string operator()(const action::BindTree& a) const {
        return a.host + " on " + a.target + ((a.attributes & MOUNT_ATTR_RDONLY) != 0 ? " read-only" : "");
    }
    std::string operator()(const action::BindDevice& a) const {
        return std::to_string(a.major) + ":" + std::to_string(a.minor);
    }
    std::string operator()(const action::MakeLink& a) const { return "to " + a.points_to; }
    std::string operator()(const action::PlaceImages& a) const {
        std::string text;
        for (const action::Placement& placement : a.placements)
            text += (text.empty() ? "" : " ") + placement.target;
        return text;
    }
    std::string operator()(const action::Unshare& a) const { return namespace_names(a.flags); }
    std::string operator()(const action::Control& a) const { return a.name + " " + std::to_string(a.value); }
    std::string operator()(const action::OpenTerminal& a) const {
        if (a.size.rows == 0 || a.size.columns == 0) return {};
        return std::to_string(a.size.rows) + " rows, " + std::to_string(a.size.columns) + " columns";
    }
    std::string operator()(const action::LimitResources& a) const {
        std::string text;
        for (const Ulimit& limit : a.limits) text += (text.empty() ? "" : " ") + format(limit);
        return text;
    }
    std::string operator()(const action::DropBounding& a) const {
        return "drop " + caps::format(a.capabilities);
    }
    std::string operator()(const action::SetIds& a) const {
        return a.clear_groups ? "without other groups" : "";
    }
    std::string operator()(const action::SetCapabilities& a) const { return caps::format(a.effective); }
    std::string operator()(const action::SetUmask& a) const { return octal(a.mask); }
    template <class Other>
    std::string operator()(const Other&) const {
        return {};
    }
};

}  // namespace

std::string describe(const Plan& plan) {
    std::ostringstream text;
    text << "new namespaces: " << namespace_names(plan.clone_flags) << '\n';
    if (const std::string limits = cgroup::describe(plan.limits); !limits.empty())
        text << "limits of its control group: " << limits << '\n';
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        const std::string detail = std::visit(Detail{}, plan.steps[i].action);
        text << i + 1 << ". " << plan.steps[i].what;
        if (!detail.empty()) text << " [" << detail << ']';
        text << '\n';
    }
    return text.str();
}

}  // namespace ctr
