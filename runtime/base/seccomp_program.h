// Seccomp filters as libseccomp makes them.
#pragma once

#include <linux/filter.h>

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace ctr {

using SeccompContext = std::unique_ptr<void, void (*)(void*)>;  // a scmp_filter_ctx

// The program that the context's rules make. STEP is for errors.
Result<std::vector<sock_filter>> export_program(const SeccompContext& context, std::string_view step);

}  // namespace ctr
