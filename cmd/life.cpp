// The verbs that do one thing to a container that has a name.
#include "cmd/life.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cmd/messages.h"
#include "cmd/own_environment.h"
#include "cmd/print_help.h"
#include "cmd/progress.h"
#include "cmd/status_report.h"
#include "cmd/values.h"
#include "cmd/verbs.h"
#include "runtime/contact.h"
#include "runtime/environment.h"
#include "runtime/listing.h"
#include "runtime/status_stream.h"
#include "runtime/terminal.h"

namespace ctr::cmd {

Result<Registry> open_registry(const std::string& given, Registry::Access access) {
    auto registry = Registry::open(given.empty() ? usual_registry(own_environment()) : given, access);
    if (registry && !registry->there() && !given.empty())
        return fail_input("open the state directory " + given, "there is no such directory",
                          "--state-dir as it was given to ctr run");
    return registry;
}

int with_registry(const char* name, const std::vector<std::string>& arguments, const Body& body) {
    const LifeVerb& verb = life_verb(name);
    const auto call = parse_life(verb, arguments);
    if (!call) {
        report_refusal(arguments, verb.options, call.error());
        return Messages(name, guess_log_options(arguments, verb.options)).refuse(call.error());
    }
    if (call->help) return print_help(name);
    const Messages messages(name, call->log, call->names.empty() ? "" : call->names.front());
    const auto registry = open_registry(call->state_directory, Registry::Access::use);
    if (!registry) return messages.fail(registry.error());
    const auto code = body(*call, *registry);
    if (!code) return messages.fail(code.error());
    std::cout.flush();
    if (std::cout) return *code;
    return messages.fail(fail_input("print", "standard output takes no more").error());
}

int for_each_name(const char* name, const std::vector<std::string>& arguments, const EachBody& body) {
    return with_registry(name, arguments, [&](const LifeCall& call, const Registry& registry) -> Result<int> {
        int code = 0;
        for (const std::string& one : call.names) {
            const auto entry = registry.find(one);
            const Status done = entry ? body(call, registry, *entry) : std::unexpected(entry.error());
            if (!done) code = Messages(name, call.log, one).fail(done.error());
        }
        return code;
    });
}

namespace {

// Says whose turn it was, as docker does.
Status and_say(const Entry& entry, Status done) {
    if (done) std::cout << entry.name() << '\n' << std::flush;
    return done;
}

// For as long as both are there.
Notify notices(const char* verb, const LifeCall& call, const Entry& entry) {
    return [verb, &call, &entry](const Notice& notice) {
        Messages(verb, call.log, entry.name()).notice(notice);
    };
}

}  // namespace

int kill_verb(const std::vector<std::string>& arguments) {
    return for_each_name(
        "kill", arguments, [](const LifeCall& call, const Registry&, const Entry& entry) -> Status {
            int signal = SIGKILL;
            const auto parse = [](const std::string& text) { return parse_signal("signal", text); };
            if (auto taken = call.given.take("signal", signal, parse); !taken) return taken;
            if (signal == SIGKILL) return and_say(entry, ctr::kill(entry, notices("kill", call, entry)));
            const auto contact = Contact::make(entry);
            if (!contact) return std::unexpected(contact.error());
            return and_say(entry, contact->signal(signal));
        });
}

int stop_verb(const std::vector<std::string>& arguments) {
    return for_each_name("stop", arguments,
                         [](const LifeCall& call, const Registry&, const Entry& entry) -> Status {
                             uint32_t seconds = 10;
                             const auto parse = [](const std::string& text) {
                                 return parse_number("time", text, 0, 1U << 20);
                             };
                             if (auto taken = call.given.take("time", seconds, parse); !taken) return taken;
                             if (!entry.alive()) return and_say(entry, {});  // as was asked for
                             const std::chrono::seconds patience(seconds);
                             const Progress progress("waiting for " + entry.name() + " to end", patience);
                             return and_say(entry, ctr::stop(entry, patience, notices("stop", call, entry)));
                         });
}

int wait_verb(const std::vector<std::string>& arguments) {
    return for_each_name("wait", arguments,
                         [](const LifeCall&, const Registry&, const Entry& entry) -> Status {
                             const auto exit = wait_for(entry);
                             if (!exit) return std::unexpected(exit.error());
                             std::cout << exit->status << '\n' << std::flush;
                             return {};
                         });
}

int pause_verb(const std::vector<std::string>& arguments) {
    return for_each_name("pause", arguments, [](const LifeCall&, const Registry&, const Entry& entry) {
        return and_say(entry, pause(entry));
    });
}

int resume_verb(const std::vector<std::string>& arguments) {
    return for_each_name("resume", arguments, [](const LifeCall&, const Registry&, const Entry& entry) {
        return and_say(entry, resume(entry));
    });
}

int rm_verb(const std::vector<std::string>& arguments) {
    return for_each_name(
        "rm", arguments, [](const LifeCall& call, const Registry& registry, const Entry& entry) -> Status {
            bool force = false;
            if (auto taken = call.given.take_flag("force", force); !taken) return taken;
            auto seconds = static_cast<uint32_t>(usual_patience.count());
            const auto parse = [](const std::string& text) {
                return parse_number("wait", text, 0, 1U << 20);
            };
            if (auto taken = call.given.take("wait", seconds, parse); !taken) return taken;
            if (!force) return and_say(entry, remove(registry, entry));
            return and_say(entry, end_and_remove(registry, entry, std::chrono::seconds(seconds),
                                                 notices("rm", call, entry)));
        });
}

int inspect_verb(const std::vector<std::string>& arguments) {
    return for_each_name("inspect", arguments,
                         [](const LifeCall&, const Registry&, const Entry& entry) -> Status {
                             const auto state = entry.read();
                             if (!state) return std::unexpected(state.error());
                             std::cout << to_json(*state);
                             return {};
                         });
}

namespace {

Result<HostPid> find_number(HostPid init, uint32_t number) {
    const auto listing = list_processes({.all = false, .containers = {init}});
    if (!listing) return std::unexpected(listing.error());
    for (const ListedProcess& listed : listing->processes)
        if (!listed.numbers.empty() && raw(listed.numbers.front()) == static_cast<int>(number))
            return listed.process.here;
    return fail_input("find process " + std::to_string(number),
                      "there is none of that number in the container");
}

}  // namespace

int pid_verb(const std::vector<std::string>& arguments) {
    return with_registry("pid", arguments, [](const LifeCall& call, const Registry& registry) -> Result<int> {
        const auto entry = registry.find(call.names.front());
        if (!entry) return std::unexpected(entry.error());
        const auto contact = Contact::make(*entry);
        if (!contact) return std::unexpected(contact.error());
        HostPid found = contact->init();
        if (call.names.size() > 1) {
            const auto number = parse_number("NUMBER", call.names[1], 1, INT32_MAX);
            if (!number) return std::unexpected(number.error());
            const auto process = find_number(found, *number);
            if (!process) return std::unexpected(process.error());
            found = *process;
        }
        std::cout << raw(found) << '\n';
        return 0;
    });
}

namespace {

// With a terminal comes its kind: it is the caller's that the command writes to.
Status take_terminal(const LifeCall& call, ExecSpec& exec) {
    bool terminal = false;
    if (auto taken = call.given.take_flag("tty", terminal); !taken) return taken;
    if (auto taken = call.given.take_flag("detach", exec.detached); !taken) return taken;
    if (terminal && exec.detached)
        return fail_input("read --tty", "nobody is connected to the terminal of a detached command",
                          "either --detach or --tty");
    if (!terminal) return {};
    exec.terminal = terminal::size_of(STDIN_FILENO);
    if (const auto kind = environment::find(own_environment(), "TERM")) exec.env.emplace_back("TERM", *kind);
    return {};
}

Result<Exit> execute(const Registry& registry, const std::string& name, const ExecSpec& exec,
                     const StatusStream& status) {
    const auto entry = registry.find(name);
    if (!entry) return std::unexpected(entry.error());
    auto contact = Contact::make(*entry);
    if (!contact) return std::unexpected(std::move(contact).error());
    const HostPid init = contact->init();
    return contact->execute(exec, [&](HostPid command) { status.started(init, command, name); });
}

}  // namespace

int exec_verb(const std::vector<std::string>& arguments) {
    return with_registry(
        "exec", arguments, [](const LifeCall& call, const Registry& registry) -> Result<int> {
            ExecSpec exec;
            exec.command = call.command;
            const auto user = [](const std::string& text) -> Result<std::optional<User>> {
                return parse_user(text);
            };
            const auto as_is = [](const std::string& text) -> Result<std::string> { return text; };
            if (auto taken = call.given.take("user", exec.user, user); !taken)
                return std::unexpected(std::move(taken).error());
            if (auto taken = call.given.take("workdir", exec.workdir, as_is); !taken)
                return std::unexpected(std::move(taken).error());
            if (auto taken = take_terminal(call, exec); !taken)
                return std::unexpected(std::move(taken).error());
            for (const std::string& text : call.given.of("env"))
                if (auto added = add_variable(text, own_environment(), exec.env); !added)
                    return std::unexpected(std::move(added).error());
            int descriptor = -1;
            if (auto taken = call.given.take("status-fd", descriptor, parse_descriptor); !taken)
                return std::unexpected(std::move(taken).error());
            const auto status = StatusStream::open(descriptor);
            if (!status) return std::unexpected(status.error());
            const auto exit = execute(registry, call.names.front(), exec, *status);
            if (!exit) {
                status->failed(exit.error());
                return std::unexpected(exit.error());
            }
            if (!exec.detached) status->exited(*exit);
            return exit->status;
        });
}

}  // namespace ctr::cmd
