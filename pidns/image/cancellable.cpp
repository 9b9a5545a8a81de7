#include "pidns/image/cancellable.h"

namespace ctr::pidns::image {

namespace {

// From the load of the flag to the call; the same since musl 1.1.
constexpr uint8_t function[] = {
    0x8b, 0x07,                    // mov (%rdi), %eax
    0x85, 0xc0,                    // test %eax, %eax
    0x75, 0x00,                    // jne, wherever
    0x49, 0x89, 0xfb,              // mov %rdi, %r11
    0x48, 0x89, 0xf0,              // mov %rsi, %rax
    0x48, 0x89, 0xd7,              // mov %rdx, %rdi
    0x48, 0x89, 0xce,              // mov %rcx, %rsi
    0x4c, 0x89, 0xc2,              // mov %r8, %rdx
    0x4d, 0x89, 0xca,              // mov %r9, %r10
    0x4c, 0x8b, 0x44, 0x24, 0x08,  // mov 8(%rsp), %r8
    0x4c, 0x8b, 0x4c, 0x24, 0x10,  // mov 16(%rsp), %r9
    0x4c, 0x89, 0x5c, 0x24, 0x08,  // mov %r11, 8(%rsp)
};
constexpr size_t anything = 5;  // the jump's distance

constexpr uint8_t jump = 0xe9, call = 0xe8;

}  // namespace

Address cancellable_function(Address system_call) {
    return system_call - sizeof function;
}

bool is_cancellable(const Flow& flow, Address system_call) {
    const Address begin = cancellable_function(system_call);
    const Bytes bytes = flow.bytes({begin, system_call});
    if (begin > system_call || bytes.size() != sizeof function || !flow.at(begin)) return false;
    for (size_t i = 0; i < sizeof function; ++i)
        if (i != anything && std::to_integer<uint8_t>(bytes[i]) != function[i]) return false;
    return true;
}

const char* find_callers(const Flow& flow, Address system_call, std::vector<Branch>& callers) {
    for (const Branch& branch : flow.branches_to(cancellable_function(system_call))) {
        const auto instruction = flow.at(branch.from);
        if (!instruction) continue;
        const uint8_t opcode = instruction->decoded.instruction.opcode;
        if (opcode != jump && opcode != call) return "the function that makes it is called in an unknown way";
        callers.push_back(branch);
    }
    return callers.empty() ? "the function that makes it has no callers" : nullptr;
}

}  // namespace ctr::pidns::image
