// What stands at the beginning of the guest code, the flat position-independent binary that an instrumented
// image carries: where the image's thunks enter it, and what unwinders must know of it. Shared by the guest,
// which fills it in, and by the instrumenter (pidns/image), which reads it. Offsets count from the header.
// Freestanding.
#pragma once

#include <cstdint>

namespace ctr::pidns {

inline constexpr char guest_magic[8] = {'c', 't', 'r', 'g', 'u', 'e', 's', 't'};
inline constexpr uint32_t guest_version = 2;

struct GuestHeader {
    char magic[8];
    uint32_t version;
    uint32_t size;  // of the whole blob, in bytes

    // Entries. At each: eax is the call's number, rcx the address to go on at, all else is as at the image's
    // syscall instruction. rcx and r11 are free, as they are behind a system call.
    uint32_t generic;  // any call: made or answered; goes on with its result in rax
    uint32_t create;   // the fork family: as generic, and r11 is the address of the site's near code
    uint32_t created;  // where near code goes on in the parent, and after a failure
    uint32_t
        prepare;  // makes or serves the call and goes on behind it, or goes to rcx, where the image makes it
    uint32_t cancellable;  // in place of a function that makes calls (image/cancellable.h), with its
                           // arguments; r11 is its address, for the guest to call

    // The part in which a thread may sleep or be cancelled: there CFA = rsp + unwind_cfa, and the return
    // address (where the image goes on) is at CFA - unwind_ra.
    uint32_t unwind_begin;
    uint32_t unwind_end;
    uint32_t unwind_cfa;
    uint32_t unwind_ra;

    // Written by the instrumenter: from the header to the image's signal restorer (`mov $15, %eax; syscall`).
    // 0: it has none.
    int32_t restorer;
};

static_assert(sizeof(GuestHeader) == 56, "a format: the blob and its reader are built apart");

}  // namespace ctr::pidns
