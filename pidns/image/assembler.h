// Writes the few instructions that thunks consist of, at an address.
#pragma once

#include <vector>

#include "pidns/image/flow.h"

namespace ctr::pidns::image {

class Assembler {
  public:
    explicit Assembler(Address begin) : begin_(begin) {}

    Address here() const { return begin_ + bytes_.size(); }
    const std::vector<std::byte>& bytes() const { return bytes_; }

    void raw(std::initializer_list<uint8_t> bytes);
    void load_address_rcx(Address target);  // lea target(%rip), %rcx
    void load_address_r11(Address target);
    void load_eax(long number);             // mov $number, %eax
    void jump(Address target);              // jmp
    void jump_unless_zero(Address target);  // jne
    void distance(Address target);          // what those end with
    // An instruction of the image, moved to here.
    void move(const Elf& elf, const Instruction& instruction);
    void align(size_t alignment);  // with traps

  private:
    void number(uint32_t value);

    Address begin_;
    std::vector<std::byte> bytes_;
};

}  // namespace ctr::pidns::image
