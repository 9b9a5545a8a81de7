// Instruments an image: returns a copy in which the system calls of the pid surface jump into guest code
// (pidns/guest), which the copy carries along. Pure: bytes in, bytes out.
//
// What isn't proved to stay the same program is left as it is, and does its calls through the net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::pidns::image {

inline constexpr long dynamic_number = -1;

// Where a site enters the guest.
enum class Entry : uint8_t {
    generic,  // the guest makes the call
    create,   // the guest makes the call, but a child comes back beside the site
    prepare,  // the call is made where it always was, by the guest's leave
};

enum class State : uint8_t { patched, left };

// A system call that can carry a process number.
struct Site {
    uint64_t address = 0;          // of the syscall instruction, as the file says
    long number = dynamic_number;  // of the call, if it has the same always
    Entry entry = Entry::generic;
    State state = State::left;
    const char* why = "";  // it was left
};

struct Instrumented {
    std::vector<std::byte> bytes;  // empty: nothing of it can be patched
    std::vector<Site> sites;
    size_t others = 0;     // system calls that can't carry a process number
    uint64_t guest = 0;    // address of the guest in the image
    int mappings = 0;      // by how many the copy has more segments to map than the original; negative: fewer
    bool unwinds = false;  // unwinders get through the guest
};

// Reads ELF, and GUEST, which begins with a GuestHeader.
Result<Instrumented> instrument(std::span<const std::byte> elf, std::span<const std::byte> guest);

}  // namespace ctr::pidns::image
