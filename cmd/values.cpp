#include "cmd/values.h"

#include <cctype>
#include <charconv>
#include <csignal>
#include <cstring>
#include <span>
#include <sstream>

#include "cmd/suggestion.h"
#include "runtime/caps.h"
#include "runtime/namespaces.h"
#include "runtime/state.h"

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
constexpr Word<IoThrottle> io_throttles[] = {
    {"auto", IoThrottle::automatic}, {"kernel", IoThrottle::kernel}, {"user", IoThrottle::user}};
constexpr Word<Network> networks[] = {{"host", Network::host}, {"none", Network::none}};
constexpr Word<UserNamespace> user_namespaces[] = {{"auto", UserNamespace::automatic},
                                                   {"yes", UserNamespace::yes},
                                                   {"no", UserNamespace::no},
                                                   {"subids", UserNamespace::subids},
                                                   {"keep-id", UserNamespace::keep_id}};
constexpr Word<Scope> scopes[] = {{"private", Scope::own}, {"host", Scope::host}};
constexpr Word<SystemPaths> system_paths[] = {{"masked", SystemPaths::masked}, {"host", SystemPaths::host}};
constexpr Word<bool> truths[] = {{"true", true}, {"false", false}};
constexpr Word<const char*> log_levels[] = {{"trace", "trace"}, {"debug", "debug"}, {"info", "info"},
                                            {"warn", "warn"},   {"error", "error"}, {"off", "off"}};

constexpr Word<LogFormat> log_formats[] = {{"text", LogFormat::text}, {"json", LogFormat::json}};

std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

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
Result<IoThrottle> parse_io_throttle(const std::string& text) {
    return parse_word<IoThrottle>("io-throttle", text, io_throttles);
}
Result<Network> parse_network(const std::string& text) {
    return parse_word<Network>("network", text, networks);
}
Result<UserNamespace> parse_user_namespace(const std::string& text) {
    return parse_word<UserNamespace>("userns", text, user_namespaces);
}
Result<Scope> parse_scope(const std::string& option, const std::string& text) {
    return parse_word<Scope>(option.c_str(), text, scopes);
}
Result<int> parse_descriptor(const std::string& text) {
    const auto number = parse_number("status-fd", text, 0, INT32_MAX);
    if (!number) return std::unexpected(number.error());
    return static_cast<int>(*number);
}
Status check_capabilities(const std::string& option, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const std::string upper = in_capitals(name);
        auto known = caps::parse(name);
        if (known || upper == "ALL") continue;
        const auto all = caps::names();
        const std::string near =
            nearest(upper.starts_with("CAP_") ? upper.substr(4) : upper, {all.begin(), all.end()});
        known.error().why += did_you_mean(near);
        return std::unexpected(std::move(known.error()).within("read --" + option));
    }
    return {};
}
Result<SystemPaths> parse_system_paths(const std::string& text) {
    return parse_word<SystemPaths>("system-paths", text, system_paths);
}
Result<bool> parse_truth(const std::string& option, const std::string& text) {
    return parse_word<bool>(option.c_str(), text, truths);
}
Result<std::string> parse_log_level(const std::string& text) {
    return parse_word<const char*>("log-level", text, log_levels);
}

Result<LogFormat> parse_log_format(const std::string& text) {
    return parse_word<LogFormat>("log-format", text, log_formats);
}

Result<int> parse_signal(const std::string& option, const std::string& text) {
    std::string name = in_capitals(text);
    if (name.starts_with("SIG")) name.erase(0, 3);
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

Result<std::optional<Clocks>> parse_clocks(const std::string& text) {
    const auto refused = [&] {
        return refuse("time", text, "host, or private[,boottime=SECONDS][,monotonic=SECONDS]");
    };
    if (text == "host") return std::nullopt;
    const std::vector<std::string> words = split(text);
    if (words.empty() || words.front() != "private" || text.ends_with(',')) return refused();
    Clocks clocks;
    for (const std::string& word : std::span(words).subspan(1)) {
        const size_t equals = word.find('=');
        if (equals == std::string::npos) return refused();
        const std::string name = word.substr(0, equals);
        if (name != "boottime" && name != "monotonic") return refused();
        int64_t& clock = name == "boottime" ? clocks.boottime : clocks.monotonic;
        const char* end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, clock);
        if (error != std::errc() || rest != end) return refused();
    }
    return clocks;
}

Result<ShareWith> parse_share(const std::string& text) {
    const size_t colon = text.find(':');
    const std::string who = text.substr(0, colon);
    ShareWith share;
    if (check_new_name(who)) {  // digits alone are a process
        share.name = who;
    } else {
        const auto number = parse_number("share-with", who, 1, INT32_MAX);
        if (!number) return std::unexpected(number.error());
        share.process = HostPid{static_cast<int>(*number)};
    }
    if (colon == std::string::npos) return share;
    for (const std::string& word : split(text.substr(colon + 1))) {
        const uint64_t flag = namespaces::flag_of(word);
        if (flag == 0)
            return fail_input("read --share-with",
                              quoted(word) + " of " + quoted(text) + " is no kind of namespace",
                              "some of: " + namespaces::names(namespaces::all));
        share.kinds |= flag;
    }
    if (share.kinds == 0) return refuse("share-with", text, "PID or NAME, or PID:KIND,KIND...");
    return share;
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
