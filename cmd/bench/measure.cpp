#include "cmd/bench/measure.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "cmd/bench/inside_record.h"
#include "cmd/bench/process.h"
#include "cmd/own_environment.h"
#include "runtime/base/path.h"

namespace ctr::bench {

namespace {

constexpr size_t lines_of_errors = 5;
constexpr const char* place_in_own_root = "/tmp/.ctr-bench";

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string where_of(const Configuration& configuration) {
    if (!configuration.native()) return "inside";
    std::string where = "outside:" + std::to_string(getpid());
    for (const std::string& one : configuration.namespaces) where += ',' + one.substr(1);
    return where;
}

Words line_of(Configuration configuration, const std::string& ctr, const Words& command) {
    const bool own_root = has_own_root(configuration);
    if (own_root) configuration.options.push_back("--ro-bind=" + ctr + ':' + place_in_own_root);
    Words wrapped{own_root ? place_in_own_root : ctr, "__measure", where_of(configuration)};
    wrapped.insert(wrapped.end(), command.begin(), command.end());
    return command_line(configuration, ctr, wrapped, geteuid() == 0);
}

std::string how_it_ended(int status) {
    if (WIFEXITED(status)) return "status " + std::to_string(WEXITSTATUS(status));
    const char* name = sigabbrev_np(WTERMSIG(status));
    return std::string("signal ") + (name == nullptr ? std::to_string(WTERMSIG(status)) : name);
}

std::unexpected<Error> failed(const std::string& why, const Ended& ended) {
    const std::string said = tail_of(ended.errors, lines_of_errors);
    return fail_input("run the command", why + (said.empty() ? "" : "; it wrote: " + said));
}

// Nothing: the wrapper didn't get so far.
std::optional<InsideRecord> record_in(const std::string& channel) {
    InsideRecord record;
    if (channel.size() != sizeof record) return {};
    std::memcpy(&record, channel.data(), sizeof record);
    if (record.magic != InsideRecord::right_magic) return {};
    return record;
}

// Another clock inside (--time) makes it meaningless.
std::optional<double> start_of(const InsideRecord& record, const Ended& ended) {
    const auto start = static_cast<double>(record.begun - ended.begun) / 1e6;
    constexpr double one_hour = 3.6e6;
    if (start < 0 || start > one_hour) return {};
    return start;
}

std::vector<std::string> warnings_in(const std::string& errors) {
    std::vector<std::string> warnings;
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("ctr: warning: ")) warnings.push_back(std::move(line));
    return warnings;
}

Sample common_values(const InsideRecord& record, const Ended& ended) {
    const double user = static_cast<double>(record.user) / 1e6;
    const double system = static_cast<double>(record.system) / 1e6;
    const double all = seconds(ended.usage.ru_utime) + seconds(ended.usage.ru_stime);
    return {static_cast<double>(record.wall) / 1e9,
            user,
            system,
            user + system,
            static_cast<double>(record.memory) / 1024,
            start_of(record, ended),
            std::max(0.0, all - user - system) * 1e3};
}

Status add_figures(const Workload& workload, const Ended& ended, Sample& sample) {
    for (const Figure& figure : workload.figures) {
        auto value = find_figure(figure, ended.output);
        if (value && !*value) value = find_figure(figure, ended.errors);
        if (!value) return std::unexpected(value.error());
        if (!*value)
            return fail_input("read the figure " + figure.metric.name,
                              "nothing in its output is like \"" + figure.pattern +
                                  "\"; its last line: " + tail_of(ended.output, 1));
        sample.push_back(*value);
    }
    return {};
}

}  // namespace

const std::vector<Metric>& common_metrics() {
    static const std::vector<Metric> metrics = {{"wall", "s"},    {"user", "s"},     {"system", "s"},
                                                {"cpu", "s"},     {"memory", "MiB"}, {"start", "ms"},
                                                {"ctr cpu", "ms"}};
    return metrics;
}

std::vector<Metric> metrics_of(const Workload& workload) {
    std::vector<Metric> metrics = common_metrics();
    for (const Figure& figure : workload.figures) metrics.push_back(figure.metric);
    return metrics;
}

std::vector<Subject> subjects_of(const std::vector<Configuration>& configurations) {
    std::vector<Subject> subjects;
    subjects.reserve(configurations.size() + 1);
    for (const Configuration& one : configurations)
        subjects.push_back(
            {one.name, join_words(command_line(one, "ctr", {"COMMAND"}, geteuid() == 0)), false});
    for (size_t i = 0; i < subjects.size(); ++i)
        if (!configurations[i].namespaces.empty() && configurations[i].native())
            subjects[i].details =
                "unshare " + to_text(configurations[i]).substr(std::strlen("host,")) + " COMMAND";
    return with_again(std::move(subjects));
}

Result<Measurer> Measurer::make(int stop, bool ahead) {
    std::string program(4096, 0);
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
    if (length <= 0) return fail_call("find this program", "readlink");
    program.resize(static_cast<size_t>(length));
    return Measurer(std::move(program), stop, ahead);
}

Result<Measured> Measurer::measure(const Configuration& configuration, const Workload& workload) const {
    const Start start{line_of(configuration, ctr_, workload.command),
                      workload.environment,
                      workload.directory,
                      !workload.figures.empty(),
                      ahead_,
                      configuration.native()};
    auto ended = run_process(start, stop_);
    if (!ended) return std::unexpected(ended.error());
    if (ended->stopped) return fail_input("run the command", "it was interrupted");
    const auto record = record_in(ended->channel);
    if (!record) return failed("it didn't start: " + how_it_ended(ended->status), *ended);
    if (record->exec_error != 0)
        return fail_call("run the command", "execve", record->exec_error, workload.command.front());
    if (record->status != 0) return failed("it ended with " + how_it_ended(record->status), *ended);
    Measured measured{common_values(*record, *ended), warnings_in(ended->errors)};
    if (auto added = add_figures(workload, *ended, measured.sample); !added)
        return std::unexpected(added.error());
    return measured;
}

}  // namespace ctr::bench
