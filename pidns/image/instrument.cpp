#include "pidns/image/instrument.h"

#include <algorithm>

#include "pidns/guest/header.h"
#include "pidns/image/landings.h"
#include "pidns/image/layout.h"
#include "pidns/image/thunks.h"
#include "pidns/image/unwind_table.h"

namespace ctr::pidns::image {

namespace {

constexpr const char* instrumenting = "instrument the image";
constexpr uint64_t size_limit = uint64_t{1} << 31;  // what a jump reaches

Result<GuestHeader> read_guest(Bytes guest) {
    const auto refuse = [](const char* why) { return fail_input("read the guest code", why); };
    const auto header = read_at<GuestHeader>(guest, 0);
    if (!header || std::memcmp(header->magic, guest_magic, sizeof guest_magic) != 0)
        return refuse("it has no header");
    if (header->version != guest_version) return refuse("its header is of another version");
    if (header->size != guest.size()) return refuse("its size isn't what its header says");
    for (const uint32_t offset : {header->generic, header->create, header->created, header->prepare,
                                  header->cancellable, header->unwind_begin, header->unwind_end})
        if (offset < sizeof *header || offset > header->size) return refuse("an entry lies outside of it");
    if (header->unwind_begin >= header->unwind_end || header->unwind_ra % sizeof(uint64_t) != 0)
        return refuse("what it says to unwinders makes no sense");
    return *header;
}

// The end of what the headers know of.
uint64_t described_size(const Elf& elf) {
    uint64_t end = elf.header().e_shoff + elf.sections().size() * sizeof(Elf64_Shdr);
    for (const Elf64_Phdr& segment : elf.loads()) end = std::max(end, segment.p_offset + segment.p_filesz);
    for (const Elf64_Shdr& section : elf.sections()) {
        const Bytes contents = elf.contents(section);
        if (!contents.empty()) end = std::max(end, section.sh_offset + section.sh_size);
    }
    return end;
}

// Patches are written to the file, so no byte of it may be code at two addresses.
bool loads_a_byte_twice(const Elf& elf) {
    std::vector<Elf64_Phdr> loads = elf.loads();
    std::ranges::sort(loads, {}, &Elf64_Phdr::p_offset);
    const auto overlap = [](const Elf64_Phdr& first, const Elf64_Phdr& second) {
        return first.p_filesz > 0 && second.p_filesz > 0 && second.p_offset < first.p_offset + first.p_filesz;
    };
    return std::ranges::adjacent_find(loads, overlap) != loads.end();
}

// Somewhere in the segment that instrumenting adds, the last one.
bool carries_guest(const Elf& elf) {
    const Elf64_Phdr& last = elf.loads().back();
    if ((last.p_flags & PF_X) == 0) return false;
    const Bytes magic = std::as_bytes(std::span(guest_magic));
    return !std::ranges::search(elf.at(last.p_vaddr), magic).empty();
}

Status check(const Elf& elf) {
    if (loads_a_byte_twice(elf)) return fail_input(instrumenting, "its segments share bytes of the file");
    if (carries_guest(elf)) return fail_input(instrumenting, "it is instrumented already");
    // Programs that carry an archive look for it at the end of their file.
    const uint64_t described = std::min<uint64_t>(described_size(elf), elf.bytes().size());
    if (std::ranges::any_of(elf.bytes().subspan(described),
                            [](std::byte byte) { return byte != std::byte{0}; }))
        return fail_input(instrumenting, "there is something behind the end of what its headers describe");
    const Elf64_Phdr& last = elf.loads().back();
    if (elf.bytes().size() >= size_limit ||
        last.p_vaddr + last.p_memsz - elf.loads().front().p_vaddr >= size_limit)
        return fail_input(instrumenting, "it is too large");
    return {};
}

std::vector<Address> entries(const Elf& elf, const Links& links, const UnwindFacts& unwind) {
    std::vector<Address> entries = links.functions;
    entries.insert(entries.end(), unwind.functions.begin(), unwind.functions.end());
    for (const Elf64_Shdr& section : elf.sections()) {
        if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
        entries.push_back(section.sh_addr);
        entries.push_back(section.sh_addr + section.sh_size);
    }
    return entries;
}

bool is_go(const Elf& elf) {
    return elf.section(".gopclntab") != nullptr || elf.section(".data.rel.ro.gopclntab") != nullptr ||
           elf.section(".go.buildinfo") != nullptr;
}

// Go's stacks are as large as its compiler has reckoned: what is called may use no more than it knows of. C
// code in such a program, which has unwind entries where Go's has none, runs on stacks of the usual size.
SmallStacks small_stacks(const Elf& elf, const UnwindFacts& unwind) {
    if (!is_go(elf)) return [](Address) { return false; };
    return [&unwind](Address address) {
        return std::ranges::none_of(unwind.described,
                                    [address](const Range& range) { return range.contains(address); });
    };
}

// Decodes the image and gives what was found to an action, which can't keep it: all refer to each other.
template <class Action>
Status look_into(const Elf& elf, Action action) {
    const auto decoder = Decoder::load();
    if (!decoder) return std::unexpected(decoder.error());
    const UnwindFacts unwind = read_unwind_facts(elf);
    const Links links = read_links(elf);
    const Code code = Code::decode(elf, *decoder, entries(elf, links, unwind));
    const auto landings = find_landings(elf, code, links, unwind);
    if (!landings) return std::unexpected(landings.error());
    const Flow flow(elf, code, *landings, *decoder);
    return action(flow, survey(flow, small_stacks(elf, unwind)), unwind);
}

void write(std::vector<std::byte>& bytes, uint64_t offset, const void* data, size_t size) {
    if (bytes.size() < offset + size) bytes.resize(offset + size);
    std::memcpy(bytes.data() + offset, data, size);
}

// The new segment: thunks, guest, unwind table. The kernel maps the pages of a file around a fault 64 KiB at
// a time, and those from the beginning of a segment surely together: the thunks and what they enter are one
// fault.
class Writer {
  public:
    Writer(const Elf& elf, Bytes guest, GuestHeader header, Layout layout)
        : elf_(elf), guest_(guest), header_(header), layout_(std::move(layout)) {}

