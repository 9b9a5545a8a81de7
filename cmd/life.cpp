// The verbs that do one thing to a container that has a name.
#include "cmd/life.h"

#include <csignal>
#include <iostream>

#include "cmd/own_environment.h"
#include "cmd/values.h"
#include "cmd/verbs.h"
#include "runtime/contact.h"
#include "runtime/listing.h"

namespace ctr::cmd {

int fail_verb(const LifeVerb& verb, const Error& error) {
    std::cerr << "ctr " << verb.name << ": " << error.message() << '\n';
    return error.exit_code;
}

int with_registry(const char* name, const std::vector<std::string>& arguments, const Body& body) {
    const LifeVerb& verb = life_verb(name);
    const auto call = parse_life(verb, arguments);
    if (!call) {
        const int code = fail_verb(verb, call.error());
        std::cerr << "See ctr " << verb.name << " --help.\n";
        return code;
    }
    if (call->help) {
        std::cout << life_help(verb);
        return 0;
    }
    const std::string root =
        call->state_directory.empty() ? usual_registry(own_environment()) : call->state_directory;
    const auto registry = Registry::open(root);
    if (!registry) return fail_verb(verb, registry.error());
    const auto code = body(*call, *registry);
    if (!code) return fail_verb(verb, code.error());
    std::cout.flush();
    if (std::cout) return *code;
    return fail_verb(verb, fail_input("print", "standard output takes no more").error());
}

int for_each_name(const char* name, const std::vector<std::string>& arguments, const EachBody& body) {
    return with_registry(name, arguments, [&](const LifeCall& call, const Registry& registry) -> Result<int> {
        int code = 0;
        for (const std::string& one : call.names) {
            const auto entry = registry.find(one);
            const Status done = entry ? body(call, registry, *entry) : std::unexpected(entry.error());
            if (!done) code = fail_verb(life_verb(name), done.error());
        }
        return code;
    });
}

int kill_verb(const std::vector<std::string>& arguments) {
    return for_each_name(
        "kill", arguments, [](const LifeCall& call, const Registry&, const Entry& entry) -> Status {
            int signal = SIGKILL;
            const auto parse = [](const std::string& text) { return parse_signal("signal", text); };
            if (auto taken = call.given.take("signal", signal, parse); !taken) return taken;
            const auto contact = Contact::make(entry);
            if (!contact) return std::unexpected(contact.error());
            return contact->signal(signal);
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
                             if (!entry.alive()) return {};  // as was asked for
                             auto contact = Contact::make(entry);
                             if (!contact) return std::unexpected(std::move(contact).error());
                             const auto ended = contact->stop(std::chrono::seconds(seconds));
                             if (!ended) return std::unexpected(ended.error());
                             std::cout << entry.name() << '\n' << std::flush;
                             return {};
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
    return for_each_name("pause", arguments,
                         [](const LifeCall&, const Registry&, const Entry& entry) { return pause(entry); });
}

int resume_verb(const std::vector<std::string>& arguments) {
    return for_each_name("resume", arguments,
                         [](const LifeCall&, const Registry&, const Entry& entry) { return resume(entry); });
}

int rm_verb(const std::vector<std::string>& arguments) {
    return for_each_name("rm", arguments,
                         [](const LifeCall& call, const Registry& registry, const Entry& entry) -> Status {
                             bool force = false;
                             if (auto taken = call.given.take_flag("force", force); !taken) return taken;
                             return remove(registry, entry, force);
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
            for (const std::string& text : call.given.of("env"))
                if (auto added = add_variable(text, own_environment(), exec.env); !added)
                    return std::unexpected(std::move(added).error());
            const auto entry = registry.find(call.names.front());
            if (!entry) return std::unexpected(entry.error());
            auto contact = Contact::make(*entry);
            if (!contact) return std::unexpected(std::move(contact).error());
            const auto exit = contact->execute(exec);
            if (!exit) return std::unexpected(exit.error());
            return exit->status;
        });
}

}  // namespace ctr::cmd
