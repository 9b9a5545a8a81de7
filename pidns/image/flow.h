// Straight runs of trusted instructions around a place in an image's code: what can be said of an
// instruction, and walking from one to the one before.
#pragma once

#include <optional>

#include "pidns/image/code.h"
#include "pidns/image/decoder.h"

namespace ctr::pidns::image {

struct Instruction {
    Address address = 0;
    Decoded decoded;

    Address end() const { return address + decoded.instruction.length; }
};

// 64-bit registers of which a part, or all, is meant.
enum class Register : uint8_t { rax, rcx, rsp, r11 };

bool writes(const Instruction& instruction, Register wanted);
bool mentions(const Instruction& instruction, Register wanted);  // reads, writes or addresses with

// Not of the straight run any more: jumps, calls, returns, traps.
bool leaves(const Instruction& instruction);

// Where the 32-bit distance to its operand stands in an instruction; 0: no operand is relative to the
// instruction.
uint8_t relative_operand(const Instruction& instruction);

class Flow {
  public:
    Flow(const Elf& elf, const Code& code, const AddressSet& landings, const Decoder& decoder)
        : elf_(elf), code_(code), landings_(landings), decoder_(decoder) {}

    const Code& code() const { return code_; }
    bool lands(Address address) const { return landings_.contains(address); }
    bool lands_inside(Range range) const { return landings_.any({range.begin + 1, range.end}); }

    // Within the trusted block around the address only.
    std::optional<Instruction> at(Address address) const;
    std::optional<Instruction> before(Address address) const;

  private:
    const Elf& elf_;
    const Code& code_;
    const AddressSet& landings_;
    const Decoder& decoder_;
};

}  // namespace ctr::pidns::image
