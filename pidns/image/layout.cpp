#include "pidns/image/layout.h"

#include <algorithm>
#include <string_view>

namespace ctr::pidns::image {

namespace {

constexpr uint64_t page = 4096;

uint64_t round_up(uint64_t value) {
    return (value + page - 1) / page * page;
}

// Whether what follows a segment in the file also follows it in memory, and none is written to.
bool can_merge(const Elf64_Phdr& first, const Elf64_Phdr& second) {
    const auto plain = [](const Elf64_Phdr& segment) {
        return segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0 &&
               segment.p_filesz == segment.p_memsz;
    };
    return plain(first) && plain(second) && second.p_offset >= first.p_offset + first.p_filesz &&
           second.p_offset - first.p_offset == second.p_vaddr - first.p_vaddr;
}

std::vector<Elf64_Phdr> merge(const std::vector<Elf64_Phdr>& segments) {
    std::vector<Elf64_Phdr> merged;
    Elf64_Phdr* load = nullptr;  // the last one
    merged.reserve(segments.size());
    for (const Elf64_Phdr& segment : segments) {
        if (load != nullptr && can_merge(*load, segment)) {
            load->p_flags |= segment.p_flags;
            load->p_filesz = load->p_memsz = segment.p_offset + segment.p_filesz - load->p_offset;
            continue;
        }
        merged.push_back(segment);
        if (segment.p_type == PT_LOAD) load = &merged.back();
    }
    return merged;
}

// Notes that only repeat PT_GNU_PROPERTY are missed least, then those without the build's id.
size_t least_note(const Elf& elf, const std::vector<Elf64_Phdr>& segments) {
    const auto rank = [&](const Elf64_Phdr& segment) {
        if (segment.p_type != PT_NOTE) return 0;
        const auto note = elf.read<Elf64_Nhdr>(segment.p_vaddr);
        if (note && note->n_type == NT_GNU_PROPERTY_TYPE_0) return 3;
        return note && note->n_type == NT_GNU_BUILD_ID ? 1 : 2;
    };
    const auto best = std::ranges::max_element(segments, {}, rank);
    return rank(*best) == 0 ? segments.size() : static_cast<size_t>(best - segments.begin());
}

}  // namespace

Result<Layout> lay_out(const Elf& elf) {
    Layout layout;
    layout.segments = merge(elf.segments());
    const size_t count = elf.segments().size();
    if (layout.segments.size() == count) {
        const size_t note = least_note(elf, layout.segments);
        if (note == count)
            return fail_input("make room for the guest code",
                              "no segments can be merged, and there is no note");
        layout.segments.erase(layout.segments.begin() + static_cast<ptrdiff_t>(note));
    }
    const auto last = std::ranges::find(layout.segments.rbegin(), layout.segments.rend(), uint32_t{PT_LOAD},
                                        &Elf64_Phdr::p_type);
    const Elf64_Phdr guest{
        .p_type = PT_LOAD,
        .p_flags = PF_R | PF_X,
        .p_offset = round_up(elf.bytes().size()),
        .p_vaddr = round_up(last->p_vaddr + last->p_memsz),
        .p_paddr = round_up(last->p_vaddr + last->p_memsz),
        .p_filesz = 0,
        .p_memsz = 0,
        .p_align = page,
    };
    layout.guest = static_cast<size_t>(layout.segments.rend() - last);
    layout.segments.insert(last.base(), guest);
    const auto loads = std::ranges::count(layout.segments, uint32_t{PT_LOAD}, &Elf64_Phdr::p_type);
    layout.mappings = static_cast<int>(loads) - static_cast<int>(elf.loads().size());
    layout.spare = layout.segments.size() < count;
    while (layout.segments.size() < count) layout.segments.push_back({});
    return layout;
}

}  // namespace ctr::pidns::image
