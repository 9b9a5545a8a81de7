// ctr bench run: a command, or a workload that comes with ctr, under several configurations.
#include "cmd/bench/session.h"
#include "cmd/bench/verbs.h"
#include "cmd/bench/workloads.h"

namespace ctr::bench {

namespace {

Result<std::vector<Figure>> take_figures(const cmd::Given& given) {
    std::vector<Figure> figures;
    for (const std::string& text : given.of("figure")) {
        auto figure = parse_figure(text);
        if (!figure) return std::unexpected(figure.error());
        if (!figures.empty()) figure->metric.name += ' ' + std::to_string(figures.size() + 1);
        figures.push_back(std::move(*figure));
    }
    return figures;
}

Result<Workload> own_workload(const Call& call) {
    if (call.operands.empty())
        return fail_input("read the arguments", "there is no command",
                          "ctr bench run -- COMMAND..., or --workload NAME");
    auto figures = take_figures(call.given);
    if (!figures) return std::unexpected(figures.error());
    Workload workload;
    workload.name = join_words(call.operands);
    workload.command = call.operands;
    workload.figures = std::move(*figures);
    return workload;
}

Result<std::vector<Workload>> take_workloads(const Call& call) {
    bool quick = false;
    if (auto taken = call.given.take_flag("quick", quick); !taken) return std::unexpected(taken.error());
    std::string tree;
    const auto as_it_is = [](const std::string& text) { return Result<std::string>(text); };
    if (auto taken = call.given.take("tree", tree, as_it_is); !taken) return std::unexpected(taken.error());
    std::vector<Workload> all;
    const auto names = call.given.of("workload");
    for (const std::string& name : names) {
        auto one = make_workload(name, quick, tree);
        if (!one) return std::unexpected(one.error());
        all.push_back(std::move(*one));
    }
    if (!names.empty() && call.operands.empty() && call.given.of("figure").empty()) return all;
    if (!names.empty())
        return fail_input("read the arguments", "--workload has a command and figures of its own",
                          "either --workload NAME, or -- COMMAND");
    auto own = own_workload(call);
    if (!own) return std::unexpected(own.error());
    all.push_back(std::move(*own));
    return all;
}

}  // namespace

Result<int> run_verb(const Call& call) {
    const auto outputs = take_outputs(call.given);
    if (!outputs) return std::unexpected(outputs.error());
    const auto configurations = take_configurations(call.given);
    if (!configurations) return std::unexpected(configurations.error());
    const auto workloads = take_workloads(call);
    if (!workloads) return std::unexpected(workloads.error());
    Plan pace;
    if (auto taken = take_pace(call.given, pace); !taken) return std::unexpected(taken.error());
    auto session = begin_session(call.given, call.line);
    if (!session) return std::unexpected(session.error());
    for (const Workload& workload : *workloads) {
        if (session->interrupted()) break;
        if (auto ran = session->run(workload, *configurations, pace); !ran)
            return std::unexpected(ran.error());
    }
    return session->finish(*outputs);
}

}  // namespace ctr::bench
