// ctr bench list: the workloads that come with ctr, and whether they can run here.
#include "cmd/bench/outputs.h"
#include "cmd/bench/verbs.h"
#include "cmd/bench/workloads.h"
#include "cmd/table.h"

namespace ctr::bench {

Result<int> list_verb(const Call&) {
    cmd::Rows rows = {{"WORKLOAD", "AFTER", "MEASURES", "HERE"}};
    for (const BuiltIn& one : built_in_workloads()) {
        const auto workload = make_workload(one.name, false);
        rows.push_back({one.name, one.source, one.what,
                        workload                        ? "yes"
                        : make_workload(one.name, true) ? "with --quick; else: " + workload.error().hint
                        : workload.error().hint.empty() ? workload.error().why
                                                        : workload.error().hint});
    }
    if (auto printed = print(cmd::aligned(rows)); !printed) return std::unexpected(printed.error());
    return 0;
}

}  // namespace ctr::bench
