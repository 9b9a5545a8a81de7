// Instruments an image: returns a copy in which the system calls of the pid surface jump into guest code
// (pidns/guest), which the copy carries along. Pure: bytes in, bytes out.
//
// What isn't proved to stay the same program is left as it is, and does its calls through the net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::pidns::image {

inline constexpr long dynamic_number = -1;

// Where a site enters the guest.
enum class Entry : uint8_t {
    generic,      // the guest makes the call
    create,       // the guest makes the call, but a child comes back beside the site
    prepare,      // on a stack that may be small: the guest passes or serves the call, or the image makes it
    cancellable,  // the guest has the call made by the function that does so
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

// What is found in an image.
struct Findings {
    std::vector<Site> sites;  // by address
    size_t others = 0;        // system calls that can't carry a process number
};

struct Instrumented : Findings {
    std::vector<std::byte> bytes;  // empty: nothing of it can be patched
    uint64_t guest = 0;            // address of the guest in the image
    int mappings = 0;              // by how many the copy has more segments to map than the original
    bool unwinds = false;          // unwinders get through the guest
};

// Of a call that can carry a process number.
std::string call_name(long number);

// Whether it is an instrumented copy.
bool is_copy(std::span<const std::byte> elf);

// Only looks.
Result<Findings> examine(std::span<const std::byte> elf);

// Reads ELF, and GUEST, which begins with a GuestHeader.
Result<Instrumented> instrument(std::span<const std::byte> elf, std::span<const std::byte> guest);

}  // namespace ctr::pidns::image
