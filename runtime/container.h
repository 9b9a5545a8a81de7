// A running container. The public face of the launcher: what the ctr command does goes through here.
//
// Processes: start() executes a *keeper*, a program of the library's own, as a child of the calling program;
// the keeper forks a *supervisor*, which creates the container's first process (init, the user's command),
// numbers its processes and waits for it. Keeper and supervisor watch each other: whichever is killed, the
// other ends the container and removes what belongs to it; the end of the calling program is the end of its
// containers, too. The command has the calling program's environment, directory, limits and standard
// descriptors, where the Spec doesn't say otherwise, and no other descriptor of it.
//
// The keeper is a child like any other: its end is a SIGCHLD. wait() reaps it. A program that reaps whatever
// child there is (waitpid(-1), SIGCHLD ignored) does no harm.
//
// Threads: everything here may be called from any thread, and any number at a time; one Container, or one
// other object, belongs to one thread at a time. Nothing here prints, exits, installs a signal handler,
// throws (but for std::bad_alloc and what NOTIFY throws) or changes the calling process; run() is the
// exception. Calls block; signals that arrive meanwhile don't end them.
//
// Ownership: a Container owns what it has started and its descriptors, which are closed on execution. start()
// copies what it takes from the Spec.
#pragma once

#include <string>

#include "runtime/base/error.h"
#include "runtime/base/export.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/exit.h"
#include "runtime/notice.h"
#include "runtime/spec.h"

namespace ctr {

class CTR_API Container {
  public:
    // Starts the container and returns when its command has been executed, or with the reason why it could
    // not be. notify is called for what comes up until then.
    static Result<Container> start(const Spec& spec, const Notify& notify = {});

    Container(Container&&) noexcept = default;
    Container& operator=(Container&&) = delete;
    ~Container();  // ends the container unless it has been waited for, and returns when it is gone

    // Its first process, as the host knows it.
    HostPid init() const { return init_; }

    // The command's, which is another process under Spec::init only.
    HostPid command() const { return command_; }

    // The outer end of its terminal (Spec::terminal): what is written there is typed, what is read was shown.
    const Fd& terminal() const { return terminal_; }

    // Sends a signal to init, as from outside: virtual pid 1 dies of those that it doesn't handle.
    Status signal(int number) const;

    // Waits for the end of init and of everything in the container. Once.
    Result<Exit> wait();

  private:
    Container(Fd keeper, Fd reports) noexcept;

    Fd keeper_;   // pidfd
    Fd reports_;  // of the keeper; closed: waited for
    Fd init_fd_;  // pidfd
    Fd terminal_;
    HostPid init_ = HostPid::none;
    HostPid command_ = HostPid::none;
};

// Starts a container that goes on without the calling program, and returns its name when its command has been
// executed. spec.registration says where it is written down, so that it can be found again (contact.h).
CTR_API Result<std::string> start_detached(Spec spec, const Notify& notify = {});

// For a program whose only job is this container (the ctr command): the calling process itself becomes the
// keeper. It changes the process for good (child subreaper, signals blocked and forwarded to init) and must
// be called from the only thread. Returns the exit code as a shell would show it.
CTR_API Result<int> run(const Spec& spec, const Notify& notify = {});

}  // namespace ctr
