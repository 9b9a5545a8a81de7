// A process that is started, listened to, and waited for, all in one call.
#pragma once

#include <sys/resource.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::bench {

struct Start {
    std::vector<std::string> line;                                 // the first word is looked up in PATH
    std::vector<std::pair<std::string, std::string>> environment;  // over the caller's
    std::string directory;                                         // empty: the caller's
    bool keep_output = false;  // else what it writes to standard output is dropped
    bool ahead = false;        // of all else on this machine (SCHED_FIFO), with all that it starts
    bool ends_all = false;     // it ends all below it when it is asked to by SIGTERM; else SIGKILL does
};

struct Ended {
    long long begun = 0;  // CLOCK_MONOTONIC, ns: just before it was started
    int status = 0;       // as wait4 has it
    rusage usage{};       // of it and all that it has waited for
    std::string channel;  // what was written to its standard input, which is the end of a pipe
    std::string output;   // the last 64 KiB of standard output, as of the next one
    std::string errors;
    bool stopped = false;  // because STOP became readable
};

// Runs it in a process group of its own. STOP: as soon as it is readable the process is made to end; -1:
// never.
Result<Ended> run_process(const Start& start, int stop);

// The last lines of a text, without the empty ones at its end.
std::string tail_of(const std::string& text, size_t lines);

}  // namespace ctr::bench
