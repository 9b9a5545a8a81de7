// ctr help, ctr completion, ctr version: what helps with the other verbs.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cmd/given.h"
#include "cmd/help.h"
#include "cmd/man_page.h"
#include "cmd/messages.h"
#include "cmd/print_help.h"
#include "cmd/shells.h"
#include "cmd/suggestion.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

// What the three have in common.
using Body = Result<std::string> (*)(const Given& given);
int print_what(const char* verb, const std::vector<std::string>& arguments, Body body) {
    const auto& table = *manual_of(verb)->options;
    const auto given = Given::read(table, arguments);
    if (!given) return Messages(verb, guess_log_options(arguments, table)).refuse(given.error());
    LogOptions log;
    bool help = false;
    Status statuses[] = {take_log_options(*given, log), given->take_flag("help", help)};
    for (Status& status : statuses)
        if (!status) return Messages(verb, guess_log_options(arguments, table)).refuse(status.error());
    if (help) return print_help(verb);
    const Messages messages(verb, log);
    const auto text = body(*given);
    if (!text) return messages.refuse(text.error());
    std::cout << *text << std::flush;
    if (std::cout) return 0;
    return messages.fail(fail_input("print", "standard output takes no more").error());
}

Result<const Manual*> manual_for(const Given::Values& words) {
    if (words.empty()) return &overview();
    if (words.size() > 1)
        return fail_input("read the arguments", "there is more than one verb", "ctr help VERB");
    if (const Manual* manual = manual_of(words.front())) return manual;
    std::vector<std::string_view> names;
    names.reserve(manuals().size());
    for (const Manual& manual : manuals()) names.emplace_back(manual.verb);
    return fail_input("read the arguments",
                      '"' + words.front() + "\" is no verb" + did_you_mean(nearest(words.front(), names)));
}

Status write_page(const std::string& directory, const Manual& manual) {
    const std::string name = (std::filesystem::path(directory) / man_page_name(manual)).string();
    std::ofstream file(name);
    file << man_page(manual, CTR_VERSION);
    file.close();
    if (!file) return fail_call("write " + name, "write");
    return {};
}

Result<std::string> write_pages(const std::string& directory) {
    std::error_code problem;
    std::filesystem::create_directories(directory, problem);
    if (problem) return fail_call("make the directory " + directory, "mkdir", problem.value());
    auto written = write_page(directory, overview());
    for (const Manual& manual : manuals())
        if (written) written = write_page(directory, manual);
    if (!written) return std::unexpected(std::move(written).error());
    return "";
}

Result<std::string> help_for(const Given& given) {
    if (const auto directories = given.of("man-pages"); !directories.empty())
        return write_pages(directories.back());
    bool man = false;
    if (auto taken = given.take_flag("man", man); !taken) return std::unexpected(std::move(taken).error());
    const auto manual = manual_for(given.rest());
    if (!manual) return std::unexpected(manual.error());
    if (man) return man_page(**manual, CTR_VERSION);
    return *manual == &overview() ? overview_text() : help_text(**manual);
}

Result<std::string> script_for(const Given& given) {
    for (const Shell& shell : shells())
        if (given.rest().size() == 1 && given.rest().front() == shell.name) return std::string(shell.script);
    return fail_input("read the arguments",
                      given.rest().empty() ? "there is no shell"
                                           : '"' + given.rest().front() + "\" is no shell that is known",
                      "ctr completion bash, zsh or fish");
}

Result<std::string> version(const Given& given) {
    if (!given.rest().empty()) return fail_input("read the arguments", "there are some", "ctr version");
    return std::string("ctr ") + CTR_VERSION + "\n";
}

}  // namespace

int help_verb(const std::vector<std::string>& arguments) {
    return print_what("help", arguments, help_for);
}

int completion_verb(const std::vector<std::string>& arguments) {
    return print_what("completion", arguments, script_for);
}

int version_verb(const std::vector<std::string>& arguments) {
    return print_what("version", arguments, version);
}

}  // namespace ctr::cmd
