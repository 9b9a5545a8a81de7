#include "pidns/image/unwind_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pidns/image/dwarf.h"

namespace ctr::pidns::image {

namespace {

// A common entry: how those that share it write their pointers.
struct Common {
    uint8_t function = encoding::absolute;
    uint8_t handlers = encoding::omitted;  // of the pointer to the function's table of landing pads
    bool sized = false;                    // augmentation data has a length
    bool signal = false;                   // where signal handlers return to
};

class Reader {
  public:
    explicit Reader(const Elf& elf) : elf_(elf) {}

    UnwindFacts read(Range range) {
        Cursor all(elf_.at(range), range.begin);
        facts_.entries = {range.begin, range.begin};
        for (; !all.at_end(); facts_.entries.end = all.address()) {
            const auto length = all.number<uint32_t>();
            if (length == 0 || length == long_form) break;
            Cursor entry = all.take(length);
            const Address place = entry.address();
            const auto distance = entry.number<uint32_t>();
            if (all.failed() || entry.failed()) break;
            if (distance != 0) read_function(entry, place - distance);
        }
        return std::move(facts_);
    }

  private:
    static constexpr uint32_t long_form = 0xffffffff;  // 64-bit DWARF, which nobody uses here

    void read_function(Cursor& entry, Address common_place) {
        const Common common = common_at(common_place);
        // The entry of what signal handlers return to begins a byte early, for unwinders that look for the
        // address before the one that is returned to.
        const Address begin = pointer(entry, common.function) + (common.signal ? 1 : 0);
        const uint64_t size = entry.pointer(common.function & encoding::form);
        if (entry.failed()) return;
        facts_.functions.push_back(begin);
        facts_.described.push_back({begin, begin + size});
        if (!common.sized || common.handlers == encoding::omitted) return;
        entry.unsigned_leb();
        const Address handlers = pointer(entry, common.handlers);
        if (!entry.failed() && handlers != 0 && tables_.insert(handlers).second)
            read_handlers(handlers, begin);
    }

    Address pointer(Cursor& entry, uint8_t how) {
        const Address place = entry.address();
        const Address value = entry.pointer(how);
        const bool relative = how != encoding::omitted && (how & encoding::relation) == encoding::pc_relative;
        if (relative && value != 0 && facts_.entries.begin <= place)
            facts_.relative.push_back({place, static_cast<uint8_t>(how & encoding::form)});
        return value;
    }

    // The table's own length, then what the personality routine needs of it.
    void read_handlers(Address place, Address function) {
        Cursor table(elf_.at(place), place);
        const Address given = table.pointer(table.byte());
        const Address base = given == 0 ? function : given;
        if (table.byte() != encoding::omitted) table.unsigned_leb();
        const uint8_t form = table.byte();
        Cursor sites = table.take(table.unsigned_leb());
        if (table.failed()) return;
        while (!sites.at_end()) {
            sites.pointer(form);
            sites.pointer(form);
            const uint64_t pad = sites.pointer(form);
            sites.unsigned_leb();
            if (!sites.failed() && pad != 0) facts_.landing_pads.push_back(base + pad);
        }
    }

    const Common& common_at(Address place) {
        const auto [found, is_new] = commons_.try_emplace(place);
        if (is_new) found->second = read_common(place);
        return found->second;
    }

    Common read_common(Address place) {
        Common common;
        Cursor outer(elf_.at(place), place);
        Cursor entry = outer.take(outer.number<uint32_t>());
        if (outer.failed() || entry.number<uint32_t>() != 0) return common;
        entry.byte();  // version: 1, or 3, which differs in the register that follows only
        std::string augmentation;
        while (const char letter = static_cast<char>(entry.byte())) augmentation += letter;
        entry.unsigned_leb();
        entry.signed_leb();
        entry.unsigned_leb();
        for (const char letter : augmentation) {
            switch (letter) {
                case 'z':
                    common.sized = true;
                    entry.unsigned_leb();
                    break;
                case 'R': common.function = entry.byte(); break;
                case 'L': common.handlers = entry.byte(); break;
                case 'P': pointer(entry, entry.byte()); break;
                case 'S': common.signal = true; break;
                default: return common;  // what follows an unknown letter can't be read
            }
        }
        return common;
    }

    const Elf& elf_;
    UnwindFacts facts_;
    std::map<Address, Common> commons_;
    std::set<Address> tables_;  // read already
};

}  // namespace

Address find_unwind_entries(const Elf& elf) {
    if (const auto* segment = elf.segment(PT_GNU_EH_FRAME)) {
        Cursor table(elf.at(segment->p_vaddr), segment->p_vaddr);
        const uint8_t version = table.byte();
        const uint8_t how = table.byte();
        table.byte();
        table.byte();
        const Address entries = table.pointer(how, segment->p_vaddr);
        if (version == 1 && !table.failed() && entries != 0) return entries;
    }
    const auto* section = elf.section(".eh_frame");
    return section == nullptr ? 0 : section->sh_addr;
}

UnwindFacts read_unwind_facts(const Elf& elf) {
    const Address entries = find_unwind_entries(elf);
    if (entries == 0) return {};
    // Some linkers leave the mark of its end out.
    uint64_t size = elf.at(entries).size();
    if (const auto* section = elf.section(".eh_frame"); section != nullptr && section->sh_addr == entries)
        size = std::min<uint64_t>(size, section->sh_size);
    return Reader(elf).read({entries, entries + size});
}

}  // namespace ctr::pidns::image
