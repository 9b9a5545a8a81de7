// Plans as text: for people (ctr run --dry-run) and tests.
#include <sched.h>
#include <sys/mount.h>

#include <sstream>

#include "runtime/caps.h"
#include "runtime/namespaces.h"
#include "runtime/plan.h"

namespace ctr {

namespace {

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
    std::string operator()(const action::HoldSources& a) const {
        std::string text;
        for (const action::Held& source : a.sources) text += (text.empty() ? "" : " ") + source.host;
        return text;
    }
    std::string operator()(const action::OverlayRoot& a) const {
        return a.upper.empty() ? "written to memory" : "written to " + a.upper + ", work in " + a.work;
    }
    std::string operator()(const action::BindSource& a) const {
        return (a.attributes & MOUNT_ATTR_RDONLY) != 0 ? "read-only" : "";
    }
    std::string operator()(const action::BindTree& a) const {
        return a.host + " on " + a.target + ((a.attributes & MOUNT_ATTR_RDONLY) != 0 ? " read-only" : "");
    }
    std::string operator()(const action::ShowOwnCgroups& a) const {
        std::string text;
        for (const cgroup::ViewPoint& view : a.views) text += (text.empty() ? "" : " ") + view.point;
        return text;
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
    std::string operator()(const action::Unshare& a) const { return namespaces::names(a.flags); }
    std::string operator()(const action::EnterOwnTime& a) const {
        return a.offsets.substr(0, a.offsets.find('\n')) + ", " + a.offsets.substr(a.offsets.find('\n') + 1);
    }
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

// "users: 0 is 1000, 1-65536 are 100000-165535"
void append_map(std::ostream& text, const char* what, const std::vector<IdMapping>& map) {
    if (map.empty()) return;
    text << what;
    const auto range = [](uint32_t first, uint32_t count) {
        return std::to_string(first) + (count == 1 ? "" : "-" + std::to_string(first + count - 1));
    };
    const char* separator = ": ";
    for (const IdMapping& one : map) {
        text << separator << range(one.inside, one.count) << (one.count == 1 ? " is " : " are ")
             << range(one.outside, one.count);
        separator = ", ";
    }
    text << '\n';
}

}  // namespace

std::string describe(const Plan& plan) {
    std::ostringstream text;
    if (plan.shared.foreign != 0)
        text << "joined namespaces: " << namespaces::names(plan.shared.foreign) << '\n';
    text << "new namespaces: " << namespaces::names(plan.clone_flags) << '\n';
    append_map(text, "users", plan.uids);
    append_map(text, "groups", plan.gids);
    if (const std::string limits = cgroup::describe(plan.limits); !limits.empty())
        text << "limits: " << limits << '\n';
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        const std::string detail = std::visit(Detail{}, plan.steps[i].action);
        text << i + 1 << ". " << plan.steps[i].what;
        if (!detail.empty()) text << " [" << detail << ']';
        text << '\n';
    }
    return text.str();
}

}  // namespace ctr
