// A container that somebody else has started and written down (registry.h): what the verbs of ctr do to one.
//
// It is reached through its supervisor (control.h), which hands out a descriptor of its first process. So
// nothing is ever done to a process because a file says so.
//
// Threads: any; one at a time for one object. Nothing here prints or changes the calling process, but for
// execute(). Ownership: a Contact owns its descriptors, and refers to its entry, which must outlive it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "cgroup/throttle_counters.h"
#include "runtime/base/error.h"
#include "runtime/base/export.h"
#include "runtime/base/fd.h"
#include "runtime/exec_spec.h"
#include "runtime/exit.h"
#include "runtime/gate_settings.h"
#include "runtime/notice.h"
#include "runtime/registry.h"

namespace ctr {

// What the kernel and a monitor do at once takes longer on a host that is busy, not for ever.
inline constexpr std::chrono::seconds usual_patience{30};
inline constexpr std::chrono::seconds answer_patience{10};

struct GateAnswer;
struct GateQuestion;

class CTR_API Contact {
  public:
    // An error if the container doesn't run, or its monitor doesn't answer in that time: ETIMEDOUT, at once
    // if it is stopped.
    static Result<Contact> make(const Entry& entry, std::chrono::milliseconds patience = answer_patience);

    HostPid init() const { return init_; }
    HostPid command() const { return command_; }  // the same, or its child (Spec::init)

    // Whether everything in the container is gone then, and its supervisor with it.
    bool ends_within(std::chrono::milliseconds patience) const;

    // A pidfd of it, which this object has no more then.
    Fd take_init_fd() { return std::move(init_fd_); }

    // To its first process, as from outside. SIGKILL reaches it also while it is paused.
    Status signal(int number) const;

    // How its writers have been slowed down in user space so far: one for each disk that is limited so.
    Result<std::vector<cgroup::ThrottleCounters>> throttled() const;

    // How it slows them down from now on; nothing: it has nothing to do that with. And otherwise, all or
    // nothing.
    Result<std::optional<GateSettings>> gate() const;
    Status change_gate(const GateSettings& settings) const;

    // After a change_gate, also one without an answer: what it is told it does in that order, later if it
    // must, and nobody waits for it.
    Status restore_gate(const GateSettings& settings) const;

    // Until everything in the container is gone. Nothing: the patience was over before. Once.
    Result<std::optional<Exit>> wait(std::optional<std::chrono::milliseconds> patience = {});

    // Asks it to end with the signal that it was started with for that, and after PATIENCE makes it. An error
    // that says what is left if even that doesn't end it (usual_patience). Once.
    Result<Exit> stop(std::chrono::milliseconds patience);

    // Runs another command in the container, on the caller's standard descriptors or on a terminal connected
    // to the caller's, to its end. For a program whose only job that is: it blocks signals for good and
    // passes those it gets on to the command. One that is detached has /dev/null, and its start is all that
    // is waited for. Once.
    // ON_STARTED is told the command's number here.
    Result<Exit> execute(const ExecSpec& exec, const std::function<void(HostPid)>& on_started = {});

  private:
    Result<GateAnswer> ask(const GateQuestion& question) const;
    Contact(const Entry& entry, Fd connection) : entry_(&entry), connection_(std::move(connection)) {}

    const Entry* entry_;
    Fd connection_;
    HostPid init_ = HostPid::none;
    HostPid command_ = HostPid::none;
    Fd init_fd_;
};

// Contact::stop and SIGKILL, also of one whose monitor doesn't answer: that is killed then, which ends the
// container and is a warning, as the command isn't asked then. Who stops has time for a monitor that is busy:
// PATIENCE, and not less than is usual, unless it is stopped.
CTR_API Status stop(const Entry& entry, std::chrono::milliseconds patience, const Notify& notify = {});
CTR_API Status kill(const Entry& entry, const Notify& notify = {});

// Stops all its processes where they are, and lets them go on.
CTR_API Status pause(const Entry& entry);
CTR_API Status resume(const Entry& entry);

// Waits for its end. How it ended, also if that is long ago.
CTR_API Result<Exit> wait_for(const Entry& entry);

// Removes what is written down about a container that is over.
CTR_API Status remove(const Registry& registry, const Entry& entry);

// The same also if it runs, which ends it. An error that says what is left if it hasn't ended in that time.
CTR_API Status end_and_remove(const Registry& registry, const Entry& entry,
                              std::chrono::milliseconds patience = usual_patience, const Notify& notify = {});

}  // namespace ctr
