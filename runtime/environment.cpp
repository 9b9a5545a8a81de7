#include "runtime/environment.h"

#include <algorithm>

namespace ctr::environment {

namespace {

bool names(std::string_view variable, std::string_view name) {
    return variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=';
}

void set(std::vector<std::string>& env, std::string_view name, std::string_view value) {
    std::string variable = std::string(name) + "=" + std::string(value);
    const auto place =
        std::find_if(env.begin(), env.end(), [&](const auto& old) { return names(old, name); });
    if (place == env.end())
        env.push_back(std::move(variable));
    else
        *place = std::move(variable);
}

}  // namespace

std::vector<std::string> compose(const Spec& spec, const HostFacts& facts, uid_t uid) {
    std::vector<std::string> env;
    if (spec.rootfs.empty() && !spec.env_clear) {
        env = facts.env;
    } else {
        const std::string own_home = uid == 0 ? "/root" : "/";
        const auto callers_home = spec.rootfs.empty() ? find(facts.env, "HOME") : std::nullopt;
        set(env, "PATH", usual_path);
        set(env, "HOME", callers_home.value_or(own_home));
        if (const auto terminal = find(facts.env, "TERM")) set(env, "TERM", *terminal);
    }
    if (spec.terminal) set_terminal(env);
    return with(std::move(env), spec.env);
}

void set_terminal(std::vector<std::string>& env) {
    if (!find(env, "TERM")) set(env, "TERM", "xterm");
}

std::vector<std::string> with(std::vector<std::string> env,
                              const std::vector<std::pair<std::string, std::string>>& variables) {
    for (const auto& [name, value] : variables) set(env, name, value);
    return env;
}

std::optional<std::string> find(const std::vector<std::string>& env, std::string_view name) {
    for (const std::string& variable : env)
        if (names(variable, name)) return variable.substr(name.size() + 1);
    return std::nullopt;
}

std::vector<std::string> candidates(const std::string& command, std::string_view path) {
    if (command.find('/') != std::string::npos) return {command};
    std::vector<std::string> files;
    for (size_t start = 0; start <= path.size();) {
        const size_t end = std::min(path.find(':', start), path.size());
        const std::string_view directory = path.substr(start, end - start);
        if (directory.starts_with('/')) files.push_back(std::string(directory) + "/" + command);
        start = end + 1;
    }
    return files;
}

}  // namespace ctr::environment