    void write_into(Instrumented& result, const Flow& flow, const Survey& survey, const UnwindFacts& unwind) {
        const Address begin = layout_.guest_segment().p_vaddr;
        const auto thunks_for = [&](Address guest) {
            return make_thunks(elf_, flow, survey, header_, guest, begin);
        };
        // Their size doesn't depend on where the guest lies.
        const Address guest = begin + aligned(thunks_for(begin).bytes.size());
        const Thunks thunks = thunks_for(guest);
        append(thunks.bytes.data(), thunks.bytes.size());
        align();
        if (survey.restorer != 0) header_.restorer = static_cast<int32_t>(survey.restorer - guest);
        append(guest_.data(), guest_.size());
        write(segment_, guest - begin, &header_, sizeof header_);
        align();
        result.unwinds = add_unwind_table(thunks, unwind, begin, guest);

        std::vector<std::byte>& bytes = result.bytes;
        bytes.assign(elf_.bytes().begin(), elf_.bytes().end());
        for (const Piece& piece : thunks.pieces)
            write(bytes, *elf_.offset_of(piece.address), piece.bytes.data(), piece.bytes.size());
        layout_.guest_segment().p_filesz = layout_.guest_segment().p_memsz = segment_.size();
        write(bytes, layout_.guest_segment().p_offset, segment_.data(), segment_.size());
        write(bytes, elf_.header().e_phoff, layout_.segments.data(),
              layout_.segments.size() * sizeof(Elf64_Phdr));
        for (const auto& [number, section] : sections_)
            write(bytes, elf_.header().e_shoff + number * sizeof section, &section, sizeof section);
        result.guest = guest;
        result.mappings = layout_.mappings;
    }

