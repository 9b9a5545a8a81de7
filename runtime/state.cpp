#include "runtime/state.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <ctime>

#include <nlohmann/json.hpp>

#include "runtime/base/random.h"
#include "runtime/json_fields.h"
#include "runtime/limits_json.h"

namespace ctr {

namespace {

constexpr const char* version = "1.0.2";  // of the OCI runtime specification
constexpr const char* step = "read the state of a container";
constexpr size_t longest_name = 64;
constexpr size_t largest_file = 1U << 20;

struct Word {
    LifeStatus status;
    const char* word;
};
constexpr Word words[] = {{LifeStatus::creating, "creating"},
                          {LifeStatus::running, "running"},
                          {LifeStatus::paused, "paused"},
                          {LifeStatus::stopped, "stopped"}};

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::unexpected<Error> refuse(const char* field) {
    return fail_input(step, std::string("its field \"") + field + "\" isn't as ctr writes it");
}

std::optional<LifeStatus> status_from(const std::string& text) {
    for (const Word& word : words)
        if (text == word.word) return word.status;
    return {};
}

// These are emptied of processes and removed when nobody is left who would have.
bool is_group_of_ours(const std::string& path) {
    return path.starts_with('/') && path.find("/../") == std::string::npos &&
           path.substr(path.rfind('/')).starts_with("/ctr-");
}

}  // namespace

Status check_name(const std::string& name) {
    const bool good =
        !name.empty() && name.size() <= longest_name && is_plain(name.front()) &&
        std::ranges::all_of(name, [](char c) { return is_plain(c) || c == '_' || c == '.' || c == '-'; });
    if (good) return {};
    return fail_input("read the container's name", "\"" + name + "\" is none",
                      "letters, digits, '_', '.' and '-', the first a letter or a digit, 64 at most");
}

Status check_new_name(const std::string& name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!name.empty() && std::ranges::all_of(name, is_digit))
        return fail_input("read the container's name", "\"" + name + "\" could be the number of a process",
                          "a name with a letter in it");
    return check_name(name);
}

Result<std::string> random_name() {
    while (true) {
        auto name = random_digits(6, "make a name for the container");
        if (!name || check_new_name(*name)) return name;
    }
}

const char* word_for(LifeStatus status) {
    return std::ranges::find(words, status, &Word::status)->word;
}

std::string to_json(const State& state) {
    Json object{{"ociVersion", version},
                {"id", state.id},
                {"status", word_for(state.status)},
                {"pid", raw(state.pid)},
                {"bundle", state.bundle},
                {"annotations", Json::object()},
                {"created", state.created},
                {"started", state.started},
                {"finished", state.finished},
                {"name", state.id},
                {"command", state.command},
                {"pidns", state.pidns},
                {"detached", state.detached},
                {"remove", state.remove},
                {"stopSignal", state.stop_signal},
                {"cgroups", state.cgroups},
                {"limits", json_from(state.limits)}};
    if (state.exit) {
        object["exitStatus"] = state.exit->status;
        object["exitSignal"] = state.exit->signal;
    }
    // A command may hold bytes that aren't UTF-8.
    return dumped(object, 2) + "\n";
}

Result<State> parse_state(const std::string& text) {
    if (text.size() > largest_file) return fail_input(step, "its file is larger than any of ctr");
    const Json object = Json::parse(text, nullptr, false);
    if (!object.is_object()) return fail_input(step, "its file holds no JSON object");
    Fields fields(object);
    State state;
    state.id = fields.text("id");
    const auto status = status_from(fields.text("status"));
    fields.expect(status.has_value(), "status");
    state.pid = HostPid(fields.number("pid", INT_MAX));
    state.bundle = fields.text("bundle");
    state.created = fields.text("created");
    state.started = fields.text("started");
    state.finished = fields.text("finished");
    state.command = fields.texts("command");
    state.pidns = fields.text("pidns");
    state.detached = fields.truth("detached");
    state.remove = fields.truth("remove");
    state.stop_signal = fields.number("stopSignal", SIGRTMAX);
    state.cgroups = fields.texts("cgroups");
    const auto limits = limits_from(object.value("limits", Json::object()));
    fields.expect(limits.has_value(), "limits");
    state.limits = limits.value_or(cgroup::Limits{});
    if (fields.has("exitStatus"))
        state.exit = Exit{fields.number("exitStatus", 255), fields.number("exitSignal", SIGRTMAX)};
    fields.expect(check_name(state.id).has_value(), "id");
    fields.expect(std::ranges::all_of(state.cgroups, is_group_of_ours), "cgroups");
    if (fields.bad() != nullptr) return refuse(fields.bad());
    state.status = *status;
    return state;
}

std::string timestamp() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count() % 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 48> text{};
    const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const std::string fraction = std::to_string(nanoseconds);
    return std::string(text.data(), length) + "." + std::string(9 - fraction.size(), '0') + fraction + "Z";
}

}  // namespace ctr
