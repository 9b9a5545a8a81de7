// The socket of a container, through which others reach the one process that knows it for sure, its
// supervisor:
//
//   supervisor                                  whoever connects
//        | -- Started {init, pidfd} ----------->  |     at once
//        | -- Ended {wait status} ------------->  |     when everything in the container is gone
//
//   or after an order to execute another command in it:
//        | <-- order, standard descriptors ----   |
//        | -- Started {process, pidfd, terminal}-> |     the command has been executed
//        | -- Ended {wait status} ------------->  |     it has ended; not of one that is detached
//   or   | -- Failed {error} ------------------>  |
//
//   or questions to the write gate (gate_messages.h); then as above
//
// What answers are is drawn in report.h. SEQPACKET: a message is whole or isn't there. The kernel says who
// connects: the supervisor's own user and root are heard, nobody else.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/exec_spec.h"

namespace ctr {

struct Order {
    ExecSpec exec;
    std::array<Fd, 3> standard;  // input, output and error of the command
};

Result<Fd> listen_in(const Fd& directory);
// ETIMEDOUT: so many others wait for an answer that it took longer.
Result<Fd> connect_in(const Fd& directory, std::chrono::milliseconds patience);

// Whether the kernel says that the other side is to be heard.
bool is_trusted(const Fd& connection);

Status send_order(const Fd& connection, const ExecSpec& exec, const std::array<int, 3>& standard);
std::optional<Order> receive_order(const Fd& connection);  // nothing: the end, or none of ours

std::string to_json(const ExecSpec& exec);
Result<ExecSpec> parse_exec(const std::string& text);

}  // namespace ctr
