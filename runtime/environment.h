// The command's environment, and where it is looked for. Pure.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr::environment {

inline constexpr std::string_view usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// "K=V", each name once. On the host's root: the caller's variables. With a root of its own, or env_clear:
// PATH, HOME and the caller's TERM. The spec's variables come on top.
std::vector<std::string> compose(const Spec& spec, const HostFacts& facts, uid_t uid);

// ENV with these variables over it.
std::vector<std::string> with(std::vector<std::string> env,
                              const std::vector<std::pair<std::string, std::string>>& variables);

// With a terminal there is always a TERM, "xterm" as with docker.
void set_terminal(std::vector<std::string>& env);

std::optional<std::string> find(const std::vector<std::string>& env, std::string_view name);

// Files that a command may be, in order: itself if it has a slash, else one for each directory of PATH.
// Relative and empty elements of PATH, which mean the current directory, are left out: what runs must not
// depend on where one is.
std::vector<std::string> candidates(const std::string& command, std::string_view path);

}  // namespace ctr::environment
