#include "runtime/shared.h"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

#include "runtime/base/path.h"
#include "runtime/base/sys.h"
#include "runtime/contact.h"
#include "runtime/listing.h"
#include "runtime/namespaces.h"
#include "runtime/registry.h"

namespace ctr {

namespace {

HostPid first_of(HostPid given) {
    const auto listing = list_processes({.containers = {given}});
    if (!listing || listing->processes.empty()) return given;
    for (const ListedProcess& one : listing->processes)
        if (one.process.here == given) return given;
    return listing->processes.front().container;
}

struct Meant {
    HostPid process;
    Fd pidfd;
};

std::string step(HostPid process) {
    return "look at the namespaces of process " + std::to_string(raw(process));
}

Result<Meant> process_named(const std::string& name, const Spec& spec, const HostFacts& facts) {
    const bool elsewhere = spec.registration && !spec.registration->root.empty();
    const auto registry = Registry::open(elsewhere ? spec.registration->root : usual_registry(facts.env),
                                         Registry::Access::use);
    if (!registry) return std::unexpected(registry.error());
    const auto entry = registry->find(name);
    if (!entry) return std::unexpected(entry.error());
    auto contact = Contact::make(*entry);
    if (!contact) return std::unexpected(std::move(contact).error());
    // An init of ours is closed to a user who has no privilege over it.
    if (contact->command() == contact->init() || contact->command() == HostPid::none)
        return Meant{contact->init(), contact->take_init_fd()};
    Fd command(sys::pidfd_open(raw(contact->command()), 0));
    if (!command) return fail_call(step(contact->command()), "pidfd_open", errno, "it has just ended");
    return Meant{contact->command(), std::move(command)};
}

Result<Meant> process_numbered(HostPid number) {
    const HostPid process = first_of(number);
    Fd pidfd(sys::pidfd_open(raw(process), 0));
    if (pidfd) return Meant{process, std::move(pidfd)};
    return fail_call(step(process), "pidfd_open", errno,
                     errno == ESRCH    ? "there is no such process"
                     : errno == EINVAL ? "this is the number of a thread, or of nothing"
                                       : "",
                     "ctr ps shows those of containers");
}

// The namespace's inode. A kernel without this kind has no such file: then everybody shares the only one.
Result<ino_t> identity_of(const std::string& who, const namespaces::Kind& kind, HostPid process) {
    struct stat status {};
    const std::string file = "/proc/" + who + "/ns/" + kind.file;
    if (stat(file.c_str(), &status) == 0) return status.st_ino;
    if (errno == ENOENT) return 0;
    const char* why =
        errno == EACCES ? "it belongs to another user, or is closed to others (ctr run --init)" : "";
    return fail_call(step(process), "stat " + file, errno, why,
                     "run ctr as that user, or as root; name the container, or its command's process");
}

Status read_ids(const std::string& directory, Shared& shared) {
    const auto uids = path::read_text(directory + "uid_map");
    if (!uids) return std::unexpected(uids.error());
    const auto gids = path::read_text(directory + "gid_map");
    if (!gids) return std::unexpected(gids.error());
    const auto setgroups = path::read_text(directory + "setgroups");
    if (!setgroups) return std::unexpected(setgroups.error());
    shared.uids = parse_id_mappings(*uids);
    shared.gids = parse_id_mappings(*gids);
    shared.setgroups_allowed = setgroups->starts_with("allow");
    return {};
}

}  // namespace

Result<Shared> look_at_shared(const Spec& spec, const HostFacts& facts) {
    Shared shared;
    if (!spec.share_with) return shared;
    const ShareWith& with = *spec.share_with;
    auto meant = with.name.empty() ? process_numbered(with.process) : process_named(with.name, spec, facts);
    if (!meant) return std::unexpected(std::move(meant).error());
    const HostPid process = meant->process;
    shared.process = std::move(meant->pidfd);
    shared.kinds = shared_kinds(spec);
    const std::string number = std::to_string(raw(process));
    for (const namespaces::Kind& kind : namespaces::kinds) {
        const auto own = identity_of("self", kind, process);
        if (!own) return std::unexpected(own.error());
        const auto its = identity_of(number, kind, process);
        if (!its) return std::unexpected(its.error());
        if (*own == *its) continue;
        if (kind.flag == CLONE_NEWPID) shared.same_pids = false;
        shared.foreign |= kind.flag & shared.kinds;
    }
    if (shared.joins(CLONE_NEWUSER))
        if (const auto read = read_ids("/proc/" + number + "/", shared); !read)
            return std::unexpected(read.error());
    // What was read is that process's only if it still runs now.
    if (sys::pidfd_send_signal(shared.process.get(), 0) != 0 && errno == ESRCH)
        return fail_call(step(process), "pidfd_send_signal", ESRCH, "it has just ended");
    return shared;
}

}  // namespace ctr
