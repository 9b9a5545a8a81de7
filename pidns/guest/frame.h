// A call of the program while the guest code serves it: a value on the program's stack, laid out by entry.S.
// Freestanding.
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

// What a creator must know of its claim when the child has long ended, been waited for and been forgotten: a
// signal handler may run for as long between the birth of a child and the look at the call's result. One
// register. 0: there is none.
class Claim {
  public:
    constexpr Claim() = default;
    constexpr Claim(EntryId entry, VirtPid number, uint32_t birth)
        : word_(uint64_t{raw(entry)} << entry_shift | static_cast<uint64_t>(raw(number)) << number_shift |
                (birth & birth_mask)) {}

    constexpr EntryId entry() const { return EntryId(static_cast<uint32_t>(word_ >> entry_shift)); }
    constexpr int number() const { return static_cast<int>(word_ >> number_shift & number_mask); }
    constexpr bool is_of(uint32_t birth) const { return (word_ & birth_mask) == (birth & birth_mask); }

  private:
    static constexpr unsigned birth_bits = 18, number_shift = birth_bits,
                              entry_shift = number_shift + number_bits;
    static constexpr uint64_t birth_mask = (1U << birth_bits) - 1, number_mask = (1U << number_bits) - 1;
    static_assert(entry_shift + entry_bits <= 64);

    uint64_t word_ = 0;
};

struct Frame {
    uint64_t
        on_stack[2];  // what a cancellable function takes there, which is called with this frame above it
    union {
        Claim claim;     // fork family: the child's numbers
        HostPid caller;  // of a wait: the process, as it was before
    };
    Action action;
    uint32_t next;  // After of serve.h: what the result is looked at for
    int64_t result;
    uint64_t clobbered;     // r11
    uint64_t flag;          // whose address a cancellable function takes; 0: the guest makes the call
    uint64_t number;        // of the call that is made
    uint64_t made[6];       // its arguments
    uint64_t arguments[5];  // as the program passed them
    union {
        uint64_t near_code;
        uint64_t function;  // cancellable, and makes the call
    };
    uint64_t sixth;  // the program's r9
    uint64_t back;

    // Where the program's stack ends.
    uint64_t stack() const { return reinterpret_cast<uint64_t>(this) + sizeof(Frame) + RED_ZONE; }
};
static_assert(offsetof(Frame, on_stack) == FRAME_ON_STACK && offsetof(Frame, flag) == FRAME_FLAG);
static_assert(offsetof(Frame, function) == FRAME_FUNCTION && (sizeof(Frame) + RED_ZONE) % 16 == 0);
static_assert(offsetof(Frame, claim) == FRAME_CLAIM && offsetof(Frame, action) == FRAME_ACTION);
static_assert(offsetof(Frame, result) == FRAME_RESULT && offsetof(Frame, clobbered) == FRAME_CLOBBERED);
static_assert(offsetof(Frame, number) == FRAME_NUMBER && offsetof(Frame, made) == FRAME_MADE);
static_assert(offsetof(Frame, arguments) == FRAME_ARGUMENTS && offsetof(Frame, near_code) == FRAME_NEAR);
static_assert(offsetof(Frame, next) == FRAME_NEXT && offsetof(Frame, sixth) == FRAME_SIXTH);
static_assert(offsetof(Frame, back) == FRAME_BACK && sizeof(Frame) == FRAME_SIZE);
static_assert(mark == MARK && guest_version == GUEST_VERSION);

}  // namespace ctr::pidns::guest
