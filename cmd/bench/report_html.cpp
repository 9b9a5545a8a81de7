#include "cmd/bench/plot.h"
#include "cmd/bench/report.h"
#include "cmd/bench/report_parts.h"

namespace ctr::bench {

namespace {

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>ctr bench</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
h1, h2 { font-weight: 600 } code { background: #f3f3f3; padding: 0 .2em }
table { border-collapse: collapse; margin: 1em 0 } th, td { text-align: left; padding: .2em .9em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top }
small { color: #666; display: block } pre { overflow-x: auto } svg { width: 100%; height: auto; margin: .5em 0 }
.beware { background: #fff3cd; padding: .5em 1em }
svg text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600 } .name { text-anchor: end } .tick { text-anchor: middle }
.grid { stroke: #e5e5e5 } .dot { fill: #3572b0; fill-opacity: .45 } .outlier { fill: #c0392b }
.interval { stroke: #111; stroke-width: 5; stroke-opacity: .55 } .median { stroke: #111; stroke-width: 2 }
</style></head><body>
)";

std::string paragraph(const std::string& text, const char* kind = nullptr) {
    return (kind == nullptr ? std::string("<p>") : std::string("<p class=\"") + kind + "\">") +
           escaped(text) + "</p>\n";
}

std::string list(const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string html = "<ul>";
    for (const std::string& line : lines) html += "<li>" + escaped(line) + "</li>";
    return html + "</ul>\n";
}

std::string cell_html(const Recording& recording, size_t subject, size_t metric) {
    if (recording.failure_of(subject) != nullptr) return "<td>failed</td>";
    const Cell cell = cell_of(recording, subject, metric);
    if (!cell.summary) return "<td>-</td>";
    const Better better = recording.plan.metrics[metric].better;
    std::string html = "<td>" + significant(cell.summary->median.value);
    if (cell.comparison && recording.plan.subjects[subject].again)
        html += "<small>noise: " + escaped(noise_text(cell.comparison->ratio, better)) + "</small>";
    else if (cell.comparison)
        html += "<small>slowdown: " + escaped(slowdown_text(*cell.comparison, better, recording.rounds)) +
                "</small>";
    return html + "</td>";
}

std::string table_html(const Recording& recording, const std::vector<size_t>& metrics) {
    const Plan& plan = recording.plan;
    std::string html = "<table><tr><th>configuration</th>";
    for (const size_t metric : metrics) html += "<th>" + escaped(title_of(plan.metrics[metric])) + "</th>";
    html += "</tr>\n";
    for (size_t subject = 0; subject < plan.subjects.size(); ++subject) {
        html += "<tr><td>" + escaped(plan.subjects[subject].name) + "<small>" +
                escaped(plan.subjects[subject].details) + "</small></td>";
        for (const size_t metric : metrics) html += cell_html(recording, subject, metric);
        html += "</tr>\n";
    }
    return html + "</table>\n";
}

std::string machine_html(const Machine& machine) {
    std::string html = "<h2>Machine</h2><table>";
    for (const Fact& fact : machine.facts)
        html += "<tr><th>" + escaped(fact.name) + "</th><td>" + escaped(fact.value) + "</td></tr>\n";
    return html + "</table>\n";
}

std::string recording_html(const Recording& recording) {
    std::string html =
        "<h2>" + escaped(recording.plan.title) + "</h2>\n" + paragraph(pace_text(recording) + ".");
    if (const std::string which = directions(recording); !which.empty()) html += paragraph(which);
    const auto shown = shown_metrics(recording);
    const auto others = other_metrics(recording);
    if (recording.rounds > 0) {
        html += table_html(recording, shown);
        for (const size_t metric : shown) html += plot_svg(recording, metric);
        if (!others.empty()) html += paragraph("Apart from that:") + table_html(recording, others);
    }
    if (const auto lines = outlier_lines(recording); !lines.empty())
        html += paragraph("Outliers (red), which count like all others:") + list(lines);
    if (const auto lines = trouble_lines(recording); !lines.empty())
        html += paragraph("Trouble:") + list(lines);
    return html;
}

}  // namespace

std::string as_html(const Report& report) {
    std::string html = std::string(head) + "<h1>ctr bench</h1>\n<p><code>" + escaped(report.command) +
                       "</code>, " + escaped(report.date) + "</p>\n";
    if (const std::string why = busy(report.machine); !why.empty())
        html += paragraph("Beware: " + why, "beware");
    html += paragraph(
        "Medians; differences are medians of the rounds' ratios to the first row, with 95 % "
        "intervals. In plots: a dot for each round, the median and its interval.");
    for (const Digest& digest : report.digests)
        html +=
            "<h2>" + escaped(digest.title) + "</h2>\n<pre>" + escaped(digest.text) + "</pre>\n" + digest.svg;
    for (const Recording& recording : report.recordings) html += recording_html(recording);
    for (const Skipped& skipped : report.skipped)
        html += "<h2>" + escaped(skipped.title) + "</h2>\n" + paragraph("skipped: " + skipped.why);
    return html + machine_html(report.machine) + "</body></html>\n";
}

}  // namespace ctr::bench
