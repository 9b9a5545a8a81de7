#include "pidns/image/landings.h"

namespace ctr::pidns::image {

namespace {

// The entries of all tables together, in instructions of code: real images have less than one for ten.
constexpr uint64_t entries_limit = uint64_t{1} << 26;

// What jumps lead to: an instruction, as far as that is known.
bool can_be_target(const Code& code, Address address) {
    if (!code.contains(address)) return false;
    return code.instructions().contains(address) || !code.trusted_block(address).contains(address);
}

// A table of jumps, as position-independent code has them: 32-bit distances from its own beginning. It has no
// length; it is taken to go on as long as all could be targets, which may be too long but not too short.
uint64_t add_table(const Elf& elf, const Code& code, Address table, AddressSet& landings) {
    const Bytes bytes = elf.at(table);
    for (uint64_t offset = 0;; offset += sizeof(int32_t)) {
        const auto distance = read_at<int32_t>(bytes, offset);
        if (!distance) return offset / sizeof(int32_t);
        const Address target = table + static_cast<uint64_t>(int64_t{*distance});
        if (!can_be_target(code, target)) return offset / sizeof(int32_t);
        landings.add(target);
    }
}

// In an image that isn't relocated nothing but its value shows that a word is an address.
template <class Word>
void add_words(const Elf& elf, AddressSet& landings) {
    for (const Elf64_Phdr& segment : elf.loads()) {
        const Bytes bytes = elf.at(segment.p_vaddr);
        const uint64_t first = (0 - segment.p_vaddr) % sizeof(Word);
        for (uint64_t offset = first;; offset += sizeof(Word)) {
            const auto word = read_at<Word>(bytes, offset);
            if (!word) break;
            landings.add(*word);
        }
    }
}

}  // namespace

Result<Landings> find_landings(const Elf& elf, const Code& code, const Links& links,
                               const UnwindFacts& unwind) {
    AddressSet indirect(code.ranges());
    for (const auto* list :
         {&code.references(), &links.functions, &links.others, &unwind.functions, &unwind.landing_pads})
        for (const Address address : *list) indirect.add(address);
    uint64_t entries = 0;
    for (const Address table : code.references()) {
        entries += add_table(elf, code, table, indirect);
        if (entries > entries_limit) return fail_input("look for tables of jumps", "there is no end of them");
    }
    if (elf.fixed()) {
        add_words<uint64_t>(elf, indirect);
        add_words<uint32_t>(elf, indirect);
    }
    Landings landings{indirect, std::move(indirect)};
    for (const Branch& branch : code.branches()) landings.all.add(branch.to);
    return landings;
}

}  // namespace ctr::pidns::image
