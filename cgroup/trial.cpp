#include "cgroup/trial.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "cgroup/backend.h"
#include "cgroup/removal.h"

namespace ctr::cgroup {

namespace {

// A group that is removed at the end of the scope.
class TrialGroup {
  public:
    static Result<TrialGroup> make(const Controller& controller, const std::string& name, const Host& host) {
        const auto hierarchy = find_hierarchy(controller, host);
        if (!hierarchy) return std::unexpected(hierarchy.error());
        const Backend& backend = backend_of(hierarchy->version);
        auto directory = backend.make_for(*hierarchy, controller, name, host.genuine);
        if (!directory) return std::unexpected(std::move(directory).error());
        return TrialGroup(backend, hierarchy->version, std::move(*directory));
    }
    TrialGroup(TrialGroup&& other) noexcept
        : backend_(other.backend_),
          version_(other.version_),
          directory_(std::move(other.directory_)),
          path_(std::exchange(other.path_, {})) {}
    TrialGroup& operator=(TrialGroup&&) = delete;
    ~TrialGroup() {
        if (!path_.empty()) (void)remove_directories({path_});
    }

    const Backend& backend() const { return *backend_; }
    const Directory& directory() const { return directory_; }
    std::string where() const {
        return (version_ == Version::v1 ? "v1, below " : "v2, below ") + path_.substr(0, path_.rfind('/'));
    }

  private:
    TrialGroup(const Backend& backend, Version version, Directory directory)
        : backend_(&backend), version_(version), directory_(std::move(directory)), path_(directory_.path()) {}

    const Backend* backend_;
    Version version_;
    Directory directory_;
    std::string path_;
};

template <const Controller& controller>
Result<std::string> with_controller(const std::string& name, const Host& host) {
    const auto group = TrialGroup::make(controller, name, host);
    if (!group) return std::unexpected(group.error());
    return group->where();
}

Result<std::string> freezing(const std::string& name, const Host& host) {
    const auto group = TrialGroup::make(freezer, name, host);
    if (!group) return std::unexpected(group.error());
    for (const bool frozen : {true, false})
        if (const Status status = group->backend().freeze(group->directory(), frozen); !status)
            return std::unexpected(status.error());
    return group->where();
}

// Sleeps until it is killed.
pid_t make_victim() {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    while (getppid() == parent) pause();
    _exit(0);
}

Status kill_in(const TrialGroup& group, pid_t victim) {
    const Status joined = group.directory().write("cgroup.procs", std::to_string(victim), "join the cgroup");
    return joined ? group.backend().kill(group.directory()) : joined;
}

Result<std::string> killing(const std::string& name, const Host& host) {
    const auto group = TrialGroup::make(io_controller, name, host);
    if (!group) return std::unexpected(group.error());
    const pid_t victim = make_victim();
    if (victim < 0) return fail_call("kill a process in a cgroup", "fork");
    const Status killed = kill_in(*group, victim);
    if (!killed) ::kill(victim, SIGKILL);
    while (waitpid(victim, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (!killed) return std::unexpected(killed.error());
    return group->directory().has("cgroup.kill") ? "all at once (cgroup.kill)"
                                                 : "one by one, until none is left";
}

}  // namespace

const std::vector<Ability>& abilities() {
    static const std::vector<Ability> table = {
        {"io", with_controller<io_controller>},
        {"cpu", with_controller<cpu_controller>},
        {"memory", with_controller<memory_controller>},
        {"pids", with_controller<pids_controller>},
        {"freeze", freezing},
        {"kill", killing},
    };
    return table;
}

std::vector<std::string> trial_directories(const std::string& group, const Host& host) {
    std::set<std::string> found;
    for (const Controller& controller :
         {io_controller, cpu_controller, memory_controller, pids_controller, freezer})
        if (const auto hierarchy = find_hierarchy(controller, host))
            for (const std::string& parent : backend_of(hierarchy->version).parents(*hierarchy))
                found.insert(std::string(parent).append("/").append(group));
    return {found.begin(), found.end()};
}

}  // namespace ctr::cgroup
