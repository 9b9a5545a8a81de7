#include "pidns/image/window.h"

namespace ctr::pidns::image {

namespace {

constexpr const char* too_few = "too few of the instructions around it can be moved";
constexpr const char* jumped_into = "something may jump between the instructions around it";

bool can_move(const Instruction& instruction) {
    return !leaves(instruction) && !writes(instruction, Register::rsp);
}

// Behind the call rcx and r11 hold what a system call leaves there, which differs.
bool can_move_behind(const Instruction& instruction) {
    return can_move(instruction) && !mentions(instruction, Register::rcx) &&
           !mentions(instruction, Register::r11);
}

// Whether the instruction before the window joined it.
bool grow_to_the_front(const Flow& flow, Window& window) {
    const auto instruction = flow.before(window.range.begin);
    if (!instruction || instruction->end() != window.range.begin || !can_move(*instruction)) return false;
    window.before.insert(window.before.begin(), *instruction);
    window.range.begin = instruction->address;
    return true;
}

bool grow_to_the_back(const Flow& flow, Window& window) {
    const auto instruction = flow.at(window.range.end);
    if (!instruction || !can_move_behind(*instruction)) return false;
    window.after.push_back(*instruction);
    window.range.end = instruction->end();
    return true;
}

}  // namespace

// First to the front: what moves there needs no way back.
const char* find_window(const Flow& flow, Address system_call, Window& window) {
    window = {{system_call, system_call + system_call_size}, {}, {}};
    while (window.range.size() < jump_size && !flow.lands(window.range.begin))
        if (!grow_to_the_front(flow, window)) break;
    while (window.range.size() < jump_size && !flow.lands(window.range.end))
        if (!grow_to_the_back(flow, window)) break;
    // A landing at its beginning is fine, but keeps it from growing.
    const bool landed = flow.lands(window.range.begin) || flow.lands(window.range.end);
    if (window.range.size() < jump_size) return landed ? jumped_into : too_few;
    return flow.lands_inside(window.range) ? jumped_into : nullptr;
}

}  // namespace ctr::pidns::image
