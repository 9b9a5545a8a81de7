#include "pidns/image/sites.h"

namespace ctr::pidns::image {

namespace {

constexpr int steps_limit = 64;

// The number that this instruction, which writes rax, leaves there.
long written(const Instruction& instruction) {
    const auto& first = instruction.decoded.operands[0];
    const auto& second = instruction.decoded.operands[1];
    const auto mnemonic = instruction.decoded.instruction.mnemonic;
    const bool whole = first.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                       (first.reg.value == ZYDIS_REGISTER_EAX || first.reg.value == ZYDIS_REGISTER_RAX);
    if (!whole) return dynamic_number;
    if (mnemonic == ZYDIS_MNEMONIC_MOV && second.type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return static_cast<int32_t>(second.imm.value.u);
    if (mnemonic == ZYDIS_MNEMONIC_XOR && second.type == ZYDIS_OPERAND_TYPE_REGISTER &&
        second.reg.value == first.reg.value)
        return 0;
    return dynamic_number;
}

}  // namespace

long constant_number(const Flow& flow, Address system_call) {
    Address at = system_call;
    for (int step = 0; step < steps_limit && !flow.lands(at); ++step) {
        const auto instruction = flow.before(at);
        if (!instruction || instruction->end() != at) break;
        if (writes(*instruction, Register::rax)) return written(*instruction);
        // A branch that isn't taken changes nothing; what comes back from a call does.
        if (leaves(*instruction) && instruction->decoded.instruction.meta.category != ZYDIS_CATEGORY_COND_BR)
            break;
        at = instruction->address;
    }
    return dynamic_number;
}

}  // namespace ctr::pidns::image
