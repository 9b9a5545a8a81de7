// ctr bench seeds: the tables of the discussions that ctr comes from, and ours beside them.
#include <algorithm>

#include "cmd/bench/device_options.h"
#include "cmd/bench/seeds.h"
#include "cmd/bench/verbs.h"
#include "cmd/suggestion.h"

namespace ctr::bench {

namespace {

Status check_table(const std::string& name) {
    std::vector<std::string_view> known;
    std::string all;
    for (const Seed& seed : seeds()) {
        known.emplace_back(seed.name);
        all += (all.empty() ? "one of " : ", ") + std::string(seed.name);
    }
    if (std::ranges::count(known, name) != 0) return {};
    return fail_input("read --table",
                      '"' + name + "\" is none" + cmd::did_you_mean(cmd::nearest(name, known)), all);
}

Result<SeedsOptions> take_options(const cmd::Given& given) {
    SeedsOptions options;
    options.tables = given.of("table");
    for (const std::string& name : options.tables)
        if (auto good = check_table(name); !good) return std::unexpected(good.error());
    const auto as_it_is = [](const std::string& text) { return Result<std::string>(text); };
    if (auto taken = given.take_flag("quick", options.quick); !taken) return std::unexpected(taken.error());
    if (auto taken = given.take("tree", options.tree, as_it_is); !taken)
        return std::unexpected(taken.error());
    auto devices = take_devices(given, options.quick);
    if (!devices) return std::unexpected(std::move(devices).error());
    options.devices = *std::move(devices);
    options.own_rounds = !given.of("rounds").empty() || !given.of("time").empty();
    return options;
}

}  // namespace

Result<int> seeds_verb(const Call& call) {
    const auto options = take_options(call.given);
    if (!options) return std::unexpected(options.error());
    const auto outputs = take_outputs(call.given);
    if (!outputs) return std::unexpected(outputs.error());
    Plan pace;
    if (auto taken = take_pace(call.given, pace); !taken) return std::unexpected(taken.error());
    auto session = begin_session(call.given, call.line);
    if (!session) return std::unexpected(session.error());
    if (auto done = measure_seeds(*session, *options, pace); !done) return std::unexpected(done.error());
    Report& report = session->report();
    for (const Seed& seed : seeds()) {
        if (!options->wants(seed)) continue;
        if (std::string text = seed_table(seed, report); !text.empty())
            report.digests.push_back({seed.title, std::move(text)});
    }
    return session->finish(*outputs);
}

}  // namespace ctr::bench
