#include "pidns/image/links.h"

#include <algorithm>

namespace ctr::pidns::image {

namespace {

// The dynamic section by tag. Of doubled tags the last counts, as for loaders.
class Dynamic {
  public:
    explicit Dynamic(const Elf& elf) {
        const auto* segment = elf.segment(PT_DYNAMIC);
        if (segment == nullptr) return;
        const Bytes bytes = elf.at(segment->p_vaddr);
        for (uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
            const auto entry = read_at<Elf64_Dyn>(bytes, offset);
            if (!entry || entry->d_tag == DT_NULL) return;
            entries_.push_back(*entry);
        }
    }

    uint64_t get(int64_t tag) const {
        const auto found = std::ranges::find(entries_.rbegin(), entries_.rend(), tag, &Elf64_Dyn::d_tag);
        return found == entries_.rend() ? 0 : found->d_un.d_val;
    }

  private:
    std::vector<Elf64_Dyn> entries_;
};

Bytes at_most(Bytes bytes, uint64_t size) {
    return bytes.first(std::min<uint64_t>(bytes.size(), size));
}

class Reader {
  public:
    explicit Reader(const Elf& elf) : elf_(elf), dynamic_(elf) {}

    Links read() {
        for (const Elf64_Shdr& section : elf_.sections())
            if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
                read_symbols(elf_.contents(section));
        read_symbols(dynamic_symbols());
        for (const int64_t tag : {DT_INIT, DT_FINI}) links_.functions.push_back(dynamic_.get(tag));
        links_.functions.push_back(elf_.header().e_entry);
        read_relocations(DT_RELA, DT_RELASZ);
        read_relocations(DT_JMPREL, DT_PLTRELSZ);
        read_relative_relocations();
        std::erase(links_.functions, Address{0});
        return std::move(links_);
    }

  private:
    void read_symbols(Bytes table) {
        for (uint64_t offset = 0;; offset += sizeof(Elf64_Sym)) {
            const auto symbol = read_at<Elf64_Sym>(table, offset);
            if (!symbol) return;
            const auto type = ELF64_ST_TYPE(symbol->st_info);
            if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || type == STT_TLS) continue;
            const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
            (function ? links_.functions : links_.others).push_back(symbol->st_value);
        }
    }

    // The table has no length of its own. By every linker the names stand behind it.
    Bytes dynamic_symbols() const {
        const Address begin = dynamic_.get(DT_SYMTAB);
        const Address end = dynamic_.get(DT_STRTAB);
        return begin < end ? at_most(elf_.at(begin), end - begin) : Bytes{};
    }

    Address symbol_value(uint64_t index) const {
        const Bytes table = dynamic_symbols();
        if (index > table.size() / sizeof(Elf64_Sym)) return 0;
        const auto symbol = read_at<Elf64_Sym>(table, index * sizeof(Elf64_Sym));
        return symbol ? symbol->st_value : 0;
    }

    void read_relocations(int64_t where, int64_t size) {
        const Bytes table = at_most(elf_.at(dynamic_.get(where)), dynamic_.get(size));
        for (uint64_t offset = 0;; offset += sizeof(Elf64_Rela)) {
            const auto relocation = read_at<Elf64_Rela>(table, offset);
            if (!relocation) return;
            const Address base = symbol_value(ELF64_R_SYM(relocation->r_info));
            links_.others.push_back(base + static_cast<uint64_t>(relocation->r_addend));
        }
    }

    // DT_RELR: a place, then bitmaps of the places behind it. Each place holds its address already.
    void read_relative_relocations() {
        constexpr uint64_t places_in_bitmap = 63;
        const Bytes table = at_most(elf_.at(dynamic_.get(DT_RELR)), dynamic_.get(DT_RELRSZ));
        Address place = 0;
        for (uint64_t offset = 0;; offset += sizeof(uint64_t)) {
            const auto entry = read_at<uint64_t>(table, offset);
            if (!entry) return;
            if ((*entry & 1) == 0) {
                place = *entry;
                add_word(place);
                place += sizeof(uint64_t);
                continue;
            }
            for (uint64_t i = 0; i < places_in_bitmap; ++i)
                if ((*entry >> (i + 1) & 1) != 0) add_word(place + i * sizeof(uint64_t));
            place += places_in_bitmap * sizeof(uint64_t);
        }
    }

    void add_word(Address place) {
        if (const auto word = elf_.read<uint64_t>(place)) links_.others.push_back(*word);
    }

    const Elf& elf_;
    Dynamic dynamic_;
    Links links_;
};

}  // namespace

Links read_links(const Elf& elf) {
    return Reader(elf).read();
}

}  // namespace ctr::pidns::image
