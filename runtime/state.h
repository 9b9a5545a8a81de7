// What is written down about a container: the text of its state.json, as a value. Pure.
//
// The first seven fields are those of the OCI runtime specification's state, so that tools which know that
// can read it. The file may have been written by anybody who can write there: whatever isn't as ours would be
// is an error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/limits.h"
#include "runtime/base/error.h"
#include "runtime/base/export.h"
#include "runtime/base/ids.h"
#include "runtime/exit.h"

namespace ctr {

enum class LifeStatus {
    creating,  // its command doesn't run yet
    running,
    paused,   // never in the file: the kernel knows
    stopped,  // its command has ended, and everything in it with it
};

struct State {
    std::string id;  // its name: chosen by the user, or made up
    LifeStatus status = LifeStatus::creating;
    HostPid pid = HostPid::none;  // of its first process, while there is one
    std::string bundle;           // its root file system: "/" is the host's
    std::string created;          // RFC 3339, UTC; as the others
    std::string started;          // empty: not yet
    std::string finished;
    std::vector<std::string> command;
    std::string pidns;  // a word of --pidns
    bool detached = false;
    bool remove = false;  // nothing of it stays when it has ended
    int stop_signal = 0;
    std::vector<std::string> cgroups;  // directories: those that are there; until it runs, that may be
    cgroup::Limits limits;             // as they are now
    std::optional<Exit> exit;          // once stopped, if somebody was left to see it
};

// [a-zA-Z0-9][a-zA-Z0-9_.-]*, 64 characters at most: also the name of a directory.
CTR_API Status check_name(const std::string& name);
// The same for one that is to be given, which isn't digits alone. Those that have such a name are found by
// it.
CTR_API Status check_new_name(const std::string& name);
CTR_API Result<std::string> random_name();

CTR_API const char* word_for(LifeStatus status);
CTR_API std::string to_json(const State& state);
CTR_API Result<State> parse_state(const std::string& text);

// Now, as the fields above have it.
CTR_API std::string timestamp();

}  // namespace ctr
