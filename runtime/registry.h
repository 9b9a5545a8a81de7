// The directory in which containers are written down, one directory each:
//
//   ROOT/NAME/state.json   what it is (state.h); replaced as a whole, so that readers always find all of it
//   ROOT/NAME/lock         held (fcntl, open file description) by the container's keeper and supervisor: the
//                          kernel lets go of it when both are gone, however they went
//   ROOT/NAME/control      the socket that takes orders (control.h)
//   ROOT/NAME/log          what a detached container has written (log.h)
//
// Entries are made, removed and swept under a lock of ROOT itself, which the kernel releases likewise, as it
// does that of ROOT/NAME, for changes of what runs (taken before ROOT's). So
// there is no moment at which a kill leaves what can't be told from a living container: an entry whose lock
// nobody holds is over, and the next command sees to what it has left.
//
// Threads: any, one at a time for one object. Both classes own their descriptors, which are closed on
// execution.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/export.h"
#include "runtime/base/fd.h"
#include "runtime/state.h"

namespace ctr {

// One container's directory. After a fork both processes have it; the lock is held until both let go.
class CTR_API Entry {
  public:
    static constexpr const char* lock_file = "lock";

    const std::string& name() const { return name_; }
    const Fd& directory() const { return directory_; }

    // As it is now: what is written, corrected by what the kernel knows.
    Result<State> read() const;

    // For who reckons other settings from those it has: one at a time, as long as the result is open.
    Result<Fd> lock_settings() const;

    // Whether its keeper or supervisor lives.
    bool alive() const;
    void wait_until_over() const;

    // For those two.
    Status write(const State& state) const;

  private:
    friend class Registry;
    Entry(std::string name, Fd directory, Fd lock)
        : name_(std::move(name)), directory_(std::move(directory)), lock_(std::move(lock)) {}
    Result<State> read_written() const;

    std::string name_;
    Fd directory_;
    Fd lock_;
};

class CTR_API Registry {
  public:
    enum class Access {
        make,  // the directory is made if it isn't there
        use,   // a directory that isn't there holds no containers
        look,  // the same, and nothing is changed in it
    };

    // It must belong to the caller, and to nobody else be open for writing. Sees to what containers that are
    // over have left, but for look.
    static Result<Registry> open(const std::string& root, Access access = Access::make);

    bool there() const { return static_cast<bool>(directory_); }

    Result<Entry> find(const std::string& name) const;
    Result<std::vector<Entry>> all() const;

    // Changes what is written down about one that isn't over. Nothing else is written meanwhile.
    Status change(const Entry& entry, const std::function<void(State&)>& how) const;

    // Only of a container that is over.
    Status remove(const Entry& entry) const;

    // For keeper and supervisor: a new entry, its lock held, with this state in it (of two that want one
    // name, one gets it); and the end of a container: its exit, if it is known. One that never came to run is
    // forgotten.
    Result<Entry> create(const State& state) const;
    Status finish(const Entry& entry, std::optional<Exit> exit) const;

  private:
    explicit Registry(std::string root, Fd directory)
        : root_(std::move(root)), directory_(std::move(directory)) {}
    Result<Fd> lock() const;
    Result<Entry> open_entry(const std::string& name) const;
    Result<Entry> make_entry(const State& state) const;
    std::vector<std::string> names() const;
    void sweep() const;
    void bury(const Entry& entry) const;
    Status erase(const std::string& name) const;

    std::string root_;
    Fd directory_;
};

// Where containers are written down if nobody says otherwise: $CTR_STATE_DIR, or /run/ctr for root of the
// host, or $XDG_RUNTIME_DIR/ctr. Empty: this user has no such place.
CTR_API std::string usual_registry(const std::vector<std::string>& environment);

}  // namespace ctr
