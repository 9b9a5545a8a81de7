// The values of single options. Strict and whole: what isn't understood to its last character is an error
// that quotes it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/log_options.h"
#include "runtime/base/error.h"
#include "runtime/spec.h"

namespace ctr::cmd {

Result<PidMode> parse_pid_mode(const std::string& text);
Result<PidLookup> parse_pid_lookup(const std::string& text);
Result<PidFastpath> parse_pid_fastpath(const std::string& text);
Result<IoThrottle> parse_io_throttle(const std::string& text);
Result<Network> parse_network(const std::string& text);
Result<UserNamespace> parse_user_namespace(const std::string& text);
Result<Scope> parse_scope(const std::string& option, const std::string& text);  // "private" or "host"
Result<SystemPaths> parse_system_paths(const std::string& text);
Result<int> parse_descriptor(const std::string& text);  // of --status-fd
Result<bool> parse_truth(const std::string& option, const std::string& text);
Result<std::string> parse_log_level(const std::string& text);
Result<LogFormat> parse_log_format(const std::string& text);

// "TERM", "SIGTERM" or "15".
Result<int> parse_signal(const std::string& option, const std::string& text);

// For --cap-add and --cap-drop: "NET_ADMIN", "cap_net_admin", "ALL".
Status check_capabilities(const std::string& option, const std::vector<std::string>& names);

// A decimal number without sign from 0 to MOST.
Result<uint32_t> parse_number(const std::string& option, const std::string& text, uint32_t least,
                              uint32_t most);

// "1000" (group 1000 as well) or "1000:100".
Result<User> parse_user(const std::string& text);

// "host", or "private" and perhaps ",boottime=SECONDS" and ",monotonic=SECONDS".
Result<std::optional<Clocks>> parse_clocks(const std::string& text);

// "PID" or "PID:KIND,...", with the kinds of namespaces.
Result<ShareWith> parse_share(const std::string& text);

// "K=V"; of "K" alone nothing or the caller's, appended to VARIABLES.
Status add_variable(const std::string& text, const std::vector<std::string>& callers,
                    std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace ctr::cmd
