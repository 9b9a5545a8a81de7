// Runs a classic BPF program on one system call, as the kernel's seccomp does: tests ask a filter for its
// verdict without installing it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>

namespace ctr::test {

struct FilterRun {
    uint32_t verdict = 0xdeadbeef;  // e.g. SECCOMP_RET_ALLOW; 0xdeadbeef: it is no seccomp filter
    unsigned instructions = 0;
    bool looks_closer = false;  // than at number and architecture: what the kernel can't answer without a run
};
FilterRun run_filter(std::span<const sock_filter> program, const seccomp_data& call);

}  // namespace ctr::test
