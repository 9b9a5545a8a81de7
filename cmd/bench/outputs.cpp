#include "cmd/bench/outputs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cmd/bench/process.h"
#include "runtime/base/fd.h"

namespace ctr::bench {

namespace {

constexpr const char* standard_output = "-";

struct Form {
    const char* option;
    std::string Outputs::*where;
    std::string (*text)(const Report& report);
};
constexpr Form forms[] = {
    {"json", &Outputs::json, as_json}, {"csv", &Outputs::csv, as_csv}, {"html", &Outputs::html, as_html}};

struct Plot {
    const char* terminal;
    std::string Outputs::*where;
};
constexpr Plot plots[] = {{"svg", &Outputs::svg}, {"png", &Outputs::png}};

Status write_file(const std::string& name, const std::string& text) {
    if (name == standard_output) return print(text);
    errno = 0;
    std::ofstream file(name);
    file << text;
    file.close();
    if (!file) return fail_call("write " + name, "write");
    return {};
}

// Gone at the end of the scope.
class TemporaryFile {
  public:
    TemporaryFile() {
        const Fd fd(mkstemp(name_.data()));
        if (!fd) name_.clear();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (!name_.empty()) unlink(name_.c_str());
    }
    const std::string& name() const { return name_; }

  private:
    std::string name_ = (std::filesystem::temp_directory_path() / "ctr-bench-XXXXXX").string();
};

Status draw(const Report& report, const Plot& plot, const std::string& name) {
    const std::string step = "draw " + name;
    const TemporaryFile script;
    if (script.name().empty()) return fail_call(step, "mkstemp");
    if (auto written = write_file(script.name(), as_gnuplot(report, plot.terminal, name)); !written)
        return written;
    Start start;
    start.line = {"gnuplot", script.name()};
    const auto ended = run_process(start, -1);
    if (!ended && ended.error().err == ENOENT)
        return fail_input(step, "there is no gnuplot",
                          "apt-get install gnuplot-nox; or --html FILE, which takes none");
    if (!ended) return std::unexpected(Error(ended.error()).within(step));
    if (ended->status != 0) return fail_input(step, "gnuplot: " + tail_of(ended->errors, 3));
    return {};
}

}  // namespace

Status print(const std::string& text) {
    std::cout << text << std::flush;
    if (std::cout) return {};
    return fail_input("print", "standard output takes no more");
}

Status check(const Outputs& outputs) {
    size_t printed = 0;
    for (const Form& form : forms) printed += (outputs.*form.where == standard_output) ? 1U : 0U;
    if (printed > 1)
        return fail_input("read the options", "only one report can go to standard output", "--json FILE");
    for (const Plot& plot : plots)
        if (outputs.*plot.where == standard_output)
            return fail_input(std::string("read --") + plot.terminal, "a plot takes a file");
    return {};
}

Status write_outputs(const Report& report, const Outputs& outputs) {
    Status first;
    const auto keep = [&](Status status) {
        if (first && !status) first = std::move(status);
    };
    bool printed = false;
    for (const Form& form : forms) {
        const std::string& name = outputs.*form.where;
        printed = printed || name == standard_output;
        if (!name.empty()) keep(write_file(name, form.text(report)));
    }
    if (!printed) keep(print(as_text(report)));
    for (const Plot& plot : plots)
        if (const std::string& name = outputs.*plot.where; !name.empty()) keep(draw(report, plot, name));
    return first;
}

}  // namespace ctr::bench
