#include "pidns/image/flow.h"

namespace ctr::pidns::image {

namespace {

struct Names {
    ZydisRegister first;
    ZydisRegister last;
    unsigned number;  // of the first
};
constexpr Names names[] = {
    {ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL, 0},    {ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH, 0},
    {ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B, 4}, {ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W, 0},
    {ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D, 0}, {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15, 0},
};

bool any_operand(const Instruction& instruction, auto condition) {
    return std::ranges::any_of(instruction.decoded.all(), condition);
}

}  // namespace

std::optional<Register> general(ZydisRegister name) {
    for (const Names& range : names)
        if (range.first <= name && name <= range.last)
            return static_cast<Register>(range.number + static_cast<unsigned>(name - range.first));
    return std::nullopt;
}

bool writes(const Instruction& instruction, Register wanted) {
    return any_operand(instruction, [&](const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && general(operand.reg.value) == wanted &&
               (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    });
}

bool mentions(const Instruction& instruction, Register wanted) {
    return any_operand(instruction, [&](const ZydisDecodedOperand& operand) {
        if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) return general(operand.reg.value) == wanted;
        return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
               (general(operand.mem.base) == wanted || general(operand.mem.index) == wanted);
    });
}

bool leaves(const Instruction& instruction) {
    constexpr ZydisInstructionCategory categories[] = {
        ZYDIS_CATEGORY_CALL,    ZYDIS_CATEGORY_RET,       ZYDIS_CATEGORY_UNCOND_BR, ZYDIS_CATEGORY_COND_BR,
        ZYDIS_CATEGORY_SYSCALL, ZYDIS_CATEGORY_INTERRUPT, ZYDIS_CATEGORY_SYSRET,
    };
    constexpr ZydisMnemonic mnemonics[] = {ZYDIS_MNEMONIC_UD2, ZYDIS_MNEMONIC_HLT, ZYDIS_MNEMONIC_ENDBR64};
    const auto& known = instruction.decoded.instruction;
    return std::ranges::find(categories, known.meta.category) != std::end(categories) ||
           std::ranges::find(mnemonics, known.mnemonic) != std::end(mnemonics) ||
           any_operand(instruction, [](const ZydisDecodedOperand& operand) {
               return operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative;
           });
}

uint8_t relative_operand(const Instruction& instruction) {
    const bool relative = any_operand(instruction, [](const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
               (operand.mem.base == ZYDIS_REGISTER_RIP || operand.mem.base == ZYDIS_REGISTER_EIP);
    });
    return relative ? instruction.decoded.instruction.raw.disp.offset : uint8_t{0};
}

std::span<const Branch> Flow::branches_to(Address address) const {
    const auto found = std::ranges::equal_range(code_.branches(), address, {}, &Branch::to);
    return {found.begin(), found.end()};
}

std::optional<Instruction> Flow::at(Address address) const {
    const Range block = code_.trusted_block(address);
    if (!block.contains(address) || !code_.instructions().contains(address)) return std::nullopt;
    const auto decoded = decoder_.decode_full(elf_.at(address));
    if (!decoded) return std::nullopt;
    return Instruction{address, *decoded};
}

std::optional<Instruction> Flow::before(Address address) const {
    const Range block = code_.trusted_block(address);
    if (address <= block.begin) return std::nullopt;
    return at(code_.instructions().before(address, block.begin));
}

}  // namespace ctr::pidns::image
