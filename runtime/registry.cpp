#include "runtime/registry.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "cgroup/freezer.h"
#include "cgroup/removal.h"
#include "runtime/base/path.h"
#include "runtime/environment.h"

namespace ctr {

namespace {

constexpr const char* state_file = "state.json";
constexpr const char* next_state_file = "state.json.new";
constexpr size_t largest_state = 1U << 20;

Status set_lock(const Fd& fd, int command, short kind, const char* step) {
    struct flock whole {};
    whole.l_type = kind;
    int result = 0;
    do result = fcntl(fd.get(), command, &whole);
    while (result != 0 && errno == EINTR);
    if (result != 0) return fail_call(step, "fcntl");
    return {};
}

Result<std::string> read_file(int directory, const char* name) {
    const std::string step = std::string("read ") + name;
    // Whatever somebody may have put there: nothing that blocks, and nothing elsewhere.
    const Fd fd(openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (!fd) return fail_call(step, "openat");
    std::string text(largest_state + 1, 0);
    size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = read(fd.get(), text.data() + filled, text.size() - filled);
        if (got < 0) return fail_call(step, "read");
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    text.resize(filled);
    return text;
}

std::vector<std::string> list(int directory) {
    std::vector<std::string> names;
    const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy), closedir);
    if (!stream) return names;
    while (const dirent* entry = readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

bool is_frozen(const State& state) {
    const auto group = cgroup::find_freezer(state.cgroups);
    return group && cgroup::frozen(*group);
}

Result<Fd> lock_directory(const Fd& directory, const std::string& step) {
    // Not the descriptor that is there: its lock would be shared with forks.
    Fd fd(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return fail_call(step, "openat");
    while (flock(fd.get(), LOCK_EX) != 0)
        if (errno != EINTR) return fail_call(step, "flock");
    return fd;
}

Status check_owner(const Fd& directory, const std::string& root) {
    const std::string step = "open the state directory " + root;
    struct stat status {};
    if (fstat(directory.get(), &status) != 0) return fail_call(step, "fstat");
    constexpr mode_t others = S_IWGRP | S_IWOTH;
    if (status.st_uid == geteuid() && (status.st_mode & others) == 0) return {};
    return fail_input(step,
                      "it belongs to user " + std::to_string(status.st_uid) + " and has mode " +
                          std::to_string(status.st_mode >> 6 & 7) + std::to_string(status.st_mode >> 3 & 7) +
                          std::to_string(status.st_mode & 7) +
                          ": others could put containers there that aren't yours",
                      "--state-dir with a directory of your own, mode 0700");
}

}  // namespace

Result<State> Entry::read_written() const {
    auto text = read_file(directory_.get(), state_file);
    if (!text) return std::unexpected(std::move(text).error());
    auto state = parse_state(*text);
    if (state && state->id != name_) return fail_input("read the state of a container", "it is another's");
    return state;
}

Result<State> Entry::read() const {
    auto state = read_written();
    if (!state) return std::unexpected(std::move(state).error().within("container \"" + name_ + "\""));
    if (state->status == LifeStatus::running && is_frozen(*state)) state->status = LifeStatus::paused;
    return state;
}

Status Entry::write(const State& state) const {
    const std::string step = "write the state of container \"" + name_ + "\"";
    const std::string text = to_json(state);
    {
        const Fd fd(openat(directory_.get(), next_state_file,
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!fd) return fail_call(step, "openat");
        if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            return fail_call(step, "write");
    }
    if (renameat(directory_.get(), next_state_file, directory_.get(), state_file) != 0)
        return fail_call(step, "renameat");
    return {};
}

Result<Fd> Entry::lock_settings() const {
    return lock_directory(directory_, "lock the settings of container \"" + name_ + "\"");
}

bool Entry::alive() const {
    struct flock whole {};
    whole.l_type = F_RDLCK;  // so that those who wait for the end don't count
    return fcntl(lock_.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

void Entry::wait_until_over() const {
    (void)set_lock(lock_, F_OFD_SETLKW, F_RDLCK, "wait for the container");
    (void)set_lock(lock_, F_OFD_SETLK, F_UNLCK, "wait for the container");
}

Result<Registry> Registry::open(const std::string& root, Access access) {
    const std::string step = "open the state directory " + root;
    if (root.empty())
        return fail_input("find the state directory", "XDG_RUNTIME_DIR isn't set",
                          "--state-dir or CTR_STATE_DIR with a directory of your own");
    if (!root.starts_with('/'))
        return fail_input(step, "it is not absolute", "--state-dir with a path that begins with /");
    if (access == Access::make && mkdir(root.c_str(), 0700) != 0 && errno != EEXIST)
        return fail_call(step, "mkdir", errno, "",
                         "--state-dir or CTR_STATE_DIR with a directory of your own");
    Fd directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory && errno == ENOENT && access != Access::make) return Registry(root, Fd());
    if (!directory)
        return fail_call(step, "open", errno,
                         errno == ENOTDIR ? "something that is no directory is there" : "",
                         "--state-dir or CTR_STATE_DIR with a directory of your own");
    if (auto good = check_owner(directory, root); !good) return std::unexpected(std::move(good).error());
    Registry registry(root, std::move(directory));
    if (access != Access::look) registry.sweep();
    return registry;
}

Result<Fd> Registry::lock() const {
    return lock_directory(directory_, "lock the state directory");
}

Result<Entry> Registry::open_entry(const std::string& name) const {
    if (auto good = check_name(name); !good) return std::unexpected(std::move(good).error());
    const std::string step = "find container \"" + name + "\"";
    Fd directory(openat(directory_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory && (errno == ENOENT || !there()))
        return fail_input(step, "there is none of that name in " + root_, "ctr list shows those there are");
    if (!directory) return fail_call(step, "openat");
    Fd lock(openat(directory.get(), Entry::lock_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    return Entry(name, std::move(directory), std::move(lock));
}

Result<Entry> Registry::make_entry(const State& state) const {
    const std::string step = "write container \"" + state.id + "\" down";
    if (mkdirat(directory_.get(), state.id.c_str(), 0700) != 0) {
        if (errno == EEXIST)
            return fail_input(step, "the name is taken", "ctr rm " + state.id + ", or another --name");
        return fail_call(step, "mkdirat");
    }
    Fd directory(openat(directory_.get(), state.id.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return fail_call(step, "openat");
    Fd lock(openat(directory.get(), Entry::lock_file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!lock) return fail_call(step, "openat");
    Entry entry(state.id, std::move(directory), std::move(lock));
    auto done = set_lock(entry.lock_, F_OFD_SETLK, F_WRLCK, step.c_str());
    if (done) done = entry.write(state);
    if (!done) {
        (void)erase(state.id);
        return std::unexpected(std::move(done).error());
    }
    return entry;
}

Result<Entry> Registry::create(const State& state) const {
    if (auto good = check_new_name(state.id); !good) return std::unexpected(std::move(good).error());
    const auto held = lock();
    if (!held) return std::unexpected(held.error());
    return make_entry(state);
}

Result<Entry> Registry::find(const std::string& name) const {
    return open_entry(name);
}

Result<std::vector<Entry>> Registry::all() const {
    std::vector<Entry> entries;
    for (const std::string& name : names())
        if (auto entry = open_entry(name)) entries.push_back(std::move(*entry));
    return entries;
}

Status Registry::change(const Entry& entry, const std::function<void(State&)>& how) const {
    const auto held = lock();
    if (!held) return std::unexpected(held.error());
    auto state = entry.read_written();
    if (!state) return std::unexpected(std::move(state).error());
    if (state->status == LifeStatus::stopped)
        return fail_input("write the state of container \"" + entry.name() + "\"", "it has ended");
    how(*state);
    return entry.write(*state);
}

Status Registry::finish(const Entry& entry, std::optional<Exit> exit) const {
    const auto held = lock();
    if (!held) return std::unexpected(held.error());
    auto state = entry.read_written();
    if (!state || state->remove || state->status == LifeStatus::creating) return erase(entry.name());
    if (state->status == LifeStatus::stopped) return {};
    state->status = LifeStatus::stopped;
    state->pid = HostPid::none;
    state->finished = timestamp();
    state->exit = exit;
    return entry.write(*state);
}

Status Registry::remove(const Entry& entry) const {
    const auto held = lock();
    if (!held) return std::unexpected(held.error());
    if (entry.alive())
        return fail_input("remove container \"" + entry.name() + "\"", "it is running",
                          "ctr stop " + entry.name() + ", or ctr rm --force");
    // It may be gone, and its name another's.
    const Fd now(
        openat(directory_.get(), entry.name().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return path::same_file(now.get(), entry.directory().get()) ? erase(entry.name()) : Status{};
}

std::vector<std::string> Registry::names() const {
    std::vector<std::string> names = list(directory_.get());
    std::erase_if(names, [](const std::string& name) { return !check_name(name).has_value(); });
    return names;
}

void Registry::sweep() const {
    const auto held = lock();
    if (!held) return;
    for (const std::string& name : names())
        if (auto entry = open_entry(name); entry && !entry->alive()) bury(*entry);
}

// Keeper and supervisor are gone. If they went by themselves, all is in order.
void Registry::bury(const Entry& entry) const {
    auto state = entry.read_written();
    if (state && state->status == LifeStatus::stopped && !state->remove) return;
    if (state) {
        cgroup::end_all(state->cgroups);
        if (!state->remove && state->status != LifeStatus::creating) {
            state->status = LifeStatus::stopped;
            state->pid = HostPid::none;
            state->finished = timestamp();
            (void)entry.write(*state);
            return;
        }
    }
    (void)erase(entry.name());
}

// Files only: what else somebody may have put there isn't ours to remove.
Status Registry::erase(const std::string& name) const {
    const std::string step = "remove what is written down about container \"" + name + "\"";
    const Fd directory(
        openat(directory_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) return errno == ENOENT ? Status{} : fail_call(step, "openat");
    for (const std::string& file : list(directory.get())) unlinkat(directory.get(), file.c_str(), 0);
    if (unlinkat(directory_.get(), name.c_str(), AT_REMOVEDIR) != 0) return fail_call(step, "unlinkat");
    return {};
}

std::string usual_registry(const std::vector<std::string>& environment) {
    if (const auto chosen = environment::find(environment, "CTR_STATE_DIR"); chosen && !chosen->empty())
        return *chosen;
    struct stat status {};
    constexpr ino_t initial_user_namespace = 0xEFFFFFFD;  // PROC_USER_INIT_INO of the kernel
    const bool host = stat("/proc/self/ns/user", &status) != 0 || status.st_ino == initial_user_namespace;
    if (geteuid() == 0 && host) return "/run/ctr";
    const auto runtime = environment::find(environment, "XDG_RUNTIME_DIR");
    return runtime && runtime->starts_with('/') ? *runtime + "/ctr" : "";
}

}  // namespace ctr
