#include "pidns/monitor/proc_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr std::string_view task = "task";

// As name_to_int() of fs/proc/util.c: no sign, no leading zero.
std::optional<int> number_in(std::string_view name) {
    if (name.empty() || name.size() > 9 || (name[0] == '0' && name.size() > 1)) return {};
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size() || number < 0) return {};
    return number;
}

// The walk of one path. Positions are as seen from the thread's root.
class Walk {
  public:
    Walk(const Translator& translator, const std::vector<ProcMounts::Mount>& mounts, const Caller& caller)
        : translator_(translator),
          mounts_(mounts),
          caller_(caller),
          root_(ProcMounts::root_of(caller.thread)) {}

    // To what the kernel has named, in host's numbers.
    void jump(const std::string& named) {
        to_root();
        for (std::string& part : ProcMounts::below_root(root_, named)) push(std::move(part));
    }

    void to_root() {
        position_.clear();
        procfs_.reset();
        enter_mount();
    }

    // One component; returns what the kernel must read in its place.
    std::string step(std::string_view name, bool is_last) {
        is_self_ = false;
        if (name.empty() || name == ".") return std::string(name);
        if (name == "..") {
            up();
            return std::string(name);
        }
        if (!procfs_) {
            push(std::string(name));
            return std::string(name);
        }
        return inside(name, is_last);
    }

    const std::optional<Components>& below() const { return procfs_; }
    bool is_self() const { return is_self_; }

  private:
    std::string inside(std::string_view name, bool is_last) {
        const Components& at = *procfs_;
        std::string read(name);
        if (at.empty() && (name == "self" || name == "thread-self")) {
            if (is_last) {
                is_self_ = true;
                push(std::move(read));
                return std::string(name);
            }
            push(std::to_string(raw(caller_.process)));
            if (name == "self") return read;
            push(std::string(task));
            push(std::to_string(raw(caller_.thread)));
            return read;
        }
        if (at.empty() && name == "net" && !is_last) {  // a link to self/net
            push(std::to_string(raw(caller_.process)));
            push(read);
            return read;
        }
        if (const auto number = number_in(name)) {
            if (at.empty())
                read =
                    std::to_string(*number == 0 ? 0 : translator_.inward(Kind::process, caller_, *number, 0));
            else if (at.size() == 2 && at[1] == task)
                read = std::to_string(
                    translator_.inward(Kind::thread_in, caller_, *number,
                                       raw(process_of_thread(HostPid(number_in(at[0]).value_or(0))))));
        }
        if (!is_last && leads_away(name)) {
            std::string here = "/proc";
            for (const std::string& part : at) here += '/' + part;
            if (const std::string target = link_text(here + '/' + read); target.starts_with('/')) {
                jump(target);
                return read;
            }
        }
        push(read);
        return read;
    }

    // Links of /proc/PID that lead to other places.
    bool leads_away(std::string_view name) const {
        const Components& at = *procfs_;
        const bool of_process = at.size() == 1 || (at.size() == 3 && at[1] == task);
        if (of_process) return name == "cwd" || name == "root";
        return at.size() >= 2 && at.back() == "fd";
    }

    void push(std::string part) {
        position_.push_back(part);
        if (procfs_) procfs_->push_back(std::move(part));
        enter_mount();
    }

    void enter_mount() {
        for (const ProcMounts::Mount& mount : mounts_)
            if (mount.point == position_)
                procfs_ = mount.covers ? std::nullopt : std::optional<Components>(mount.below);
    }

    // Leaving a mount by its top: another one may begin above.
    void up() {
        if (position_.empty()) return;
        position_.pop_back();
        const Components path = std::exchange(position_, {});
        procfs_.reset();
        enter_mount();
        for (const std::string& part : path) push(part);
    }

    const Translator& translator_;
    const std::vector<ProcMounts::Mount>& mounts_;
    const Caller& caller_;
    Components root_;
    Components position_;
    std::optional<Components> procfs_;  // the place in it
    bool is_self_ = false;
};

}  // namespace

std::string ProcPath::place() const {
    return join(below).substr(1);
}

HostPid ProcPath::process() const {
    return below.empty() ? HostPid::none : HostPid(number_in(below[0]).value_or(0));
}

std::optional<ProcPath> PathReader::read(const Caller& caller, const std::string& base,
                                         std::string_view path) {
    Walk walk(translator_, mounts_.of(caller.thread), caller);
    const bool absolute = path.starts_with('/');
    if (absolute)
        walk.to_root();
    else
        walk.jump(base);
    if (path.empty()) {
        auto place = place_of(caller, base);
        if (place) place->text.clear();
        return place;
    }
    ProcPath found;
    for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        // A trailing slash asks for the directory that a link leads to.
        found.text += walk.step(path.substr(at, end - at), end == path.size());
        if (end < path.size()) found.text += '/';
        at = end + 1;
    }
    found.changed = found.text != path;
    found.is_self = walk.is_self();
    if (const auto& below = walk.below())
        found.below = *below;
    else if (!found.changed)
        return {};
    return found;
}

std::optional<ProcPath> PathReader::place_of(const Caller& caller, const std::string& text) {
    Walk walk(translator_, mounts_.of(caller.thread), caller);
    walk.jump(text);
    const auto& below = walk.below();
    if (!below) return {};
    const bool is_self = *below == Components{"self"} || *below == Components{"thread-self"};
    return ProcPath{.text = text, .below = *below, .is_self = is_self};
}

}  // namespace ctr::pidns
