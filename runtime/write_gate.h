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
// Who waits keeps its place until its call is over. A thread can wait in one call only, so that there are
// never more places than threads but for those of the killed, which are cleared away (a container's
// --pids-limit bounds the memory that this takes). Before Linux 5.19 a signal ends a call that waits, and the
// kernel restarts it after the handler: it comes anew, and gets the place that it had. It has lost that only
// if it was its turn, or looked after (every 100 ms), while the handler ran; then it has paid nothing either.
//
// The call's arguments say how much is asked for; what is written then may be less. Arguments in memory
// (writev) and what a descriptor stands for can be exchanged by another thread between the look and the call:
// like numbering this is no wall against hostile programs. What is written by no call isn't seen: pages of a
// file that is mapped shared.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "cgroup/bucket.h"
#include "cgroup/throttle_counters.h"
#include "pidns/monitor/listener.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/gate_settings.h"
#include "runtime/write_targets.h"

namespace ctr {

class WriteGate {
  public:
    static Result<WriteGate> create(const GateSettings& settings);

    // Other settings, which hold for those as well who wait already: what they have still to wait is reckoned
    // anew. Who waits for a disk that isn't limited any more goes on.
    void change(const GateSettings& settings);
    GateSettings settings() const;

    // As WriteTargets has it.
    void add_overlay(HostPid process, cgroup::DeviceNumber disk) { targets_.add_overlay(process, disk); }

    // One of write_calls::watched() has trapped. It is answered, at once or when its time has come; the
    // listener outlives that.
    void arrived(const pidns::Listener& listener, const pidns::Trap& trap);

    // Readable when serve() has something to do.
    int fd() const { return timer_.get(); }
    void serve();

    std::vector<cgroup::ThrottleCounters> counters() const;

    // Those who wait, with the gone that aren't cleared away yet.
    size_t waiting() const { return places_.size(); }

  private:
    using Time = cgroup::Bucket::Time;
    using Ticket = uint64_t;
    static constexpr size_t few = 64;

    struct Charge {
        cgroup::DeviceNumber device;
        uint64_t bytes = 0;
        uint64_t operations = 0;
        bool operator==(const Charge&) const = default;
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
        std::map<Ticket, Request> queue;  // first come, first served
        size_t many = few;                // so many, and it is time to clear those away that have gone
        std::optional<Time> ready;        // when the first may pass; absent: it hasn't been reckoned yet
        cgroup::IoLimit limit;
        cgroup::ThrottleCounters counters;  // also of one that isn't limited any more
    };
    struct Place {
        cgroup::DeviceNumber device;
        Ticket ticket;
    };

    explicit WriteGate(Fd timer) : timer_(std::move(timer)) {}
    std::vector<Charge> charges_of(const pidns::Trap& trap);
    bool takes_its_old_place(const pidns::Listener& listener, const pidns::Trap& trap,
                             const std::vector<Charge>& charges);
    void leave(Device& device, std::map<Ticket, Request>::iterator request);
    void clear_away_the_gone(Device& device);
    Time ready(const Request& request, Time now) const;
    Time take(const Request& request, Time now);
    void give_back(const Request& request);
    void count(const Request& request, Time now, bool waited);
    void let_pass(Device& device, Time now);
    void set_timer(Time now) const;

    Fd timer_;
    WriteTargets targets_;
    bool all_writes_ = false;
    std::map<cgroup::DeviceNumber, Device> devices_;
    std::map<HostPid, Place> places_;  // of threads
    Ticket next_ticket_ = 0;
};

}  // namespace ctr
