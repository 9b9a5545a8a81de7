// What happens to a container, told upwards: from the supervisor to the keeper, and from the keeper to the
// program that started it.
//
//   supervisor/keeper                         keeper/starter
//        | -- Notice (any number, any time) --->  |
//        | -- Started {init, pidfd, terminal, command} -->  |     the command has been executed
//        | -- Ended {wait status} ------------->  |     ... and everything in the container is gone
//   or   | -- Failed {error} ------------------>  |     it could not be; nothing is left
//
// One SEQPACKET datagram each. The end of the stream without Ended or Failed means that the sender was
// killed.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/notice.h"

namespace ctr {

struct Started {
    HostPid init = HostPid::none;
    Fd pidfd;
    Fd terminal;  // the outer end of its terminal, if it has one
    Fd listener;  // only of what is started in a container that runs already, and only if that has a monitor
    HostPid command = HostPid::none;  // the same as init, or its child (Spec::init); none: it can't be seen
};
struct Failed {
    Error error;
};
struct Ended {
    int status = 0;  // as from waitpid
};
using Report = std::variant<Notice, Started, Failed, Ended>;

// A pair of ends, both closed on exec.
struct ReportPipe {
    Fd receiver;
    Fd sender;
};
Result<ReportPipe> make_report_pipe();

// False: nobody listens any more; or nobody reads just now, and it was a Notice, which never waits. Texts are
// cut to what one datagram holds.
bool send_report(const Fd& sender, const Report& report);

// Blocks. Nothing: the end of the stream (or a datagram that is none of ours).
std::optional<Report> receive_report(const Fd& receiver);

}  // namespace ctr
