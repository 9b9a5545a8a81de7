#include "pidns/image/assembler.h"

namespace ctr::pidns::image {

namespace {

constexpr uint8_t trap = 0xcc;
constexpr unsigned byte_bits = 8;

}  // namespace

void Assembler::raw(std::initializer_list<uint8_t> bytes) {
    for (const uint8_t byte : bytes) bytes_.push_back(std::byte{byte});
}

void Assembler::number(uint32_t value) {
    for (unsigned i = 0; i < sizeof value; ++i)
        bytes_.push_back(static_cast<std::byte>(value >> i * byte_bits));
}

// Images are less than 2 GiB (instrument.cpp), so every distance fits.
void Assembler::distance(Address target) {
    number(static_cast<uint32_t>(target - (here() + sizeof(uint32_t))));
}

void Assembler::load_address_rcx(Address target) {
    raw({0x48, 0x8d, 0x0d});
    distance(target);
}

void Assembler::load_address_r11(Address target) {
    raw({0x4c, 0x8d, 0x1d});
    distance(target);
}

void Assembler::load_eax(long value) {
    raw({0xb8});
    number(static_cast<uint32_t>(value));
}

void Assembler::jump(Address target) {
    raw({0xe9});
    distance(target);
}

void Assembler::jump_unless_zero(Address target) {
    raw({0x0f, 0x85});
    distance(target);
}

void Assembler::move(const Elf& elf, const Instruction& instruction) {
    const Bytes original = elf.at({instruction.address, instruction.end()});
    const uint64_t moved = here() - instruction.address;
    const size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), original.begin(), original.end());
    if (const uint8_t offset = relative_operand(instruction)) {
        const auto old = read_at<uint32_t>(original, offset).value_or(0);
        const auto now = static_cast<uint32_t>(old - moved);
        std::memcpy(bytes_.data() + begin + offset, &now, sizeof now);
    }
}

void Assembler::align(size_t alignment) {
    while (here() % alignment != 0) raw({trap});
}

}  // namespace ctr::pidns::image
