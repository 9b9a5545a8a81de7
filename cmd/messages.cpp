#include "cmd/messages.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cmd/printable.h"
#include "runtime/explain.h"
#include "runtime/state.h"

namespace ctr::cmd {

namespace {

using Json = nlohmann::ordered_json;

spdlog::level::level_enum level_of(Notice::Kind kind) {
    switch (kind) {
        case Notice::Kind::detail: return spdlog::level::debug;
        case Notice::Kind::information: return spdlog::level::info;
        case Notice::Kind::warning: break;
    }
    return spdlog::level::warn;
}

std::string word_for(spdlog::level::level_enum level) {
    const auto view = spdlog::level::to_string_view(level);
    return {view.data(), view.size()};
}

Json details(const Error& error) {
    return {{"step", error.step},       {"call", error.call},
            {"errno", error.err},       {"error", error.err == 0 ? "" : errno_name(error.err)},
            {"why", error.why},         {"hint", error.hint},
            {"status", error.exit_code}};
}

// Line by line: names in it may be a workload's choice.
std::string shown(const std::string& text) {
    std::string lines;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines += printable(text.substr(at, end - at));
        if (end < text.size()) lines += '\n';
        at = end + 1;
    }
    return lines;
}

constexpr const char* see_check = "see: ctr check, which says what this host allows";

}  // namespace

struct Messages::Line {
    spdlog::level::level_enum level;
    std::string text;  // all of it, for people
    std::string message;
    Json details = Json::object();
};

Messages::Messages(std::string verb, LogOptions options, std::string container)
    : verb_(std::move(verb)), options_(std::move(options)), container_(std::move(container)) {}
Messages::~Messages() = default;

void Messages::notice(const Notice& notice) const {
    const auto level = level_of(notice.kind);
    say({level, "ctr: " + word_for(level) + ": " + notice.text, notice.text});
}

void Messages::note(const std::string& text) const {
    say({spdlog::level::info, "ctr " + verb_ + ": note: " + text, text});
}

int Messages::fail(const Error& error) const {
    std::string text = (verb_.empty() ? "ctr: " : "ctr " + verb_ + ": ") + error.message();
    if (verb_ == "run" && is_foreseen(error)) text += std::string("\n  ") + see_check;
    say({spdlog::level::err, std::move(text), error.message(), details(error)});
    return error.exit_code;
}

int Messages::refuse(const Error& error) const {
    const std::string help = verb_.empty() ? "ctr --help" : "ctr " + verb_ + " --help";
    say({spdlog::level::err,
         (verb_.empty() ? "ctr: " : "ctr " + verb_ + ": ") + error.message() + "\nSee " + help + ".",
         error.message(), details(error)});
    return error.exit_code;
}

void Messages::say(const Line& line) const {
    if (!logger_) {
        logger_ = std::make_shared<spdlog::logger>("ctr", std::make_shared<spdlog::sinks::stderr_sink_st>());
        logger_->set_pattern("%v");
        logger_->set_level(spdlog::level::from_str(options_.level));
    }
    if (!logger_->should_log(line.level)) return;
    if (options_.format == LogFormat::text) {
        logger_->log(line.level, "{}", shown(line.text));
        return;
    }
    Json object{{"time", timestamp()}, {"level", word_for(line.level)}, {"verb", verb_}};
    if (!container_.empty()) object["container"] = container_;
    object["message"] = line.message;
    object.update(line.details);
    // Texts may hold a user's bytes, which need not be UTF-8.
    logger_->log(line.level, "{}", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ctr::cmd
