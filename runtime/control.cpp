#include "runtime/control.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/byte_text.h"

namespace ctr {

namespace {

using Json = nlohmann::ordered_json;
using byte_text::narrowed;
using byte_text::widened;

constexpr size_t largest_order = 128 * 1024;  // what the kernel lets into a socket by default is more
constexpr int most_waiting = 16;
constexpr const char* reading = "read the order";

// By the directory's descriptor: a path may be longer than an address takes.
sockaddr_un address_in(const Fd& directory) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = "/proc/self/fd/" + std::to_string(directory.get()) + "/control";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

Result<Fd> make_socket(const char* step, int flags) {
    Fd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
    if (!fd) return fail_call(step, "socket");
    return fd;
}

bool all_texts(const Json& list) {
    if (!list.is_array()) return false;
    for (const Json& element : list)
        if (!element.is_string()) return false;
    return true;
}

std::optional<std::pair<uint64_t, uint64_t>> two_numbers(const Json& list, uint64_t most) {
    if (!list.is_array() || list.size() != 2) return {};
    for (const Json& element : list)
        if (!element.is_number_unsigned() || element.get<uint64_t>() > most) return {};
    return std::pair(list[0].get<uint64_t>(), list[1].get<uint64_t>());
}

}  // namespace

Result<Fd> listen_in(const Fd& directory) {
    constexpr const char* step = "make the container's control socket";
    auto made = make_socket(step, SOCK_NONBLOCK);
    if (!made) return made;
    const sockaddr_un address = address_in(directory);
    const mode_t before = umask(0177);
    const int bound = bind(made->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int error = errno;
    umask(before);
    if (bound != 0) return fail_call(step, "bind", error);
    if (listen(made->get(), most_waiting) != 0) return fail_call(step, "listen");
    return made;
}

namespace {

// Of connect; 0: for ever.
void set_patience(const Fd& connection, std::chrono::milliseconds patience) {
    const auto microseconds = std::chrono::microseconds(patience).count();
    const timeval time{microseconds / 1'000'000, microseconds % 1'000'000};
    setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

}  // namespace

Result<Fd> connect_in(const Fd& directory, std::chrono::milliseconds patience) {
    constexpr const char* step = "reach the container's monitor";
    auto made = make_socket(step, 0);
    if (!made) return made;
    set_patience(*made, std::max(patience, std::chrono::milliseconds(1)));
    const sockaddr_un address = address_in(directory);
    if (connect(made->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_call(step, "connect", errno == EAGAIN ? ETIMEDOUT : errno,
                         errno == ECONNREFUSED ? "it is ending" : "");
    set_patience(*made, {});
    return made;
}

bool is_trusted(const Fd& connection) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == 0 || peer.uid == geteuid();
}

std::string to_json(const ExecSpec& exec) {
    Json object{{"command", Json::array()}, {"env", Json::array()}, {"workdir", widened(exec.workdir)}};
    for (const std::string& word : exec.command) object["command"].push_back(widened(word));
    for (const auto& [name, value] : exec.env) {
        object["env"].push_back(widened(name));
        object["env"].push_back(widened(value));
    }
    if (exec.user) object["user"] = {exec.user->uid, exec.user->gid};
    if (exec.terminal) object["terminal"] = {exec.terminal->rows, exec.terminal->columns};
    object["detached"] = exec.detached;
    return object.dump();
}

Result<ExecSpec> parse_exec(const std::string& text) {
    const Json object = Json::parse(text, nullptr, false);
    const auto is = [&](const char* name) { return object.contains(name); };
    if (!object.is_object() || !is("command") || !is("env") || !is("workdir"))
        return fail_input(reading, "something is missing in it");
    if (!all_texts(object["command"]) || !all_texts(object["env"]) || !object["workdir"].is_string())
        return fail_input(reading, "something in it is of another kind");
    ExecSpec exec;
    for (const Json& word : object["command"]) exec.command.push_back(narrowed(word.get<std::string>()));
    const Json& env = object["env"];
    if (env.size() % 2 != 0) return fail_input(reading, "a variable has no value");
    for (size_t i = 0; i < env.size(); i += 2)
        exec.env.emplace_back(narrowed(env[i].get<std::string>()), narrowed(env[i + 1].get<std::string>()));
    exec.workdir = narrowed(object["workdir"].get<std::string>());
    if (is("user")) {
        const auto ids = two_numbers(object["user"], UINT32_MAX - 1);
        if (!ids) return fail_input(reading, "the user in it is none");
        exec.user = User{static_cast<uid_t>(ids->first), static_cast<gid_t>(ids->second)};
    }
    if (is("terminal")) {
        const auto size = two_numbers(object["terminal"], UINT16_MAX);
        if (!size) return fail_input(reading, "the size of the terminal in it is none");
        exec.terminal = action::WindowSize{static_cast<unsigned short>(size->first),
                                           static_cast<unsigned short>(size->second)};
    }
    if (is("detached")) {
        if (!object["detached"].is_boolean())
            return fail_input(reading, "something in it is of another kind");
        exec.detached = object["detached"].get<bool>();
    }
    return exec;
}

Status send_order(const Fd& connection, const ExecSpec& exec, const std::array<int, 3>& standard) {
    constexpr const char* step = "order the container's monitor to execute the command";
    std::string text = to_json(exec);
    if (text.size() > largest_order)
        return fail_input(step, "command and environment are longer than 128 KiB");
    iovec part{text.data(), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof standard)> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof standard);
    std::memcpy(CMSG_DATA(header), standard.data(), sizeof standard);
    if (sendmsg(connection.get(), &message, MSG_NOSIGNAL) < 0) return fail_call(step, "sendmsg");
    return {};
}

std::optional<Order> receive_order(const Fd& connection) {
    std::string text(largest_order, 0);
    iovec part{text.data(), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_LEN(3 * sizeof(int));
    const ssize_t got = recvmsg(connection.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got <= 0) return {};
    Order order;
    size_t count = 0;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
        header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        count = std::min((header->cmsg_len - CMSG_LEN(0)) / sizeof(int), order.standard.size());
        for (size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof number, sizeof number);
            order.standard.at(i).reset(number);
        }
    }
    text.resize(static_cast<size_t>(got));
    auto exec = parse_exec(text);
    if (!exec || count != order.standard.size()) return {};
    order.exec = std::move(*exec);
    return order;
}

}  // namespace ctr
