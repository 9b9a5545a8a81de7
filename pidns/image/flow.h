// Straight runs of trusted instructions around a place in an image's code: what can be said of an
// instruction, and walking from one to the one before.
#pragma once

#include <optional>

#include "pidns/image/landings.h"

namespace ctr::pidns::image {

struct Instruction {
    Address address = 0;
    Decoded decoded;

    Address end() const { return address + decoded.instruction.length; }
};

// General registers, numbered as in instructions. Also stands for their parts.
enum class Register : uint8_t {
    rax,
    rcx,
    rdx,
    rbx,
    rsp,
    rbp,
    rsi,
    rdi,
    r8,
    r9,
    r10,
    r11,
    r12,
    r13,
    r14,
    r15
};

// Nothing: it isn't, nor is part of, a general register.
std::optional<Register> general(ZydisRegister name);

bool writes(const Instruction& instruction, Register wanted);
bool mentions(const Instruction& instruction, Register wanted);  // reads, writes or addresses with

// Not of the straight run any more: jumps, calls, returns, traps.
bool leaves(const Instruction& instruction);

// Where the 32-bit distance to its operand stands in an instruction; 0: no operand is relative to the
// instruction.
uint8_t relative_operand(const Instruction& instruction);

class Flow {
  public:
    Flow(const Elf& elf, const Code& code, const Landings& landings, const Decoder& decoder)
        : elf_(elf), code_(code), landings_(landings), decoder_(decoder) {}

    const Code& code() const { return code_; }
    bool lands(Address address) const { return landings_.all.contains(address); }
    bool lands_inside(Range range) const { return landings_.all.any({range.begin + 1, range.end}); }
    bool lands_indirectly(Address address) const { return landings_.indirect.contains(address); }
    // The direct branches to an address.
    std::span<const Branch> branches_to(Address address) const;

    Bytes bytes(Range range) const { return elf_.at(range); }
    // Within the trusted block around the address only.
    std::optional<Instruction> at(Address address) const;
    std::optional<Instruction> before(Address address) const;

  private:
    const Elf& elf_;
    const Code& code_;
    const Landings& landings_;
    const Decoder& decoder_;
};

}  // namespace ctr::pidns::image
