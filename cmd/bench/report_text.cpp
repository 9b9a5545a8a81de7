#include "cmd/bench/report.h"
#include "cmd/bench/report_parts.h"
#include "cmd/table.h"

namespace ctr::bench {

namespace {

std::string value_text(const Cell& cell, bool failed) {
    if (failed) return "failed";
    return cell.summary ? significant(cell.summary->median.value) : "-";
}

std::string difference_text(const Recording& recording, const Cell& cell, size_t subject, size_t metric) {
    const Better better = recording.plan.metrics[metric].better;
    if (!cell.comparison || recording.failure_of(subject) != nullptr) return "-";
    if (recording.plan.subjects[subject].again) return noise_text(cell.comparison->ratio, better);
    return slowdown_text(*cell.comparison, better, recording.rounds);
}

std::string table_of(const Recording& recording, const std::vector<size_t>& metrics) {
    const Plan& plan = recording.plan;
    cmd::Rows rows{{"configuration"}};
    for (const size_t metric : metrics) rows.front().push_back(title_of(plan.metrics[metric]));
    for (size_t subject = 0; subject < plan.subjects.size(); ++subject) {
        std::vector<std::string> values{plan.subjects[subject].name};
        std::vector<std::string> differences{plan.subjects[subject].again ? "  noise" : "  slowdown"};
        for (const size_t metric : metrics) {
            const Cell cell = cell_of(recording, subject, metric);
            values.push_back(value_text(cell, recording.failure_of(subject) != nullptr));
            differences.push_back(difference_text(recording, cell, subject, metric));
        }
        rows.push_back(std::move(values));
        if (subject != 0) rows.push_back(std::move(differences));
    }
    return cmd::aligned(rows);
}

std::string listed(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string text = title + ":\n";
    for (const std::string& line : lines) text += "  " + line + '\n';
    return text;
}

std::string machine_text(const Machine& machine) {
    cmd::Rows rows;
    for (const Fact& fact : machine.facts) rows.push_back({"  " + fact.name, fact.value});
    return rows.empty() ? "" : "\nMachine:\n" + cmd::aligned(rows);
}

}  // namespace

std::string table_text(const Recording& recording) {
    std::string text = recording.plan.title + "\n" + pace_text(recording) + ".\n";
    if (recording.rounds > 0) text += '\n' + table_of(recording, shown_metrics(recording));
    if (const std::string which = directions(recording); !which.empty()) text += '(' + which + ")\n";
    if (const auto others = other_metrics(recording); recording.rounds > 0 && !others.empty())
        text += "\nApart from that:\n" + table_of(recording, others);
    const std::string more = listed("Outliers, which count like all others", outlier_lines(recording)) +
                             listed("Trouble", trouble_lines(recording));
    return more.empty() ? text : text + '\n' + more;
}

std::string as_text(const Report& report) {
    std::string text = in_one_line(report.machine) + ".\n";
    if (const std::string why = busy(report.machine); !why.empty()) text += "Beware: " + why + ".\n";
    text += "Medians; differences are medians of the rounds' ratios to the first row, with 95 % intervals.\n";
    for (const Digest& digest : report.digests) text += '\n' + digest.title + '\n' + digest.text;
    for (const Recording& recording : report.recordings) text += '\n' + table_text(recording);
    for (const Skipped& skipped : report.skipped)
        text += '\n' + skipped.title + "\nskipped: " + skipped.why + '\n';
    return text + machine_text(report.machine);
}

}  // namespace ctr::bench
