// ctr: finds the verb and leaves the rest to it.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "cmd/manual.h"
#include "cmd/messages.h"
#include "cmd/suggestion.h"
#include "cmd/verbs.h"

namespace {

struct Verb {
    std::string_view name;
    int (*run)(const std::vector<std::string>& arguments);
};
constexpr Verb verbs[] = {{"run", ctr::cmd::run_verb},
                          {"exec", ctr::cmd::exec_verb},
                          {"list", ctr::cmd::list_verb},
                          {"inspect", ctr::cmd::inspect_verb},
                          {"logs", ctr::cmd::logs_verb},
                          {"pid", ctr::cmd::pid_verb},
                          {"kill", ctr::cmd::kill_verb},
                          {"stop", ctr::cmd::stop_verb},
                          {"wait", ctr::cmd::wait_verb},
                          {"pause", ctr::cmd::pause_verb},
                          {"resume", ctr::cmd::resume_verb},
                          {"stats", ctr::cmd::stats_verb},
                          {"update", ctr::cmd::update_verb},
                          {"rm", ctr::cmd::rm_verb},
                          {"ps", ctr::cmd::ps_verb},
                          {"check", ctr::cmd::check_verb},
                          {"image", ctr::cmd::image_verb},
                          {"bench", ctr::cmd::bench_verb},
                          {"completion", ctr::cmd::completion_verb},
                          {"help", ctr::cmd::help_verb},
                          {"version", ctr::cmd::version_verb},
                          {"__complete", ctr::cmd::complete_verb},
                          {"__measure", ctr::cmd::measure_verb}};

// A descriptor that ctr opens must not become standard error because the caller closed that one. Close on
// exec: the command finds it as the caller left it.
void fill_standard_descriptors() {
    int fd = 0;
    do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

int no_verb(const std::vector<std::string>& words, const std::string& verb) {
    const ctr::cmd::Messages messages("", ctr::cmd::guess_log_options(words, ctr::cmd::run_options()));
    if (verb.empty())
        return messages.refuse(ctr::fail_input("read the command line", "there is no verb").error());
    if (const std::string here = ctr::cmd::familiar_verb(verb); !here.empty())
        return messages.refuse(
            ctr::fail_input("read the command line", '"' + verb + "\" is no verb" + here).error());
    std::vector<std::string_view> names;
    names.reserve(ctr::cmd::manuals().size());
    for (const ctr::cmd::Manual& manual : ctr::cmd::manuals()) names.emplace_back(manual.verb);
    return messages.refuse(
        ctr::fail_input("read the command line",
                        '"' + verb + "\" is no verb" + ctr::cmd::did_you_mean(ctr::cmd::nearest(verb, names)))
            .error());
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const std::string first = words.empty() ? "" : words.front();
    if (first == "--version") return ctr::cmd::version_verb({});
    if (first == "--help" || first == "-h") return ctr::cmd::help_verb({});
    // Options that stand before the verb are the verb's.
    const size_t before = ctr::cmd::count_option_words(words);
    const std::string name = before < words.size() ? words[before] : "";
    for (const Verb& verb : verbs)
        if (verb.name == name) {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(before));
            return verb.run(words);
        }
    return no_verb(words, name);
}
