// ctr bench scaling: how the cost grows.
#include <algorithm>

#include "cmd/bench/scaling.h"
#include "cmd/bench/verbs.h"
#include "cmd/suggestion.h"

namespace ctr::bench {

namespace {

Result<std::vector<Axis>> take_axes(const cmd::Given& given) {
    const auto names = given.of("along");
    if (names.empty()) return axes();
    std::vector<std::string_view> known;
    std::string all;
    for (const Axis& axis : axes()) {
        known.emplace_back(axis.name);
        all += (all.empty() ? "one of " : ", ") + std::string(axis.name);
    }
    std::vector<Axis> chosen;
    for (const std::string& name : names) {
        const auto axis =
            std::ranges::find(axes(), name, [](const Axis& one) { return std::string(one.name); });
        if (axis == axes().end())
            return fail_input("read --along",
                              '"' + name + "\" is none" + cmd::did_you_mean(cmd::nearest(name, known)), all);
        chosen.push_back(*axis);
    }
    return chosen;
}

}  // namespace

Result<int> scaling_verb(const Call& call) {
    constexpr unsigned quick_rounds = 8;
    constexpr unsigned full_rounds = 15;
    bool quick = false;
    if (auto taken = call.given.take_flag("quick", quick); !taken) return std::unexpected(taken.error());
    const auto chosen = take_axes(call.given);
    if (!chosen) return std::unexpected(chosen.error());
    const auto outputs = take_outputs(call.given);
    if (!outputs) return std::unexpected(outputs.error());
    Plan pace;
    pace.rounds = quick ? quick_rounds : full_rounds;
    if (auto taken = take_pace(call.given, pace); !taken) return std::unexpected(taken.error());
    auto session = begin_session(call.given, call.line);
    if (!session) return std::unexpected(session.error());
    for (const Axis& axis : *chosen) {
        if (auto done = measure_along(*session, axis, quick, pace); !done)
            return std::unexpected(done.error());
        Report& report = session->report();
        if (std::string table = scaling_table(axis, report); !table.empty())
            report.digests.push_back({axis.title, std::move(table), scaling_svg(axis, report)});
    }
    return session->finish(*outputs);
}

}  // namespace ctr::bench
