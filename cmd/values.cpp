#include "cmd/values.h"

#include <charconv>
#include <csignal>
#include <cstring>
#include <span>

namespace ctr::cmd {

namespace {

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::unexpected<Error> refuse(const std::string& option, const std::string& text, const std::string& right) {
    return fail_input("read --" + option, quoted(text) + " is not understood", right);
}

template <class T>
struct Word {
    const char* text;
    T value;
};

template <class T>
Result<T> parse_word(const char* option, const std::string& text, std::span<const Word<T>> words) {
    std::string right;
    for (const Word<T>& word : words) {
        if (text == word.text) return word.value;
        right += (right.empty() ? "" : ", ") + std::string(word.text);
    }
    return refuse(option, text, "one of " + right);
}

constexpr Word<PidMode> pid_modes[] = {
    {"flat", PidMode::flat}, {"multi", PidMode::multi}, {"kernel", PidMode::kernel}, {"host", PidMode::host}};
constexpr Word<PidLookup> pid_lookups[] = {{"hash", PidLookup::hash}, {"list", PidLookup::list}};
constexpr Word<PidFastpath> pid_fastpaths[] = {{"auto", PidFastpath::automatic}, {"off", PidFastpath::off}};
constexpr Word<Network> networks[] = {{"host", Network::host}, {"none", Network::none}};
constexpr Word<UserNamespace> user_namespaces[] = {
    {"auto", UserNamespace::automatic}, {"yes", UserNamespace::yes}, {"no", UserNamespace::no}};
constexpr Word<bool> truths[] = {{"true", true}, {"false", false}};
constexpr Word<const char*> log_levels[] = {{"trace", "trace"}, {"debug", "debug"}, {"info", "info"},
                                            {"warn", "warn"},   {"error", "error"}, {"off", "off"}};

}  // namespace

Result<PidMode> parse_pid_mode(const std::string& text) {
    return parse_word<PidMode>("pidns", text, pid_modes);
}
Result<PidLookup> parse_pid_lookup(const std::string& text) {
    return parse_word<PidLookup>("pid-lookup", text, pid_lookups);
}
Result<PidFastpath> parse_pid_fastpath(const std::string& text) {
    return parse_word<PidFastpath>("pid-fastpath", text, pid_fastpaths);
}
Result<Network> parse_network(const std::string& text) {
    return parse_word<Network>("network", text, networks);
}
Result<UserNamespace> parse_user_namespace(const std::string& text) {
    return parse_word<UserNamespace>("userns", text, user_namespaces);
}
Result<bool> parse_truth(const std::string& option, const std::string& text) {
    return parse_word<bool>(option.c_str(), text, truths);
}
Result<std::string> parse_log_level(const std::string& text) {
    return parse_word<const char*>("log-level", text, log_levels);
}

Result<int> parse_signal(const std::string& option, const std::string& text) {
    const std::string name = text.starts_with("SIG") ? text.substr(3) : text;
    for (int number = 1; number < NSIG; ++number) {
        const char* abbreviation = sigabbrev_np(number);
        if (text == std::to_string(number) || (abbreviation != nullptr && name == abbreviation))
            return number;
    }
    return refuse(option, text, "a signal's name or number: TERM, SIGTERM or 15");
}

Result<uint32_t> parse_number(const std::string& option, const std::string& text, uint32_t least,
                              uint32_t most) {
    uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < least || number > most)
        return refuse(option, text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    return number;
}

Result<User> parse_user(const std::string& text) {
    constexpr uint32_t most = UINT32_MAX - 1;  // the last one means "no id" to the kernel
    const size_t colon = text.find(':');
    const auto uid = parse_number("user", text.substr(0, colon), 0, most);
    if (!uid) return std::unexpected(uid.error());
    if (colon == std::string::npos) return User{*uid, *uid};
    const auto gid = parse_number("user", text.substr(colon + 1), 0, most);
    if (!gid) return std::unexpected(gid.error());
    return User{*uid, *gid};
}

Status add_variable(const std::string& text, const std::vector<std::string>& callers,
                    std::vector<std::pair<std::string, std::string>>& variables) {
    const size_t equals = text.find('=');
    if (text.empty() || equals == 0)
        return refuse("env", text, "NAME=VALUE, or NAME to pass on the caller's");
    if (equals != std::string::npos) {
        variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        return {};
    }
    // A name that the caller hasn't set stays unset, as with Docker.
    for (const std::string& variable : callers)
        if (variable.starts_with(text + "=")) variables.emplace_back(text, variable.substr(text.size() + 1));
    return {};
}

}  // namespace ctr::cmd
