// The values of the options that mount something. Strict and whole, as all values. Pure.
#pragma once

#include <string>
#include <vector>

#include "cmd/given.h"
#include "runtime/base/error.h"
#include "runtime/mounts.h"

namespace ctr::cmd {

// "SRC:DST", of --bind and --ro-bind. DST begins after the last ":/", so SRC may contain colons.
Result<MountRequest> parse_bind(const std::string& option, const std::string& text);

// "SRC:DST[:ro|rw]", as docker's -v; SRC begins with / or a dot, for there are no named volumes.
Result<MountRequest> parse_volume(const std::string& text);

// "DST[:size=BYTES,mode=OCTAL]".
Result<MountRequest> parse_tmpfs(const std::string& text);

// All of them, in the order in which they were given.
Status take_mounts(const Given& given, std::vector<MountRequest>& mounts);

}  // namespace ctr::cmd
