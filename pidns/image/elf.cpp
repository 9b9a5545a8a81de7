#include "pidns/image/elf.h"

#include <algorithm>

namespace ctr::pidns::image {

namespace {

constexpr const char* reading = "read the image";
constexpr Address address_limit = Address{1} << 47;  // of user space
constexpr size_t segment_limit = 1024;               // the kernel takes 64 KiB of program headers
constexpr size_t load_limit = 64;  // linkers make four; each look at an address goes through them

std::unexpected<Error> refuse(const char* why) {
    return fail_input(reading, why);
}

bool ends_with_zero(Bytes bytes) {
    return !bytes.empty() && bytes.back() == std::byte{0};
}

}  // namespace

Result<Elf> Elf::parse(Bytes bytes) {
    Elf elf;
    elf.bytes_ = bytes;
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return refuse("it is no ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64)
        return refuse("it isn't for x86-64");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return refuse("it is neither an executable nor a shared object");
    elf.header_ = *header;
    if (auto status = elf.read_segments(); !status) return std::unexpected(std::move(status).error());
    elf.read_sections();
    return elf;
}

Status Elf::read_segments() {
    if (header_.e_phentsize != sizeof(Elf64_Phdr)) return refuse("its program headers have another size");
    if (header_.e_phnum > segment_limit) return refuse("it has too many program headers");
    Address end = 0;
    for (uint64_t i = 0; i < header_.e_phnum; ++i) {
        const uint64_t offset = header_.e_phoff + i * sizeof(Elf64_Phdr);
        const auto segment = read_at<Elf64_Phdr>(bytes_, offset);
        if (offset < header_.e_phoff || !segment)
            return refuse("its program headers lie outside of the file");
        segments_.push_back(*segment);
        if (segment->p_type != PT_LOAD) continue;
        if (segment->p_filesz > segment->p_memsz || segment->p_offset > bytes_.size() ||
            segment->p_filesz > bytes_.size() - segment->p_offset)
            return refuse("a segment lies outside of the file");
        if (segment->p_vaddr >= address_limit || segment->p_memsz > address_limit - segment->p_vaddr)
            return refuse("a segment lies outside of the address space");
        if (segment->p_vaddr < end) return refuse("its segments aren't in order, or overlap");
        end = segment->p_vaddr + segment->p_memsz;
        loads_.push_back(*segment);
    }
    if (loads_.size() > load_limit) return refuse("it has too many segments");
    if (end == 0) return refuse("nothing of it is loaded");
    return {};
}

// Not needed for loading, so a nonsensical table is no error, but none.
void Elf::read_sections() {
    if (header_.e_shentsize != sizeof(Elf64_Shdr)) return;
    std::vector<Elf64_Shdr> sections;
    for (uint64_t i = 0; i < header_.e_shnum; ++i) {
        const uint64_t offset = header_.e_shoff + i * sizeof(Elf64_Shdr);
        const auto section = read_at<Elf64_Shdr>(bytes_, offset);
        if (offset < header_.e_shoff || !section) return;
        sections.push_back(*section);
    }
    sections_ = std::move(sections);
    if (header_.e_shstrndx < sections_.size()) names_ = contents(sections_[header_.e_shstrndx]);
    if (!ends_with_zero(names_)) names_ = {};
}

const Elf64_Phdr* Elf::segment(uint32_t type) const {
    const auto found = std::ranges::find(segments_, type, &Elf64_Phdr::p_type);
    return found == segments_.end() ? nullptr : &*found;
}

std::vector<Range> Elf::code() const {
    std::vector<Range> ranges;
    for (const Elf64_Phdr& segment : loads_)
        if ((segment.p_flags & PF_X) != 0 && segment.p_filesz > 0)
            ranges.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_filesz});
    return ranges;
}

Bytes Elf::at(Address address) const {
    for (const Elf64_Phdr& segment : loads_) {
        if (address < segment.p_vaddr) continue;
        const uint64_t within = address - segment.p_vaddr;
        if (within < segment.p_filesz)
            return bytes_.subspan(segment.p_offset + within, segment.p_filesz - within);
    }
    return {};
}

Bytes Elf::at(Range range) const {
    const Bytes found = at(range.begin);
    return range.end >= range.begin && found.size() >= range.size() ? found.first(range.size()) : Bytes{};
}

std::optional<uint64_t> Elf::offset_of(Address address) const {
    const Bytes found = at(address);
    if (found.empty()) return std::nullopt;
    return static_cast<uint64_t>(found.data() - bytes_.data());
}

Bytes Elf::contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size() ||
        section.sh_size > bytes_.size() - section.sh_offset)
        return {};
    return bytes_.subspan(section.sh_offset, section.sh_size);
}

const char* Elf::name(const Elf64_Shdr& section) const {
    if (section.sh_name >= names_.size()) return "";
    return reinterpret_cast<const char*>(names_.data()) + section.sh_name;
}

const Elf64_Shdr* Elf::section(const char* wanted) const {
    const auto found = std::ranges::find_if(
        sections_, [&](const Elf64_Shdr& section) { return std::strcmp(name(section), wanted) == 0; });
    return found == sections_.end() ? nullptr : &*found;
}

}  // namespace ctr::pidns::image
