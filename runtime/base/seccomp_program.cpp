#include "runtime/base/seccomp_program.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/fd.h"

namespace ctr {

Result<std::vector<sock_filter>> export_program(const SeccompContext& context, std::string_view step) {
    const Fd file(memfd_create("ctr-filter", MFD_CLOEXEC));
    if (!file) return fail_call(std::string(step), "memfd_create");
    if (const int r = seccomp_export_bpf(context.get(), file.get()); r < 0)
        return fail_call(std::string(step), "seccomp_export_bpf", -r);
    const off_t size = lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size)
        return fail_call(std::string(step), "pread");
    return program;
}

}  // namespace ctr
