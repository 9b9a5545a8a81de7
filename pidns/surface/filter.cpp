#include "pidns/surface/filter.h"

#include <seccomp.h>
#include <unistd.h>

#include <memory>

#include "pidns/surface/calls.h"
#include "pidns/surface/mark.h"
#include "runtime/base/fd.h"

#include <sys/mman.h>

namespace ctr::pidns {

namespace {

constexpr const char* step = "build the seccomp filter of the pid layer";

// libseccomp has no "masked and different": where a condition differs, 0 is its only value here, so > 0 says
// it.
scmp_arg_cmp compare(const Condition& c) {
    if (c.differs) return SCMP_CMP64(c.argument, SCMP_CMP_NE, c.value);
    return SCMP_CMP64(c.argument, SCMP_CMP_MASKED_EQ, c.mask, c.value);
}

// What says that a call doesn't carry the mark; any of them will do.
std::vector<scmp_arg_cmp> unmarked(const Call& call) {
    if (!call.all_used) return {SCMP_CMP64(5, SCMP_CMP_NE, mark)};
    return {SCMP_CMP64(0, SCMP_CMP_LT, upper_mark), SCMP_CMP64(0, SCMP_CMP_GT, upper_mark | 0xffffffff)};
}

int add_row(scmp_filter_ctx context, const Call& call) {
    for (const scmp_arg_cmp& missing : unmarked(call)) {
        std::vector<scmp_arg_cmp> all{missing};
        for (const Condition& condition : {call.when, call.and_when})
            if (condition.mask != 0) all.push_back(compare(condition));
        const int error =
            seccomp_rule_add_exact_array(context, SCMP_ACT_NOTIFY, static_cast<int>(call.number),
                                         static_cast<unsigned>(all.size()), all.data());
        if (error < 0) return error;
    }
    return 0;
}

Result<std::vector<sock_filter>> export_program(scmp_filter_ctx context) {
    const Fd file(memfd_create("ctr-filter", MFD_CLOEXEC));
    if (!file) return fail_call(step, "memfd_create");
    if (const int r = seccomp_export_bpf(context, file.get()); r < 0)
        return fail_call(step, "seccomp_export_bpf", -r);
    const off_t size = lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size)
        return fail_call(step, "pread");
    return program;
}

}  // namespace

Result<std::vector<sock_filter>> build_filter() {
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> context(seccomp_init(SCMP_ACT_ALLOW),
                                                                   seccomp_release);
    if (!context) return fail_call(step, "seccomp_init", ENOMEM);
    if (const int r = seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_NOTIFY); r < 0)
        return fail_call(step, "seccomp_attr_set", -r);
    // A tree instead of a chain: the time that a call of the surface takes to pass doesn't grow with the
    // rows.
    if (const int r = seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2); r < 0)
        return fail_call(step, "seccomp_attr_set", -r);
    for (const Call& call : calls())
        if (const int r = add_row(context.get(), call); r < 0)
            return fail_call(step, "seccomp_rule_add", -r, call.name);
    return export_program(context.get());
}

}  // namespace ctr::pidns
