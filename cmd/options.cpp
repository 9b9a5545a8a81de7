#include "cmd/options.h"

#include <algorithm>

#include "cmd/given.h"
#include "cmd/limit_values.h"
#include "cmd/mount_values.h"
#include "cmd/option_table.h"
#include "cmd/values.h"

namespace ctr::cmd {

namespace {

// An empty value would silently mean "the default".
auto not_empty(const char* option) {
    return [option](const std::string& text) -> Result<std::string> {
        if (!text.empty()) return text;
        return fail_input(std::string("read --") + option, "the value is empty");
    };
}

Status take_ulimits(const Given& given, std::vector<Ulimit>& limits) {
    for (const std::string& text : given.of("ulimit")) {
        const auto limit = parse_ulimit(text);
        if (!limit) return std::unexpected(limit.error());
        limits.push_back(*limit);
    }
    return {};
}

Status take_environment(const Given& given, const Environment& environment, Spec& spec) {
    for (const std::string& text : given.of("env"))
        if (auto added = add_variable(text, environment, spec.env); !added) return added;
    return {};
}

// Only what has a name, or goes on without us, is written down.
Status take_registration(const Given& given, RunOptions& options) {
    Registration registration;
    std::optional<bool> remove;
    const auto truth = [](const std::string& text) -> Result<std::optional<bool>> {
        const auto value = parse_truth("rm", text);
        if (!value) return std::unexpected(value.error());
        return *value;
    };
    Status statuses[] = {
        given.take("name", registration.name, not_empty("name")),
        given.take("state-dir", registration.root, not_empty("state-dir")),
        given.take("rm", remove, truth),
        given.take_flag("detach", options.detach),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    if (!options.detach && registration.name.empty()) {
        if (!registration.root.empty())
            return fail_input("read --state-dir", "a container without a name isn't written down anywhere",
                              "--name NAME, or --detach");
        if (remove.value_or(true)) return {};
        return fail_input("read --rm", "nothing stays of a container without a name",
                          "--name NAME --rm=false");
    }
    registration.detached = options.detach;
    registration.remove = remove.value_or(!options.detach);
    options.spec.registration = std::move(registration);
    return {};
}

Status take_all(const Given& given, const Environment& environment, RunOptions& options) {
    Spec& spec = options.spec;
    const auto truth = [](const std::string& text) { return parse_truth("no-new-privs", text); };
    // As the kernel bounds its own kernel.pid_max.
    const auto pid_max = [](const std::string& text) { return parse_number("pid-max", text, 301, 1U << 22); };
    const auto user = [](const std::string& text) -> Result<std::optional<User>> { return parse_user(text); };
    const auto scope = [](const char* option) {
        return [option](const std::string& text) { return parse_scope(option, text); };
    };
    const auto share = [](const std::string& text) -> Result<std::optional<ShareWith>> {
        return parse_share(text);
    };
    const auto overlay = [](const std::string& upper) -> Result<std::optional<Overlay>> {
        return Overlay{upper};
    };

    cgroup::Limits limits;
    Status statuses[] = {
        given.take("pidns", spec.pidns, parse_pid_mode),
        given.take("pid-lookup", spec.pid_lookup, parse_pid_lookup),
        given.take("pid-fastpath", spec.pid_fastpath, parse_pid_fastpath),
        given.take("pid-max", spec.pid_max, pid_max),
        given.take("rootfs", spec.rootfs, not_empty("rootfs")),
        given.take("workdir", spec.workdir, not_empty("workdir")),
        given.take("hostname", spec.hostname, not_empty("hostname")),
        given.take("user", spec.user, user),
        given.take("userns", spec.userns, parse_user_namespace),
        given.take("network", spec.network, parse_network),
        given.take("ipc", spec.ipc, scope("ipc")),
        given.take("uts", spec.uts, scope("uts")),
        given.take("cgroupns", spec.cgroupns, scope("cgroupns")),
        given.take("system-paths", spec.system_paths, parse_system_paths),
        given.take("time", spec.clocks, parse_clocks),
        given.take("share-with", spec.share_with, share),
        given.take("no-new-privs", spec.no_new_privs, truth),
        given.take("seccomp", spec.seccomp, not_empty("seccomp")),
        given.take("io-throttle", spec.io_throttle, parse_io_throttle),
        take_ulimits(given, spec.ulimits),
        given.take_flag("tty", spec.terminal),
        given.take("status-fd", spec.status_fd, parse_descriptor),
        given.take("stop-signal", spec.stop_signal,
                   [](const std::string& text) { return parse_signal("stop-signal", text); }),
        given.take_flag("init", spec.init),
        given.take_flag("die-with-parent", spec.die_with_parent),
        take_registration(given, options),
        take_log_options(given, options.log),
        given.take_flag("env-clear", spec.env_clear),
        given.take_flag("dry-run", options.dry_run),
        given.take_flag("help", options.help),
        given.take_flag("read-only", spec.read_only),
        given.take("overlay", spec.overlay, overlay),
        take_mounts(given, spec.mounts),
        take_environment(given, environment, spec),
        check_capabilities("cap-add", given.of("cap-add")),
        check_capabilities("cap-drop", given.of("cap-drop")),
        refuse_lifting(given),
        take_limits(given, limits),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    cgroup::change(limits, spec.limits);
    spec.cap_add = given.of("cap-add");
    spec.cap_drop = given.of("cap-drop");
    return {};
}

// Values that stand behind "=" only: one that is empty, or that stands apart and would be the command.
Status check_joined(const std::vector<std::string>& options, const std::vector<std::string>& all) {
    if (std::ranges::find(options, "--overlay=") != options.end())
        return fail_input("read --overlay", "the directory is missing",
                          "--overlay=DIR, or --overlay alone, which writes to memory");
    const size_t next = options.size();
    if (next == 0 || next + 1 >= all.size() || all[next + 1] != "--") return {};
    const std::string& last = options.back();
    const Option* option = last.starts_with("--") ? by_name(run_options(), last.substr(2)) : nullptr;
    if (option == nullptr || option->takes != Takes::optional) return {};
    return fail_input("read " + last, "\"" + all[next] + "\" would be the command", last + "=" + all[next]);
}

}  // namespace

Result<RunOptions> parse_run(const std::vector<std::string>& arguments, const Environment& environment) {
    const size_t count = count_option_words(arguments);
    const std::vector<std::string> words(arguments.begin(),
                                         arguments.begin() + static_cast<std::ptrdiff_t>(count));
    if (auto meant = check_joined(words, arguments); !meant) return std::unexpected(std::move(meant).error());
    const auto given = Given::read(run_options(), words);
    if (!given) return std::unexpected(given.error());
    RunOptions options;
    if (auto taken = take_all(*given, environment, options); !taken) return std::unexpected(taken.error());
    size_t command = count;
    if (command < arguments.size() && arguments[command] == "--") ++command;
    options.spec.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(command), arguments.end());
    if (!options.help)
        if (auto valid = validate(options.spec); !valid) return std::unexpected(valid.error());
    return options;
}

}  // namespace ctr::cmd
