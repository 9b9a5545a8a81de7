#include "tests/support/tiny_elf.h"

#include <algorithm>
#include <cstring>

namespace ctr::test {

namespace {

constexpr uint64_t page = 0x1000;
constexpr uint64_t writable = 0x3000;    // address and offset of what is relocated
constexpr uint64_t relocations = 0x100;  // from there
constexpr uint64_t notes = 0x800;        // address and offset
constexpr uint64_t tables = 0x4000;      // least offset of sections' contents and headers

class Buffer {
  public:
    template <class T>
    void put(uint64_t offset, const T& value) {
        put(offset, &value, sizeof value);
    }
    void put(uint64_t offset, const void* from, size_t size) {
        if (bytes.size() < offset + size) bytes.resize(offset + size);
        if (size > 0) std::memcpy(bytes.data() + offset, from, size);
    }

    ImageBytes bytes;
};

Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t begin, uint64_t size) {
    return {type, flags, begin, begin, begin, size, size, type == PT_LOAD ? page : 4};
}

}  // namespace

TinyElf::TinyElf(Code text, bool fixed) : fixed_(fixed), code_(std::move(text)) {}

TinyElf& TinyElf::with_data(const std::vector<uint8_t>& bytes) {
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    return *this;
}

TinyElf& TinyElf::with_words(const std::vector<int32_t>& words) {
    for (const int32_t word : words) {
        uint8_t bytes[sizeof word];
        std::memcpy(bytes, &word, sizeof word);
        data_.insert(data_.end(), bytes, bytes + sizeof word);
    }
    return *this;
}

TinyElf& TinyElf::with_symbol(uint64_t address, unsigned char type) {
    symbols_.push_back({0, static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type)), 0, 1, address, 0});
    return *this;
}

TinyElf& TinyElf::with_relocation(uint64_t addend) {
    relocations_.push_back({writable, ELF64_R_INFO(0, R_X86_64_RELATIVE), static_cast<Elf64_Sxword>(addend)});
    return *this;
}

TinyElf& TinyElf::with_note(uint32_t type) {
    notes_.push_back(type);
    return *this;
}

TinyElf& TinyElf::with_section(const std::string& name) {
    sections_.push_back(name);
    return *this;
}

ImageBytes TinyElf::bytes() const {
    Buffer out;
    std::vector<Elf64_Phdr> segments;
    out.put(code, code_.data(), code_.size());
    segments.push_back(segment(PT_LOAD, PF_R | PF_X, 0, code + code_.size()));
    out.put(data, data_.data(), data_.size());
    if (!data_.empty()) segments.push_back(segment(PT_LOAD, PF_R, data, data_.size()));
    for (size_t i = 0; i < notes_.size(); ++i) {
        out.put(notes + i * sizeof(Elf64_Nhdr), Elf64_Nhdr{0, 0, notes_[i]});
        segments.push_back(segment(PT_NOTE, PF_R, notes + i * sizeof(Elf64_Nhdr), sizeof(Elf64_Nhdr)));
    }
    if (!relocations_.empty()) {
        const Elf64_Dyn dynamic[] = {{DT_RELA, {writable + relocations}},
                                     {DT_RELASZ, {relocations_.size() * sizeof(Elf64_Rela)}},
                                     {DT_NULL, {0}}};
        out.put(writable, dynamic, sizeof dynamic);
        out.put(writable + relocations, relocations_.data(), relocations_.size() * sizeof(Elf64_Rela));
        segments.push_back(segment(PT_LOAD, PF_R | PF_W, writable, page / 2));
        segments.push_back(segment(PT_DYNAMIC, PF_R | PF_W, writable, sizeof dynamic));
        out.bytes.resize(writable + page / 2);
    }

    std::vector<Elf64_Shdr> headers(1);
    std::string names(1, '\0');
    uint64_t at = std::max<uint64_t>(tables, out.bytes.size());
    if (!symbols_.empty()) {
        const size_t size = symbols_.size() * sizeof(Elf64_Sym);
        headers.push_back({0, SHT_SYMTAB, 0, 0, at, size, 0, 0, 8, sizeof(Elf64_Sym)});
        out.put(at, symbols_.data(), size);
        at += size;
    }
    for (const std::string& name : sections_) {
        headers.push_back({static_cast<Elf64_Word>(names.size()), SHT_PROGBITS, 0, 0, at, 0, 0, 0, 1, 0});
        names += name + '\0';
    }
    headers.push_back({0, SHT_STRTAB, 0, 0, at, names.size(), 0, 0, 1, 0});
    out.put(at, names.data(), names.size());
    at += names.size();
    out.put(at, headers.data(), headers.size() * sizeof(Elf64_Shdr));

    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = fixed_ ? ET_EXEC : ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_entry = code;
    header.e_phoff = sizeof header;
    header.e_shoff = at;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments.size());
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    out.put(0, header);
    out.put(sizeof header, segments.data(), segments.size() * sizeof(Elf64_Phdr));
    return out.bytes;
}

}  // namespace ctr::test
