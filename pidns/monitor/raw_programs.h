// Programs that make their calls themselves (static ones, Go's), that the container starts and that have no
// copy: seen by their calls, which come here. A copy of each is made in the background, by a process of its
// own, and is put in place when the next container starts (runtime/fastpath.h).
//
// Not in this one: under the name of a file that runs there would be another file from one moment to the
// next. What compares the two says then that a service isn't running (start-stop-daemon --exec, killall
// PATH), or that a file was changed (git, dpkg --verify).
//
// For the same reason only what is installed has copies: what is being worked on is read, packed and sent
// elsewhere, or rewritten in place by somebody outside, whose change a copy would hide.
#pragma once

#include <sys/types.h>

#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "pidns/monitor/listener.h"
#include "pidns/monitor/options.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// In a directory where systems have their programs.
bool is_installed(std::string_view path);

class RawPrograms {
  public:
    explicit RawPrograms(MakeCopy make) : make_(std::move(make)) {}

    // A call came here that code of ours hasn't asked for. Never waits.
    void saw(const Trap& trap);

    // Threads that are gone may come back as others.
    void tidy() { seen_.clear(); }

    // The process that makes a copy; none.
    HostPid copier() const;
    // Until it is done, or has taken long enough, or `stop` becomes readable or hangs up.
    void await_copier(int stop) const;

  private:
    void look_at(const Trap& trap);
    void start(const Fd& image, const std::string& path);

    MakeCopy make_;
    std::unordered_set<int> seen_;                       // threads: one look at each
    std::map<std::pair<dev_t, ino_t>, timespec> known_;  // what was seen to, and when it had changed last
    HostPid copier_ = HostPid::none;
    Fd copiers_end_;
};

}  // namespace ctr::pidns
