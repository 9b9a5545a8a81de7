// Runs a classic BPF program on one system call, as the kernel's seccomp does: tests ask a filter for its
// verdict without installing it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <vector>

namespace ctr::test {

// The filter's return value, e.g. SECCOMP_RET_ALLOW; 0xdeadbeef for a program that is no seccomp filter.
uint32_t run_filter(const std::vector<sock_filter>& program, const seccomp_data& call);

}  // namespace ctr::test
