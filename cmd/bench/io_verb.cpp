// ctr bench io: what a limit costs that is never reached.
#include "cmd/bench/device_options.h"
#include "cmd/bench/session.h"
#include "cmd/bench/verbs.h"

namespace ctr::bench {

Result<int> io_verb(const Call& call) {
    bool quick = false;
    if (auto taken = call.given.take_flag("quick", quick); !taken) return std::unexpected(taken.error());
    const auto outputs = take_outputs(call.given);
    if (!outputs) return std::unexpected(outputs.error());
    const auto devices = take_devices(call.given, quick);
    if (!devices) return std::unexpected(devices.error());
    Plan pace;
    if (auto taken = take_pace(call.given, pace); !taken) return std::unexpected(taken.error());
    auto session = begin_session(call.given, call.line);
    if (!session) return std::unexpected(session.error());
    if (auto done = measure_io(*session, *devices, quick, pace); !done) return std::unexpected(done.error());
    session->report().digests.push_back({"A limit that is never reached", io_digest(session->report())});
    return session->finish(*outputs);
}

}  // namespace ctr::bench
