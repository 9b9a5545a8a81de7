// Small images with something of everything that the instrumenter looks at.
#pragma once

#include <sys/syscall.h>

#include <vector>

#include "tests/support/tiny_elf.h"

namespace ctr::test {

inline std::vector<ImageBytes> image_samples() {
    const TinyElf::Code code{
        0xb8, SYS_getpid, 0,        0,
        0,    0x0f,       0x05,     0xc3,  // a call
        0x0f, 0x1f,       0x44,     0,
        0,    0x0f,       0x1f,     0x44,
        0,    0,          0x0f,     0x1f,
        0x44, 0,  // filler
        0,    0xb8,       SYS_fork, 0,
        0,    0,          0x0f,     0x05,
        0xc3,  // a fork
        0x85, 0xff,       0x74,     0x05,
        0x48, 0x8d,       0x05,     0xf0,
        0x0f, 0,          0,  // a branch, and a table's address
        0x31, 0xc0,       0xb0,     0x01,
        0x0f, 0x05,       0x48,     0x3d,
        0,    0xf0,       0xff,     0xff,  // a call with its number in parts
        0x48, 0xc7,       0xc0,     SYS_rt_sigreturn,
        0,    0,          0,        0x0f,
        0x05,  // a restorer
    };
    const auto sample = [&](bool fixed) {
        TinyElf elf(code, fixed);
        elf.with_words({-0x1000, -0xff8, 17}).with_symbol(TinyElf::code + 23).with_relocation(TinyElf::code);
        elf.with_note(1).with_section(".data");
        return elf.bytes();
    };
    const TinyElf::Code go{0xb8, SYS_openat & 0xff, SYS_openat >> 8, 0, 0, 0x0f, 0x05, 0xc3};
    return {sample(false), sample(true), TinyElf(go).with_section(".gopclntab").with_note(1).bytes()};
}

}  // namespace ctr::test
