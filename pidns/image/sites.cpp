#include "pidns/image/sites.h"

#include <sys/syscall.h>

#include <set>

#include "pidns/surface/calls.h"

namespace ctr::pidns::image {

namespace {

bool on_the_surface(long number) {
    static const auto numbers = [] {
        std::set<long> set;
        for (const Call& call : calls()) set.insert(call.number);
        return set;
    }();
    return numbers.contains(number);
}

Entry entry_of(long number) {
    // A vfork's child has its parent's stack, and so nothing of its own to come back with.
    const bool creates = number == SYS_fork || number == SYS_clone || number == SYS_clone3;
    return creates ? Entry::create : Entry::generic;
}

// Signal handlers return to where the number is loaded.
Address restorer_at(const Flow& flow, Address system_call) {
    const auto instruction = flow.before(system_call);
    return instruction && writes(*instruction, Register::rax) ? instruction->address : 0;
}

constexpr const char* needs_stack = "its stack may be too small for what the guest would do";

class Surveyor {
  public:
    Surveyor(const Flow& flow, const SmallStacks& small_stacks) : flow_(flow), small_stacks_(small_stacks) {}

    Survey look() {
        for (const Address system_call : flow_.code().system_calls()) look_at(system_call);
        return std::move(found_);
    }

  private:
    void look_at(Address system_call) {
        Site site{.address = system_call};
        Patch patch{.site = found_.sites.size(), .window = {}, .cancellable = {}};
        if (!flow_.code().trusted_block(system_call).contains(system_call)) {
            site.why = "there is data among the code around it";
        } else {
            site.number = constant_number(flow_, system_call);
            if (site.number == SYS_rt_sigreturn) found_.restorer = restorer_at(flow_, system_call);
            if (site.number != dynamic_number && !on_the_surface(site.number)) {
                ++found_.others;
                return;
            }
            site.why = find_way(site, patch);
        }
        if (site.why == nullptr) {
            site.why = "";
            site.state = State::patched;
            found_.patches.push_back(std::move(patch));
        }
        found_.sites.push_back(site);
    }

    const char* find_way(Site& site, Patch& patch) {
        patch.cancellable = find_cancellable(flow_, site.address);
        if (patch.cancellable.function != 0) {
            site.entry = Entry::cancellable;
            return patch.cancellable.why;
        }
        site.entry = entry_of(site.number);
        if (small_stacks_(site.address)) {
            if (site.entry == Entry::create || site.number == SYS_vfork) return needs_stack;
            site.entry = Entry::prepare;
        }
        return not_overlapping(find_window(flow_, site.address, patch.window), patch.window.range);
    }

    const char* not_overlapping(const char* why, Range window) {
        if (why != nullptr) return why;
        if (window.begin < last_end_) return "another site is too near";
        last_end_ = window.end;
        return nullptr;
    }

    const Flow& flow_;
    const SmallStacks& small_stacks_;
    Address last_end_ = 0;  // of the windows so far
    Survey found_;
};

}  // namespace

// Rows of one call say in further words which case they are.
std::string call_name(long number) {
    for (const Call& call : calls()) {
        if (call.number != number) continue;
        const std::string name = call.name;
        return name.substr(0, name.find(' '));
    }
    return std::to_string(number);
}

Survey survey(const Flow& flow, const SmallStacks& small_stacks) {
    return Surveyor(flow, small_stacks).look();
}

}  // namespace ctr::pidns::image
