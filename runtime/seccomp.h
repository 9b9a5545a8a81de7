// Which system calls a container may make: profiles in the JSON of OCI runtimes and Docker, compiled to a
// filter. Pure, but for reading a profile's file.
//
// The filter of the pid layer (pidns/surface/filter.h) is another one, installed before. The kernel runs all
// filters of a process and takes the strongest answer: what a profile refuses (kill, trap, errno) never
// reaches the layer, what it allows does.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::seccomp {

struct KernelVersion {
    unsigned major = 0;
    unsigned minor = 0;
    auto operator<=>(const KernelVersion&) const = default;
};

// What the conditions of a profile's rules are about.
struct Situation {
    uint64_t capabilities = 0;  // of the container; bit n: capability n
    KernelVersion kernel;
};

// libseccomp's terms: an action is an SCMP_ACT_*, an operator a scmp_compare.
struct Comparison {
    unsigned argument = 0;
    int op = 0;
    uint64_t value = 0;
    uint64_t value_two = 0;  // of SCMP_CMP_MASKED_EQ, where VALUE is the mask
};

struct Condition {
    uint64_t capabilities = 0;
    std::vector<std::string> architectures;
    std::optional<KernelVersion> least_kernel;
};

struct Rule {
    std::vector<std::string> names;
    uint32_t action = 0;
    std::vector<Comparison> comparisons;
    Condition includes;  // all of it must hold
    Condition excludes;  // nothing of it may hold
};

struct Profile {
    uint32_t default_action = 0;
    std::vector<uint32_t> architectures;  // besides the native one; SCMP_ARCH_*
    std::vector<Rule> rules;
    uint32_t flags = 0;  // SECCOMP_FILTER_FLAG_*
};

// Strict: what isn't understood is an error that says where it stands ("syscalls[3].args[0].op"), because a
// condition that is passed over would make the rule a wider one.
Result<Profile> parse(std::string_view json);

struct Program {
    std::vector<sock_filter> filter;
    uint32_t flags = 0;
};
Result<Program> compile(const Profile& profile, const Situation& situation);

// What is allowed is what Docker's default profile allows.
std::string_view default_profile();

// By the words of the option: "default", or a file.
Result<Profile> find(const std::string& name);

}  // namespace ctr::seccomp
