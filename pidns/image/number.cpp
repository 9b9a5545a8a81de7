#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "pidns/image/sites.h"

namespace ctr::pidns::image {

namespace {

// What an instruction leaves in a register that it writes: a number, or what another register held, or what
// it held itself but for its lowest byte.
struct Written {
    long number = dynamic_number;
    std::optional<Register> copied;
    std::optional<uint8_t> lowest;
};

Written look_at_write(const Instruction& instruction, Register wanted) {
    const auto& to = instruction.decoded.operands[0];
    const auto& from = instruction.decoded.operands[1];
    const auto mnemonic = instruction.decoded.instruction.mnemonic;
    constexpr uint16_t half = 32,
                       byte = 8;  // what is less than half leaves the rest of the register as it was
    Written written;
    if (to.type != ZYDIS_OPERAND_TYPE_REGISTER || general(to.reg.value) != wanted) return written;
    const bool number = mnemonic == ZYDIS_MNEMONIC_MOV && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (number && to.size >= half) {
        written.number = static_cast<int32_t>(from.imm.value.u);
    } else if (number && to.size == byte && to.reg.value < ZYDIS_REGISTER_AH) {
        written.copied = wanted;
        written.lowest = static_cast<uint8_t>(from.imm.value.u);
    } else if (from.type == ZYDIS_OPERAND_TYPE_REGISTER && to.size >= half) {
        if (mnemonic == ZYDIS_MNEMONIC_XOR && from.reg.value == to.reg.value) written.number = 0;
        if (mnemonic == ZYDIS_MNEMONIC_MOV) written.copied = general(from.reg.value);
    }
    return written;
}

// Whether a register keeps its value over an instruction that isn't said to write it, but leaves the code.
bool survives(Register wanted, const Instruction& instruction) {
    using enum Register;
    constexpr Register kept_by_functions[] = {rbx, rsp, rbp, r12, r13, r14, r15};
    switch (instruction.decoded.instruction.meta.category) {
        case ZYDIS_CATEGORY_COND_BR: return true;
        case ZYDIS_CATEGORY_SYSCALL: return wanted != rax && wanted != rcx && wanted != r11;
        case ZYDIS_CATEGORY_CALL:
            return std::ranges::find(kept_by_functions, wanted) != std::end(kept_by_functions);
        default: return false;
    }
}

bool is_jump(const Instruction& instruction) {
    const auto category = instruction.decoded.instruction.meta.category;
    return category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR;
}

// Goes back from a system call on all ways that lead to it, each up to where the number is loaded. It serves
// speed: a call that is taken for another than it is still enters the guest, or the net, with the number that
// it has.
class Search {
  public:
    explicit Search(const Flow& flow) : flow_(flow) {}

    long find(Address system_call) {
        ways_.push_back({system_call, Register::rax, {}});
        while (!ways_.empty()) {
            const Place place = ways_.back();
            ways_.pop_back();
            if (!go_back(place)) return dynamic_number;
        }
        return number_;
    }

  private:
    // Before the instruction at an address this register holds the number, but for its lowest byte, if that
    // is known.
    using Place = std::tuple<Address, Register, std::optional<uint8_t>>;

    // False: the number isn't known on this way, or is another than on those before.
    bool go_back(Place place) {
        auto& [at, holds, lowest] = place;
        while (seen_.insert(place).second) {
            if (seen_.size() > places_limit || flow_.lands_indirectly(at)) return false;
            for (const Branch& branch : flow_.branches_to(at)) {
                const auto instruction = flow_.at(branch.from);
                if (!instruction || !is_jump(*instruction)) return false;
                ways_.push_back({branch.from, holds, lowest});
            }
            const auto instruction = flow_.before(at);
            if (!instruction || instruction->end() != at) return false;
            if (ends_flow(instruction->decoded.instruction)) return true;
            if (writes(*instruction, holds)) {
                const Written loaded = look_at_write(*instruction, holds);
                if (!lowest) lowest = loaded.lowest;
                if (!loaded.copied) return agree(loaded.number, lowest);
                holds = *loaded.copied;
            } else if (leaves(*instruction) && !survives(holds, *instruction)) {
                return false;
            }
            at = instruction->address;
        }
        return true;
    }

    bool agree(long number, std::optional<uint8_t> lowest) {
        constexpr long byte = 0xff;
        if (number != dynamic_number && lowest) number = (number & ~byte) | *lowest;
        if (number_ == dynamic_number) number_ = number;
        return number != dynamic_number && number == number_;
    }

    static constexpr size_t places_limit = 1024;

    const Flow& flow_;
    std::vector<Place> ways_;
    std::set<Place> seen_;
    long number_ = dynamic_number;
};

}  // namespace

long constant_number(const Flow& flow, Address system_call) {
    return Search(flow).find(system_call);
}

}  // namespace ctr::pidns::image
