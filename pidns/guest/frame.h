// A call of the program while the guest code serves it: a value on the program's stack, laid out by entry.S. Freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pidns/guest/frame_offsets.h"
#include "pidns/guest/header.h"
#include "pidns/model/numbering.h"
#include "pidns/surface/mark.h"

namespace ctr::pidns::guest {

// What entry.S does next.
enum class Action : uint32_t {
    done = ACTION_DONE,            // go on behind the call, with the result
    make = ACTION_MAKE,            // make it, go on
    look = ACTION_LOOK,            // make it, then call after()
    near = ACTION_NEAR,            // fork beside the call's site
    new_stack = ACTION_NEW_STACK,  // make it: its child begins on a stack of its own; then call after()
    vfork = ACTION_VFORK,          // make it: its child runs on this stack first
    bare = ACTION_BARE,            // make it as the program did, without a look at the result
};

struct Frame {
    EntryId claim;  // fork family: the child's numbers
    HostPid caller;  // of a wait: the process, as it was before
    Action action;
    uint32_t next;  // After of serve.h: what the result is looked at for
    int64_t result;
    uint64_t clobbered;  // r11
    uint64_t number;     // of the call that is made
    uint64_t made[6];    // its arguments
    uint64_t arguments[5];  // as the program passed them
    uint64_t near_code;
    uint64_t sixth;  // the program's r9
    uint64_t back;

    // Where the program's stack ends.
    uint64_t stack() const { return reinterpret_cast<uint64_t>(this) + sizeof(Frame) + RED_ZONE; }
};
static_assert(offsetof(Frame, claim) == FRAME_CLAIM && offsetof(Frame, action) == FRAME_ACTION);
static_assert(offsetof(Frame, result) == FRAME_RESULT && offsetof(Frame, clobbered) == FRAME_CLOBBERED);
static_assert(offsetof(Frame, number) == FRAME_NUMBER && offsetof(Frame, made) == FRAME_MADE);
static_assert(offsetof(Frame, arguments) == FRAME_ARGUMENTS && offsetof(Frame, near_code) == FRAME_NEAR);
static_assert(offsetof(Frame, back) == FRAME_BACK && sizeof(Frame) == FRAME_SIZE);
static_assert(mark == MARK && guest_version == GUEST_VERSION);

}  // namespace ctr::pidns::guest
