#include "runtime/program.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace ctr {

namespace {

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> read_at(Bytes bytes, size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return {};
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// As much of it as there is.
std::string_view text_at(Bytes bytes, size_t offset, size_t size) {
    if (offset > bytes.size()) return {};
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.substr(offset, size);
}

// "#!/bin/sh -e": the kernel takes what stands between blanks.
std::string script_interpreter(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    constexpr std::string_view blanks = " \t";
    const size_t begin = line.find_first_not_of(blanks, 2);
    if (begin == std::string_view::npos) return {};
    return std::string(line.substr(begin, line.find_first_of(blanks, begin) - begin));
}

constexpr size_t aligned(size_t size) {
    return (size + 3) & ~size_t{3};
}

// Go's linker leaves a note with its build id.
bool is_from_go(Bytes bytes, const Elf64_Phdr& notes) {
    size_t at = notes.p_offset;
    const size_t end = at + notes.p_filesz;
    while (end >= at && end - at >= sizeof(Elf64_Nhdr)) {
        const auto note = read_at<Elf64_Nhdr>(bytes, at);
        if (!note) return false;
        at += sizeof *note;
        using std::string_view_literals::operator""sv;
        if (text_at(bytes, at, note->n_namesz) == "Go\0\0"sv) return true;
        at += aligned(note->n_namesz) + aligned(note->n_descsz);
    }
    return false;
}

Program read_elf(Bytes bytes, const Elf64_Ehdr& header) {
    Program program;
    bool go = false;
    for (size_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (!segment) break;
        if (segment->p_type == PT_INTERP) {
            const std::string_view name = text_at(bytes, segment->p_offset, segment->p_filesz);
            program.interpreter = std::string(name.substr(0, name.find('\0')));
        }
        go = go || (segment->p_type == PT_NOTE && is_from_go(bytes, *segment));
    }
    program.makes_calls = program.interpreter.empty() || go;
    return program;
}

}  // namespace

Program read_program(Bytes beginning) {
    if (text_at(beginning, 0, 2) == "#!")
        return {.interpreter = script_interpreter(text_at(beginning, 0, beginning.size())),
                .is_script = true};
    const auto header = read_at<Elf64_Ehdr>(beginning, 0);
    const bool ours = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 &&
                      (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
                      header->e_phentsize == sizeof(Elf64_Phdr);
    return ours ? read_elf(beginning, *header) : Program{};
}

}  // namespace ctr
