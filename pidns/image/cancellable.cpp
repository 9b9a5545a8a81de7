#include "pidns/image/cancellable.h"

#include <optional>

#include "pidns/image/window.h"

namespace ctr::pidns::image {

namespace {

using Pattern = std::span<const std::optional<uint8_t>>;
constexpr std::nullopt_t any = std::nullopt;

constexpr std::optional<uint8_t> musl_looks[] = {
    0x8b, 0x07,  // mov (%rdi), %eax
    0x85, 0xc0,  // test %eax, %eax
    0x75, any,   // jne
};
constexpr std::optional<uint8_t> glibc_looks[] = {
    0x8b, 0x07,                       // mov (%rdi), %eax
    0xf6, 0x07, 0x08,                 // testb $8, (%rdi)
    0x0f, 0x85, any,  any, any, any,  // jne
};
// Then all put the arguments where the call has them: the flag's address is the function's first, the number
// its second.
constexpr std::optional<uint8_t> arguments[] = {
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

constexpr uint8_t jump = 0xe9, call = 0xe8;

bool matches(const Flow& flow, Address begin, Pattern pattern) {
    const Bytes bytes = flow.bytes({begin, begin + pattern.size()});
    if (bytes.size() != pattern.size()) return false;
    for (size_t i = 0; i < bytes.size(); ++i)
        if (pattern[i] && std::byte{*pattern[i]} != bytes[i]) return false;
    return true;
}

Address function_of(const Flow& flow, Address system_call) {
    const Address looked = system_call - std::size(arguments);
    if (looked > system_call || !matches(flow, looked, arguments)) return 0;
    for (const Pattern looks : {Pattern(musl_looks), Pattern(glibc_looks)})
        if (const Address begin = looked - looks.size(); matches(flow, begin, looks) && flow.at(begin))
            return begin;
    return 0;
}

}  // namespace

Cancellable find_cancellable(const Flow& flow, Address system_call) {
    Cancellable found{.function = function_of(flow, system_call), .callers = {}};
    if (found.function == 0) return found;
    for (const Branch& branch : flow.branches_to(found.function)) {
        const auto instruction = flow.at(branch.from);
        if (!instruction) continue;
        const uint8_t opcode = instruction->decoded.instruction.opcode;
        if ((opcode == jump || opcode == call) && instruction->decoded.instruction.length == jump_size)
            found.callers.push_back(branch);
        else
            found.why = "the function that makes it is called in an unknown way";
    }
    if (found.callers.empty()) found.why = "nobody calls the function that makes it";
    return found;
}

}  // namespace ctr::pidns::image
