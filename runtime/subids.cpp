#include "runtime/subids.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "runtime/base/path.h"

namespace ctr::subids {

namespace {

std::string name_of(uid_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
    return entry.pw_name;
}

bool parse_number(const std::string& text, uint32_t& number) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end;
}

std::optional<IdRange> read_file(const char* file, const std::string& name, uid_t uid) {
    const auto text = path::read_text(file);
    return text ? parse(*text, name, uid) : std::nullopt;
}

Status run_helper(const char* program, HostPid process, const std::vector<IdMapping>& map) {
    const std::string step = std::string("map the ids of the new user namespace with ") + program;
    std::vector<std::string> words{program, std::to_string(raw(process))};
    for (const IdMapping& one : map)
        for (const uint32_t number : {one.inside, one.outside, one.count})
            words.push_back(std::to_string(number));
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0);
    pid_t helper = -1;
    const int error = posix_spawnp(&helper, program, &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        return fail_call(step, "posix_spawnp", error, error == ENOENT ? "it is not installed" : "",
                         "install it: the package uidmap of Debian, shadow-utils of Fedora");
    int status = 0;
    while (waitpid(helper, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        return fail_input(step,
                          "it has refused: the range isn't the caller's, it has lost its set-user-id bit, or "
                          "no_new_privs or a filter holds it",
                          "look at the ranges in /etc/subuid and /etc/subgid");
    return {};
}

}  // namespace

std::optional<IdRange> parse(const std::string& text, const std::string& name, uid_t uid) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string who;
        std::string first;
        std::string count;
        std::getline(fields, who, ':');
        std::getline(fields, first, ':');
        std::getline(fields, count);
        IdRange range;
        const bool own = (!name.empty() && who == name) || who == std::to_string(uid);
        if (own && parse_number(first, range.first) && parse_number(count, range.count) && range.count != 0)
            return range;
    }
    return std::nullopt;
}

void read(HostFacts& facts) {
    const std::string name = name_of(facts.uid);
    facts.subuids = read_file("/etc/subuid", name, facts.uid);
    facts.subgids = read_file("/etc/subgid", name, facts.uid);
}

std::vector<IdMapping> map(uint32_t own, uint32_t at, const IdRange& range) {
    std::vector<IdMapping> mappings;
    const uint32_t below = std::min(at, range.count);
    if (below != 0) mappings.push_back({0, range.first, below});
    mappings.push_back({at, own, 1});
    if (below < range.count) mappings.push_back({at + 1, range.first + below, range.count - below});
    return mappings;
}

Status write(HostPid process, const std::vector<IdMapping>& uids, const std::vector<IdMapping>& gids) {
    if (auto written = run_helper("newuidmap", process, uids); !written) return written;
    return run_helper("newgidmap", process, gids);
}

}  // namespace ctr::subids
