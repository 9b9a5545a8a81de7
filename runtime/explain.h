// From a failed system call to its likely cause on this host and a way out: one table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/base/error.h"
#include "runtime/plan.h"

namespace ctr {

// Where causes are looked for; injected in tests.
struct Evidence {
    uint64_t clone_flags = 0;  // of the launch that failed
    bool no_new_privs = true;
    std::function<std::optional<std::string>(const std::string& path)>
        read;  // a file's text, if it can be read
};

// Adds cause and way out to an error of launch(), where the table knows them. Blames a setting only if it has
// been read and is to blame, and quotes its value.
Error explain(Error error, const Evidence& evidence);

// Whether an error of launch() is one that `ctr check` foresees: of this host, not of what was asked for.
bool is_foreseen(const Error& error);

// The same with this host's evidence.
Error explain(Error error, const Plan& plan);

}  // namespace ctr
