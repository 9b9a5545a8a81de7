// The user-space throttle: makes writers wait before they write, where the kernel can't (cgroup v1 doesn't
// limit buffered writes; there may be no io controller, or no right to use it).
//
// What has to be slowed is who writes, at the moment of writing into the page cache: the kernel thread that
// brings that to the disk later is nobody's. Why it is done as it is:
//
// Watching /proc/PID/io and freezing sees all that is written, whoever writes it how. But a sample comes
// late: at 5 MiB/s, with 1 or 10 ms between samples, dd got 3 to 8 MiB ahead, a second's worth and more, and
// was then frozen for as long, with everything else in its group. It takes a freezer, doesn't say which
// device, and costs for each process, whether that writes or not.
//
// Stopping the writer is seen: SIGSTOP by parents (WUNTRACED), ptrace by debuggers.
//
// A seccomp notification of the calls that write is what is left, and what is done here. The call waits for
// an answer and is then made as it stands: exact to the call, before a byte is written. Nobody sees anything
// of it but the time, it takes no privilege, and who doesn't write has no cost. The price is a notification
// for each write, to terminals and pipes too, because a filter can't see what a descriptor is.
//
// A process can have one listener, so where processes are numbered the calls are watched by the filter of the
// pid layer (pidns/monitor/options.h, Watched) and handed on; else by a filter of their own.
//
// The call's arguments say how much is asked for; what is written then may be less. Arguments in memory
// (writev) and what a descriptor stands for can be exchanged by another thread between the look and the call:
// like numbering this is no wall against hostile programs. What is written by no call isn't seen: pages of a
// file that is mapped shared.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "cgroup/bucket.h"
#include "cgroup/resolved_limits.h"
#include "cgroup/throttle_counters.h"
#include "pidns/monitor/listener.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/write_targets.h"

namespace ctr {

class WriteGate {
  public:
    // LIMITS: their writes; what they say of reads is ignored.
    static Result<WriteGate> create(const cgroup::ResolvedLimits& limits);

    // As WriteTargets has it.
    void add_overlay(HostPid process, cgroup::DeviceNumber disk) { targets_.add_overlay(process, disk); }

    // One of write_calls::watched() has trapped. It is answered, at once or when its time has come; the
    // listener outlives that.
    void arrived(const pidns::Listener& listener, const pidns::Trap& trap);

    // Readable when serve() has something to do.
    int fd() const { return timer_.get(); }
    void serve();

    std::vector<cgroup::ThrottleCounters> counters() const;

  private:
    using Time = cgroup::Bucket::Time;

    struct Charge {
        cgroup::DeviceNumber device;
        uint64_t bytes = 0;
        uint64_t operations = 0;
    };
    struct Request {
        const pidns::Listener* listener;
        pidns::Trap trap;
        std::vector<Charge> charges;
        Time arrived;
    };
    struct Device {
        std::optional<cgroup::Bucket> bytes;
        std::optional<cgroup::Bucket> operations;
        std::deque<Request> queue;  // first come, first served
        std::optional<Time> ready;  // when the first may pass; absent: it hasn't been reckoned yet
        cgroup::ThrottleCounters counters;
    };

    WriteGate(Fd timer, WriteTargets targets) : timer_(std::move(timer)), targets_(std::move(targets)) {}
    std::vector<Charge> charges_of(const pidns::Trap& trap);
    Time take(const Request& request, Time now);
    void give_back(const Request& request);
    void count(const Request& request, Time now, bool waited);
    void let_pass(Device& device, Time now);
    void set_timer(Time now) const;

    Fd timer_;
    WriteTargets targets_;
    std::map<cgroup::DeviceNumber, Device> devices_;
};

}  // namespace ctr
