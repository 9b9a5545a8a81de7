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

scmp_arg_cmp unmarked() {
    return SCMP_CMP64(5, SCMP_CMP_NE, mark);
}

// libseccomp has no "masked and different": where a condition differs, 0 is its only value here, so > 0 says
// it.
scmp_arg_cmp compare(const Condition& c) {
    if (c.differs) return SCMP_CMP64(c.argument, SCMP_CMP_NE, c.value);
    return SCMP_CMP64(c.argument, SCMP_CMP_MASKED_EQ, c.mask, c.value);
}

int add_row(scmp_filter_ctx context, const Call& call) {
    const int number = static_cast<int>(call.number);
    if (call.when.mask == 0) return seccomp_rule_add_exact(context, SCMP_ACT_NOTIFY, number, 1, unmarked());
    return seccomp_rule_add_exact(context, SCMP_ACT_NOTIFY, number, 2, compare(call.when), unmarked());
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
    for (const Call& call : calls())
        if (const int r = add_row(context.get(), call); r < 0)
            return fail_call(step, "seccomp_rule_add", -r, call.name);
    return export_program(context.get());
}

}  // namespace ctr::pidns
