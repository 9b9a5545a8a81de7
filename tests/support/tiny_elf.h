// Small ELF files made by hand: header and code in one segment, data in another, and whatever a test adds.
#pragma once

#include <elf.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/image.h"

namespace ctr::test {

class TinyElf {
  public:
    static constexpr uint64_t code = 0x1000;  // address and offset
    static constexpr uint64_t data = 0x2000;

    using Code = std::vector<uint8_t>;

    // FIXED: an executable that isn't relocated.
    explicit TinyElf(Code text, bool fixed = false);

    TinyElf& with_data(const std::vector<uint8_t>& bytes);
    TinyElf& with_words(const std::vector<int32_t>& words);  // as data
    TinyElf& with_symbol(uint64_t address, unsigned char type = STT_FUNC);
    // In a writable segment behind the data.
    TinyElf& with_relocation(uint64_t addend);
    TinyElf& with_note(uint32_t type);
    TinyElf& with_section(const std::string& name);  // empty

    ImageBytes bytes() const;

  private:
    bool fixed_;
    Code code_;
    std::vector<uint8_t> data_;
    std::vector<Elf64_Sym> symbols_;
    std::vector<Elf64_Rela> relocations_;
    std::vector<uint32_t> notes_;
    std::vector<std::string> sections_;
};

}  // namespace ctr::test
