#include "runtime/check/subordinate.h"

#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

#include "runtime/base/fd.h"
#include "runtime/base/path.h"

namespace ctr::check {

namespace {

constexpr const char* step = "map another id into a user namespace";

std::string name_of(uid_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
    return entry.pw_name;
}

// Our own rights will do, or not.
Status write_map(HostPid process, const std::string& map) {
    const std::string name = "/proc/" + std::to_string(raw(process)) + "/uid_map";
    const Fd file(open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return fail_call(step, "open");
    if (write(file.get(), map.data(), map.size()) != static_cast<ssize_t>(map.size()))
        return fail_call(step, "write");
    return {};
}

Status run_newuidmap(HostPid process, uid_t own, uint32_t other) {
    const std::array<std::string, 8> words{
        "newuidmap", std::to_string(raw(process)), "0", std::to_string(own), "1",
        "1",         std::to_string(other),        "1"};
    std::array<char*, words.size() + 1> argv{};
    for (size_t i = 0; i < words.size(); ++i) argv.at(i) = const_cast<char*>(words.at(i).c_str());
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0);
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, words.front().c_str(), &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        return fail_call(step, "newuidmap", error, "there is no such program, or it may not be run");
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0) return {};
    return fail_input(
        step, "newuidmap refused: it has lost its set-user-id bit, or no_new_privs or a filter holds it");
}

}  // namespace

std::optional<uint32_t> subordinate_id(std::string_view subuid, std::string_view name, uid_t uid) {
    std::istringstream lines{std::string(subuid)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string owner;
        uint32_t first = 0;
        char colon = 0;
        uint32_t count = 0;
        if (!std::getline(fields, owner, ':') || !(fields >> first >> colon >> count) || colon != ':')
            continue;
        if (count > 0 && !owner.empty() && (owner == name || owner == std::to_string(uid))) return first;
    }
    return std::nullopt;
}

Finding map_another_id(const Situation& situation) {
    constexpr const char* without =
        "ctr maps the caller's own id and needs no others; to have them: the package uidmap, and a line "
        "NAME:100000:65536 in /etc/subuid and /etc/subgid";
    const HostFacts& facts = situation.facts;
    constexpr uint32_t somebody = 65533;
    if (!numbers_agree(facts))
        return {State::no, "/proc shows other processes under the numbers of ours", without};
    if (facts.privileged()) {
        const std::string map =
            "0 " + std::to_string(facts.uid) + " 1\n1 " + std::to_string(somebody) + " 1\n";
        return finding(attempt(CLONE_NEWUSER, {}, [&](HostPid child) { return write_map(child, map); }),
                       "root maps any, without newuidmap", without);
    }
    const auto text = path::read_text("/etc/subuid");
    const auto other = subordinate_id(text.value_or(""), name_of(facts.uid), facts.uid);
    if (!other) return {State::no, "/etc/subuid gives user " + std::to_string(facts.uid) + " none", without};
    return finding(
        attempt(CLONE_NEWUSER, {}, [&](HostPid child) { return run_newuidmap(child, facts.uid, *other); }),
        "newuidmap maps those from " + std::to_string(*other) + " on", without);
}

}  // namespace ctr::check
