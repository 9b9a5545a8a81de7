// What kind of program a file is, as far as it decides who makes its system calls.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ctr {

struct Program {
    // An ELF image whose own code makes system calls: a static executable, or one whose run-time system goes
    // by the C library (Go).
    bool makes_calls = false;
    // What runs it: the dynamic linker that it names, or the program of a script's first line. Empty: nothing
    // does.
    std::string interpreter;
    bool is_script = false;
};

// How much of a file is needed to tell: notes and names lie in the first page.
inline constexpr size_t program_beginning = 4096;

// From the beginning of a file, which may hold anything. Pure.
Program read_program(std::span<const std::byte> beginning);

}  // namespace ctr
