#include "runtime/program.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/process.h"

namespace ctr {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

Program read_text(const std::string& text) {
    return read_program(bytes_of(text));
}

template <class T>
void put(Bytes& bytes, size_t at, const T& value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A page with a header and these segments.
Bytes elf(const std::vector<Elf64_Phdr>& segments) {
    Bytes bytes(program_beginning);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_X86_64;
    header.e_type = ET_DYN;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments.size());
    put(bytes, 0, header);
    for (size_t i = 0; i < segments.size(); ++i)
        put(bytes, sizeof header + i * sizeof(Elf64_Phdr), segments[i]);
    return bytes;
}

Elf64_Phdr segment(uint32_t type, uint64_t offset, uint64_t size) {
    Elf64_Phdr header{};
    header.p_type = type;
    header.p_offset = offset;
    header.p_filesz = size;
    return header;
}

TEST(Program, AScriptNamesWhatRunsIt) {
    EXPECT_EQ(read_text("#!/bin/sh\necho").interpreter, "/bin/sh");
    EXPECT_EQ(read_text("#! \t/usr/bin/env  -S x\n").interpreter, "/usr/bin/env");
    EXPECT_EQ(read_text("#!/bin/sh").interpreter, "/bin/sh");
    EXPECT_TRUE(read_text("#!/bin/sh").is_script);
    EXPECT_FALSE(read_text("#!/bin/sh").makes_calls);
    for (const char* odd : {"#!", "#!\n/bin/sh", "#!   ", "#! \n"})
        EXPECT_EQ(read_text(odd).interpreter, "") << odd;
}

TEST(Program, WhatIsNoImageOfThisMachineIsNothing) {
    Bytes other_machine = elf({});
    other_machine[offsetof(Elf64_Ehdr, e_machine)] = std::byte{EM_386};
    Bytes object = elf({});
    object[offsetof(Elf64_Ehdr, e_type)] = std::byte{ET_REL};
    for (const Bytes& bytes : {Bytes{},
                               bytes_of("\x7f"
                                        "ELF"),
                               bytes_of("hello"), other_machine, object}) {
        const Program program = read_program(bytes);
        EXPECT_FALSE(program.makes_calls);
        EXPECT_FALSE(program.is_script);
        EXPECT_EQ(program.interpreter, "");
    }
}

TEST(Program, AnImageWithoutAnInterpreterMakesItsOwnCalls) {
    EXPECT_TRUE(read_program(elf({segment(PT_LOAD, 0, 4096)})).makes_calls);
    Bytes dynamic = elf({segment(PT_INTERP, 1000, 9)});
    put(dynamic, 1000, "/lib/ld.x");
    EXPECT_FALSE(read_program(dynamic).makes_calls);
    EXPECT_EQ(read_program(dynamic).interpreter, "/lib/ld.x");
}

TEST(Program, GoMakesItsOwnCallsBesideTheCLibrary) {
    Bytes go = elf({segment(PT_INTERP, 1000, 9), segment(PT_NOTE, 2000, 64)});
    put(go, 1000, "/lib/ld.x");
    put(go, 2000, Elf64_Nhdr{4, 5, 1});
    put(go, 2012, "GNU");
    put(go, 2024, Elf64_Nhdr{4, 4, 4});
    EXPECT_FALSE(read_program(go).makes_calls);
    put(go, 2036, "Go\0");
    EXPECT_TRUE(read_program(go).makes_calls);
    EXPECT_EQ(read_program(go).interpreter, "/lib/ld.x");
}

TEST(Program, OffsetsThatLeadNowhereAreNotFollowed) {
    constexpr uint64_t most = UINT64_MAX;
    for (const uint64_t offset : {uint64_t{4090}, uint64_t{4096}, uint64_t{5000}, most - 8, most})
        for (const uint64_t size : {uint64_t{0}, uint64_t{20}, most - 4096, most}) {
            const Program program =
                read_program(elf({segment(PT_INTERP, offset, size), segment(PT_NOTE, offset, size)}));
            EXPECT_LE(program.interpreter.size(), 6u);
        }
    Bytes no_table = elf({segment(PT_INTERP, 0, 9)});
    put(no_table, offsetof(Elf64_Ehdr, e_phoff), most - 16);
    EXPECT_EQ(read_program(no_table).interpreter, "");
    Bytes long_note = elf({segment(PT_NOTE, 2000, 2096)});
    put(long_note, 2000, Elf64_Nhdr{UINT32_MAX, UINT32_MAX, 1});
    EXPECT_TRUE(read_program(long_note).makes_calls);
}

TEST(Program, RealOnesAreTold) {
    const auto read = [](const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        std::string text(program_beginning, 0);
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        return read_text(text.substr(0, static_cast<size_t>(file.gcount())));
    };
    EXPECT_EQ(read("/bin/sh").interpreter, "/lib64/ld-linux-x86-64.so.2");
    EXPECT_FALSE(read("/bin/sh").makes_calls);
    EXPECT_TRUE(read("/lib64/ld-linux-x86-64.so.2").makes_calls);
}

}  // namespace
}  // namespace ctr
