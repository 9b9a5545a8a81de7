// From a profile to a filter.
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/seccomp.h"

namespace ctr::seccomp {

namespace {

using Context = std::unique_ptr<void, void (*)(void*)>;  // a scmp_filter_ctx

constexpr const char* step = "build the filter of the seccomp profile";
constexpr const char* own_architecture = "amd64";  // in the words of includes and excludes
constexpr uint32_t x32_bit = 0x40000000;

bool names_own_architecture(const Condition& condition) {
    return std::ranges::count(condition.architectures, own_architecture) != 0;
}

bool applies(const Rule& rule, const Situation& situation) {
    const Condition& in = rule.includes;
    const Condition& out = rule.excludes;
    if ((in.capabilities & ~situation.capabilities) != 0) return false;
    if (!in.architectures.empty() && !names_own_architecture(in)) return false;
    if (in.least_kernel && situation.kernel < *in.least_kernel) return false;
    if ((out.capabilities & situation.capabilities) != 0) return false;
    if (names_own_architecture(out)) return false;
    return !out.least_kernel || situation.kernel < *out.least_kernel;
}

// The kernel's order (seccomp(2)): as signed numbers, the lower is the stronger.
bool stronger(uint32_t one, uint32_t other) {
    const auto strength = [](uint32_t action) {
        return static_cast<int32_t>(action & SECCOMP_RET_ACTION_FULL);
    };
    return strength(one) < strength(other);
}

// Comparisons of different arguments must all hold; of several for the same argument one suffices, as in
// other runtimes.
std::vector<std::vector<scmp_arg_cmp>> alternatives(const std::vector<Comparison>& comparisons) {
    std::vector<std::vector<scmp_arg_cmp>> result;
    bool same = false;
    for (size_t i = 0; i < comparisons.size(); ++i)
        for (size_t j = 0; j < i; ++j) same = same || comparisons[i].argument == comparisons[j].argument;
    if (!same) result.emplace_back();
    for (const Comparison& c : comparisons) {
        if (same) result.emplace_back();
        result.back().push_back({c.argument, static_cast<scmp_compare>(c.op), c.value, c.value_two});
    }
    return result;
}

int add_call(const Context& context, uint32_t action, int number, const Rule& rule) {
    for (const auto& comparisons : alternatives(rule.comparisons)) {
        const auto count = static_cast<unsigned>(comparisons.size());
        if (const int r = seccomp_rule_add_array(context.get(), action, number, count, comparisons.data());
            r < 0)
            return r;
    }
    return 0;
}

// The highest native number that the profile speaks of, in rules that don't apply here as well.
int last_number(const Profile& profile) {
    int last = 0;
    for (const Rule& rule : profile.rules)
        for (const std::string& name : rule.names)
            last = std::max(last, seccomp_syscall_resolve_name(name.c_str()));
    return last;
}

Status add_rule(const Context& context, const Profile& profile, const Rule& rule) {
    for (const std::string& name : rule.names) {
        const int number = seccomp_syscall_resolve_name(name.c_str());
        if (number == __NR_SCMP_ERROR) {
            // Newer than libseccomp, or no call at all. Not to allow it is safe, not to refuse it isn't.
            if (!stronger(rule.action, profile.default_action)) continue;
            return fail_input(step,
                              "\"" + name + "\" is to be refused, and is no system call that is known here",
                              "a newer libseccomp, or a profile that refuses by default");
        }
        if (rule.action == profile.default_action) continue;
        if (const int r = add_call(context, rule.action, number, rule); r < 0)
            return fail_call(step, "seccomp_rule_add", -r, name);
    }
    return {};
}

// A profile that refuses by default was written when the kernel had no calls above LAST. Programs that try a
// newer one and fall back to an older look for ENOSYS and take EPERM for an answer, so that is what such
// calls get, as from an older kernel. Placed before the program, which begins anew.
std::vector<sock_filter> unknown_calls(int last) {
    constexpr auto load = static_cast<uint16_t>(BPF_LD | BPF_W | BPF_ABS);
    constexpr auto equal = static_cast<uint16_t>(BPF_JMP | BPF_JEQ | BPF_K);
    constexpr auto at_least = static_cast<uint16_t>(BPF_JMP | BPF_JGE | BPF_K);
    constexpr auto above = static_cast<uint16_t>(BPF_JMP | BPF_JGT | BPF_K);
    constexpr auto answer = static_cast<uint16_t>(BPF_RET | BPF_K);
    return {{load, 0, 0, offsetof(seccomp_data, arch)}, {equal, 0, 4, AUDIT_ARCH_X86_64},
            {load, 0, 0, offsetof(seccomp_data, nr)},   {at_least, 2, 0, x32_bit},
            {above, 0, 1, static_cast<uint32_t>(last)}, {answer, 0, 0, SECCOMP_RET_ERRNO | ENOSYS}};
}

bool refuses(uint32_t action) {
    return stronger(action, SCMP_ACT_TRACE(0));
}

Result<Context> context_for(const Profile& profile) {
    Context context(seccomp_init(profile.default_action), seccomp_release);
    if (!context) return fail_call(step, "seccomp_init", ENOMEM);
    // A tree instead of a chain: profiles have hundreds of rules.
    if (const int r = seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2); r < 0)
        return fail_call(step, "seccomp_attr_set", -r);
    for (const uint32_t architecture : profile.architectures)
        if (const int r = seccomp_arch_add(context.get(), architecture); r < 0 && r != -EEXIST)
            return fail_call(step, "seccomp_arch_add", -r);
    return context;
}

// The program that the context's rules make.
Result<std::vector<sock_filter>> export_program(const Context& context) {
    const Fd file(memfd_create("ctr-filter", MFD_CLOEXEC));
    if (!file) return fail_call(step, "memfd_create");
    if (const int r = seccomp_export_bpf(context.get(), file.get()); r < 0)
        return fail_call(step, "seccomp_export_bpf", -r);
    const off_t size = lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size)
        return fail_call(step, "pread");
    return program;
}

}  // namespace

Result<Program> compile(const Profile& profile, const Situation& situation) {
    const auto context = context_for(profile);
    if (!context) return std::unexpected(context.error());
    for (const Rule& rule : profile.rules)
        if (applies(rule, situation))
            if (const auto added = add_rule(*context, profile, rule); !added)
                return std::unexpected(added.error());
    auto rules = export_program(*context);
    if (!rules) return std::unexpected(rules.error());
    Program program;
    if (refuses(profile.default_action)) program.filter = unknown_calls(last_number(profile));
    program.filter.insert(program.filter.end(), rules->begin(), rules->end());
    program.flags = profile.flags;
    if (program.filter.size() > BPF_MAXINSNS)
        return fail_input(
            step, "it has " + std::to_string(program.filter.size()) + " instructions; the kernel takes 4096");
    return program;
}

}  // namespace ctr::seccomp
