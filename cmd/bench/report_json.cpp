#include <nlohmann/json.hpp>

#include "cmd/bench/report.h"

namespace ctr::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;
constexpr const char* format_key = "ctrBench";

struct VerdictWord {
    Verdict verdict;
    const char* word;
};
constexpr VerdictWord verdict_words[] = {{Verdict::differs, "differs"},
                                         {Verdict::same, "same"},
                                         {Verdict::too_noisy, "tooNoisy"},
                                         {Verdict::too_few, "tooFew"}};

const char* word_for(Verdict verdict) {
    for (const VerdictWord& one : verdict_words)
        if (one.verdict == verdict) return one.word;
    return "";
}

Json json_from(const Estimate& estimate) {
    return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json json_from(const Cell& cell) {
    Json object = Json::object();
    if (cell.summary)
        object = {{"median", json_from(cell.summary->median)},
                  {"least", cell.summary->least},
                  {"mean", cell.summary->mean},
                  {"most", cell.summary->most},
                  {"deviation", cell.summary->deviation},
                  {"outliers", cell.summary->outliers}};
    if (cell.comparison) {
        object["ratio"] = json_from(cell.comparison->ratio);
        object["verdict"] = word_for(cell.comparison->verdict);
        object["unseen"] = cell.comparison->unseen;
    }
    return object;
}

Json json_from(const Sample& sample) {
    Json array = Json::array();
    for (const auto& value : sample) array.push_back(value ? Json(*value) : Json());
    return array;
}

Json json_from(const Recording& recording, size_t subject) {
    const Plan& plan = recording.plan;
    Json samples = Json::array();
    for (const Sample& sample : recording.samples[subject]) samples.push_back(json_from(sample));
    Json results = Json::object();
    for (size_t metric = 0; metric < plan.metrics.size(); ++metric)
        results[plan.metrics[metric].name] = json_from(cell_of(recording, subject, metric));
    return {{"name", plan.subjects[subject].name},
            {"details", plan.subjects[subject].details},
            {"again", plan.subjects[subject].again},
            {"results", std::move(results)},
            {"samples", std::move(samples)}};
}

Json json_from(const Recording& recording) {
    const Plan& plan = recording.plan;
    Json metrics = Json::array();
    for (const Metric& metric : plan.metrics)
        metrics.push_back({{"name", metric.name},
                           {"unit", metric.unit},
                           {"better", metric.better == Better::higher ? "higher" : "lower"}});
    Json subjects = Json::array();
    for (size_t i = 0; i < plan.subjects.size(); ++i) subjects.push_back(json_from(recording, i));
    Json failures = Json::array();
    for (const Failure& failure : recording.failures)
        failures.push_back({{"subject", failure.subject}, {"round", failure.round}, {"why", failure.why}});
    return {{"title", plan.title},
            {"seed", plan.seed},
            {"warmup", plan.warmup},
            {"rounds", recording.rounds},
            {"seconds", recording.seconds},
            {"interrupted", recording.interrupted},
            {"shown", plan.shown},
            {"metrics", std::move(metrics)},
            {"subjects", std::move(subjects)},
            {"failures", std::move(failures)},
            {"notes", recording.notes}};
}

Sample sample_from(const Json& array) {
    Sample sample;
    for (const Json& value : array)
        sample.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
    return sample;
}

// May throw what the library throws, as the following.
Recording recording_from(const Json& object) {
    Recording recording;
    Plan& plan = recording.plan;
    plan.title = object.at("title");
    plan.seed = object.at("seed");
    plan.warmup = object.at("warmup");
    plan.rounds = recording.rounds = object.at("rounds");
    recording.seconds = object.at("seconds");
    recording.interrupted = object.at("interrupted");
    plan.shown = object.at("shown");
    recording.notes = object.at("notes");
    for (const Json& metric : object.at("metrics"))
        plan.metrics.push_back({metric.at("name"), metric.at("unit"),
                                metric.at("better") == "higher" ? Better::higher : Better::lower});
    for (const Json& subject : object.at("subjects")) {
        plan.subjects.push_back({subject.at("name"), subject.at("details"), subject.at("again")});
        std::vector<Sample>& samples = recording.samples.emplace_back();
        for (const Json& sample : subject.at("samples")) samples.push_back(sample_from(sample));
    }
    for (const Json& failure : object.at("failures"))
        recording.failures.push_back({failure.at("subject"), failure.at("round"), failure.at("why")});
    return recording;
}

// What the forms rely on.
bool consistent(const Recording& recording) {
    const Plan& plan = recording.plan;
    for (const auto& samples : recording.samples) {
        if (samples.size() != recording.rounds) return false;
        for (const Sample& sample : samples)
            if (!sample.empty() && sample.size() != plan.metrics.size()) return false;
    }
    for (const Failure& failure : recording.failures)
        if (failure.subject >= plan.subjects.size()) return false;
    return true;
}

Report report_from(const Json& object) {
    Report report;
    report.date = object.at("date");
    report.command = object.at("command");
    for (const Json& fact : object.at("machine"))
        report.machine.facts.push_back({fact.at("name"), fact.at("value"), fact.at("passing")});
    for (const Json& recording : object.at("recordings"))
        report.recordings.push_back(recording_from(recording));
    for (const Json& digest : object.value("digests", Json::array()))
        report.digests.push_back({digest.at("title"), digest.at("text"), digest.at("svg")});
    for (const Json& skipped : object.at("skipped"))
        report.skipped.push_back({skipped.at("title"), skipped.at("why")});
    return report;
}

}  // namespace

std::string as_json(const Report& report) {
    Json machine = Json::array();
    for (const Fact& fact : report.machine.facts)
        machine.push_back({{"name", fact.name}, {"value", fact.value}, {"passing", fact.passing}});
    Json recordings = Json::array();
    for (const Recording& recording : report.recordings) recordings.push_back(json_from(recording));
    Json skipped = Json::array();
    for (const Skipped& one : report.skipped) skipped.push_back({{"title", one.title}, {"why", one.why}});
    Json digests = Json::array();
    for (const Digest& one : report.digests)
        digests.push_back({{"title", one.title}, {"text", one.text}, {"svg", one.svg}});
    const Json object{{format_key, format},
                      {"date", report.date},
                      {"command", report.command},
                      {"machine", std::move(machine)},
                      {"recordings", std::move(recordings)},
                      {"skipped", std::move(skipped)},
                      {"digests", std::move(digests)}};
    return object.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Report> parse_report(const std::string& text) {
    const std::string step = "read the report";
    try {
        const Json object = Json::parse(text);
        if (!object.is_object() || object.value(format_key, 0) != format)
            return fail_input(step, "it isn't one of this ctr bench", "what --json FILE wrote");
        Report report = report_from(object);
        if (!std::ranges::all_of(report.recordings, consistent))
            return fail_input(step, "its samples don't fit its plan");
        return report;
    } catch (const Json::exception& problem) {
        return fail_input(step, problem.what(), "what --json FILE wrote");
    }
}

}  // namespace ctr::bench
