#include "runtime/keeper_order.h"

#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/wire.h"

namespace ctr {

namespace {

template <class T, class S>
concept Is = std::same_as<std::remove_const_t<T>, S>;

// The members of each struct. A structured binding names all or doesn't compile: none can be forgotten.
template <Is<Spec> S>
auto members(S& spec) {
    auto& [command, env, env_clear, workdir, hostname, rootfs, overlay, read_only, mounts, user, pidns,
           pid_lookup, pid_fastpath, pid_max, network, userns, ipc, uts, cgroupns, system_paths, clocks,
           share_with, cap_add, cap_drop, no_new_privs, limits, io_throttle, ulimits, seccomp, terminal,
           rehearse, registration, stop_signal, init, die_with_parent, status_fd] = spec;
    return std::tie(command, env, env_clear, workdir, hostname, rootfs, overlay, read_only, mounts, user,
                    pidns, pid_lookup, pid_fastpath, pid_max, network, userns, ipc, uts, cgroupns,
                    system_paths, clocks, share_with, cap_add, cap_drop, no_new_privs, limits, io_throttle,
                    ulimits, seccomp, terminal, rehearse, registration, stop_signal, init, die_with_parent,
                    status_fd);
}
template <Is<KeeperOrder> S>
auto members(S& order) {
    auto& [spec, starter, capabilities] = order;
    return std::tie(spec, starter, capabilities);
}
template <Is<own_caps::Sets> S>
auto members(S& sets) {
    auto& [effective, permitted, inheritable] = sets;
    return std::tie(effective, permitted, inheritable);
}
template <Is<Overlay> S>
auto members(S& overlay) {
    auto& [upper] = overlay;
    return std::tie(upper);
}
template <Is<Clocks> S>
auto members(S& clocks) {
    auto& [boottime, monotonic] = clocks;
    return std::tie(boottime, monotonic);
}
template <Is<ShareWith> S>
auto members(S& share) {
    auto& [process, kinds, name] = share;
    return std::tie(process, kinds, name);
}
template <Is<User> S>
auto members(S& user) {
    auto& [uid, gid] = user;
    return std::tie(uid, gid);
}
template <Is<Registration> S>
auto members(S& registration) {
    auto& [root, name, detached, remove] = registration;
    return std::tie(root, name, detached, remove);
}
template <Is<Bind> S>
auto members(S& bind) {
    auto& [source, target, read_only] = bind;
    return std::tie(source, target, read_only);
}
template <Is<Tmpfs> S>
auto members(S& tmpfs) {
    auto& [target, size, mode] = tmpfs;
    return std::tie(target, size, mode);
}
template <Is<Devices> S>
auto members(S& devices) {
    auto& [target] = devices;
    return std::tie(target);
}
template <Is<cgroup::Limits> S>
auto members(S& limits) {
    auto& [io, memory, cpu, pids, io_weight] = limits;
    return std::tie(io, memory, cpu, pids, io_weight);
}
template <Is<cgroup::IoLimit> S>
auto members(S& limit) {
    auto& [path, read_bytes, write_bytes, read_operations, write_operations, write_bytes_pace,
           write_operations_pace, latency] = limit;
    return std::tie(path, read_bytes, write_bytes, read_operations, write_operations, write_bytes_pace,
                    write_operations_pace, latency);
}
template <Is<cgroup::Pace> S>
auto members(S& pace) {
    auto& [strategy, bucket] = pace;
    return std::tie(strategy, bucket);
}
template <Is<Ulimit> S>
auto members(S& limit) {
    auto& [resource, soft, hard] = limit;
    return std::tie(resource, soft, hard);
}

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// ---- out

void put(wire::Writer& out, const Number auto& value) {
    out.number(value);
}
void put(wire::Writer& out, const std::string& text) {
    out.text(text);
}
template <class T>
void put(wire::Writer& out, const std::vector<T>& list);
template <class T>
void put(wire::Writer& out, const std::optional<T>& value);
template <class A, class B>
void put(wire::Writer& out, const std::pair<A, B>& pair);
template <class... T>
void put(wire::Writer& out, const std::variant<T...>& value);

template <class S>
requires requires(const S& value) {
    members(value);
}
void put(wire::Writer& out, const S& value) {
    std::apply([&](const auto&... member) { (put(out, member), ...); }, members(value));
}

template <class T>
void put(wire::Writer& out, const std::vector<T>& list) {
    out.number(static_cast<uint32_t>(list.size()));
    for (const T& element : list) put(out, element);
}
template <class T>
void put(wire::Writer& out, const std::optional<T>& value) {
    out.number(value.has_value());
    if (value) put(out, *value);
}
template <class A, class B>
void put(wire::Writer& out, const std::pair<A, B>& pair) {
    put(out, pair.first);
    put(out, pair.second);
}
template <class... T>
void put(wire::Writer& out, const std::variant<T...>& value) {
    out.number(static_cast<uint32_t>(value.index()));
    std::visit([&](const auto& held) { put(out, held); }, value);
}

// ---- in

template <Number T>
void get(wire::Reader& in, T& value) {
    value = in.number<T>();
}
void get(wire::Reader& in, std::string& text) {
    text = in.text();
}
template <class T>
void get(wire::Reader& in, std::vector<T>& list);
template <class T>
void get(wire::Reader& in, std::optional<T>& value);
template <class A, class B>
void get(wire::Reader& in, std::pair<A, B>& pair);
template <class... T>
void get(wire::Reader& in, std::variant<T...>& value);

template <class S>
requires requires(S& value) {
    members(value);
}
void get(wire::Reader& in, S& value) {
    std::apply([&](auto&... member) { (get(in, member), ...); }, members(value));
}

template <class T>
void get(wire::Reader& in, std::vector<T>& list) {
    for (auto left = in.number<uint32_t>(); left > 0 && !in.ended_early(); --left)
        get(in, list.emplace_back());
}
template <class T>
void get(wire::Reader& in, std::optional<T>& value) {
    if (in.number<bool>()) get(in, value.emplace());
}
template <class A, class B>
void get(wire::Reader& in, std::pair<A, B>& pair) {
    get(in, pair.first);
    get(in, pair.second);
}
template <class... T>
void get(wire::Reader& in, std::variant<T...>& value) {
    const auto index = in.number<uint32_t>();
    uint32_t next = 0;
    (void)((next++ == index ? (get(in, value.template emplace<T>()), true) : false) || ...);
}

}  // namespace

std::string encode(const KeeperOrder& order) {
    wire::Writer out;
    put(out, order);
    return out.bytes();
}

Result<KeeperOrder> decode_order(std::string_view bytes) {
    wire::Reader in(bytes);
    KeeperOrder order;
    get(in, order);
    if (!in.complete()) return fail_input("read the keeper's order", "it isn't whole");
    return order;
}

}  // namespace ctr
