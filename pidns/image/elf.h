// An ELF file as bytes, read for what the instrumenter needs. Every offset, size and address in it is
// hostile: parse() refuses what a loader would refuse, and each accessor checks its bounds and answers with
// nothing.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::pidns::image {

using Bytes = std::span<const std::byte>;
using Address = uint64_t;  // as the file says, before the image is put somewhere

// A range of addresses, without its end.
struct Range {
    Address begin = 0;
    Address end = 0;

    bool contains(Address address) const { return begin <= address && address < end; }
    uint64_t size() const { return end - begin; }
};

// A structure or number at an offset that may be anywhere and need not be aligned.
template <class T>
std::optional<T> read_at(Bytes bytes, uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

class Elf {
  public:
    // BYTES must outlive the result. x86-64, for Linux, executable or shared object; loaded segments ascend
    // and don't overlap.
    static Result<Elf> parse(Bytes bytes);

    Bytes bytes() const { return bytes_; }
    const Elf64_Ehdr& header() const { return header_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }
    const std::vector<Elf64_Phdr>& loads() const { return loads_; }  // those of type PT_LOAD
    const std::vector<Elf64_Shdr>& sections() const {
        return sections_;
    }  // empty: none, or they make no sense

    // Its addresses are final: nothing is relocated, so any word may be one.
    bool fixed() const { return header_.e_type == ET_EXEC; }

    // The first segment of a type.
    const Elf64_Phdr* segment(uint32_t type) const;

    // What is executable of that which is loaded from the file.
    std::vector<Range> code() const;

    // The file's bytes from this address to the end of what its segment loads from the file; empty: none.
    Bytes at(Address address) const;
    Bytes at(Range range) const;  // the whole range, or empty
    template <class T>
    std::optional<T> read(Address address) const {
        return read_at<T>(at(address), 0);
    }

    std::optional<uint64_t> offset_of(Address address) const;

    Bytes contents(const Elf64_Shdr& section) const;  // empty: not in the file
    const char* name(const Elf64_Shdr& section) const;
    const Elf64_Shdr* section(const char* name) const;

  private:
    Elf() = default;
    Status read_segments();
    void read_sections();

    Bytes bytes_;
    Bytes names_;
    Elf64_Ehdr header_ = {};
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Phdr> loads_;
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace ctr::pidns::image
