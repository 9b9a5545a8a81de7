#include "tests/support/bpf.h"

#include <cstddef>
#include <cstring>

namespace ctr::test {

FilterRun run_filter(std::span<const sock_filter> program, const seccomp_data& call) {
    FilterRun run;
    uint32_t accumulator = 0;
    for (size_t at = 0; at < program.size(); ++at) {
        const sock_filter& op = program[at];
        ++run.instructions;
        const auto jump = [&](bool condition) { at += condition ? op.jt : op.jf; };
        switch (op.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                if (op.k + sizeof accumulator > sizeof call) return run;
                run.looks_closer |=
                    op.k != offsetof(seccomp_data, nr) && op.k != offsetof(seccomp_data, arch);
                std::memcpy(&accumulator, static_cast<const char*>(static_cast<const void*>(&call)) + op.k,
                            sizeof accumulator);
                break;
            case BPF_ALU | BPF_AND | BPF_K: accumulator &= op.k; break;
            case BPF_JMP | BPF_JA: at += op.k; break;
            case BPF_JMP | BPF_JEQ | BPF_K: jump(accumulator == op.k); break;
            case BPF_JMP | BPF_JGT | BPF_K: jump(accumulator > op.k); break;
            case BPF_JMP | BPF_JGE | BPF_K: jump(accumulator >= op.k); break;
            case BPF_JMP | BPF_JSET | BPF_K: jump((accumulator & op.k) != 0); break;
            case BPF_RET | BPF_K: run.verdict = op.k; return run;
            default: return run;
        }
    }
    return run;
}

}  // namespace ctr::test
