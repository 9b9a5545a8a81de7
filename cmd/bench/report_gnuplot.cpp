#include "cmd/bench/report.h"
#include "cmd/bench/report_parts.h"

namespace ctr::bench {

namespace {

// In gnuplot's single quotes only a quote is special; a new line ends a command.
std::string quoted(const std::string& text) {
    std::string safe = "'";
    for (const char letter : text)
        safe += letter == '\'' ? std::string("''") : std::string(1, letter == '\n' ? ' ' : letter);
    return safe + "'";
}

struct Panel {
    const Recording* recording;
    size_t metric;
};

std::vector<Panel> panels_of(const Report& report) {
    std::vector<Panel> panels;
    for (const Recording& recording : report.recordings)
        if (recording.rounds > 0)
            for (const size_t metric : shown_metrics(recording)) panels.push_back({&recording, metric});
    return panels;
}

std::string label_of(const Recording& recording, size_t subject) {
    return quoted(recording.plan.subjects[subject].name) + ' ' + std::to_string(subject);
}

std::string data_of(const Panel& panel, const std::string& number_of_panel) {
    const Recording& recording = *panel.recording;
    std::string dots = "$dots" + number_of_panel + " << EOD\n";
    std::string medians = "$medians" + number_of_panel + " << EOD\n";
    for (size_t subject = 0; subject < recording.samples.size(); ++subject) {
        const Values values = recording.values(subject, panel.metric);
        for (const auto& value : values)
            if (value) dots += number(*value, 9) + ' ' + std::to_string(subject) + '\n';
        if (const auto summary = summarize(values, recording.plan.seed))
            medians += number(summary->median.value, 9) + ' ' + std::to_string(subject) + ' ' +
                       number(summary->median.low, 9) + ' ' + number(summary->median.high, 9) + '\n';
    }
    return dots + "EOD\n" + medians + "EOD\n";
}

std::string panel_text(const Panel& panel, const std::string& number_of_panel) {
    const Plan& plan = panel.recording->plan;
    std::string labels;
    for (size_t i = 0; i < plan.subjects.size(); ++i)
        labels += (i == 0 ? "" : ", ") + label_of(*panel.recording, i);
    return data_of(panel, number_of_panel) + "set title " + quoted(plan.title) + " noenhanced\nset xlabel " +
           quoted(title_of(plan.metrics[panel.metric])) + " noenhanced\nset ytics (" + labels +
           ") noenhanced\nset yrange [" + std::to_string(plan.subjects.size()) + ":-1]\nplot $dots" +
           number_of_panel + " using 1:2 with points pt 7 ps 0.4 lc rgb '#803572b0' notitle, $medians" +
           number_of_panel + " using 1:2:3:4 with xerrorbars pt 5 ps 0.8 lw 2 lc rgb '#111111' notitle\n";
}

}  // namespace

std::string as_gnuplot(const Report& report, const std::string& terminal, const std::string& file) {
    const auto panels = panels_of(report);
    constexpr size_t panel_height = 320;
    std::string text = "set terminal " + terminal + " size 900," +
                       std::to_string(panel_height * std::max<size_t>(panels.size(), 1)) + "\nset output " +
                       quoted(file) + "\nset multiplot layout " +
                       std::to_string(std::max<size_t>(panels.size(), 1)) + ",1\nset grid x\nset key off\n";
    for (size_t i = 0; i < panels.size(); ++i) text += panel_text(panels[i], std::to_string(i));
    return text + "unset multiplot\n";
}

}  // namespace ctr::bench
