#include "pidns/image/sites.h"

#include <sys/syscall.h>

#include <set>

#include "pidns/surface/calls.h"

namespace ctr::pidns::image {

namespace {

constexpr uint64_t jump_size = 5;
constexpr uint64_t system_call_size = 2;

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

bool can_move(const Instruction& instruction) {
    return !leaves(instruction) && !writes(instruction, Register::rsp);
}

// Behind the call rcx and r11 hold what a system call leaves there, which differs.
bool can_move_behind(const Instruction& instruction) {
    return can_move(instruction) && !mentions(instruction, Register::rcx) &&
           !mentions(instruction, Register::r11);
}

// Grows a window around a system call, first to the front: what moves there needs no way back.
const char* find_window(const Flow& flow, Address system_call, Patch& patch) {
    Range window{system_call, system_call + system_call_size};
    bool landed = false;
    while (window.size() < jump_size) {
        if ((landed = flow.lands(window.begin))) break;
        const auto instruction = flow.before(window.begin);
        if (!instruction || instruction->end() != window.begin || !can_move(*instruction)) break;
        patch.before.insert(patch.before.begin(), *instruction);
        window.begin = instruction->address;
    }
    while (window.size() < jump_size) {
        if (flow.lands(window.end)) return "something may jump between the instructions around it";
        const auto instruction = flow.at(window.end);
        if (!instruction || !can_move_behind(*instruction))
            return landed ? "something may jump to it, and what follows can't be moved"
                          : "too few of the instructions around it can be moved";
        patch.after.push_back(*instruction);
        window.end = instruction->end();
    }
    if (flow.lands_inside(window)) return "something may jump between the instructions around it";
    patch.window = window;
    return nullptr;
}

}  // namespace

Survey survey(const Flow& flow) {
    Survey found;
    for (const Address address : flow.code().system_calls()) {
        Site site{.address = address};
        Patch patch{.site = found.sites.size(), .window = {}, .before = {}, .after = {}};
        if (flow.code().trusted_block(address).contains(address)) {
            site.number = constant_number(flow, address);
            if (site.number != dynamic_number && !on_the_surface(site.number)) {
                if (site.number == SYS_rt_sigreturn) {
                    const auto instruction = flow.before(address);
                    if (instruction && writes(*instruction, Register::rax))
                        found.restorer = instruction->address;
                }
                ++found.others;
                continue;
            }
            site.entry = entry_of(site.number);
            site.why = find_window(flow, address, patch);
        } else {
            site.why = "there is data among the code around it";
        }
        if (site.why == nullptr) {
            site.why = "";
            site.state = State::patched;
            found.patches.push_back(std::move(patch));
        }
        found.sites.push_back(site);
    }
    return found;
}

}  // namespace ctr::pidns::image
