#include "cmd/options.h"

// A list option gets one element for each time that it is given; nothing is split (-e A=1,2). Before the
// header.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>

#include "cgroup/io_limit.h"
#include "cmd/option_table.h"
#include "cmd/values.h"

namespace ctr::cmd {

namespace {

// What was given for each option, in order.
using Values = std::vector<std::string>;

using Given = cxxopts::ParseResult;

Values values_of(const Given& given, const char* option) {
    return given.count(option) == 0 ? Values() : given[option].as<Values>();
}

// Applies the last value given to an option to TO.
template <class T, class Parse>
Status take(const Given& given, const char* option, T& to, Parse parse) {
    const Values values = values_of(given, option);
    if (values.empty()) return {};
    auto value = parse(values.back());
    if (!value) return std::unexpected(value.error());
    to = std::move(*value);
    return {};
}

// Whether an option that takes nothing was given.
Status take_flag(const Given& given, const char* option, bool& to) {
    for (const std::string& value : values_of(given, option)) {
        if (!value.empty())
            return fail_input(std::string("read --") + option,
                              "it takes no value, but got \"" + value + "\"");
        to = true;
    }
    return {};
}

// The library's words, with quotes that every terminal can show.
std::string plain(const std::string& message) {
    std::string text;
    for (size_t i = 0; i < message.size(); ++i) {
        if (message.compare(i, 3, "\u2018") == 0 || message.compare(i, 3, "\u2019") == 0) {
            text += '"';
            i += 2;
        } else {
            text += message[i];
        }
    }
    return text;
}

// An empty value would silently mean "the default".
auto not_empty(const char* option) {
    return [option](const std::string& text) -> Result<std::string> {
        if (!text.empty()) return text;
        return fail_input(std::string("read --") + option, "the value is empty");
    };
}

struct DeviceOption {
    const char* name;
    const cgroup::IoQuantity& quantity;
};
constexpr DeviceOption device_options[] = {{"device-read-bps", cgroup::io_read_bytes},
                                           {"device-write-bps", cgroup::io_write_bytes},
                                           {"device-read-iops", cgroup::io_read_operations},
                                           {"device-write-iops", cgroup::io_write_operations}};

Status take_device_limits(const Given& given, std::vector<cgroup::IoLimit>& limits) {
    for (const DeviceOption& option : device_options)
        for (const std::string& text : values_of(given, option.name))
            if (auto added = cgroup::add_limit(limits, option.quantity, text); !added)
                return std::unexpected(std::move(added.error()).within(std::string("read --") + option.name));
    return {};
}

Status take_environment(const Given& given, const Environment& environment, Spec& spec) {
    for (const std::string& text : values_of(given, "env"))
        if (auto added = add_variable(text, environment, spec.env); !added) return added;
    return {};
}

Status take_all(const Given& given, const Environment& environment, RunOptions& options) {
    Spec& spec = options.spec;
    const auto truth = [](const std::string& text) { return parse_truth("no-new-privs", text); };
    const auto descriptor = [](const std::string& text) -> Result<int> {
        const auto number = parse_number("status-fd", text, 0, INT32_MAX);
        if (!number) return std::unexpected(number.error());
        return static_cast<int>(*number);
    };
    // As the kernel bounds its own kernel.pid_max.
    const auto pid_max = [](const std::string& text) { return parse_number("pid-max", text, 301, 1U << 22); };
    const auto user = [](const std::string& text) -> Result<std::optional<User>> { return parse_user(text); };

    Status statuses[] = {
        take(given, "pidns", spec.pidns, parse_pid_mode),
        take(given, "pid-lookup", spec.pid_lookup, parse_pid_lookup),
        take(given, "pid-max", spec.pid_max, pid_max),
        take(given, "rootfs", spec.rootfs, not_empty("rootfs")),
        take(given, "workdir", spec.workdir, not_empty("workdir")),
        take(given, "hostname", spec.hostname, not_empty("hostname")),
        take(given, "user", spec.user, user),
        take(given, "userns", spec.userns, parse_user_namespace),
        take(given, "network", spec.network, parse_network),
        take(given, "no-new-privs", spec.no_new_privs, truth),
        take(given, "status-fd", spec.status_fd, descriptor),
        take(given, "log-level", options.log_level, parse_log_level),
        take_flag(given, "env-clear", spec.env_clear),
        take_flag(given, "dry-run", options.dry_run),
        take_flag(given, "help", options.help),
        take_environment(given, environment, spec),
        take_device_limits(given, spec.io_limits),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    spec.cap_add = values_of(given, "cap-add");
    spec.cap_drop = values_of(given, "cap-drop");
    return {};
}

cxxopts::Options make_options() {
    cxxopts::Options options("ctr run");
    for (const Option& option : run_options()) {
        const std::string names =
            *option.letter == 0 ? option.name : std::string(option.letter) + "," + option.name;
        auto value = cxxopts::value<Values>();
        if (option.takes != Takes::value) value->implicit_value(option.value);
        options.add_option(option.group, {names, option.help, value});
    }
    return options;
}

}  // namespace

Result<RunOptions> parse_run(const std::vector<std::string>& arguments, const Environment& environment) {
    const size_t count = count_option_words(arguments);
    RunOptions options;
    std::vector<const char*> words{"ctr run"};
    for (size_t i = 0; i < count; ++i) words.push_back(arguments[i].c_str());
    try {
        auto parser = make_options();
        const auto given = parser.parse(static_cast<int>(words.size()), words.data());
        if (auto taken = take_all(given, environment, options); !taken) return std::unexpected(taken.error());
    } catch (const cxxopts::exceptions::exception& problem) {
        return fail_input("read the options", plain(problem.what()));
    }
    size_t command = count;
    if (command < arguments.size() && arguments[command] == "--") ++command;
    options.spec.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(command), arguments.end());
    if (!options.help)
        if (auto valid = validate(options.spec); !valid) return std::unexpected(valid.error());
    return options;
}

}  // namespace ctr::cmd
