#include "runtime/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

#include "pidns/monitor/numbers_view.h"
#include "pidns/surface/mark.h"
#include "runtime/base/fd.h"
#include "runtime/supervisor.h"

namespace ctr {

namespace {

using pidns::NumbersView;

// How the numbers of a container become known.
enum class Source {
    file,     // its monitor's
    kernel,   // NSpid: the kernel's namespaces, or a layer around the caller
    damaged,  // there is a file, and it can't be used
    hidden,   // the caller may not look
};

struct Container {
    HostPid monitor{};
    Source source = Source::kernel;
    std::optional<NumbersView> view;
    size_t level = 0;  // of the monitor's pid namespace below the one here
    HostPid init{};    // none: it has none yet, or no more
    std::string damage;
};

struct Search {
    Source source = Source::kernel;
    Fd file;
};

// The monitor's descriptor of its file, opened anew for reading.
Search find_file(HostPid monitor) {
    const std::string path = "/proc/" + std::to_string(raw(monitor)) + "/fd";
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    if (!directory) return {errno == EACCES || errno == EPERM ? Source::hidden : Source::kernel, {}};
    const std::string wanted = std::string("/memfd:") + pidns::file_name + " (deleted)";
    while (const dirent* entry = readdir(directory.get())) {
        std::array<char, 64> target{};
        const ssize_t length =
            readlinkat(dirfd(directory.get()), entry->d_name, target.data(), target.size());
        if (length < 0 || std::string_view(target.data(), static_cast<size_t>(length)) != wanted) continue;
        // Somebody may have named a file of another kind so, and to open some of them has effects.
        struct stat status {};
        if (fstatat(dirfd(directory.get()), entry->d_name, &status, 0) != 0 || !S_ISREG(status.st_mode))
            continue;
        Fd file(openat(dirfd(directory.get()), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (file) return {Source::file, std::move(file)};
        if (errno == EACCES || errno == EPERM) return {Source::hidden, {}};
    }
    return {};
}

class Lister {
  public:
    Lister(Processes processes, const ListingRequest& request)
        : processes_(std::move(processes)), request_(request) {}

    Result<Listing> list() {
        find_containers();
        find_owners();
        for (const auto& [here, process] : processes_.all()) {
            const Container* container = container_of(here);
            if (is_wanted(container)) add(here, container);
        }
        for (const HostPid wanted : request_.containers)
            if (auto found = look_for(wanted); !found) return std::unexpected(std::move(found).error());
        add_notes();
        std::ranges::sort(listing_.processes, {}, [](const ListedProcess& one) {
            return std::tuple(one.container, one.process.here);
        });
        return std::move(listing_);
    }

  private:
    bool is_monitor(HostPid here) const {
        const Process* process = processes_.find(here);
        return process != nullptr && process->comm == monitor_name && process->state != 'Z';
    }

    // Parent links that were read one after the other may form a ring.
    bool is_below_a_monitor(HostPid here) const {
        const Process* process = processes_.find(here);
        for (size_t steps = 0; process != nullptr && steps < processes_.all().size(); ++steps) {
            if (is_monitor(process->parent)) return true;
            process = processes_.find(process->parent);
        }
        return false;
    }

    void find_containers() {
        for (const auto& [here, process] : processes_.all())
            if (is_monitor(here)) add_container(here);
    }

    void add_container(HostPid monitor) {
        Search search = find_file(monitor);
        // Without numbers of its own it is part of the container that it was started in.
        if (search.source != Source::file && is_below_a_monitor(monitor)) return;
        const Process* process = processes_.read_details(monitor);
        if (process == nullptr) return;
        Container container{monitor, search.source, {}, process->numbers.size() - 1, {}, {}};
        if (search.file) open_file(container, search.file);
        container.init = init_of(container);
        containers_.push_back(std::move(container));
    }

    void open_file(Container& container, const Fd& file) {
        auto view = NumbersView::open(file.get());
        if (view) {
            container.view.emplace(std::move(*view));
        } else {
            container.source = Source::damaged;
            container.damage = view.error().message();
        }
    }

    // The child that the file names, or else the first one.
    HostPid init_of(const Container& container) {
        const Process* first = nullptr;
        for (const auto& [here, process] : processes_.all()) {
            if (process.parent != container.monitor) continue;
            if (container.view && number_at_monitor(here, container) == container.view->init()) return here;
            if (first == nullptr || process.start < first->start) first = &process;
        }
        return first == nullptr ? HostPid::none : first->here;
    }

    // What the monitor calls a process: it may be in another pid namespace than the caller.
    HostPid number_at_monitor(HostPid here, const Container& container) {
        const Process* process = processes_.read_details(here);
        if (process == nullptr || process->numbers.size() <= container.level) return HostPid::none;
        return HostPid(process->numbers[container.level]);
    }

    const Container* find_container(HostPid monitor) const {
        const auto found = std::ranges::find(containers_, monitor, &Container::monitor);
        return found == containers_.end() ? nullptr : &*found;
    }

    const Container* container_of(HostPid here) const {
        const auto found = owners_.find(here);
        return found == owners_.end() ? nullptr : find_container(found->second);
    }

    // A way up ends where another has been, so that a deep chain of processes costs no more than a flat
    // crowd.
    void find_owners() {
        for (const auto& [here, process] : processes_.all()) {
            std::vector<HostPid> way;
            HostPid owner{};
            for (HostPid at = here; !owners_.contains(at);) {
                const Process* one = processes_.find(at);
                if (one == nullptr || way.size() > processes_.all().size()) break;
                way.push_back(at);
                owner = find_container(one->parent) == nullptr ? HostPid::none : one->parent;
                if (owner != HostPid::none) break;
                at = one->parent;
                if (const auto known = owners_.find(at); known != owners_.end()) owner = known->second;
            }
            for (const HostPid at : way) owners_.emplace(at, owner);
        }
    }

    // A process in it, its monitor, or the ctr that was started to run it.
    bool means(HostPid wanted, const Container& container) const {
        const Process* monitor = processes_.find(container.monitor);
        return container_of(wanted) == &container || wanted == container.monitor ||
               (monitor != nullptr && wanted == monitor->parent);
    }

    bool is_asked_for(const Container& container) const {
        const auto is_meant = [&](HostPid wanted) { return means(wanted, container); };
        return request_.containers.empty() || std::ranges::any_of(request_.containers, is_meant);
    }

    bool can_be_shown(const Container& container) const {
        return container.source != Source::hidden && container.init != HostPid::none;
    }

    bool is_wanted(const Container* container) const {
        if (container == nullptr) return request_.all && request_.containers.empty();
        return can_be_shown(*container) && is_asked_for(*container);
    }

    Status look_for(HostPid wanted) const {
        std::string why = "no running container that can be seen from here is or has this process";
        for (const Container& container : containers_) {
            if (!means(wanted, container)) continue;
            if (can_be_shown(container)) return {};
            if (container.source == Source::hidden) why = "only root and its owner may look into it";
        }
        return fail_input("find the container " + std::to_string(raw(wanted)), why,
                          "ctr ps without a number shows them all");
    }

    void add(HostPid here, const Container* container) {
        const Process* process = processes_.read_details(here);
        if (process == nullptr) return;
        ListedProcess listed{{}, *process, {}, {}};
        if (container == nullptr) {
            for (const int number : process->numbers) listed.numbers.push_back(VirtPid(number));
            listed.parent = VirtPid(raw(process->parent));
        } else {
            listed.container = container->init;
            listed.numbers = numbers_in(*container, here);
            listed.parent = parent_in(*container, process->parent);
        }
        listing_.processes.push_back(std::move(listed));
    }

    std::vector<VirtPid> numbers_in(const Container& container, HostPid here) {
        if (container.source == Source::damaged) return {};
        if (container.view) return container.view->numbers_of(number_at_monitor(here, container));
        const Process* process = processes_.read_details(here);
        if (process == nullptr) return {};
        // A container without a namespace of its own has the numbers that its monitor has.
        const size_t first = std::min(container.level + 1, process->numbers.size() - 1);
        std::vector<VirtPid> numbers;
        for (size_t i = first; i < process->numbers.size(); ++i)
            numbers.push_back(VirtPid(process->numbers[i]));
        return numbers;
    }

    std::optional<VirtPid> parent_in(const Container& container, HostPid parent) {
        if (container_of(parent) != &container) return VirtPid::none;
        const std::vector<VirtPid> numbers = numbers_in(container, parent);
        if (numbers.empty() || numbers.front() == VirtPid::none) return {};
        return numbers.front();
    }

    void add_notes() {
        std::string hidden;
        for (const Container& container : containers_) {
            if (!is_asked_for(container)) continue;
            const std::string monitor = std::to_string(raw(container.monitor));
            if (container.source == Source::hidden) hidden += (hidden.empty() ? "" : ", ") + monitor;
            if (container.source == Source::damaged)
                listing_.notes.push_back("the container of monitor " + monitor +
                                         " is shown without its numbers: " + container.damage);
        }
        if (!hidden.empty())
            listing_.notes.push_back(
                "containers into which only root and their owners may look aren't shown; their monitors "
                "are " +
                hidden);
    }

    Processes processes_;
    ListingRequest request_;
    std::vector<Container> containers_;
    std::map<HostPid, HostPid> owners_;  // by process: the monitor of its container, or none
    Listing listing_;
};

}  // namespace

Result<Listing> list_processes(const ListingRequest& request) {
    auto processes = Processes::read();
    if (!processes) return std::unexpected(std::move(processes).error());
    ListingRequest extended = request;
    if (prctl(pidns::layer_question, 0, 0, 0, 0) == 1) extended.all = true;
    return Lister(std::move(*processes), extended).list();
}

}  // namespace ctr
