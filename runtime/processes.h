// What /proc shows of the processes here, read once.
//
// "Here" is the pid namespace that the procfs at /proc belongs to; every HostPid below is a number there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr {

struct Process {
    HostPid here{};
    HostPid parent{};  // none: it has none, or it can't be seen from here
    char state = '?';  // as in /proc/PID/stat: R, S, D, Z, T, ...
    std::string comm;
    uint64_t start = 0;  // clock ticks after the host's start

    // Only after read_details().
    std::vector<int> numbers;       // from here to the process's own namespace, one for each level; not empty
    std::vector<std::string> args;  // empty: a zombie, or a thread of the kernel
};

// Of the text of /proc/PID/stat. The command's name in it may hold anything, also blanks and parentheses.
Result<Process> parse_stat(const std::string& text);

// The same of one process here, as it is now.
Result<Process> read_stat(HostPid process);

// The numbers of the NSpid line of the text of /proc/PID/status; empty where there is none.
std::vector<int> parse_numbers(const std::string& text);

// Words that end in zero bytes, as in /proc/PID/cmdline.
std::vector<std::string> parse_arguments(const std::string& text);

class Processes {
  public:
    static Result<Processes> read();

    const std::map<HostPid, Process>& all() const { return all_; }
    const Process* find(HostPid here) const;

    // The whole of one process; null: it has gone.
    const Process* read_details(HostPid here);

  private:
    std::map<HostPid, Process> all_;
};

}  // namespace ctr
