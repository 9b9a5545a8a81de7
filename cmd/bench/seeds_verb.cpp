// ctr bench seeds: the tables of the discussions that ctr comes from, and ours beside them.
#include "cmd/bench/device_options.h"
#include "cmd/bench/seeds.h"
#include "cmd/bench/verbs.h"

namespace ctr::bench {

Result<int> seeds_verb(const Call& call) {
    bool quick = false;
    std::string tree;
    if (auto taken = call.given.take_flag("quick", quick); !taken) return std::unexpected(taken.error());
    if (auto taken =
            call.given.take("tree", tree, [](const std::string& text) { return Result<std::string>(text); });
        !taken)
        return std::unexpected(taken.error());
    const auto outputs = take_outputs(call.given);
    if (!outputs) return std::unexpected(outputs.error());
    const auto devices = take_devices(call.given, quick);
    if (!devices) return std::unexpected(devices.error());
    Plan pace;
    if (auto taken = take_pace(call.given, pace); !taken) return std::unexpected(taken.error());
    const bool own_rounds = !call.given.of("rounds").empty() || !call.given.of("time").empty();
    auto session = Session::begin(call.line);
    if (!session) return std::unexpected(session.error());
    if (auto done = measure_seeds(*session, *devices, quick, tree, pace, own_rounds); !done)
        return std::unexpected(done.error());
    Report& report = session->report();
    for (const Seed& seed : seeds()) report.digests.push_back({seed.title, seed_table(seed, report)});
    if (std::string text = io_digest(report); !text.empty())
        report.digests.push_back({"mkfs, with and without a limit (2009)", std::move(text)});
    return session->finish(*outputs);
}

}  // namespace ctr::bench
