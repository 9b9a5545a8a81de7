// Why something could not be done: which step, which system call, which errno, the likely cause and a way
// out. A value; nothing here prints. Every fallible function of the project returns Result<T>.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/export.h"

namespace ctr {

struct CTR_API Error {
    std::string step;     // what was being done, in words that a user knows: "mount a fresh /proc"
    std::string call;     // the system call that said no ("mount"), or empty
    int err = 0;          // its errno, or 0 when no system call failed
    std::string why;      // the likely cause, or what was wrong with the input; may be empty
    std::string hint;     // a way out; may be empty
    int exit_code = 125;  // 125 the launcher failed, 126 not executable, 127 not found

    // "mount a fresh /proc: mount: EPERM (Operation not permitted): WHY\n  try: HINT"
    std::string message() const;

    // The same error, seen from one level up: "prepare the root: mount a fresh /proc: ..."
    Error within(std::string_view outer) &&;

    // The same error, and what went wrong beside it, while it was seen to.
    Error with(const Error& another) &&;
};

template <class T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

// An error from a failed system call. Reads errno when err isn't given.
CTR_API std::unexpected<Error> fail_call(std::string step, std::string call);
CTR_API std::unexpected<Error> fail_call(std::string step, std::string call, int err, std::string why = {},
                                         std::string hint = {});

// An error in what the user asked for.
CTR_API std::unexpected<Error> fail_input(std::string step, std::string why, std::string hint = {});

// "EPERM" for EPERM, "errno 512" for numbers without a name.
CTR_API std::string errno_name(int err);

}  // namespace ctr