  private:
    void append(const std::byte* data, size_t size) { segment_.insert(segment_.end(), data, data + size); }

    static size_t aligned(size_t size) {
        constexpr size_t alignment = 16;
        return (size + alignment - 1) / alignment * alignment;
    }
    void align() { segment_.resize(aligned(segment_.size())); }

    bool add_unwind_table(const Thunks& thunks, const UnwindFacts& unwind, Address begin, Address guest) {
        const NewCode code{{guest + header_.unwind_begin, guest + header_.unwind_end}, thunks.waiting};
        const uint64_t offset = segment_.size();
        const auto table = extend_unwind_table(elf_, unwind, begin + offset, code, header_);
        auto header = std::ranges::find(layout_.segments, uint32_t{PT_GNU_EH_FRAME}, &Elf64_Phdr::p_type);
        if (header == layout_.segments.end() && layout_.spare) header = std::prev(layout_.segments.end());
        if (!table || header == layout_.segments.end()) return false;
        append(table->bytes.data(), table->bytes.size());
        *header = {.p_type = PT_GNU_EH_FRAME,
                   .p_flags = PF_R,
                   .p_offset = layout_.guest_segment().p_offset + offset,
                   .p_vaddr = begin + offset,
                   .p_paddr = begin + offset,
                   .p_filesz = table->bytes.size(),
                   .p_memsz = table->bytes.size(),
                   .p_align = sizeof(uint32_t)};
        move_section(".eh_frame_hdr", offset, table->entries);
        if (table->complete)
            move_section(".eh_frame", offset + table->entries, table->bytes.size() - table->entries);
        return true;
    }

    // For debuggers, which look for sections.
    void move_section(const char* name, uint64_t offset, uint64_t size) {
        const auto* section = elf_.section(name);
        if (section == nullptr) return;
        Elf64_Shdr moved = *section;
        moved.sh_addr = layout_.guest_segment().p_vaddr + offset;
        moved.sh_offset = layout_.guest_segment().p_offset + offset;
        moved.sh_size = size;
        sections_.emplace_back(section - elf_.sections().data(), moved);
    }

    const Elf& elf_;
    Bytes guest_;
    GuestHeader header_;
    Layout layout_;
    std::vector<std::byte> segment_;
    std::vector<std::pair<size_t, Elf64_Shdr>> sections_;  // those that moved, by number
};

}  // namespace

bool is_copy(Bytes image) {
    const auto elf = Elf::parse(image);
    return elf && carries_guest(*elf);
}

Result<Findings> examine(Bytes image) {
    const auto elf = Elf::parse(image);
    if (!elf) return std::unexpected(elf.error());
    if (auto status = check(*elf); !status) return std::unexpected(std::move(status).error());
    Findings findings;
    auto status = look_into(*elf, [&](const Flow&, const Survey& found, const UnwindFacts&) {
        findings = {found.sites, found.others};
        return Status{};
    });
    if (!status) return std::unexpected(std::move(status).error());
    return findings;
}

Result<Instrumented> instrument(Bytes image, Bytes guest) {
    const auto header = read_guest(guest);
    if (!header) return std::unexpected(header.error());
    const auto elf = Elf::parse(image);
    if (!elf) return std::unexpected(elf.error());
    if (auto status = check(*elf); !status) return std::unexpected(std::move(status).error());
    Instrumented result;
    auto status =
        look_into(*elf, [&](const Flow& flow, const Survey& found, const UnwindFacts& unwind) -> Status {
            result.sites = found.sites;
            result.others = found.others;
            if (found.patches.empty()) return {};
            auto layout = lay_out(*elf);
            if (!layout) return std::unexpected(std::move(layout).error());
            Writer(*elf, guest, *header, std::move(*layout)).write_into(result, flow, found, unwind);
            return {};
        });
    if (!status) return std::unexpected(std::move(status).error());
    return result;
}

}  // namespace ctr::pidns::image
