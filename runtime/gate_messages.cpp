#include "runtime/gate_messages.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "runtime/limits_json.h"

namespace ctr {

namespace {

constexpr std::string_view mark = "gate";  // no other message begins so: they are JSON
constexpr size_t largest = 128 * 1024;
constexpr const char* asking = "ask the container's monitor about its writers";

Json json_from(const GateSettings& settings) {
    Json disks = Json::array();
    for (const GatedDisk& disk : settings.disks) {
        Json object{{"device", cgroup::to_string(disk.device)}, {"limit", ctr::json_from(disk.limit)}};
        put_bytes(object, "name", "nameBytes", disk.name);
        disks.push_back(std::move(object));
    }
    return {{"allWrites", settings.all_writes}, {"disks", std::move(disks)}};
}

std::optional<GateSettings> settings_from(const Json& object) {
    if (!object.is_object() || !object.contains("disks") || !object["disks"].is_array()) return {};
    Fields fields(object);
    GateSettings settings;
    settings.all_writes = fields.truth("allWrites");
    for (const Json& element : object["disks"]) {
        if (!element.is_object() || !element.contains("limit")) return {};
        Fields disk(element);
        const auto device = cgroup::parse_device_number(disk.text("device"));
        const std::string name = disk.bytes("name", "nameBytes");
        const auto limit = io_limit_from(element["limit"]);
        if (!device || !limit || disk.bad() != nullptr) return {};
        settings.disks.push_back({*device, name, *limit});
    }
    return fields.bad() == nullptr ? std::optional(std::move(settings)) : std::nullopt;
}

Json json_from(const cgroup::ThrottleCounters& counters) {
    Json object{{"device", cgroup::to_string(counters.device)},
                {"writeBytes", counters.write_bytes},
                {"writeOperations", counters.write_operations},
                {"throttled", counters.throttled},
                {"nanoseconds", static_cast<uint64_t>(counters.time.count())}};
    put_bytes(object, "name", "nameBytes", counters.name);
    return object;
}

std::optional<cgroup::ThrottleCounters> counters_from(const Json& object) {
    if (!object.is_object()) return {};
    Fields fields(object);
    const auto device = cgroup::parse_device_number(fields.text("device"));
    const cgroup::ThrottleCounters counters{
        .device = device.value_or(cgroup::DeviceNumber{}),
        .name = fields.bytes("name", "nameBytes"),
        .write_bytes = fields.amount("writeBytes"),
        .write_operations = fields.amount("writeOperations"),
        .throttled = fields.amount("throttled"),
        .time = std::chrono::nanoseconds(static_cast<int64_t>(fields.amount("nanoseconds")))};
    return device && fields.bad() == nullptr ? std::optional(counters) : std::nullopt;
}

std::optional<GateAnswer> answer_from(const Json& object) {
    if (!object.is_object() || !object.contains("counters") || !object["counters"].is_array()) return {};
    GateAnswer answer;
    for (const Json& element : object["counters"]) {
        const auto counters = counters_from(element);
        if (!counters) return {};
        answer.counters.push_back(*counters);
    }
    if (!object.contains("settings")) return answer;
    answer.settings = settings_from(object["settings"]);
    return answer.settings ? std::optional(std::move(answer)) : std::nullopt;
}

Status send_text(const Fd& connection, const std::string& text, int flags, const char* step) {
    if (send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL | flags) < 0)
        return fail_call(step, "send");
    return {};
}

std::string receive_text(const Fd& connection, int flags) {
    std::string text(largest, 0);
    const ssize_t got = recv(connection.get(), text.data(), text.size(), flags);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
}

}  // namespace

Status ask_gate(const Fd& connection, const GateQuestion& question) {
    std::string text(mark);
    if (question.change) text += dumped(json_from(*question.change));
    return send_text(connection, text, 0, asking);
}

Result<GateAnswer> receive_gate_answer(const Fd& connection) {
    const Json object = Json::parse(receive_text(connection, 0), nullptr, false);
    if (object.is_object() && object.contains("error")) {
        Fields fields(object);
        return fail_input(asking, fields.text("error"));
    }
    auto answer = answer_from(object);
    if (!answer) return fail_input(asking, "the answer is none: another version of ctr runs it");
    return std::move(*answer);
}

std::optional<Result<GateQuestion>> take_gate_question(const Fd& connection) {
    std::array<char, mark.size()> first{};
    ssize_t got = 0;
    // Who goes without having read all answers is told once, before what is left to be received.
    do got = recv(connection.get(), first.data(), first.size(), MSG_PEEK | MSG_DONTWAIT);
    while (got < 0 && (errno == EINTR || errno == ECONNRESET));
    if (got < 0 || std::string_view(first.data(), static_cast<size_t>(got)) != mark) return {};
    const std::string text = receive_text(connection, MSG_DONTWAIT).substr(mark.size());
    if (text.empty()) return GateQuestion{};
    auto settings = settings_from(Json::parse(text, nullptr, false));
    if (!settings) return fail_input("read other limits on writes", "they aren't as ctr writes them");
    return GateQuestion{std::move(settings)};
}

Status answer_gate(const Fd& connection, const Result<GateAnswer>& answer) {
    Json object = Json::object();
    if (!answer) {
        object["error"] = answer.error().message();
    } else {
        object["counters"] = Json::array();
        for (const cgroup::ThrottleCounters& counters : answer->counters)
            object["counters"].push_back(json_from(counters));
        if (answer->settings) object["settings"] = json_from(*answer->settings);
    }
    return send_text(connection, dumped(object), MSG_DONTWAIT, "tell how writers are slowed down");
}

}  // namespace ctr
