#include "runtime/limits_json.h"

#include <algorithm>

namespace ctr {

namespace {

struct Amount {
    const char* name;
    uint64_t cgroup::Limits::*member;
};
constexpr Amount amounts[] = {{"memory", &cgroup::Limits::memory},
                              {"cpuQuota", &cgroup::Limits::cpu},
                              {"pids", &cgroup::Limits::pids},
                              {"ioWeight", &cgroup::Limits::io_weight}};
struct DeviceAmount {
    const char* name;
    uint64_t cgroup::IoLimit::*member;
};
constexpr DeviceAmount device_amounts[] = {{"readBytes", &cgroup::IoLimit::read_bytes},
                                           {"writeBytes", &cgroup::IoLimit::write_bytes},
                                           {"readOperations", &cgroup::IoLimit::read_operations},
                                           {"writeOperations", &cgroup::IoLimit::write_operations},
                                           {"latency", &cgroup::IoLimit::latency}};
struct PaceNames {
    const char* strategy;
    const char* bucket;
    cgroup::Pace cgroup::IoLimit::*member;
};
constexpr PaceNames paces[] = {
    {"writeBytesStrategy", "writeBytesBucket", &cgroup::IoLimit::write_bytes_pace},
    {"writeOperationsStrategy", "writeOperationsBucket", &cgroup::IoLimit::write_operations_pace}};

void put(const PaceNames& names, const cgroup::Pace& pace, Json& object) {
    if (pace.strategy == cgroup::Strategy::any) return;
    object[names.strategy] = cgroup::word_for(pace.strategy);
    if (pace.bucket != 0) object[names.bucket] = pace.bucket;
}

cgroup::Pace take(const PaceNames& names, Fields& fields) {
    cgroup::Pace pace;
    if (!fields.has(names.strategy)) return pace;
    pace.strategy = cgroup::strategy_of(fields.text(names.strategy));
    fields.expect(pace.strategy != cgroup::Strategy::any, names.strategy);
    if (fields.has(names.bucket)) pace.bucket = fields.amount(names.bucket);
    return pace;
}

}  // namespace

Json json_from(const cgroup::IoLimit& limit) {
    Json device = Json::object();
    put_bytes(device, "path", "pathBytes", limit.path);
    for (const DeviceAmount& amount : device_amounts)
        if (const uint64_t value = limit.*amount.member; value != 0) device[amount.name] = value;
    for (const PaceNames& names : paces) put(names, limit.*names.member, device);
    return device;
}

Json json_from(const cgroup::Limits& limits) {
    Json object = Json::object();
    for (const Amount& amount : amounts)
        if (const uint64_t value = limits.*amount.member; value != 0) object[amount.name] = value;
    for (const cgroup::IoLimit& limit : limits.io) object["devices"].push_back(json_from(limit));
    return object;
}

std::optional<cgroup::IoLimit> io_limit_from(const Json& object) {
    if (!object.is_object()) return {};
    Fields fields(object);
    cgroup::IoLimit limit;
    limit.path = fields.bytes("path", "pathBytes");
    for (const DeviceAmount& amount : device_amounts)
        if (fields.has(amount.name)) limit.*amount.member = fields.amount(amount.name);
    for (const PaceNames& names : paces) limit.*names.member = take(names, fields);
    return fields.bad() == nullptr ? std::optional(std::move(limit)) : std::nullopt;
}

std::optional<cgroup::Limits> limits_from(const Json& object) {
    if (!object.is_object()) return {};
    Fields fields(object);
    cgroup::Limits limits;
    for (const Amount& amount : amounts)
        if (fields.has(amount.name)) limits.*amount.member = fields.amount(amount.name);
    if (fields.bad() != nullptr) return {};
    if (!fields.has("devices")) return limits;
    if (!object["devices"].is_array()) return {};
    for (const Json& element : object["devices"]) {
        auto limit = io_limit_from(element);
        if (!limit) return {};
        limits.io.push_back(std::move(*limit));
    }
    return limits;
}

}  // namespace ctr
