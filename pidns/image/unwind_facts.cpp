#include "pidns/image/unwind_facts.h"

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

    UnwindFacts read(Address entries) {
        Cursor all(elf_.at(entries), entries);
        while (!all.at_end()) {
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
        const Address begin = entry.pointer(common.function) + (common.signal ? 1 : 0);
        entry.pointer(common.function & encoding::form);  // the size
        if (entry.failed()) return;
        facts_.functions.push_back(begin);
        if (!common.sized || common.handlers == encoding::omitted) return;
        entry.unsigned_leb();
        const Address handlers = entry.pointer(common.handlers);
        if (!entry.failed() && handlers != 0 && tables_.insert(handlers).second)
            read_handlers(handlers, begin);
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

    Common read_common(Address place) const {
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
                case 'P': entry.pointer(entry.byte()); break;
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
    return entries == 0 ? UnwindFacts{} : Reader(elf).read(entries);
}

}  // namespace ctr::pidns::image
