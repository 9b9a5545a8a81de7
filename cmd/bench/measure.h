// Runs a command once, from start to end, inside or outside, and says what that took.
//
//   ctr bench                  ctr run ... (none for host)        ctr __measure          the command
//      | --- spawn: from here "start" ------------------------------->|
//      |                                                   PDEATHSIG  | --- fork, execvp --->|
//      |                                                              | "wall" ...           |
//      |                                                              | <-- wait4: user, ----|
//      | <-- Record, through what was its standard input -------------|    system, memory
//      | <-- wait4 of the outermost process: minus the command's own, "ctr cpu"
//
// The same wrapper runs on both sides, so that what it costs is in both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/bench/configuration.h"
#include "cmd/bench/recording.h"
#include "cmd/bench/workload.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::bench {

// What every command has: wall, user, system, cpu (both together; s), memory (MiB; the largest of its
// processes, and never less than ctr itself, which starts it), start (ms, until the command is about to be
// executed; the wrapper's own start, some 1 ms, is in it), ctr cpu (ms, of keeper, monitor, and of start and
// teardown).
const std::vector<Metric>& common_metrics();

// Those, and the workload's figures behind them.
std::vector<Metric> metrics_of(const Workload& workload);

// One of each configuration (the first is the reference), with the second instance of the reference.
std::vector<Subject> subjects_of(const std::vector<Configuration>& configurations);

struct Measured {
    Sample sample;
    std::vector<std::string> warnings;  // of ctr run: what is measured may be less than what was asked for
};

// Makes samples of real commands; not thread-safe. A command that doesn't end with 0, or prints no figure, is
// an error with its status and the end of what it wrote.
class Measurer {
  public:
    // STOP: readable when the measurement is to end (SIGINT); -1: never. The running command is then killed.
    // AHEAD: of all else on this machine (SCHED_FIFO), which takes CAP_SYS_NICE.
    static Result<Measurer> make(int stop, bool ahead = false);

    Result<Measured> measure(const Configuration& configuration, const Workload& workload) const;

  private:
    Measurer(std::string ctr, int stop, bool ahead) : ctr_(std::move(ctr)), stop_(stop), ahead_(ahead) {}
    std::string ctr_;  // the path of this program
    int stop_ = -1;
    bool ahead_ = false;
};

// The wrapper: what `ctr __measure WHERE COMMAND...` does. WHERE: "inside", or
// "outside:PARENT[,NAMESPACE]...", where the end of the process PARENT is the end of it all. Its exit code is
// the command's.
int measure_inside(const std::vector<std::string>& arguments);

}  // namespace ctr::bench
