#include "cgroup/removal.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>

#include "cgroup/control_file.h"
#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::cgroup {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kill_patience{10};
constexpr std::chrono::seconds remove_patience{2};

// Sleeps a little, longer each time; false once the patience is over.
class Patience {
  public:
    explicit Patience(Clock::duration patience) : end_(Clock::now() + patience) {}
    bool wait() {
        if (Clock::now() >= end_) return false;
        std::this_thread::sleep_for(pause_);
        pause_ = std::min(pause_ * 2, milliseconds(50));
        return true;
    }

  private:
    Clock::time_point end_;
    milliseconds pause_{1};
};

std::vector<std::string> directories_below(const std::string& directory) {
    std::vector<std::string> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
    if (!stream) return found;
    while (const dirent* entry = readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
        found.push_back(directory + "/" + entry->d_name);
    }
    return found;
}

// From the leaves up: rmdir refuses a group with groups below it. What a killed launcher left inside of ours
// goes too.
int remove_tree(const std::string& directory) {
    if (rmdir(directory.c_str()) == 0 || errno == ENOENT) return 0;
    const int err = errno;
    if (err != EBUSY && err != ENOTEMPTY) return err;
    for (const std::string& below : directories_below(directory)) remove_tree(below);
    return rmdir(directory.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

Status remove_directory(const std::string& directory) {
    Patience patience(remove_patience);
    int err = 0;
    do {
        err = remove_tree(directory);
        if (err == 0) return {};
    } while ((err == EBUSY || err == ENOTEMPTY) && patience.wait());

    const Result<std::vector<HostPid>> left = processes_in(directory);
    std::string why;
    if (left && !left->empty()) {
        why = std::to_string(left->size()) + " processes are still in it, such as " +
              std::to_string(raw(left->front()));
    }
    return fail_call("remove the cgroup", "rmdir " + directory, err, std::move(why));
}

Status collect_processes(const std::string& directory, std::vector<HostPid>& found) {
    const Result<std::string> text =
        read_file(directory + "/cgroup.procs", "list the processes of the cgroup");
    if (!text) {
        // ENODEV: removed between open and read.
        if (text.error().err == ENOENT || text.error().err == ENODEV) return {};
        return std::unexpected(text.error());
    }
    for_each_line(*text, [&](std::string_view line) {
        unsigned long number = 0;
        // 0 stands for a process of a pid namespace that isn't below ours.
        if (!parse_number(line, number) || number == 0 || number > std::numeric_limits<int>::max()) return;
        found.push_back(HostPid{static_cast<int>(number)});
    });
    for (const std::string& below : directories_below(directory)) {
        if (Status status = collect_processes(below, found); !status) return status;
    }
    return {};
}

// A number read from cgroup.procs may be another process's by the time of the kill. So a pidfd is opened
// first, and only if the number is still in the group after that is the signal sent: then the pidfd is the
// group's process.
Status kill_once(const std::string& directory, const std::vector<HostPid>& listed) {
    std::vector<std::pair<HostPid, Fd>> held;
    for (HostPid pid : listed) {
        Fd fd(sys::pidfd_open(raw(pid), 0));
        if (fd) {
            held.emplace_back(pid, std::move(fd));
        } else if (errno != ESRCH && held.empty()) {
            return fail_call("kill process " + std::to_string(raw(pid)) + " of the cgroup", "pidfd_open");
        } else if (errno == EMFILE || errno == ENFILE) {
            break;  // the next round takes the rest
        }
    }
    const Result<std::vector<HostPid>> now = processes_in(directory);
    if (!now) return std::unexpected(now.error());
    for (const auto& [pid, fd] : held) {
        if (!std::binary_search(now->begin(), now->end(), pid)) continue;
        if (sys::pidfd_send_signal(fd.get(), SIGKILL) != 0 && errno != ESRCH) {
            return fail_call("kill process " + std::to_string(raw(pid)) + " of the cgroup",
                             "pidfd_send_signal");
        }
    }
    return {};
}

}  // namespace

Result<std::vector<HostPid>> processes_in(const std::string& directory) {
    std::vector<HostPid> found;
    if (Status status = collect_processes(directory, found); !status) return std::unexpected(status.error());
    std::sort(found.begin(), found.end());
    return found;
}

Status kill_processes(const std::string& directory) {
    Patience patience(kill_patience);
    const HostPid self{getpid()};
    while (true) {
        Result<std::vector<HostPid>> left = processes_in(directory);
        if (!left) return std::unexpected(left.error());
        std::erase(*left, self);
        if (left->empty()) return {};
        if (Status status = kill_once(directory, *left); !status) return status;
        if (!patience.wait()) {
            return fail_input("kill the processes of cgroup " + directory,
                              std::to_string(left->size()) + " processes are left after " +
                                  std::to_string(kill_patience.count()) + " seconds");
        }
    }
}

Status remove_directories(const std::vector<std::string>& directories) {
    Status first;
    for (const std::string& directory : directories) {
        Status status = remove_directory(directory);
        if (!status && first) first = std::move(status);
    }
    return first;
}

}  // namespace ctr::cgroup
