// What the verbs of `ctr bench` have in common: options of a run, where reports go, progress and
// interruption. A verb makes workloads and plans; this runs them and hands out the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/bench/interrupt.h"
#include "cmd/bench/measure.h"
#include "cmd/bench/outputs.h"
#include "cmd/bench/report.h"
#include "cmd/bench/schedule.h"
#include "cmd/given.h"
#include "runtime/base/error.h"

namespace ctr::bench {

Result<Outputs> take_outputs(const cmd::Given& given);

// --rounds, --time, --warmup, --seed; what isn't given stays as it is. Without --seed one is drawn.
Status take_pace(const cmd::Given& given, Plan& plan);

class Session {
  public:
    // COMMAND: how it was called, for the report.
    static Result<Session> begin(std::string command, bool ahead = false);  // ahead: as of Measurer

    bool interrupted() const { return interrupt_.happened(); }

    // Measures a command under configurations, of which the first is the reference. PACE: rounds, warm-up,
    // time and seed; the rest of it is made here. The recording also goes into the report.
    // Error: a configuration is named twice.
    Result<const Recording*> run(const Workload& workload, const std::vector<Configuration>& configurations,
                                 const Plan& pace);

    // The same with samples of one's own.
    const Recording& run(const Plan& plan, const Sampler& sampler);

    // For samplers of one's own: it heeds the interruption.
    const Measurer& measurer() const { return measurer_; }
    int stop_descriptor() const { return interrupt_.descriptor(); }

    void skip(std::string title, std::string why);

    // Looks at the machine again, writes all files and prints. 0; 1 if something failed, 130 if it was
    // interrupted.
    Result<int> finish(const Outputs& outputs);
    Report& report() { return report_; }

  private:
    Session(Interrupt interrupt, Measurer measurer, Report report)
        : interrupt_(std::move(interrupt)), measurer_(std::move(measurer)), report_(std::move(report)) {}
    Interrupt interrupt_;
    Measurer measurer_;
    Report report_;
};

// As a verb was called: LINE, and --ahead.
Result<Session> begin_session(const cmd::Given& given, std::string line);

}  // namespace ctr::bench
